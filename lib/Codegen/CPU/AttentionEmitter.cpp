// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the emitters of attention have in common.
#include "lib/Codegen/CPU/AttentionEmitter.h"

#include "lib/Codegen/CPU/UnitModel.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

AttentionEmitter::AttentionEmitter(Emitter &emitter, AttentionOpInterface op,
                                   AttentionAttr schedule)
    : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
      math_(emitter), sizes_(mpc::kernel::getSizes(op)),
      lanes_(emitter, {schedule.getLanes(), schedule.getLanes()}),
      one_(emitter, {}), unit_(schedule.getUnit()),
      blocks_(emitter, op, schedule),
      scores_(emitter, op, lanes_, schedule.getMicroColumns()),
      dropout_(emitter, op, lanes_, schedule.getKeyBlock()),
      width_(schedule.getLanes()), mr_(schedule.getMicroRows()),
      nr_(schedule.getMicroColumns()), queries_(schedule.getQueryBlock()),
      keys_(schedule.getKeyBlock()) {}

AttentionEmitter::Range AttentionEmitter::blockAt(Value first, int64_t block,
                                                  int64_t size) {
  return {first, math_.min(math_.constant(block),
                           math_.sub(math_.constant(size), first))};
}

BlockProduct AttentionEmitter::scoresOf(const Range &rows, const Range &keys) {
  BlockProduct product;
  product.groups = groupsOf(rows);
  product.panels = math_.ceilDiv(keys.count, nr_);
  product.firstGroup = [this, rows, keys](Value panel) {
    Value key = math_.add(keys.first, math_.mul(panel, nr_));
    return math_.div(scores_.emitHiddenRows(key, rows.first), mr_);
  };
  return product;
}

Value AttentionEmitter::keysOfGroup(const Range &rows, const Range &keys,
                                    Value group) {
  Value end = math_.add(rows.first, math_.mul(math_.add(group, 1), mr_));
  return scores_.emitKeyCount(end, keys.first, endOf(keys));
}

void AttentionEmitter::storeFactor(Value value, Value buffer, Value place) {
  vector::StoreOp::create(
      builder_, loc_, emitUnitRounding(emitter_, unit_, value), buffer, place);
}
