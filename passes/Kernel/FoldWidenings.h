// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Removes wider copies of tensors.
#ifndef MPC_PASSES_KERNEL_FOLDWIDENINGS_H
#define MPC_PASSES_KERNEL_FOLDWIDENINGS_H

#include "mlir/IR/Operation.h"

namespace mpc::kernel {

/// Whether `op` only widens each element of its input, which is exact.
bool isWidening(mlir::Operation *op);

/// Makes ops that read a wider copy of a tensor, an f32 copy of 16 bits, read
/// the tensor itself and widen each element, which is exact. Products keep
/// their factors' types. Copies without readers are removed.
void foldWidenings(mlir::Block &block);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_FOLDWIDENINGS_H
