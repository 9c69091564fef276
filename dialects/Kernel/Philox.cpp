// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox4x32-10 on scalars and on vectors.
#include "dialects/Kernel/Philox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mpc::kernel;

/// `type`, of i32, with elements of i64.
static Type wideType(Type type) {
  Type i64 = IntegerType::get(type.getContext(), 64);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(i64)) : i64;
}

static Value constant(ImplicitLocOpBuilder &b, Type type, uint64_t value) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  TypedAttr number = b.getIntegerAttr(
      element, llvm::APInt(element.getIntOrFloatBitWidth(), value));
  if (vector)
    number = DenseElementsAttr::get(vector, Attribute(number));
  return arith::ConstantOp::create(b, number);
}

static Value exclusiveOr(ImplicitLocOpBuilder &b, Value x, Value y, Value z) {
  return arith::XOrIOp::create(b, arith::XOrIOp::create(b, x, y), z);
}

/// The lower and the upper word of a product with a constant.
static std::array<Value, 2> multiply(ImplicitLocOpBuilder &b, Value x,
                                     uint32_t factor) {
  Type wide = wideType(x.getType());
  Value product = arith::MulIOp::create(b, arith::ExtUIOp::create(b, wide, x),
                                        constant(b, wide, factor));
  Value upper = arith::ShRUIOp::create(b, product, constant(b, wide, 32));
  return {arith::TruncIOp::create(b, x.getType(), product),
          arith::TruncIOp::create(b, x.getType(), upper)};
}

PhiloxWords mpc::kernel::buildPhilox(ImplicitLocOpBuilder &b, PhiloxWords c,
                                     std::array<Value, 2> key) {
  Type type = c[0].getType();
  for (int round = 0; round < 10; ++round) {
    if (round > 0)
      key = {arith::AddIOp::create(b, key[0], constant(b, type, 0x9E3779B9)),
             arith::AddIOp::create(b, key[1], constant(b, type, 0xBB67AE85))};
    auto [firstLow, firstHigh] = multiply(b, c[0], 0xD2511F53);
    auto [secondLow, secondHigh] = multiply(b, c[2], 0xCD9E8D57);
    c = {exclusiveOr(b, secondHigh, c[1], key[0]), secondLow,
         exclusiveOr(b, firstHigh, c[3], key[1]), firstLow};
  }
  return c;
}
