// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Wider copies that need not be.
#ifndef MPC_PASSES_KERNEL_FOLDWIDENINGS_H
#define MPC_PASSES_KERNEL_FOLDWIDENINGS_H

#include "mlir/IR/Block.h"

namespace mpc::kernel {

/// Lets what reads a wider copy of a tensor, f32 of 16 bits, read the tensor
/// and widen what it has read, which is exact. Products keep their factors'
/// types. Copies that nobody reads any more are removed.
void foldWidenings(mlir::Block &block);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_FOLDWIDENINGS_H
