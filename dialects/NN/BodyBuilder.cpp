// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps, reductions and conversions that kernel bodies are built from.
#include "dialects/NN/BodyBuilder.h"

#include "dialects/Kernel/Border.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Constants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

Type nn::getKernelType(Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer || integer.isSignless())
    return elementType;
  return IntegerType::get(elementType.getContext(), integer.getWidth());
}

RankedTensorType nn::getKernelType(RankedTensorType type) {
  return type.clone(getKernelType(type.getElementType()));
}

bool nn::isUnsigned(Value tensor) {
  Type type = getElementTypeOrSelf(tensor);
  return type.isUnsignedInteger() || type.isInteger(1);
}

Type nn::getComputeType(Type elementType) {
  if (!isa<FloatType>(elementType) || elementType.isF64())
    return getKernelType(elementType);
  return Float32Type::get(elementType.getContext());
}

Value nn::widen(OpBuilder &builder, Location loc, Value scalar) {
  Type type = getComputeType(scalar.getType());
  if (type == scalar.getType())
    return scalar;
  return arith::ExtFOp::create(builder, loc, type, scalar);
}

/// Rounds f64 to f32 to odd: a second rounding to 16 bits is then the only one
/// that counts (Boldo and Melquiond, 2008).
static Value truncateToOdd(OpBuilder &b, Location loc, Value x) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value near = arith::TruncFOp::create(b, loc, f32, x);
  Value back = arith::ExtFOp::create(b, loc, x.getType(), near);
  Value inexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, x);
  Value tooLarge = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                         math::AbsFOp::create(b, loc, back),
                                         math::AbsFOp::create(b, loc, x));
  Value bits = arith::BitcastOp::create(b, loc, i32, near);
  Value one = arith::ConstantIntOp::create(b, loc, i32, 1);
  Value below = arith::SubIOp::create(b, loc, bits, one);
  Value chopped = arith::SelectOp::create(b, loc, tooLarge, below, bits);
  Value odd = arith::OrIOp::create(b, loc, chopped, one);
  Value result = arith::SelectOp::create(b, loc, inexact, odd, bits);
  return arith::BitcastOp::create(b, loc, f32, result);
}

Value nn::narrow(OpBuilder &builder, Location loc, Value scalar,
                 Type elementType) {
  Type from = scalar.getType();
  if (from == elementType)
    return scalar;
  if (from.getIntOrFloatBitWidth() < elementType.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, elementType, scalar);
  if (from.isF64() && !elementType.isF32())
    scalar = truncateToOdd(builder, loc, scalar);
  return arith::TruncFOp::create(builder, loc, elementType, scalar);
}

Value nn::buildMap(OpBuilder &builder, Location loc, RankedTensorType type,
                   ArrayRef<MappedTensor> inputs, ScalarFn fn) {
  type = getKernelType(type);
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const MappedTensor &input : inputs) {
    tensors.push_back(input.tensor);
    maps.push_back(input.map);
  }
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto generic = linalg::GenericOp::create(
      builder, loc, type, tensors, empty, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange scalars) {
        Value result = fn(b, l, scalars.drop_back());
        linalg::YieldOp::create(b, l, result);
      });
  return generic.getResult(0);
}

AffineMap ReductionSpace::resultMap(MLIRContext *context) const {
  SmallVector<AffineExpr> results;
  for (auto [dim, isReduced] : llvm::enumerate(reduced))
    if (!isReduced)
      results.push_back(getAffineDimExpr(dim, context));
  return AffineMap::get(reduced.size(), 0, results, context);
}

SmallVector<utils::IteratorType> ReductionSpace::iterators() const {
  return llvm::map_to_vector(reduced, [](bool isReduced) {
    return isReduced ? utils::IteratorType::reduction
                     : utils::IteratorType::parallel;
  });
}

Value nn::buildReduction(OpBuilder &builder, Location loc,
                         RankedTensorType type, const ReductionSpace &space,
                         ArrayRef<MappedTensor> inputs, double init,
                         ScalarFn fn) {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const MappedTensor &input : inputs) {
    tensors.push_back(input.tensor);
    maps.push_back(input.map);
  }
  maps.push_back(space.resultMap(builder.getContext()));
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  Value start = buildScalarConstant(builder, loc, type.getElementType(), init);
  Value filled =
      linalg::FillOp::create(builder, loc, start, empty).getResult(0);
  auto generic = linalg::GenericOp::create(
      builder, loc, type, tensors, filled, maps, space.iterators(),
      [&](OpBuilder &b, Location l, ValueRange scalars) {
        linalg::YieldOp::create(b, l, fn(b, l, scalars));
      });
  return generic.getResult(0);
}

