// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits contractions: packed blocks, the micro-kernel on them, the map on each
// tile of the result.
#include "lib/Codegen/CPU/Gemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

namespace {

/// A chunk's tile of the result.
struct ResultTile {
  Value batch;
  Value row, rows;       ///< First, count.
  Value column, columns; ///< First, count.
};

/// Columns of one panel at which the map is emitted.
struct PanelColumns {
  Value place;  ///< Of the first one, in row 0, in the tile's memory.
  Value column; ///< Of the whole result.
  Lanes lanes;
};

/// Where the elements of `PanelColumns` lie, but for the row's part.
struct ColumnAddress {
  enum Kind { Uniform, Contiguous, Scattered } kind = Uniform;
  SmallVector<Value> places; ///< One; for Scattered one a lane.
};

class GemmEmitter {
public:
  GemmEmitter(Emitter &emitter, const Contraction &contraction,
              const Epilogue &epilogue, GemmAttr schedule)
      : emitter(emitter), builder(emitter.builder), loc(emitter.loc),
        math(emitter), contraction(contraction), epilogue(epilogue),
        schedule(schedule), rowGroup(getGroup(schedule.getRows())),
        columnGroup(getGroup(schedule.getColumns())),
        numRows(contraction.sizes[rowGroup]),
        numColumns(contraction.sizes[columnGroup]),
        numK(contraction.sizes[Contraction::K]),
        numBlocks(divideCeil(numK, schedule.getKBlock())) {}

  void emit();

private:
  static Contraction::Group getGroup(unsigned operand) {
    return operand == 0 ? Contraction::M : Contraction::N;
  }
  void allocate();
  void emitChunk(Value chunk);
  ResultTile getTile(Value chunk);

  // Blocks of k.
  void emitBlock(const ResultTile &tile, Value block);
  Factor getFactor(unsigned operand, Contraction::Group outer, Value batch);
  MicroOperand prepareRows(const ResultTile &tile, Value block, Value k);
  MicroOperand prepareColumns(const ResultTile &tile, Value block, Value k,
                              int64_t &panelStride);
  void emitPanel(const ResultTile &tile, Value block, Value k,
                 MicroOperand rows, MicroOperand columns, Value place);

  // The map.
  void emitEpilogue(const ResultTile &tile, Value panel, Value place);
  void emitEpilogue(const ResultTile &tile, const PanelColumns &columns);
  void emitRow(const ResultTile &tile, const PanelColumns &columns, Value row);
  ColumnAddress getAddress(const Linear &index, const ResultTile &tile,
                           const PanelColumns &columns);
  bool isRowInvariant(const Linear &index);
  Value load(const LinearAccess &place, const ColumnAddress &address, Value row,
             Lanes lanes);
  void store(Value value, const EpilogueStore &target,
             const ColumnAddress &address, Value row, Lanes lanes);
  Value fromStorage(Value value, Type type);
  Value loadTile(Value place, Lanes lanes);

  Emitter &emitter;
  OpBuilder &builder;
  Location loc;
  IndexMath math;
  const Contraction &contraction;
  const Epilogue &epilogue;
  GemmAttr schedule;
  Contraction::Group rowGroup, columnGroup;
  int64_t numRows, numColumns, numK, numBlocks;

  /// Scratch: a micro-tile of zeros and then the tile's results, panel by
  /// panel; packed blocks.
  Value results, packedRows, packedColumns;
  int64_t firstResult = 0;

  // While the map is emitted: addresses of all reads and stores, values that
  // do not depend on the row, values of this row.
  SmallVector<SmallVector<ColumnAddress>> readAddresses;
  SmallVector<ColumnAddress> storeAddresses;
  SmallVector<SmallVector<Value>> invariants;
};

} // namespace

