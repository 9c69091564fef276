// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and converts the elements of a contraction's factor.
#include "lib/Codegen/CPU/Factor.h"

#include "lib/Codegen/CPU/Transpose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;

/// Clones the ops by which the region computes the factor, on scalars or
/// vectors.
Value mpc::cpu::emitFactor(Emitter &emitter, Value factor,
                           BlockArgument argument, Value element) {
  IRMapping values = emitter.mapping;
  values.map(argument, element);
  auto vector = dyn_cast<VectorType>(element.getType());
  Lanes width =
      vector ? Lanes{vector.getDimSize(0), vector.getDimSize(0)} : Lanes{};
  for (Operation *op : mpc::kernel::getSlice(factor, argument.getOwner())) {
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value value) {
          return emitter.broadcast(values.lookup(value), width);
        });
    Type type = op->getResult(0).getType();
    if (vector)
      type = vector.clone(type);
    OperationState state(op->getLoc(), op->getName().getIdentifier(), operands,
                         {type}, op->getAttrs());
    values.map(op->getResult(0), emitter.builder.create(state)->getResult(0));
  }
  return values.lookup(factor);
}

Value FactorReader::outerAt(Value index) {
  return math_.add(factor_.base,
                   math_.at(factor_.outer, math_.add(block_.first, index)));
}

Value FactorReader::kAt(Value k) {
  return kTable_ ? kFromTable(k)
                 : math_.at(factor_.k, math_.add(block_.kFirst, k));
}

void FactorReader::buildKTable(int64_t unit) {
  if (factor_.k.parts.size() <= 1)
    return;
  Value table = emitter_.allocate(llvm::divideCeil(block_.kMost, unit),
                                  builder_.getI64Type());
  emitter_.emitLoop(math_.constant(0), block_.kCount, unit, [&](Value k) {
    Value place = arith::IndexCastOp::create(builder_, loc_,
                                             builder_.getI64Type(), kAt(k));
    memref::StoreOp::create(builder_, loc_, place, table, math_.div(k, unit));
  });
  kTable_ = table;
  kUnit_ = unit;
}

Value FactorReader::kFromTable(Value k) {
  Value place =
      memref::LoadOp::create(builder_, loc_, kTable_, math_.div(k, kUnit_));
  return arith::IndexCastOp::create(builder_, loc_, builder_.getIndexType(),
                                    place);
}

/// Takes the even elements of the first vector and the odd ones of the last, so
/// that nothing beyond the end is read.
Value FactorReader::loadEverySecond(Value place, int64_t width) {
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < width / 2; ++lane)
    mask.push_back(2 * lane);
  for (int64_t lane = 0; lane < width / 2; ++lane)
    mask.push_back(width + 2 * lane + 1);
  Value first = load(place, width);
  Value last = load(math_.add(place, width - 1), width);
  return createShuffle(emitter_, first, last, mask);
}

Value FactorReader::load(Value place, int64_t width, int64_t stride) {
  if (width == 1)
    return factor_.convert(
        memref::LoadOp::create(builder_, loc_, factor_.buffer, place));
  if (stride == 2)
    return loadEverySecond(place, width);
  Type element = cast<MemRefType>(factor_.buffer.getType()).getElementType();
  return factor_.convert(
      vector::LoadOp::create(builder_, loc_, VectorType::get({width}, element),
                             factor_.buffer, place));
}

Value FactorReader::gather(ArrayRef<Value> places) {
  SmallVector<Value> elements;
  for (Value place : places)
    elements.push_back(
        memref::LoadOp::create(builder_, loc_, factor_.buffer, place));
  auto type = VectorType::get({static_cast<int64_t>(elements.size())},
                              elements.front().getType());
  return factor_.convert(
      vector::FromElementsOp::create(builder_, loc_, type, elements));
}

SmallVector<Value> FactorReader::loadTransposed(ArrayRef<Value> outer,
                                                ArrayRef<Value> k,
                                                int64_t depth) {
  SmallVector<Value> rows;
  for (unsigned number = 0; number < 8; ++number)
    rows.push_back(load(math_.add(outer[outer.size() == 1 ? 0 : number],
                                  k[k.size() == 1 ? 0 : number]),
                        8 * depth));
  if (depth == 1)
    return transposeEights(emitter_, rows);
  Type elements = rows.front().getType();
  auto words = VectorType::get({8}, builder_.getI32Type());
  auto cast = [&](Type type) {
    return [this, type](Value row) -> Value {
      return vector::BitCastOp::create(builder_, loc_, type, row);
    };
  };
  rows = transposeEights(emitter_, llvm::map_to_vector(rows, cast(words)));
  return llvm::map_to_vector(rows, cast(elements));
}

SmallVector<Value> FactorReader::loadTransposedParts(ArrayRef<Value> places,
                                                     int64_t count) {
  return transposeEights(emitter_,
                         llvm::map_to_vector(places, [&](Value place) {
                           return load(place, count);
                         }));
}

void FactorReader::prefetch(Value place) {
  emitter_.prefetch(factor_.buffer, place, Emitter::Prefetch::Read);
}
