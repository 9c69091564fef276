// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Borders of zeros: what padding has put around a tensor. A contraction may
/// leave out the products with them. Its result is the same then, except where
/// the other factor is infinite or NaN: such a product is NaN, and no reader of
/// the unpadded tensor would expect it.
#ifndef MPC_DIALECTS_KERNEL_BORDER_H
#define MPC_DIALECTS_KERNEL_BORDER_H

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mpc::kernel {

/// Whether `attribute` is the border of one tensor, whose type is `types`.
bool isBorderOf(mlir::Attribute attribute, mlir::TypeRange types);

/// States that the first `low` and the last `high` elements of each axis of
/// `op`'s only result are zero.
void setBorder(mlir::linalg::GenericOp op, llvm::ArrayRef<int64_t> low,
               llvm::ArrayRef<int64_t> high);

/// What `op` states of its result; null where it is nothing.
BorderAttr getBorder(mlir::linalg::GenericOp op);

/// States at `op`, a sum of products, what is known of the borders of its
/// inputs, so that it can be asked when these have become arguments of a
/// kernel.
void noteInputBorders(mlir::linalg::GenericOp op);
/// Repeats at `op` what `from` states of its inputs, of which `op` has the same
/// but for number `replaced`, of whose border nothing is known.
void copyInputBorders(mlir::linalg::GenericOp from, mlir::linalg::GenericOp op,
                      unsigned replaced);

/// The border of input `input` of `op`; null where nothing is known of it.
BorderAttr getInputBorder(mlir::linalg::GenericOp op, unsigned input);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_BORDER_H
