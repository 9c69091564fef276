// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clones the scalar ops of a region on scalars or on vectors.
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Kernel/Philox.h"
#include "lib/Codegen/CPU/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mpc::cpu;

static bool isVector(Value value) { return isa<VectorType>(value.getType()); }

Value Emitter::broadcast(Value value, Lanes lanes) {
  if (lanes.isScalar() || isVector(value))
    return value;
  auto type = VectorType::get({lanes.width}, value.getType());
  return vector::BroadcastOp::create(builder, loc, type, value);
}

SmallVector<Value> Emitter::emitRegion(linalg::GenericOp op,
                                       ValueRange arguments, ValueRange indices,
                                       Lanes lanes) {
  Block &block = *op.getBody();
  IRMapping values = mapping;
  values.map(block.getArguments(), arguments);
  for (Operation &inner : block.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      values.map(index.getResult(), indices[index.getDim()]);
    else if (auto block = dyn_cast<kernel::PhiloxOp>(inner))
      values.map(block.getResults(), emitPhilox(block, values, lanes));
    else if (isa<tensor::ExtractOp>(inner))
      values.map(inner.getResult(0), emitExtract(inner, values, lanes));
    else
      values.map(inner.getResult(0), emitOp(inner, values, lanes));
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return values.lookup(value); });
}

/// The operands of `op`, in all lanes if one differs between them.
SmallVector<Value> Emitter::readOperands(Operation &op, IRMapping &values,
                                         Lanes lanes) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op.getOperands(), [&](Value value) { return values.lookup(value); });
  if (llvm::any_of(operands, isVector))
    for (Value &operand : operands)
      operand = broadcast(operand, lanes);
  return operands;
}

SmallVector<Value> Emitter::emitPhilox(Operation *op, IRMapping &values,
                                       Lanes lanes) {
  SmallVector<Value> read = readOperands(*op, values, lanes);
  ImplicitLocOpBuilder b(loc, builder);
  return llvm::to_vector(kernel::buildPhilox(
      b, {read[0], read[1], read[2], read[3]}, {read[4], read[5]}));
}

Value Emitter::emitOp(Operation &op, IRMapping &values, Lanes lanes) {
  SmallVector<Value> operands = readOperands(op, values, lanes);
  Type type = op.getResult(0).getType();
  if (llvm::any_of(operands, isVector))
    type = VectorType::get({lanes.width}, type);
  OperationState state(op.getLoc(), op.getName().getIdentifier(), operands,
                       {type}, op.getAttrs());
  return builder.create(state)->getResult(0);
}

// Clamps a computed position into the tensor. A select may discard the element
// at a position outside, but that element must not be read.
static Value clampIndex(Emitter &emitter, Value index, int64_t extent) {
  Lanes lanes;
  if (auto type = dyn_cast<VectorType>(index.getType()))
    lanes = {type.getDimSize(0), type.getDimSize(0)};
  OpBuilder &builder = emitter.builder;
  Value zero = emitter.broadcast(emitter.constantIndex(0), lanes);
  Value last = emitter.broadcast(emitter.constantIndex(extent - 1), lanes);
  Value low = arith::MaxSIOp::create(builder, emitter.loc, index, zero);
  return arith::MinSIOp::create(builder, emitter.loc, low, last);
}

/// The part of the index that is the same for all lanes is added up separately,
/// because multiplying 64-bit lanes is slow.
Value Emitter::flattenIndex(tensor::ExtractOp extract, IRMapping &values,
                            Lanes lanes) {
  ArrayRef<int64_t> shape = extract.getTensor().getType().getShape();
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  Value same = constantIndex(0), other;
  for (auto [dim, operand] : llvm::enumerate(extract.getIndices())) {
    Value index = clampIndex(*this, values.lookup(operand), shape[dim]);
    Value stride = constantIndex(llvm::product_of(shape.drop_front(dim + 1)));
    Lanes width = isVector(index) ? lanes : Lanes{};
    Value part =
        arith::MulIOp::create(builder, loc, index, broadcast(stride, width));
    Value &sum = isVector(index) ? other : same;
    sum = sum ? add(sum, part) : part;
  }
  return other ? add(other, broadcast(same, lanes)) : same;
}

/// The scalar in all lanes of `vector`, if it is one and known.
static std::optional<int64_t> getSplatIndex(Value vector) {
  auto splat = vector.getDefiningOp<vector::BroadcastOp>();
  return splat ? getConstantIntValue(splat.getSource()) : std::nullopt;
}

/// `index` without what only clamps it to an axis of `extent`.
static Value skipClamps(Value index, int64_t extent) {
  while (Operation *op = index.getDefiningOp()) {
    bool clamps = (isa<arith::MaxSIOp>(op) &&
                   getSplatIndex(op->getOperand(1)).value_or(1) <= 0) ||
                  (isa<arith::MinSIOp>(op) &&
                   getSplatIndex(op->getOperand(1)).value_or(0) >= extent - 1);
    if (!clamps)
      break;
    index = op->getOperand(0);
  }
  return index;
}

