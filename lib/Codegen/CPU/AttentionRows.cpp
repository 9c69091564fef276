// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of tiles, and the results of attention in memory.
#include "lib/Codegen/CPU/AttentionRows.h"

#include "lib/Codegen/CPU/IndexMath.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

//===----------------------------------------------------------------------===//
// VectorRows
//===----------------------------------------------------------------------===//

Value VectorRows::at(Value row, Value panel) const {
  IndexMath math(emitter_);
  return math.add(math.mul(panel, tiles_.stride),
                  math.mul(row, shape_.columns));
}

Value VectorRows::load(Value place, int64_t number) const {
  IndexMath math(emitter_);
  auto type = cast<VectorType>(math_.f32());
  return vector::LoadOp::create(emitter_.builder, emitter_.loc, type,
                                tiles_.buffer,
                                math.add(place, number * math_.lanes().width));
}

void VectorRows::store(Value value, Value place, int64_t number) const {
  IndexMath math(emitter_);
  vector::StoreOp::create(emitter_.builder, emitter_.loc, value, tiles_.buffer,
                          math.add(place, number * math_.lanes().width));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

RowResult::RowResult(Emitter &emitter, AttentionOpInterface op, unsigned result)
    : emitter_(emitter) {
  OperandRange returned = emitter.kernel.getReturn().getValues();
  auto found = llvm::find(returned, op->getResult(result));
  if (found == returned.end())
    return;
  OpOperand &init = *cast<DestinationStyleOpInterface>(op.getOperation())
                         .getDpsInitOperand(result);
  AffineMap map = getMap(op, init);
  auto type = cast<RankedTensorType>(init.get().getType());
  access_ = {emitter.kernel.getDestination(found - returned.begin()),
             simplifyAffineExpr(getFlatIndex(map, type.getShape()),
                                map.getNumDims(), 0)};
  element_ = type.getElementType();
}

void RowResult::storeNumber(Value value, ValueRange dims) const {
  if (!isWanted())
    return;
  LaneMath one(emitter_, {});
  emitter_.store(one.convert(value, element_),
                 emitter_.getBuffer(access_.tensor),
                 emitter_.evaluate(access_.index, dims));
}

void RowResult::storeRow(const VectorRows &rows, Value row, ValueRange dims,
                         function_ref<Value(Value)> finish) const {
  if (!isWanted())
    return;
  IndexMath index(emitter_);
  LaneMath math = rows.math();
  auto [panel, elements] = rows.shape();
  int64_t width = math.lanes().width;
  for (int64_t first = 0; first < elements; first += width) {
    Value place = rows.at(row, index.constant(first / panel));
    Value value = finish(rows.load(place, first % panel / width));
    SmallVector<Value> at(dims);
    at.push_back(index.constant(first));
    emitter_.storeLanes(math.convert(value, element_), access_, at,
                        /*along=*/3,
                        {width, std::min(width, elements - first)});
  }
}
