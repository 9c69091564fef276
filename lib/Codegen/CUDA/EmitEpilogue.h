// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The map on a contraction's result, at one element or at neighbours.
#ifndef MPC_LIB_CODEGEN_CUDA_EMITEPILOGUE_H
#define MPC_LIB_CODEGEN_CUDA_EMITEPILOGUE_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CUDA/KernelText.h"

namespace mpc::cuda {

/// What the kernel does with `sum`, the contraction's result at `dims`, of
/// which those of k may be empty. All is read before anything is stored.
void emitEpilogue(KernelText &text, const kernel::Contraction &contraction,
                  const kernel::Epilogue &epilogue,
                  llvm::ArrayRef<std::string> dims, const std::string &sum);

/// Neighbours of the result along one group of its dimensions.
struct ResultRun {
  kernel::Contraction::DimGroup group;
  int64_t count;     ///< A power of two.
  std::string first; ///< The flat index of the first in the group.
  Texts dims;        ///< Those of the other groups; k's may be empty.
};

/// How many neighbours along `group` a thread can do at once, so that it stores
/// up to 8 elements with each access of 16 bytes or several.
int64_t getRunLength(const kernel::Contraction &contraction,
                     const kernel::Epilogue &epilogue,
                     kernel::Contraction::DimGroup group);

/// The same at the elements of `run`; `sums` is a vector of theirs. What lies
/// in memory as a vector of them does is loaded and stored as one.
void emitEpilogue(KernelText &text, const kernel::Contraction &contraction,
                  const kernel::Epilogue &epilogue, const ResultRun &run,
                  const std::string &sums);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_EMITEPILOGUE_H
