// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The names of GPUs for which kernels are compiled, and the prelude of every
/// kernel's text.
#ifndef MPC_LIB_CODEGEN_CUDA_TARGET_H
#define MPC_LIB_CODEGEN_CUDA_TARGET_H

#include "runtime/Support/CudaArch.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mpc::cuda {

/// Whether a target's name is that of a GPU: "cuda:...".
bool isCudaName(llvm::StringRef name);
/// sm_90a of "cuda:sm_90a"; an error on any other name.
llvm::Expected<rt::CudaArch> getCudaArch(llvm::StringRef name);

/// The text of Prelude/.
llvm::StringRef getPrelude();

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_TARGET_H
