// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs blocks of a contraction's factors, converting on the way.
#include "lib/Codegen/CPU/Gemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

Value IndexMath::at(const Path &path, Value index) const {
  Value place = constant(0);
  for (size_t number = path.parts.size(); number-- > 0;) {
    const Path::Part &part = path.parts[number];
    Value digit = number == 0 ? index : rem(index, part.extent);
    place = add(place, mul(digit, part.stride));
    if (number != 0)
      index = div(index, part.extent);
  }
  return place;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {

/// Loads, converts and stores elements of one factor.
class Packer {
public:
  Packer(Emitter &emitter, const Factor &factor, const FactorBlock &block,
         const Target &target, int64_t lanes)
      : emitter(emitter), builder(emitter.builder), loc(emitter.loc),
        math(emitter), factor(factor), block(block), target(target),
        lanes(lanes) {}

  void packRows(Value padded);
  void packColumns(int64_t width, int64_t columns);

private:
  // Places in the factor of row or column `index` and of `k`, both relative to
  // the block; their sum is the element's.
  Value outerAt(Value index) {
    return math.add(factor.base,
                    math.at(factor.outer, math.add(block.first, index)));
  }
  Value kAt(Value k) {
    return math.at(factor.k, math.add(block.kFirst, k));
  }
  /// `width` elements in f32; a scalar if `width` is 1.
  Value load(Value place, int64_t width);
  Value convert(Value element);
  void store(Value value, Value place);
  /// 8 vectors of 8: the elements `places` point at, transposed.
  SmallVector<Value> loadTransposed(ArrayRef<Value> outer,
                                    ArrayRef<Value> k);

  using Body = llvm::function_ref<void(Value)>;
  void loop(Value from, Value to, int64_t step, Body body) {
    emitter.emitLoop(from, to, step, body);
  }

  // Rows.
  Value rowPlace(Value row, Value k) {
    return math.add(math.add(target.offset, math.mul(row, target.stride)), k);
  }
  void copyRows(Value from, Value to, Value kFrom, int64_t width);
  void transposeRows();
  void zeroRows(Value padded);

  // Columns.
  void copyPanels(Value panels, int64_t width, int64_t run);
  void copyPanelsByRow(Value panels, int64_t width);
  void transposePanels(Value panels, int64_t width);
  void copyColumns(Value panels, int64_t width);
  void copyLastPanel(Value panel, int64_t width);
  Value panelPlace(Value panel) {
    return math.add(target.offset, math.mul(panel, target.stride));
  }

  Emitter &emitter;
  OpBuilder &builder;
  Location loc;
  IndexMath math;
  const Factor &factor;
  const FactorBlock &block;
  const Target &target;
  int64_t lanes;
};

} // namespace

// Clones what the region computes from the factor, on scalars or vectors.
Value Packer::convert(Value element) {
  Value result = factor.value;
  IRMapping values = emitter.mapping;
  values.map(factor.argument, element);
  auto vector = dyn_cast<VectorType>(element.getType());
  Lanes width = vector ? Lanes{vector.getDimSize(0), vector.getDimSize(0)}
                       : Lanes{};
  for (Operation *op : getSlice(result, factor.argument.getOwner())) {
    SmallVector<Value> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value value) {
          return emitter.broadcast(values.lookup(value), width);
        });
    Type type = op->getResult(0).getType();
    if (vector)
      type = vector.clone(type);
    OperationState state(op->getLoc(), op->getName().getIdentifier(), operands,
                         {type}, op->getAttrs());
    values.map(op->getResult(0), builder.create(state)->getResult(0));
  }
  return values.lookup(result);
}

Value Packer::load(Value place, int64_t width) {
  if (width == 1)
    return convert(memref::LoadOp::create(builder, loc, factor.buffer, place));
  Type element = cast<MemRefType>(factor.buffer.getType()).getElementType();
  return convert(vector::LoadOp::create(
      builder, loc, VectorType::get({width}, element), factor.buffer, place));
}

void Packer::store(Value value, Value place) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(builder, loc, value, target.buffer, place);
  else
    memref::StoreOp::create(builder, loc, value, target.buffer, place);
}