/// The first number of `vector`, if it is a constant that goes up by one from
/// lane to lane in its first `active` lanes.
static std::optional<int64_t> getFirstOfRun(Value vector, int64_t active) {
  DenseIntElementsAttr numbers;
  if (!matchPattern(vector, m_Constant(&numbers)))
    return std::nullopt;
  SmallVector<int64_t> lanes =
      llvm::map_to_vector(numbers.getValues<APInt>(), [](const APInt &number) {
        return number.getSExtValue();
      });
  for (int64_t lane = 0; lane < active; ++lane)
    if (lanes[lane] != lanes[0] + lane)
      return std::nullopt;
  return lanes[0];
}

/// The first of `index`'s lanes, if it goes up by one from lane to lane before
/// it is clamped to an axis of `extent`; else null.
Value Emitter::getRunStart(Value index, int64_t extent, Lanes lanes) {
  index = skipClamps(index, extent);
  int64_t offset = 0;
  while (Operation *op = index.getDefiningOp()) {
    if (!isa<arith::AddIOp, arith::SubIOp>(op))
      return {};
    Value added = op->getOperand(1);
    index = op->getOperand(0);
    if (std::optional<int64_t> moved = getSplatIndex(added)) {
      offset += isa<arith::AddIOp>(op) ? *moved : -*moved;
      continue;
    }
    auto first = index.getDefiningOp<vector::BroadcastOp>();
    std::optional<int64_t> start = getFirstOfRun(added, lanes.active);
    if (!first || !start || isa<arith::SubIOp>(op))
      return {};
    return arith::AddIOp::create(builder, loc, first.getSource(),
                                 constantIndex(offset + *start));
  }
  return {};
}

/// Loads the neighbours from `first` on of an axis of `extent`, which begins at
/// place `line`. Lanes outside of the axis get the element at its nearer end.
Value Emitter::loadClampedRun(Value tensor, Value line, Value first,
                              int64_t extent, Lanes lanes) {
  Value buffer = getBuffer(tensor);
  auto type = VectorType::get(
      {lanes.width}, cast<MemRefType>(buffer.getType()).getElementType());
  auto compare = [&](arith::CmpIPredicate predicate, Value a, int64_t b) {
    return arith::CmpIOp::create(builder, loc, predicate, a,
                                 broadcast(constantIndex(b), lanes));
  };
  SmallVector<APInt> numbers;
  for (int64_t lane = 0; lane < lanes.width; ++lane)
    numbers.emplace_back(IndexType::kInternalStorageBitWidth, lane);
  Value step = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          VectorType::get({lanes.width}, builder.getIndexType()), numbers));
  Value place =
      arith::AddIOp::create(builder, loc, broadcast(first, lanes), step);
  auto at = [&](Value index) -> Value {
    return arith::AddIOp::create(builder, loc, line, index);
  };
  auto end = [&](int64_t index) {
    return broadcast(
        memref::LoadOp::create(builder, loc, buffer, at(constantIndex(index))),
        lanes);
  };
  Value ends = arith::SelectOp::create(
      builder, loc, compare(arith::CmpIPredicate::slt, place, 0), end(0),
      end(extent - 1));
  Value inside = compare(arith::CmpIPredicate::ult, place, extent);
  if (lanes.isPartial())
    inside = arith::AndIOp::create(builder, loc, inside, createMask(lanes));
  return vector::MaskedLoadOp::create(builder, loc, type, buffer, at(first),
                                      inside, ends);
}

/// The elements that `extract` reads, where lanes read neighbours of the last
/// axis; else null.
Value Emitter::emitExtractedRun(tensor::ExtractOp extract, IRMapping &values,
                                Lanes lanes) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  OperandRange indices = extract.getIndices();
  if (lanes.isScalar() || indices.empty() || !getBuffer(extract.getTensor()) ||
      llvm::any_of(indices.drop_back(),
                   [&](Value index) { return isVector(values.lookup(index)); }))
    return {};
  int64_t extent = type.getShape().back();
  Value first = getRunStart(values.lookup(indices.back()), extent, lanes);
  if (!first)
    return {};
  Value line = constantIndex(0);
  for (auto [dim, operand] : llvm::enumerate(indices.drop_back())) {
    Value index =
        clampIndex(*this, values.lookup(operand), type.getDimSize(dim));
    Value stride =
        constantIndex(llvm::product_of(type.getShape().drop_front(dim + 1)));
    line = arith::AddIOp::create(
        builder, loc, line, arith::MulIOp::create(builder, loc, index, stride));
  }
  Value value = loadClampedRun(extract.getTensor(), line, first, extent, lanes);
  auto vector = VectorType::get({lanes.width}, type.getElementType());
  if (value.getType() == vector)
    return value;
  return arith::TruncIOp::create(builder, loc, vector, value);
}

Value Emitter::emitExtract(Operation &op, IRMapping &values, Lanes lanes) {
  auto extract = cast<tensor::ExtractOp>(op);
  if (Value run = emitExtractedRun(extract, values, lanes))
    return run;
  Value flat = flattenIndex(extract, values, lanes);
  if (!isVector(flat))
    return load(extract.getTensor(), flat);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes.width; ++lane)
    elements.push_back(
        load(extract.getTensor(),
             vector::ExtractOp::create(builder, loc, flat, lane)));
  Type type = extract.getTensor().getType().getElementType();
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({lanes.width}, type), elements);
}
