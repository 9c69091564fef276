// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox4x32-10 on scalars and on vectors.
#include "dialects/Kernel/Philox.h"

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::kernel;

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

/// The lower and the upper words of products with a constant. A vector is taken
/// as one of i64, whose lower and upper halves are multiplied apart, since
/// processors multiply the lower half of each i64.
static std::array<Value, 2> multiplyLanes(ImplicitLocOpBuilder &b, Value x,
                                          uint32_t factor) {
  auto type = cast<VectorType>(x.getType());
  auto wide = VectorType::get({type.getNumElements() / 2}, b.getI64Type());
  Value pairs = vector::BitCastOp::create(b, wide, x);
  Value half = constant(b, wide, 32), by = constant(b, wide, factor);
  Value lower = constant(b, wide, 0xffffffff);
  Value upper = constant(b, wide, 0xffffffff00000000);
  Value even =
      arith::MulIOp::create(b, arith::AndIOp::create(b, pairs, lower), by);
  Value odd =
      arith::MulIOp::create(b, arith::ShRUIOp::create(b, pairs, half), by);
  Value low = arith::OrIOp::create(b, arith::AndIOp::create(b, even, lower),
                                   arith::ShLIOp::create(b, odd, half));
  Value high = arith::OrIOp::create(b, arith::ShRUIOp::create(b, even, half),
                                    arith::AndIOp::create(b, odd, upper));
  return {vector::BitCastOp::create(b, type, low),
          vector::BitCastOp::create(b, type, high)};
}

/// The lower and the upper word of a product with a constant.
static std::array<Value, 2> multiply(ImplicitLocOpBuilder &b, Value x,
                                     uint32_t factor) {
  if (isa<VectorType>(x.getType()))
    return multiplyLanes(b, x, factor);
  Type i64 = b.getI64Type();
  Value product = arith::MulIOp::create(b, arith::ExtUIOp::create(b, i64, x),
                                        constant(b, i64, factor));
  Value upper = arith::ShRUIOp::create(b, product, constant(b, i64, 32));
  return {arith::TruncIOp::create(b, x.getType(), product),
          arith::TruncIOp::create(b, x.getType(), upper)};
}

RandomRows mpc::kernel::getRandomRows(ArrayRef<int64_t> shape) {
  int64_t length = 1;
  size_t axes = 0;
  while (axes + 1 < shape.size() && length < kRunLength)
    length *= shape.rbegin()[axes++];
  int64_t rows = 1;
  for (int64_t size : shape.drop_back(axes))
    rows *= size;
  return {rows, length, axes};
}

int64_t mpc::kernel::countRuns(const RandomRows &rows) {
  return rows.rows *
         static_cast<int64_t>(llvm::divideCeil(rows.length, kRunLength));
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

void mpc::kernel::expandPhilox(Operation *root) {
  root->walk([](PhiloxOp op) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    op->replaceAllUsesWith(buildPhilox(
        builder, {op.getLow(), op.getHigh(), op.getStream(), op.getStep()},
        {op.getKeyLow(), op.getKeyHigh()}));
    op->erase();
  });
}
