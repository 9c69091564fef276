// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The common parts of bodies of normalizations and losses.
#ifndef MPC_DIALECTS_NN_OPS_ROWBODY_H
#define MPC_DIALECTS_NN_OPS_ROWBODY_H

#include "dialects/NN/BodyBuilder.h"

namespace mpc::nn {

/// Builds bodies over one index space. Some axes of it are reduced to row
/// values. `all` reads a tensor of the full space, `row` reads row values.
/// Inputs have their stored types, and results have the input's compute type.
struct RowBody {
  RowBody(mlir::OpBuilder &b, mlir::Location loc, mlir::Value input,
          llvm::ArrayRef<int64_t> axes);

  MappedTensor all(mlir::Value x) const;
  MappedTensor row(mlir::Value x) const;
  /// The access to values along the reduced axes, which are the same for every
  /// row.
  MappedTensor along(mlir::Value x) const;

  mlir::Value map(llvm::ArrayRef<MappedTensor> inputs, ScalarFn fn);
  mlir::Value mapRows(llvm::ArrayRef<mlir::Value> inputs, ScalarFn fn);
  mlir::Value reduce(llvm::ArrayRef<MappedTensor> inputs, double init,
                     ScalarFn fn);

  mlir::Value max(mlir::Value x);
  mlir::Value sum(mlir::Value x);
  mlir::Value sumSquares(mlir::Value x);
  mlir::Value mean(mlir::Value x);
  /// x - row
  mlir::Value subtractRow(mlir::Value x, mlir::Value row);
  /// exp(x - peak)
  mlir::Value expShifted(mlir::Value x, mlir::Value peak);
  /// 1 / sqrt(squares / count + epsilon), of sums of squared deviations.
  mlir::Value reciprocalDeviation(mlir::Value squares, double epsilon);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type compute;
  mlir::RankedTensorType full, rows;
  ReductionSpace space;
  double count = 1.0; ///< Elements in a row.
};

/// The axes of `x` from `axis` on.
llvm::SmallVector<int64_t> axesFrom(int64_t axis, mlir::Value x);

/// `value` times the constant `factor`.
mlir::Value buildScaled(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, double factor);

/// 1 / sqrt(variance + epsilon)
mlir::Value buildReciprocalDeviation(mlir::OpBuilder &b, mlir::Location loc,
                                     mlir::Value variance, double epsilon);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_OPS_ROWBODY_H