void GemmEmitter::allocate() {
  int64_t mr = schedule.getMicroRows(), nr = schedule.getMicroColumns();
  int64_t rows = alignTo(schedule.getTileRows(), mr);
  int64_t columns = alignTo(schedule.getTileColumns(), nr);
  Type f32 = builder.getF32Type();
  firstResult = mr * nr;
  // Between blocks of k the whole tile is kept, else one panel at a time.
  int64_t kept = numBlocks > 1 ? columns : nr;
  results = emitter.allocate(firstResult + rows * kept, f32);
  if (!schedule.isPacked(schedule.getRows()))
    packedRows = emitter.allocate(rows * schedule.getRowStride(), f32);
  if (!schedule.isPacked(schedule.getColumns()))
    packedColumns = emitter.allocate(columns * schedule.getKBlock(), f32);
}

void GemmEmitter::emit() {
  allocate();
  int64_t lanes = schedule.getLanes();
  auto vector = VectorType::get({lanes}, builder.getF32Type());
  Value zero = arith::ConstantOp::create(builder, loc,
                                         DenseElementsAttr::get(vector, 0.0f));
  emitter.emitLoop(
      math.constant(0), math.constant(firstResult), lanes, [&](Value place) {
        vector::StoreOp::create(builder, loc, zero, results, place);
      });
  emitter.emitLoop(emitter.begin, emitter.end, 1,
                   [&](Value chunk) { emitChunk(chunk); });
}

ResultTile GemmEmitter::getTile(Value chunk) {
  int64_t columnTiles = divideCeil(numColumns, schedule.getTileColumns());
  int64_t rowTiles = divideCeil(numRows, schedule.getTileRows());
  ResultTile tile;
  tile.column =
      math.mul(math.rem(chunk, columnTiles), schedule.getTileColumns());
  chunk = math.div(chunk, columnTiles);
  tile.row = math.mul(math.rem(chunk, rowTiles), schedule.getTileRows());
  tile.batch = math.div(chunk, rowTiles);
  tile.rows = math.min(math.constant(schedule.getTileRows()),
                       math.sub(math.constant(numRows), tile.row));
  tile.columns = math.min(math.constant(schedule.getTileColumns()),
                          math.sub(math.constant(numColumns), tile.column));
  return tile;
}

void GemmEmitter::emitChunk(Value chunk) {
  ResultTile tile = getTile(chunk);
  if (numBlocks == 1)
    return emitBlock(tile, math.constant(0));
  emitter.emitLoop(math.constant(0), math.constant(numBlocks), 1,
                   [&](Value block) { emitBlock(tile, block); });
}

//===----------------------------------------------------------------------===//
// Blocks of k
//===----------------------------------------------------------------------===//

Factor GemmEmitter::getFactor(unsigned operand, Contraction::Group outer,
                              Value batch) {
  const Access &access = contraction.getOperand(operand);
  Linear linear = *getLinear(access.index, contraction.statement.numDims());
  StridedIndex batches = contraction.getStridedIndex(linear.strides, Contraction::Batch);
  return {contraction.factors[operand],
          contraction.getArgument(operand),
          emitter.getBuffer(access.tensor),
          math.add(math.at(batches, batch), linear.offset),
          contraction.getStridedIndex(linear.strides, outer),
          contraction.getStridedIndex(linear.strides, Contraction::K)};
}

MicroOperand GemmEmitter::prepareRows(const ResultTile &tile, Value block,
                                      Value k) {
  unsigned operand = schedule.getRows();
  int64_t stride = schedule.getRowStride(), unit = schedule.getMicroRows();
  if (schedule.isPacked(operand)) {
    Value row = math.add(math.mul(tile.batch, numBlocks), block);
    row = math.add(math.mul(row, alignTo(numRows, unit)), tile.row);
    Value tensor = contraction.getOperand(operand).tensor;
    return {emitter.getBuffer(tensor), math.mul(row, stride)};
  }
  Factor factor = getFactor(operand, rowGroup, tile.batch);
  emitPackRows(emitter, factor,
               {tile.row, tile.rows, math.mul(block, schedule.getKBlock()), k,
                schedule.getTileRows(), schedule.getKBlock()},
               {packedRows, math.constant(0), stride},
               math.mul(math.ceilDiv(tile.rows, unit), unit),
               schedule.getLanes());
  return {packedRows, math.constant(0)};
}