// Three rounds of shuffles that CPUs have: pairs, quads, halves.
SmallVector<Value> Packer::loadTransposed(ArrayRef<Value> outer,
                                          ArrayRef<Value> k) {
  // The side with one place is where elements are contiguous.
  SmallVector<Value> rows;
  for (unsigned number = 0; number < 8; ++number)
    rows.push_back(load(math.add(outer[outer.size() == 1 ? 0 : number],
                                 k[k.size() == 1 ? 0 : number]),
                        8));
  auto shuffle = [&](Value a, Value b, ArrayRef<int64_t> mask) -> Value {
    return vector::ShuffleOp::create(builder, loc, a, b, mask);
  };
  SmallVector<Value> pairs, quads, result(8);
  for (unsigned row = 0; row < 8; row += 2) {
    pairs.push_back(
        shuffle(rows[row], rows[row + 1], {0, 8, 1, 9, 4, 12, 5, 13}));
    pairs.push_back(
        shuffle(rows[row], rows[row + 1], {2, 10, 3, 11, 6, 14, 7, 15}));
  }
  for (unsigned half = 0; half < 8; half += 4)
    for (unsigned number = 0; number < 2; ++number) {
      Value a = pairs[half + number], b = pairs[half + 2 + number];
      quads.push_back(shuffle(a, b, {0, 1, 8, 9, 4, 5, 12, 13}));
      quads.push_back(shuffle(a, b, {2, 3, 10, 11, 6, 7, 14, 15}));
    }
  for (unsigned number = 0; number < 4; ++number) {
    Value a = quads[number], b = quads[number + 4];
    result[number] = shuffle(a, b, {0, 1, 2, 3, 8, 9, 10, 11});
    result[number + 4] = shuffle(a, b, {4, 5, 6, 7, 12, 13, 14, 15});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// Rows [from, to), k from kFrom on: `width` contiguous elements at a time, then
// one by one.
void Packer::copyRows(Value from, Value to, Value kFrom, int64_t width) {
  Value vectorEnd =
      math.add(kFrom, math.floor(math.sub(block.kCount, kFrom), width));
  loop(from, to, 1, [&](Value row) {
    Value source = outerAt(row);
    loop(kFrom, vectorEnd, width, [&](Value k) {
      store(load(math.add(source, kAt(k)), width), rowPlace(row, k));
    });
    if (width > 1)
      loop(vectorEnd, block.kCount, 1, [&](Value k) {
        store(load(math.add(source, kAt(k)), 1), rowPlace(row, k));
      });
  });
}

// For a factor whose rows lie next to each other.
void Packer::transposeRows() {
  Value zero = math.constant(0);
  Value kEnd = math.floor(block.kCount, 8);
  Value rowEnd = math.floor(block.count, 8);
  loop(zero, kEnd, 8, [&](Value k) {
    SmallVector<Value> places;
    for (int64_t number = 0; number < 8; ++number)
      places.push_back(kAt(math.add(k, number)));
    loop(zero, rowEnd, 8, [&](Value row) {
      SmallVector<Value> rows = loadTransposed({outerAt(row)}, places);
      for (int64_t number = 0; number < 8; ++number)
        store(rows[number], rowPlace(math.add(row, number), k));
    });
  });
  copyRows(zero, rowEnd, kEnd, 1);
  copyRows(rowEnd, block.count, zero, 1);
}

void Packer::zeroRows(Value padded) {
  Value zero = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(VectorType::get({8}, builder.getF32Type()), 0.0f));
  // The stride leaves room for the last vector.
  loop(block.count, padded, 1, [&](Value row) {
    loop(math.constant(0), block.kCount, 8,
         [&](Value k) { store(zero, rowPlace(row, k)); });
  });
}

void Packer::packRows(Value padded) {
  int64_t run = factor.k.getRun(lanes, 1);
  Value zero = math.constant(0);
  if (run >= 4)
    copyRows(zero, block.count, zero, run);
  else if (factor.outer.getRun(8, 1) == 8 &&
           (factor.outer.parts.size() == 1 || block.unit % 8 == 0))
    transposeRows();
  else
    copyRows(zero, block.count, zero, 1);
  zeroRows(padded);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

// Columns that lie in runs: the places of a panel's runs, then over k.
void Packer::copyPanels(Value panels, int64_t width, int64_t run) {
  loop(math.constant(0), panels, 1, [&](Value panel) {
    Value column = math.mul(panel, width);
    Value place = panelPlace(panel);
    SmallVector<Value> sources;
    for (int64_t number = 0; number < width; number += run)
      sources.push_back(outerAt(math.add(column, number)));
    loop(math.constant(0), block.kCount, 1, [&](Value k) {
      Value kSource = kAt(k);
      Value row = math.add(place, math.mul(k, width));
      for (auto [number, source] : llvm::enumerate(sources))
        store(load(math.add(source, kSource), run),
              math.add(row, number * run));
    });
  });
}

// All columns of a k lie next to each other: reads memory in order.
void Packer::copyPanelsByRow(Value panels, int64_t width) {
  loop(math.constant(0), block.kCount, 1, [&](Value k) {
    Value source = math.add(outerAt(math.constant(0)), kAt(k));
    Value row = math.add(target.offset, math.mul(k, width));
    loop(math.constant(0), panels, 1, [&](Value panel) {
      Value from = math.add(source, math.mul(panel, width));
      Value to = math.add(row, math.mul(panel, target.stride));
      for (int64_t number = 0; number < width; number += lanes)
        store(load(math.add(from, number), lanes), math.add(to, number));
    });
  });
}

// For a factor whose k lie next to each other.
void Packer::transposePanels(Value panels, int64_t width) {
  Value kEnd = math.floor(block.kCount, 8);
  loop(math.constant(0), panels, 1, [&](Value panel) {
    Value place = panelPlace(panel);
    for (int64_t first = 0; first < width; first += 8) {
      SmallVector<Value> sources;
      for (int64_t number = 0; number < 8; ++number)
        sources.push_back(
            outerAt(math.add(math.mul(panel, width), first + number)));
      loop(math.constant(0), kEnd, 8, [&](Value k) {
        SmallVector<Value> rows = loadTransposed(sources, {kAt(k)});
        Value row = math.add(math.add(place, math.mul(k, width)), first);
        for (int64_t number = 0; number < 8; ++number)
          store(rows[number], math.add(row, number * width));
      });
      loop(kEnd, block.kCount, 1, [&](Value k) {
        Value row = math.add(math.add(place, math.mul(k, width)), first);
        Value kSource = kAt(k);
        for (auto [number, source] : llvm::enumerate(sources))
          store(load(math.add(source, kSource), 1), math.add(row, number));
      });
    }
  });
}

void Packer::copyColumns(Value panels, int64_t width) {
  loop(math.constant(0), panels, 1, [&](Value panel) {
    Value place = panelPlace(panel);
    loop(math.constant(0), math.constant(width), 1, [&](Value column) {
      Value source = outerAt(math.add(math.mul(panel, width), column));
      loop(math.constant(0), block.kCount, 1, [&](Value k) {
        Value to = math.add(place, math.add(math.mul(k, width), column));
        store(load(math.add(source, kAt(k)), 1), to);
      });
    });
  });
}

// The panel that columns do not fill: zero where there is none.
void Packer::copyLastPanel(Value panel, int64_t width) {
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getF32FloatAttr(0.0f));
  Value place = panelPlace(panel);
  Value first = math.mul(panel, width);
  Value last = math.sub(block.count, math.constant(1));
  loop(math.constant(0), math.constant(width), 1, [&](Value column) {
    Value index = math.add(first, column);
    Value exists = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, index, block.count);
    Value source = outerAt(math.min(index, last));
    loop(math.constant(0), block.kCount, 1, [&](Value k) {
      Value value = load(math.add(source, kAt(k)), 1);
      value = arith::SelectOp::create(builder, loc, exists, value, zero);
      store(value, math.add(place, math.add(math.mul(k, width), column)));
    });
  });
}

