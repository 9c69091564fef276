// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels that are products as BLAS has them.
#ifndef MPC_LIB_CODEGEN_CUDA_LIBRARYPRODUCT_H
#define MPC_LIB_CODEGEN_CUDA_LIBRARYPRODUCT_H

#include "dialects/Kernel/Body.h"
#include "lib/Codegen/CUDA/CUDADialect.h"

namespace mpc::cuda {

/// Whether kernels for `target` may be products of a library: not where results
/// have the bits of the CPU's, and not in the reference.
bool hasProductLibrary(TargetAttr target);

/// `kernel`, which has a schedule, as a product that cuBLASLt knows: factors of
/// 16 bits and strides of matrices, sums in f32, and behind them at most a
/// bias, one rounding, and GELU by tanh. Null where it is none, and where
/// hasProductLibrary() is false.
ProductAttr findLibraryProduct(kernel::FuncOp kernel, const kernel::Body &body);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_LIBRARYPRODUCT_H