MicroOperand GemmEmitter::prepareColumns(const ResultTile &tile, Value block,
                                         Value k, int64_t &panelStride) {
  unsigned operand = schedule.getColumns();
  int64_t width = schedule.getMicroColumns();
  Value kFirst = math.mul(block, schedule.getKBlock());
  if (schedule.isPacked(operand)) {
    panelStride = numK * width;
    Value panel = math.add(math.mul(tile.batch, divideCeil(numColumns, width)),
                           math.div(tile.column, width));
    Value tensor = contraction.getOperand(operand).tensor;
    return {emitter.getBuffer(tensor),
            math.add(math.mul(panel, panelStride), math.mul(kFirst, width))};
  }
  panelStride = schedule.getKBlock() * width;
  Factor factor = getFactor(operand, columnGroup, tile.batch);
  emitPackColumns(emitter, factor,
                  {tile.column, tile.columns, kFirst, k,
                   schedule.getTileColumns(), schedule.getKBlock()},
                  {packedColumns, math.constant(0), panelStride}, width,
                  numColumns, schedule.getLanes());
  return {packedColumns, math.constant(0)};
}

// One panel, all rows of the tile: the panel's block stays in the first cache.
void GemmEmitter::emitPanel(const ResultTile &tile, Value block, Value k,
                            MicroOperand rows, MicroOperand columns,
                            Value place) {
  int64_t mr = schedule.getMicroRows(), nr = schedule.getMicroColumns();
  MicroKernel shape = {mr, nr, schedule.getLanes(), contraction.fused};
  Value zero = math.constant(0);
  Value groups = math.ceilDiv(tile.rows, mr);
  emitter.emitLoop(zero, groups, 1, [&](Value group) {
    MicroOperand a = {
        rows.buffer,
        math.add(rows.offset, math.mul(group, mr * schedule.getRowStride()))};
    MicroOperand result = {results, math.add(place, math.mul(group, mr * nr))};
    MicroOperand init = {results, zero};
    if (numBlocks > 1) {
      Value first = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, block, zero);
      init.offset =
          arith::SelectOp::create(builder, loc, first, zero, result.offset);
    }
    emitMicroKernelCall(emitter, shape, k, a,
                        math.constant(schedule.getRowStride()), columns, init,
                        result);
  });
}

void GemmEmitter::emitBlock(const ResultTile &tile, Value block) {
  int64_t nr = schedule.getMicroColumns();
  Value k = math.constant(numK);
  if (numBlocks > 1)
    k = math.min(math.constant(schedule.getKBlock()),
                 math.sub(k, math.mul(block, schedule.getKBlock())));
  int64_t panelStride = 0;
  MicroOperand rows = prepareRows(tile, block, k);
  MicroOperand columns = prepareColumns(tile, block, k, panelStride);
  int64_t panelSize =
      alignTo(schedule.getTileRows(), schedule.getMicroRows()) * nr;
  emitter.emitLoop(
      math.constant(0), math.ceilDiv(tile.columns, nr), 1, [&](Value panel) {
        MicroOperand b = {
            columns.buffer,
            math.add(columns.offset, math.mul(panel, panelStride))};
        Value place = math.constant(firstResult);
        if (numBlocks > 1)
          place = math.add(place, math.mul(panel, panelSize));
        emitPanel(tile, block, k, rows, b, place);
        if (numBlocks == 1)
          return emitEpilogue(tile, panel, place);
        Value last =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, block,
                                  math.constant(numBlocks - 1));
        auto ifOp = scf::IfOp::create(builder, loc, last,
                                      /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(ifOp.thenBlock());
        emitEpilogue(tile, panel, place);
      });
}