void Packer::packColumns(int64_t width, int64_t columns) {
  Value panels = math.div(block.count, width);
  int64_t run = factor.outer.getRun(lanes, 1);
  if (columns >= width) {
    if (run == lanes && factor.outer.parts.size() == 1)
      copyPanelsByRow(panels, width);
    else if (run >= 4)
      copyPanels(panels, width, run);
    else if (factor.k.getRun(8, 1) == 8)
      transposePanels(panels, width);
    else
      copyColumns(panels, width);
  }
  if (columns % width == 0)
    return;
  // Only the last block has a last panel.
  Value rest = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, math.rem(block.count, width),
      math.constant(0));
  auto ifOp = scf::IfOp::create(builder, loc, rest, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  copyLastPanel(panels, width);
}

void mpc::cpu::emitPackRows(Emitter &emitter, const Factor &factor,
                            const FactorBlock &block, const Target &target,
                            Value padded, int64_t lanes) {
  Packer(emitter, factor, block, target, lanes).packRows(padded);
}

void mpc::cpu::emitPackColumns(Emitter &emitter, const Factor &factor,
                               const FactorBlock &block, const Target &target,
                               int64_t width, int64_t columns, int64_t lanes) {
  Packer(emitter, factor, block, target, lanes).packColumns(width, columns);
}

