// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits kernels that pack a contraction's factor, and index arithmetic.
#include "lib/Codegen/CPU/Gemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;

//===----------------------------------------------------------------------===//
// IndexMath
//===----------------------------------------------------------------------===//

Value IndexMath::constant(int64_t value) const {
  return emitter.constantIndex(value);
}

Value IndexMath::add(Value a, Value b) const {
  return emitter.builder.createOrFold<arith::AddIOp>(emitter.loc, a, b);
}

Value IndexMath::add(Value a, int64_t b) const { return add(a, constant(b)); }

Value IndexMath::sub(Value a, Value b) const {
  return emitter.builder.createOrFold<arith::SubIOp>(emitter.loc, a, b);
}

Value IndexMath::mul(Value a, int64_t b) const {
  return emitter.builder.createOrFold<arith::MulIOp>(emitter.loc, a,
                                                     constant(b));
}

Value IndexMath::min(Value a, Value b) const {
  return emitter.builder.createOrFold<arith::MinUIOp>(emitter.loc, a, b);
}

Value IndexMath::div(Value a, int64_t b) const {
  return emitter.builder.createOrFold<arith::DivUIOp>(emitter.loc, a,
                                                      constant(b));
}

Value IndexMath::ceilDiv(Value a, int64_t b) const {
  return div(add(a, b - 1), b);
}

Value IndexMath::rem(Value a, int64_t b) const {
  return emitter.builder.createOrFold<arith::RemUIOp>(emitter.loc, a,
                                                      constant(b));
}

Value IndexMath::floor(Value a, int64_t unit) const {
  return unit == 1 ? a : sub(a, rem(a, unit));
}

Value IndexMath::at(const StridedIndex &path, Value index) const {
  Value place = constant(0);
  for (size_t number = path.parts.size(); number-- > 0;) {
    const StridedIndex::Part &part = path.parts[number];
    Value digit = number == 0 ? index : rem(index, part.extent);
    place = add(place, mul(digit, part.stride));
    if (number != 0)
      index = div(index, part.extent);
  }
  return place;
}

//===----------------------------------------------------------------------===//
// #cpu.pack
//===----------------------------------------------------------------------===//

namespace {

/// Emits a kernel that packs one factor.
class PackEmitter {
public:
  PackEmitter(Emitter &emitter, const mpc::kernel::Statement &statement,
              PackAttr schedule)
      : emitter(emitter), math(emitter), statement(statement),
        schedule(schedule),
        source(*mpc::kernel::getLinear(statement.inputs[0].index,
                                       statement.numDims())) {}

  void emit();

private:
  StridedIndex getStridedIndex(unsigned first, unsigned count, int64_t &size);
  void emitChunk(Value chunk);
  void emitRows(const Factor &factor, FactorBlock block, Value batch);
  void emitColumns(const Factor &factor, const FactorBlock &block, Value batch);

  Emitter &emitter;
  IndexMath math;
  const mpc::kernel::Statement &statement;
  PackAttr schedule;
  mpc::kernel::Linear source;
  int64_t batchSize = 1, outerSize = 1, kSize = 1;
  StridedIndex batchPath, outerPath, kPath;
  Value result;
};

} // namespace

StridedIndex PackEmitter::getStridedIndex(unsigned first, unsigned count,
                                          int64_t &size) {
  StridedIndex path;
  for (unsigned dim = first; dim < first + count; ++dim) {
    path.append(statement.extents[dim], source.strides[dim]);
    size *= statement.extents[dim];
  }
  return path;
}

void PackEmitter::emit() {
  unsigned outer = schedule.getBatch(), k = outer + schedule.getOuter();
  batchPath = getStridedIndex(0, outer, batchSize);
  outerPath = getStridedIndex(outer, schedule.getOuter(), outerSize);
  kPath = getStridedIndex(k, statement.numDims() - k, kSize);
  result = emitter.getBuffer(emitter.kernel.getDestination(0));
  emitter.emitLoop(emitter.begin, emitter.end, 1,
                   [&](Value chunk) { emitChunk(chunk); });
}

void PackEmitter::emitChunk(Value chunk) {
  int64_t tiles = llvm::divideCeil(outerSize, schedule.getTile());
  Value batch = math.div(chunk, tiles);
  Value first = math.mul(math.rem(chunk, tiles), schedule.getTile());
  Value rest = math.sub(math.constant(outerSize), first);
  linalg::GenericOp op = statement.generic();
  Factor factor = {op.getBody()->getTerminator()->getOperand(0),
                   op.getBody()->getArgument(0),
                   emitter.getBuffer(statement.inputs[0].tensor),
                   math.add(math.at(batchPath, batch), source.offset),
                   outerPath,
                   kPath};
  FactorBlock block = {first,
                       math.min(rest, math.constant(schedule.getTile())),
                       math.constant(0),
                       math.constant(kSize),
                       schedule.getTile(),
                       kSize};
  if (schedule.getPanel() == 0)
    emitRows(factor, block, batch);
  else
    emitColumns(factor, block, batch);
}

void PackEmitter::emitRows(const Factor &factor, FactorBlock block,
                           Value batch) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(emitter.kernel.getResultTypes()[0]).getShape();
  int64_t blocks = shape[1], rows = shape[2] * shape[3], stride = shape[4];
  Value padded = math.min(math.constant(schedule.getTile()),
                          math.sub(math.constant(rows), block.first));
  emitter.emitLoop(math.constant(0), math.constant(blocks), 1, [&](Value k) {
    block.kFirst = math.mul(k, schedule.getBlock());
    block.kCount = math.min(math.constant(schedule.getBlock()),
                            math.sub(math.constant(kSize), block.kFirst));
    Value row = math.add(math.mul(math.add(math.mul(batch, blocks), k), rows),
                         block.first);
    Target target = {result, math.mul(row, stride), stride};
    emitPackRows(emitter, factor, block, target, padded, schedule.getLanes());
  });
}

void PackEmitter::emitColumns(const Factor &factor, const FactorBlock &block,
                              Value batch) {
  int64_t width = schedule.getPanel();
  int64_t panels = llvm::divideCeil(outerSize, width);
  Value panel = math.add(math.mul(batch, panels), math.div(block.first, width));
  Target target = {result, math.mul(panel, kSize * width), kSize * width};
  emitPackColumns(emitter, factor, block, target, width, outerSize,
                  schedule.getLanes());
}

static bool isPacking(const mpc::kernel::Body &body, PackAttr schedule) {
  if (body.statements.size() != 1 || !body.statements.front().generic())
    return false;
  const mpc::kernel::Statement &statement = body.statements.front();
  return !statement.inputs.empty() && statement.isParallel() &&
         schedule.getBatch() + schedule.getOuter() <= statement.numDims() &&
         mpc::kernel::getLinear(statement.inputs[0].index,
                                statement.numDims());
}

LogicalResult mpc::cpu::emitPack(Emitter &emitter,
                                 const mpc::kernel::Body &body,
                                 PackAttr schedule) {
  if (!isPacking(body, schedule))
    return emitter.kernel.emitOpError("is no packing of one factor");
  const mpc::kernel::Statement &statement = body.statements.front();
  PackEmitter(emitter, statement, schedule).emit();
  return success();
}