//===----------------------------------------------------------------------===//
// The map
//===----------------------------------------------------------------------===//

void GemmEmitter::emitEpilogue(const ResultTile &tile, Value panel,
                               Value place) {
  int64_t lanes = schedule.getLanes(), nr = schedule.getMicroColumns();
  Value first = math.mul(panel, nr);
  Value count = math.constant(nr);
  if (numColumns % nr != 0)
    count = math.min(count, math.sub(tile.columns, first));
  Value column = math.add(tile.column, first);
  Value vectors = math.floor(count, lanes);
  emitter.emitLoop(math.constant(0), vectors, lanes, [&](Value offset) {
    emitEpilogue(tile, {math.add(place, offset), math.add(column, offset),
                        Lanes{lanes, lanes}});
  });
  if (numColumns % lanes != 0)
    emitter.emitLoop(vectors, count, 1, [&](Value offset) {
      emitEpilogue(
          tile, {math.add(place, offset), math.add(column, offset), Lanes{}});
    });
}

bool GemmEmitter::isRowInvariant(const Linear &index) {
  return llvm::all_of(contraction.groups[rowGroup],
                      [&](unsigned dim) { return index.strides[dim] == 0; });
}

ColumnAddress GemmEmitter::getAddress(const Linear &index,
                                      const ResultTile &tile,
                                      const PanelColumns &columns) {
  StridedIndex batches = contraction.getStridedIndex(index.strides, Contraction::Batch);
  StridedIndex path = contraction.getStridedIndex(index.strides, columnGroup);
  Value base = math.add(math.at(batches, tile.batch), index.offset);
  auto at = [&](int64_t lane) {
    return math.add(base, math.at(path, math.add(columns.column, lane)));
  };
  int64_t width = columns.lanes.width;
  if (columns.lanes.isScalar())
    return {ColumnAddress::Uniform, {at(0)}};
  if (path.parts.empty() || path.getRun(width, 0) == width)
    return {ColumnAddress::Uniform, {at(0)}};
  if (path.getRun(width, 1) == width)
    return {ColumnAddress::Contiguous, {at(0)}};
  ColumnAddress address = {ColumnAddress::Scattered, {}};
  for (int64_t lane = 0; lane < width; ++lane)
    address.places.push_back(at(lane));
  return address;
}

Value GemmEmitter::fromStorage(Value value, Type type) {
  if (getElementTypeOrSelf(value) == type)
    return value;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  return arith::TruncIOp::create(builder, loc, type, value);
}

Value GemmEmitter::load(const LinearAccess &place, const ColumnAddress &address,
                        Value row, Lanes lanes) {
  if (Value splat = emitter.getSplatValue(place.tensor))
    return splat;
  auto at = [&](Value column) {
    return row ? math.add(column, math.at(contraction.getStridedIndex(
                                              place.index.strides, rowGroup),
                                          row))
               : column;
  };
  Type type = cast<RankedTensorType>(place.tensor.getType()).getElementType();
  if (address.kind == ColumnAddress::Uniform)
    return emitter.load(place.tensor, at(address.places[0]));
  if (address.kind == ColumnAddress::Contiguous) {
    auto vector = VectorType::get({lanes.width}, getStorageType(type));
    return fromStorage(vector::LoadOp::create(builder, loc, vector,
                                              emitter.getBuffer(place.tensor),
                                              at(address.places[0])),
                       type);
  }
  SmallVector<Value> elements;
  for (Value column : address.places)
    elements.push_back(emitter.load(place.tensor, at(column)));
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({lanes.width}, type), elements);
}

