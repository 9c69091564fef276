// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The cotangent of a value that several ops use.
#ifndef MPC_PASSES_NN_SUMCOTANGENTS_H
#define MPC_PASSES_NN_SUMCOTANGENTS_H

#include "mlir/IR/Builders.h"

namespace mpc::nn {

/// The sum of `parts`, the cotangents that the uses of `primal` have: in f32,
/// rounded once; null where there are none.
///
/// What T steps of a sequence use takes the time and the memory of one gradient
/// and not of T: cotangents of slices, zero outside of them, are put side by
/// side where they do not overlap, and products of small matrices become one,
/// which sums over the factors of all.
mlir::Value sumCotangents(mlir::OpBuilder &builder, mlir::Value primal,
                          llvm::ArrayRef<mlir::Value> parts);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_SUMCOTANGENTS_H
