// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of vectors along one dimension of an iteration space.
#include "lib/Codegen/CPU/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;
using mpc::kernel::Access;

/// `index` without the quotients and remainders that do not depend on `along`.
static AffineExpr dropFixedParts(AffineExpr index, unsigned along) {
  AffineExpr zero = getAffineConstantExpr(0, index.getContext());
  DenseMap<AffineExpr, AffineExpr> fixed;
  index.walk([&](AffineExpr expr) {
    if (llvm::is_contained({AffineExprKind::FloorDiv, AffineExprKind::Mod},
                           expr.getKind()) &&
        !expr.isFunctionOfDim(along))
      fixed[expr] = zero;
  });
  return fixed.empty() ? index : index.replace(fixed);
}

AccessPattern mpc::cpu::getAccessPattern(AffineExpr index, unsigned numDims,
                                         unsigned along) {
  if (!index.isFunctionOfDim(along))
    return AccessPattern::Uniform;
  std::optional<kernel::Linear> linear =
      kernel::getLinear(dropFixedParts(index, along), numDims);
  return linear && linear->strides[along] == 1 ? AccessPattern::Contiguous
                                               : AccessPattern::Scattered;
}

Value Emitter::createMask(Lanes lanes) {
  SmallVector<bool> bits(lanes.width, false);
  std::fill_n(bits.begin(), lanes.active, true);
  auto type = VectorType::get({lanes.width}, builder.getI1Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, bits));
}

// A partial load fills the inactive lanes with the first element. A division in
// them then traps only where it would trap anyway.
Value Emitter::loadVector(Value buffer, Value index, Lanes lanes) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({lanes.width}, element);
  if (!lanes.isPartial())
    return vector::LoadOp::create(builder, loc, type, buffer, index);
  Value first = memref::LoadOp::create(builder, loc, buffer, index);
  if (lanes.active == 1)
    return broadcast(first, lanes);
  return vector::MaskedLoadOp::create(builder, loc, type, buffer, index,
                                      createMask(lanes),
                                      broadcast(first, lanes));
}

/// Every second element from `first` on, of two vectors. The second vector ends
/// at the last element.
Value Emitter::loadEverySecond(Value buffer, Value first, Lanes lanes) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({lanes.width}, element);
  Value later = arith::AddIOp::create(builder, loc, first,
                                      constantIndex(lanes.width - 1));
  Value low = vector::LoadOp::create(builder, loc, type, buffer, first);
  Value high = vector::LoadOp::create(builder, loc, type, buffer, later);
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < lanes.width; ++lane)
    places.push_back(2 * lane < lanes.width ? 2 * lane : 2 * lane + 1);
  return vector::ShuffleOp::create(builder, loc, low, high, places);
}

SmallVector<Value> Emitter::getPlaces(AffineExpr index, ValueRange dims,
                                      unsigned along, Lanes lanes) {
  SmallVector<Value> places, at(dims);
  auto add = [&](Value value, int64_t number) -> Value {
    return arith::AddIOp::create(builder, loc, value, constantIndex(number));
  };
  std::optional<kernel::Linear> linear = kernel::getLinear(index, dims.size());
  Value first = linear ? evaluate(index, dims) : Value();
  for (int64_t lane = 0; lane < lanes.active; ++lane) {
    if (linear) {
      places.push_back(add(first, lane * linear->strides[along]));
      continue;
    }
    at[along] = add(dims[along], lane);
    places.push_back(evaluate(index, at));
  }
  places.resize(lanes.width, places.back());
  return places;
}

static bool hasStrideTwo(AffineExpr index, unsigned numDims, unsigned along) {
  std::optional<mpc::kernel::Linear> linear =
      mpc::kernel::getLinear(index, numDims);
  return linear && linear->strides[along] == 2;
}

/// `index`, but for a number, as a vector's lanes see it, which begins at a
/// multiple of `width`: a quotient by a multiple of that is the same in all
/// lanes, and a remainder goes along with them.
static AffineExpr getWithinVector(AffineExpr index, unsigned along,
                                  int64_t width) {
  AffineExpr lane = getAffineDimExpr(along, index.getContext());
  AffineExpr zero = getAffineConstantExpr(0, index.getContext());
  DenseMap<AffineExpr, AffineExpr> known;
  index.walk([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    auto divisor =
        binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
    if (!divisor || binary.getLHS() != lane || divisor.getValue() % width != 0)
      return;
    if (expr.getKind() == AffineExprKind::FloorDiv)
      known[expr] = zero;
    if (expr.getKind() == AffineExprKind::Mod)
      known[expr] = lane;
  });
  return known.empty() ? index : index.replace(known);
}

