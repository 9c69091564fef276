// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on the bits of integers, and reinterpretation of bits. None has a
// gradient.
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Ops/IntegerArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc::nn;

Value BitAndOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return arith::AndIOp::create(b, loc, s[0], s[1]);
}
LogicalResult BitAndOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success();
}

Value BitOrOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return arith::OrIOp::create(b, loc, s[0], s[1]);
}
LogicalResult BitOrOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success();
}

Value BitXorOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return arith::XOrIOp::create(b, loc, s[0], s[1]);
}
LogicalResult BitXorOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success();
}

Value ShiftLeftOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return buildLeftShift(b, loc, s);
}
LogicalResult ShiftLeftOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success();
}

Value ShiftRightOp::buildScalar(OpBuilder &b, Location loc, ValueRange s) {
  return buildRightShift(b, loc, s,
                         isUnsigned(getLhs()) ? Sign::Unsigned : Sign::Signed);
}
LogicalResult ShiftRightOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success();
}

//===----------------------------------------------------------------------===//
// BitcastOp
//===----------------------------------------------------------------------===//

static Type elementOf(Value tensor) { return getElementTypeOrSelf(tensor); }

LogicalResult BitcastOp::verify() {
  Type from = elementOf(getInput()), to = elementOf(getOutput());
  if (elementBytes(from) == elementBytes(to))
    return success();
  return emitOpError("changes ")
         << from << " to " << to << ", which has another number of bits";
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getOutput().getType())
    return getInput();
  auto known = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto type = cast<RankedTensorType>(getOutput().getType());
  if (!known || type.getNumElements() > kMostFolded)
    return {};
  ElementBytes from(known);
  SmallVector<char> bytes;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i)
    bytes.append(from.at(i), from.at(i) + from.size());
  return constantOfBytes(type, bytes);
}

static Value bitsAs(OpBuilder &b, Location loc, Value bits, Type to) {
  Type from = bits.getType();
  if (from == to)
    return bits;
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, loc, to, bits);
  if (to.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bits,
                                 buildScalarConstant(b, loc, from, 0));
  return arith::BitcastOp::create(b, loc, to, bits);
}

FailureOr<SmallVector<Value>> BitcastOp::buildBody(OpBuilder &b,
                                                   ValueRange operands) {
  auto type = cast<RankedTensorType>(getOutput().getType());
  Type to = getKernelType(type.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  return SmallVector<Value>{
      buildMap(b, getLoc(), type, {{operands[0], identity}},
               [&](OpBuilder &nested, Location loc, ValueRange s) {
                 return bitsAs(nested, loc, s[0], to);
               })};
}

LogicalResult BitcastOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success();
}
