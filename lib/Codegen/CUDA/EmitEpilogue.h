// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The map on a contraction's result, at one element.
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

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_EMITEPILOGUE_H
