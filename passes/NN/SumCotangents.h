// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The cotangent of a value that several ops use.
#ifndef MPC_PASSES_NN_SUMCOTANGENTS_H
#define MPC_PASSES_NN_SUMCOTANGENTS_H

#include "mlir/IR/Builders.h"

namespace mpc::nn {

/// The sum of `parts`, the cotangents of the uses of `primal`: in f32, rounded
/// once; null where there are none.
///
/// A value that T steps of a sequence use takes the time and memory of one
/// gradient and not of T. Cotangents of slices, zero outside of them, are put
/// side by side where they do not overlap. Products of small matrices become
/// one product, which sums over the factors of all.
mlir::Value sumCotangents(mlir::OpBuilder &builder, mlir::Value primal,
                          llvm::ArrayRef<mlir::Value> parts);

} // namespace mpc::nn

#endif // MPC_PASSES_NN_SUMCOTANGENTS_H
