// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clones the scalar ops of a region on scalars or on vectors.
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Kernel/Philox.h"
#include "lib/Codegen/CPU/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

Value Emitter::emitExtract(Operation &op, IRMapping &values, Lanes lanes) {
  auto extract = cast<tensor::ExtractOp>(op);
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
