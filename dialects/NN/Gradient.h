// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Short forms of nn ops, computed in f32, in which VJPs are written.
#ifndef MPC_DIALECTS_NN_GRADIENT_H
#define MPC_DIALECTS_NN_GRADIENT_H

#include "dialects/NN/NNDialect.h"

namespace mpc::nn {

/// The cotangents of an op's results, null where nothing depends on a result;
/// and the cotangents that its VJP computes for its operands.
using Cotangents = llvm::ArrayRef<mlir::Value>;
using Gradients = llvm::MutableArrayRef<mlir::Value>;

/// Builds nn ops at one location. Values are tensors. `wide` converts a 16-bit
/// value to f32, so that the inside of a VJP rounds only once, in its `as`.
class GradientBuilder {
public:
  GradientBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  /// `x` in its compute type.
  mlir::Value wide(mlir::Value x);
  /// `x` with the element type of `like`.
  mlir::Value as(mlir::Value x, mlir::Value like);
  mlir::Value cast(mlir::Value x, mlir::Type elementType);
  /// A constant of the type of `like`.
  mlir::Value splat(mlir::Value like, double value);
  mlir::Value splat(mlir::RankedTensorType type, double value);

  mlir::Value neg(mlir::Value x);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value scale(mlir::Value x, double factor);
  mlir::Value compare(CompareKind kind, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value mask, mlir::Value x, mlir::Value y);
  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  /// `x` repeated along the axes that are not in `axes`.
  mlir::Value broadcast(mlir::Value x, llvm::ArrayRef<int64_t> axes,
                        llvm::ArrayRef<int64_t> shape);
  /// The mean of `x` over `axes`, repeated along them again.
  mlir::Value meanLike(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  /// The sum of `x` over `axes`, repeated along them again.
  mlir::Value sumLike(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// The VJP of an op with one operand. `fn` takes the cotangent and the operand,
/// both wide, and returns the operand's cotangent.
void unaryVJP(
    mlir::OpBuilder &builder, mlir::Operation *op, Cotangents cotangents,
    Gradients operandCotangents,
    llvm::function_ref<mlir::Value(GradientBuilder &, mlir::Value, mlir::Value)>
        fn);

/// The axes of a tensor of `rank` that are not in `axes`.
llvm::SmallVector<int64_t> otherAxes(int64_t rank,
                                     llvm::ArrayRef<int64_t> axes);

/// The type of a value that is a ranked tensor.
mlir::RankedTensorType rankedType(mlir::Value value);
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_GRADIENT_H
