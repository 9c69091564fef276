// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Emits the map on a contraction's result, at one element or at several
/// neighbours.
#ifndef MPC_LIB_CODEGEN_CUDA_EMITEPILOGUE_H
#define MPC_LIB_CODEGEN_CUDA_EMITEPILOGUE_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CUDA/KernelText.h"

namespace mpc::cuda {

/// Emits the kernel's use of `sum`, the contraction's result at `dims`. The
/// dimensions of k may be empty. All reads come before the first store.
void emitEpilogue(KernelText &text, const kernel::Contraction &contraction,
                  const kernel::Epilogue &epilogue,
                  llvm::ArrayRef<std::string> dims, const std::string &sum);

/// A run of neighbours of the result along one group of its dimensions.
struct ResultRun {
  kernel::Contraction::DimGroup group;
  int64_t count;     ///< Their number, a power of two.
  std::string first; ///< The flat index of the first element in the group.
  Texts dims; ///< The dimensions of the other groups; those of k may be empty.
};

/// The number of neighbours along `group` that a thread computes at once, so
/// that it stores up to 8 elements with one or several accesses of 16 bytes.
int64_t getRunLength(const kernel::Contraction &contraction,
                     const kernel::Epilogue &epilogue,
                     kernel::Contraction::DimGroup group);

/// Emits the map at the elements of `run`; `sums` is a vector of their sums.
/// Elements that are a vector in memory are loaded and stored as one.
void emitEpilogue(KernelText &text, const kernel::Contraction &contraction,
                  const kernel::Epilogue &epilogue, const ResultRun &run,
                  const std::string &sums);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_EMITEPILOGUE_H
