// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn.rank: the position of each element in the sorted order of its row.
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

LogicalResult RankOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> loc,
                                       RankOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  auto type = rankedType(adaptor.getInput());
  if (type.getRank() < 1)
    return emitOptionalError(loc, "input needs an axis");
  inferred.push_back(type.clone(IntegerType::get(context, 64)));
  return success();
}

/// The indices of a row's elements in sorted order.
template <typename T>
static SmallVector<int64_t> sortedPlaces(ArrayRef<T> row, bool descending) {
  auto places = llvm::to_vector(llvm::seq<int64_t>(0, row.size()));
  auto isLess = [&](int64_t a, int64_t b) {
    bool isNaN = row[b] != row[b];
    return row[a] < row[b] || (isNaN && row[a] == row[a]);
  };
  llvm::sort(places, [&](int64_t a, int64_t b) {
    if (isLess(a, b) || isLess(b, a))
      return isLess(a, b) != descending;
    return a < b;
  });
  return places;
}

OpFoldResult RankOp::fold(FoldAdaptor adaptor) {
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto type = rankedType(getOutput());
  if (!input || type.getNumElements() > kMostFoldedReals)
    return {};
  bool isReal = isa<FloatType>(input.getElementType());
  int64_t size = type.getShape().back();
  SmallVector<int64_t> ranks(type.getNumElements());
  for (int64_t row = 0, e = ranks.size(); row < e; row += size) {
    SmallVector<double> reals;
    SmallVector<int64_t> integers;
    for (int64_t i = row; i < row + size; ++i)
      isReal ? reals.push_back(realAt(input, i))
             : integers.push_back(intAt(input, i));
    SmallVector<uint64_t> bits(integers.begin(), integers.end());
    auto places = isReal ? sortedPlaces<double>(reals, getDescending())
                  : isUnsigned(getInput())
                      ? sortedPlaces<uint64_t>(bits, getDescending())
                      : sortedPlaces<int64_t>(integers, getDescending());
    for (auto [rank, place] : llvm::enumerate(places))
      ranks[row + place] = rank;
  }
  return constantOfInts(type, ranks);
}

/// The bits of a float as an integer in the same order. Zeros of either sign
/// are equal, and all NaNs are the largest.
static Value orderedBits(OpBuilder &b, Location loc, Value x) {
  auto type = cast<FloatType>(x.getType());
  Type integer = b.getIntegerType(type.getWidth());
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(integer, value));
  };
  APInt most = APInt::getSignedMaxValue(type.getWidth());
  Value bits = arith::BitcastOp::create(b, loc, integer, x);
  Value magnitude = arith::AndIOp::create(b, loc, bits, constant(most));
  Value negated = arith::SubIOp::create(
      b, loc, constant(APInt::getZero(type.getWidth())), magnitude);
  Value isPositive =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, magnitude);
  Value key = arith::SelectOp::create(b, loc, isPositive, magnitude, negated);
  APInt infinity = APFloat::getInf(type.getFloatSemantics()).bitcastToAPInt();
  Value isNaN = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                      magnitude, constant(infinity));
  return arith::SelectOp::create(b, loc, isNaN, constant(most), key);
}

/// An integer whose signed order is the order in which `op` ranks its input's
/// elements.
static Value sortKey(OpBuilder &b, Location loc, RankOp op, Value x) {
  Value key = x;
  if (isa<FloatType>(x.getType()))
    key = orderedBits(b, loc, x);
  else if (x.getType().isInteger(1))
    key = arith::ExtUIOp::create(b, loc, b.getI8Type(), x);
  auto flip = [&](const APInt &bits) {
    Value mask = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(key.getType(), bits));
    key = arith::XOrIOp::create(b, loc, key, mask);
  };
  unsigned width = key.getType().getIntOrFloatBitWidth();
  if (rankedType(op.getInput()).getElementType().isUnsignedInteger())
    flip(APInt::getSignMask(width));
  if (op.getDescending())
    flip(APInt::getAllOnes(width));
  return key;
}

/// Computes ranks by counting: for each element of a row, those that come
/// before it.
static Value buildCounts(OpBuilder &b, RankOp op, Value input) {
  auto type = rankedType(op.getOutput());
  int64_t rank = type.getRank();
  ReductionSpace space;
  space.reduced.assign(rank + 1, false);
  space.reduced.back() = true;
  AffineMap own = space.resultMap(op.getContext());
  SmallVector<AffineExpr> other(own.getResults());
  other.back() = b.getAffineDimExpr(rank);
  auto count = [&](OpBuilder &n, Location l, ValueRange s) -> Value {
    Value key = sortKey(n, l, op, s[0]), otherKey = sortKey(n, l, op, s[1]);
    Value less =
        arith::CmpIOp::create(n, l, arith::CmpIPredicate::slt, otherKey, key);
    Value equal =
        arith::CmpIOp::create(n, l, arith::CmpIPredicate::eq, otherKey, key);
    Value inFront = arith::CmpIOp::create(
        n, l, arith::CmpIPredicate::slt, linalg::IndexOp::create(n, l, rank),
        linalg::IndexOp::create(n, l, rank - 1));
    Value before = arith::OrIOp::create(
        n, l, less, arith::AndIOp::create(n, l, equal, inFront));
    Value one = arith::ExtUIOp::create(n, l, type.getElementType(), before);
    return arith::AddIOp::create(n, l, s[2], one);
  };
  return buildReduction(
      b, op.getLoc(), type, space,
      {{input, own},
       {input, AffineMap::get(rank + 1, 0, other, op.getContext())}},
      0.0, count);
}

/// Computes ranks by sorting whole rows by keys.
static Value buildRank(OpBuilder &b, RankOp op, Value input) {
  Location loc = op.getLoc();
  auto type = rankedType(op.getOutput());
  Type element = rankedType(input).getElementType();
  Type keyType =
      b.getIntegerType(std::max(element.getIntOrFloatBitWidth(), 8u));
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  Value keys = buildMap(b, loc, type.clone(keyType), {{input, identity}},
                        [&](OpBuilder &n, Location l, ValueRange s) {
                          return sortKey(n, l, op, s[0]);
                        });
  int64_t size = type.getShape().back();
  SmallVector<int64_t> flat{type.getNumElements() / size, size};
  Value empty = tensor::EmptyOp::create(b, loc, flat, type.getElementType());
  Value ranks = kernel::RankOp::create(b, loc, empty.getType(),
                                       buildView(b, loc, keys, flat), empty);
  return buildView(b, loc, ranks, type.getShape());
}

// The most elements of a row that is ranked by comparing all pairs, which
// vectors do faster than sorting a short row. Rows of this many floats take
// equally long either way, with vectors of 16.
static constexpr int64_t kMostCompared = 64;

FailureOr<SmallVector<Value>> RankOp::buildBody(OpBuilder &b,
                                                ValueRange operands) {
  bool isShort = shapeOf(getOutput()).back() <= kMostCompared;
  return SmallVector<Value>{isShort ? buildCounts(b, *this, operands[0])
                                    : buildRank(b, *this, operands[0])};
}

LogicalResult RankOp::buildVJP(OpBuilder &, Cotangents, Gradients) {
  return success();
}