Value Emitter::loadLanes(const Access &access, ValueRange dims, unsigned along,
                         Lanes lanes) {
  AffineExpr seen = access.index;
  if (hasWholeVectors && !lanes.isScalar())
    seen = getWithinVector(seen, along, lanes.width);
  AccessPattern pattern = getAccessPattern(seen, dims.size(), along);
  Value buffer = getBuffer(access.tensor);
  if (lanes.isScalar() || pattern == AccessPattern::Uniform || !buffer)
    return load(access.tensor, evaluate(access.index, dims));
  Type element =
      cast<RankedTensorType>(access.tensor.getType()).getElementType();
  auto type = VectorType::get({lanes.width}, element);
  bool isEverySecond = hasStrideTwo(access.index, dims.size(), along);
  if (pattern == AccessPattern::Contiguous ||
      (isEverySecond && !lanes.isPartial())) {
    Value first = evaluate(access.index, dims);
    Value value = isEverySecond ? loadEverySecond(buffer, first, lanes)
                                : loadVector(buffer, first, lanes);
    if (value.getType() == type)
      return value;
    return arith::TruncIOp::create(builder, loc, type, value);
  }
  SmallVector<Value> elements = llvm::map_to_vector(
      ArrayRef(getPlaces(access.index, dims, along, lanes))
          .take_front(lanes.active),
      [&](Value place) { return load(access.tensor, place); });
  elements.resize(lanes.width, elements.back());
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

void Emitter::storeLanes(Value value, const Access &access, ValueRange dims,
                         unsigned along, Lanes lanes) {
  Value buffer = getBuffer(access.tensor);
  if (lanes.isScalar())
    return store(value, buffer, evaluate(access.index, dims));
  value = broadcast(value, lanes);
  if (getAccessPattern(access.index, dims.size(), along) !=
      AccessPattern::Contiguous) {
    SmallVector<Value> places = getPlaces(access.index, dims, along, lanes);
    for (int64_t lane = 0; lane < lanes.active; ++lane)
      store(vector::ExtractOp::create(builder, loc, value, lane), buffer,
            places[lane]);
    return;
  }
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({lanes.width}, element);
  if (value.getType() != type)
    value = arith::ExtUIOp::create(builder, loc, type, value);
  Value index = evaluate(access.index, dims);
  if (lanes.isPartial())
    vector::MaskedStoreOp::create(builder, loc, buffer, index,
                                  createMask(lanes), value);
  else
    vector::StoreOp::create(builder, loc, value, buffer, index);
}

/// Takes the constant that is added to `index` out of it.
static int64_t takeOffset(Value &index) {
  auto sum = index.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> offset =
      sum ? getConstantIntValue(sum.getRhs()) : std::nullopt;
  if (offset)
    index = sum.getLhs();
  return offset.value_or(0);
}

Value Emitter::evaluateLanes(AffineExpr expr, ValueRange dims, unsigned along,
                             Lanes lanes) {
  if (lanes.isScalar() || !expr.isFunctionOfDim(along))
    return evaluate(expr, dims);
  std::optional<kernel::Linear> linear = kernel::getLinear(expr, dims.size());
  auto type = VectorType::get({lanes.width}, builder.getIndexType());
  if (!linear)
    return vector::FromElementsOp::create(builder, loc, type,
                                          getPlaces(expr, dims, along, lanes));
  // A constant joins the lanes' numbers: so LLVM sees which bits of the sum are
  // those of the constant alone.
  SmallVector<Value> first(dims);
  int64_t offset = takeOffset(first[along]);
  SmallVector<int64_t> steps;
  for (int64_t lane = 0; lane < lanes.width; ++lane)
    steps.push_back((offset + std::min(lane, lanes.active - 1)) *
                    linear->strides[along]);
  Value step = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          RankedTensorType::get({lanes.width}, builder.getI64Type()),
          ArrayRef<int64_t>(steps))
          .mapValues(builder.getIndexType(),
                     [](const APInt &value) { return value; })
          .reshape(type));
  return arith::AddIOp::create(builder, loc,
                               broadcast(evaluate(expr, first), lanes), step);
}

SmallVector<Value> Emitter::getIndices(const kernel::Statement &statement,
                                       ValueRange dims, unsigned along,
                                       Lanes lanes) {
  SmallVector<Value> indices(statement.indices.size());
  for (auto op : statement.generic().getBody()->getOps<linalg::IndexOp>())
    if (!indices[op.getDim()])
      indices[op.getDim()] =
          evaluateLanes(statement.indices[op.getDim()], dims, along, lanes);
  return indices;
}