Value nn::buildNarrowing(OpBuilder &builder, Location loc, Value tensor,
                         Type elementType) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == getKernelType(elementType))
    return tensor;
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  return buildMap(builder, loc, type.clone(elementType), {{tensor, identity}},
                  [&](OpBuilder &b, Location l, ValueRange scalars) {
                    return narrow(b, l, scalars[0], elementType);
                  });
}

Value nn::buildElementwise(ScalarBodyOpInterface op, OpBuilder &builder,
                           ValueRange operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<MappedTensor> inputs;
  for (Value operand : operands)
    inputs.push_back({operand, identity});
  return buildMap(builder, op.getLoc(), type, inputs,
                  [&](OpBuilder &b, Location l, ValueRange scalars) {
                    SmallVector<Value> wide;
                    for (Value scalar : scalars)
                      wide.push_back(widen(b, l, scalar));
                    Value result = op.buildScalar(b, l, wide);
                    if (!isa<FloatType>(result.getType()))
                      return result;
                    return narrow(b, l, result, type.getElementType());
                  });
}

/// The padded tensor's shape; an axis that padding makes empty has size 0.
static SmallVector<int64_t> padShape(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> low,
                                     ArrayRef<int64_t> high,
                                     ArrayRef<int64_t> interior) {
  SmallVector<int64_t> result;
  for (auto [axis, size] : llvm::enumerate(shape))
    result.push_back(low[axis] + high[axis] + size +
                     std::max<int64_t>(size - 1, 0) * interior[axis]);
  return result;
}

Value nn::buildPad(OpBuilder &builder, Location loc, Value input,
                   ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                   ArrayRef<int64_t> interior, double value) {
  auto type = cast<RankedTensorType>(input.getType());
  ArrayRef<int64_t> shape = type.getShape();
  auto paddedType = RankedTensorType::get(padShape(shape, low, high, interior),
                                          type.getElementType());
  Value padded = buildMap(
      builder, loc, paddedType, {}, [&](OpBuilder &b, Location l, ValueRange) {
        Value fill = buildScalarConstant(b, l, type.getElementType(), value);
        if (type.getNumElements() == 0)
          return fill; // An empty input leaves only padding.
        Value inside = arith::ConstantIntOp::create(b, l, 1, 1);
        SmallVector<Value> position;
        Value zero = arith::ConstantIndexOp::create(b, l, 0);
        for (auto [axis, size] : llvm::enumerate(shape)) {
          Value index = linalg::IndexOp::create(b, l, axis);
          Value offset = arith::ConstantIndexOp::create(b, l, low[axis]);
          Value at = arith::SubIOp::create(b, l, index, offset);
          if (interior[axis] != 0) {
            Value step =
                arith::ConstantIndexOp::create(b, l, interior[axis] + 1);
            Value rest = arith::RemSIOp::create(b, l, at, step);
            Value hit = arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq,
                                              rest, zero);
            inside = arith::AndIOp::create(b, l, inside, hit);
            at = arith::DivSIOp::create(b, l, at, step);
          }
          Value last = arith::ConstantIndexOp::create(
              b, l, std::max<int64_t>(size - 1, 0));
          // Truncating division maps a small negative position to 0, so the
          // sign is tested before the division.
          Value nonNegative = arith::CmpIOp::create(
              b, l, arith::CmpIPredicate::sge,
              arith::SubIOp::create(b, l, index, offset), zero);
          Value notBeyond =
              arith::CmpIOp::create(b, l, arith::CmpIPredicate::sle, at, last);
          inside = arith::AndIOp::create(b, l, inside, nonNegative);
          inside = arith::AndIOp::create(b, l, inside, notBeyond);
          at = arith::MaxSIOp::create(b, l, at, zero);
          position.push_back(arith::MinSIOp::create(b, l, at, last));
        }
        Value element = tensor::ExtractOp::create(b, l, input, position);
        return arith::SelectOp::create(b, l, inside, element, fill).getResult();
      });
  auto isNone = [](int64_t size) { return size == 0; };
  auto isSome = [](int64_t size) { return size >= 0; };
  if (value == 0 && llvm::all_of(interior, isNone) &&
      llvm::all_of(low, isSome) && llvm::all_of(high, isSome))
    kernel::setBorder(padded.getDefiningOp<linalg::GenericOp>(), low, high);
  return padded;
}

Value nn::buildView(OpBuilder &builder, Location loc, Value tensor,
                    ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getShape() == shape)
    return tensor;
  return kernel::ViewOp::create(builder, loc, type.clone(shape), tensor, 0);
}

Value nn::buildScalarConstant(OpBuilder &builder, Location loc, Type type,
                              double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(builder, loc, type,
                                     builder.getFloatAttr(floatType, value));
  APInt wrapped(64, static_cast<uint64_t>(toInteger(value, type)));
  wrapped = wrapped.trunc(type.getIntOrFloatBitWidth());
  return arith::ConstantOp::create(builder, loc, type,
                                   IntegerAttr::get(type, wrapped));
}