//===----------------------------------------------------------------------===//
// #kernel.pack
//===----------------------------------------------------------------------===//

namespace {

/// Emits a kernel that packs one factor.
class PackEmitter {
public:
  PackEmitter(Emitter &emitter, const mpc::kernel::Statement &statement,
              mpc::kernel::PackAttr schedule)
      : emitter(emitter), math(emitter), statement(statement),
        schedule(schedule),
        source(*mpc::kernel::getLinear(statement.inputs[0].index,
                                  statement.numDims())) {}

  void emit();

private:
  Path getPath(unsigned first, unsigned count, int64_t &size);
  void emitChunk(Value chunk);
  void emitRows(const Factor &factor, FactorBlock block, Value batch);
  void emitColumns(const Factor &factor, const FactorBlock &block, Value batch);

  Emitter &emitter;
  IndexMath math;
  const mpc::kernel::Statement &statement;
  mpc::kernel::PackAttr schedule;
  mpc::kernel::Linear source;
  int64_t batchSize = 1, outerSize = 1, kSize = 1;
  Path batchPath, outerPath, kPath;
  Value result;
};

} // namespace

Path PackEmitter::getPath(unsigned first, unsigned count, int64_t &size) {
  Path path;
  for (unsigned dim = first; dim < first + count; ++dim) {
    path.append(statement.extents[dim], source.strides[dim]);
    size *= statement.extents[dim];
  }
  return path;
}

void PackEmitter::emit() {
  unsigned outer = schedule.getBatch(), k = outer + schedule.getOuter();
  batchPath = getPath(0, outer, batchSize);
  outerPath = getPath(outer, schedule.getOuter(), outerSize);
  kPath = getPath(k, statement.numDims() - k, kSize);
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
                   outerPath, kPath};
  FactorBlock block = {first, math.min(rest, math.constant(schedule.getTile())),
                 math.constant(0), math.constant(kSize), schedule.getTile()};
  if (schedule.getPanel() == 0)
    emitRows(factor, block, batch);
  else
    emitColumns(factor, block, batch);
}

void PackEmitter::emitRows(const Factor &factor, FactorBlock block, Value batch) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(emitter.kernel.getResultTypes()[0]).getShape();
  int64_t blocks = shape[1], rows = shape[2] * shape[3], stride = shape[4];
  Value padded = math.min(math.constant(schedule.getTile()),
                          math.sub(math.constant(rows), block.first));
  emitter.emitLoop(math.constant(0), math.constant(blocks), 1, [&](Value k) {
    block.kFirst = math.mul(k, schedule.getBlock());
    block.kCount = math.min(math.constant(schedule.getBlock()),
                            math.sub(math.constant(kSize), block.kFirst));
    Value row = math.add(
        math.mul(math.add(math.mul(batch, blocks), k), rows), block.first);
    Target target = {result, math.mul(row, stride), stride};
    emitPackRows(emitter, factor, block, target, padded, schedule.getLanes());
  });
}

void PackEmitter::emitColumns(const Factor &factor, const FactorBlock &block,
                              Value batch) {
  int64_t width = schedule.getPanel();
  int64_t panels = llvm::divideCeil(outerSize, width);
  Value panel =
      math.add(math.mul(batch, panels), math.div(block.first, width));
  Target target = {result, math.mul(panel, kSize * width), kSize * width};
  emitPackColumns(emitter, factor, block, target, width, outerSize,
                  schedule.getLanes());
}

LogicalResult mpc::cpu::emitPack(Emitter &emitter, const mpc::kernel::Body &body,
                                 mpc::kernel::PackAttr schedule) {
  const mpc::kernel::Statement &statement = body.statements.front();
  if (body.statements.size() != 1 || !statement.generic() ||
      !mpc::kernel::getLinear(statement.inputs[0].index, statement.numDims()))
    return emitter.kernel.emitOpError("is no packing of one factor");
  PackEmitter(emitter, statement, schedule).emit();
  return success();
}