void GemmEmitter::store(Value value, const EpilogueStore &target,
                        const ColumnAddress &address, Value row, Lanes lanes) {
  Value buffer = emitter.getBuffer(target.destination);
  Value rowPart =
      math.at(contraction.getStridedIndex(target.index.strides, rowGroup), row);
  if (lanes.isScalar())
    return emitter.store(value, buffer, math.add(address.places[0], rowPart));
  value = emitter.broadcast(value, lanes);
  if (address.kind == ColumnAddress::Contiguous) {
    auto type = cast<VectorType>(value.getType());
    if (type.getElementType().isInteger(1))
      value = arith::ExtUIOp::create(builder, loc,
                                     type.clone(builder.getI8Type()), value);
    vector::StoreOp::create(builder, loc, value, buffer,
                            math.add(address.places[0], rowPart));
    return;
  }
  for (auto [lane, column] : llvm::enumerate(address.places))
    emitter.store(vector::ExtractOp::create(builder, loc, value,
                                            static_cast<int64_t>(lane)),
                  buffer, math.add(column, rowPart));
}

Value GemmEmitter::loadTile(Value place, Lanes lanes) {
  if (lanes.isScalar())
    return memref::LoadOp::create(builder, loc, results, place);
  auto vector = VectorType::get({lanes.width}, builder.getF32Type());
  return vector::LoadOp::create(builder, loc, vector, results, place);
}

// What does not depend on the row is computed before the rows.
void GemmEmitter::emitEpilogue(const ResultTile &tile,
                               const PanelColumns &columns) {
  readAddresses.clear();
  storeAddresses.clear();
  invariants.clear();
  for (const EpilogueStep &step : epilogue.steps) {
    readAddresses.emplace_back();
    invariants.emplace_back();
    for (const LinearAccess &read : step.reads) {
      readAddresses.back().emplace_back();
      invariants.back().emplace_back();
      if (!read.tensor || !emitter.getBuffer(read.tensor))
        continue;
      readAddresses.back().back() = getAddress(read.index, tile, columns);
      if (isRowInvariant(read.index))
        invariants.back().back() =
            load(read, readAddresses.back().back(), Value(), columns.lanes);
    }
  }
  for (const EpilogueStore &store : epilogue.stores)
    storeAddresses.push_back(getAddress(store.index, tile, columns));
  emitter.emitLoop(math.constant(0), tile.rows, 1,
                   [&](Value row) { emitRow(tile, columns, row); });
}

void GemmEmitter::emitRow(const ResultTile &tile, const PanelColumns &columns,
                          Value row) {
  DenseMap<Value, Value> values;
  Value place =
      math.add(columns.place, math.mul(row, schedule.getMicroColumns()));
  row = math.add(tile.row, row);
  values[contraction.getResult()] = loadTile(place, columns.lanes);
  for (auto [number, step] : llvm::enumerate(epilogue.steps)) {
    SmallVector<Value> arguments;
    for (auto [input, read] : llvm::enumerate(step.reads)) {
      if (!read.tensor)
        arguments.emplace_back();
      else if (Value computed = values.lookup(read.tensor))
        arguments.push_back(computed);
      else if (Value invariant = invariants[number][input])
        arguments.push_back(invariant);
      else
        arguments.push_back(
            load(read, readAddresses[number][input], row, columns.lanes));
    }
    linalg::GenericOp op = step.statement->generic();
    SmallVector<Value> computed =
        emitter.emitRegion(op, arguments, {}, columns.lanes);
    for (auto [result, value] : llvm::zip(op->getResults(), computed))
      values[result] = value;
  }
  for (auto [target, address] : llvm::zip(epilogue.stores, storeAddresses))
    store(values.lookup(target.value), target, address, row, columns.lanes);
}

void mpc::cpu::emitGemm(Emitter &emitter, const Body &body,
                        GemmAttr schedule) {
  Contraction contraction = *matchContraction(body.statements.front());
  Epilogue epilogue = *matchEpilogue(emitter.kernel, body, contraction);
  GemmEmitter(emitter, contraction, epilogue, schedule).emit();
}
