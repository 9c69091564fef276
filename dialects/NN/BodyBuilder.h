// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions from which ops build their kernel bodies: maps and reductions
/// as `linalg.generic`, and conversions that round once.
#ifndef MPC_DIALECTS_NN_BODYBUILDER_H
#define MPC_DIALECTS_NN_BODYBUILDER_H

#include "dialects/Interfaces/OpInterfaces.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mpc::nn {

/// The type in kernels: integers are signless there, and their ops carry the
/// signedness.
mlir::Type getKernelType(mlir::Type elementType);
mlir::RankedTensorType getKernelType(mlir::RankedTensorType type);

/// Whether the elements of `tensor` are unsigned integers; i1 counts as
/// unsigned.
bool isUnsigned(mlir::Value tensor);

/// f64 for f64, f32 for the other floating types, otherwise the kernel type.
mlir::Type getComputeType(mlir::Type elementType);

/// `scalar` in its compute type.
mlir::Value widen(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value scalar);

/// Floating `scalar` as `elementType`, rounded once to nearest even.
mlir::Value narrow(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value scalar, mlir::Type elementType);

/// Builds one result element from one element of each input.
using ScalarFn = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// A tensor with the access that a structured op makes to it.
struct MappedTensor {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// A map over the index space of `type`: each element is `fn` of the inputs in
/// their stored types, and `fn` returns the stored type. The result has the
/// kernel's form of `type`.
mlir::Value buildMap(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::RankedTensorType type,
                     llvm::ArrayRef<MappedTensor> inputs, ScalarFn fn);

/// The space of a reduction: `reduced[i]` says whether loop dimension `i` is
/// summed. The other dimensions, in order, are the axes of the result.
struct ReductionSpace {
  llvm::SmallVector<bool> reduced;

  mlir::AffineMap resultMap(mlir::MLIRContext *context) const;
  llvm::SmallVector<mlir::utils::IteratorType> iterators() const;
};

/// A reduction into `type` (of a compute type), from `init`. `fn` takes the
/// inputs in their stored types, then the accumulator.
mlir::Value buildReduction(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::RankedTensorType type,
                           const ReductionSpace &space,
                           llvm::ArrayRef<MappedTensor> inputs, double init,
                           ScalarFn fn);

/// `tensor`, of a compute type, rounded to `elementType`; `tensor` itself where
/// the types are equal.
mlir::Value buildNarrowing(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value tensor, mlir::Type elementType);

/// Builds the body of an elementwise op.
mlir::Value buildElementwise(ScalarBodyOpInterface op, mlir::OpBuilder &builder,
                             mlir::ValueRange operands);

/// `input` with `value` padded around and between its elements, as nn.pad says.
mlir::Value buildPad(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value input, llvm::ArrayRef<int64_t> low,
                     llvm::ArrayRef<int64_t> high,
                     llvm::ArrayRef<int64_t> interior, double value);

/// The same elements under another shape.
mlir::Value buildView(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value tensor, llvm::ArrayRef<int64_t> shape);

/// A scalar constant of a floating type, or of an integer one, which wraps.
mlir::Value buildScalarConstant(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Type type, double value);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_BODYBUILDER_H
