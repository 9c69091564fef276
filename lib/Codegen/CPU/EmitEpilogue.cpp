// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the map on the result of a contraction.
#include "lib/Codegen/CPU/EmitEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

void mpc::cpu::emitSteps(Emitter &emitter, const Epilogue &epilogue,
                         Lanes lanes, LoadInput load, EpilogueValues &values) {
  for (auto [number, step] : llvm::enumerate(epilogue.steps)) {
    SmallVector<Value> arguments;
    for (auto [input, read] : llvm::enumerate(step.reads)) {
      Value argument = read.tensor ? values.lookup(read.tensor) : Value();
      if (read.tensor && !argument)
        argument = load(number, input);
      arguments.push_back(argument);
    }
    linalg::GenericOp op = step.statement->generic();
    SmallVector<Value> results = emitter.emitRegion(op, arguments, {}, lanes);
    for (auto [result, value] : llvm::zip(op->getResults(), results))
      values[result] = value;
  }
}

namespace {

/// The columns of one panel at which the map is emitted.
struct PanelColumns {
  /// The place of the first column, in row 0, in the panel's memory.
  Value place;
  Value column; ///< The first column's index in the whole result.
  Lanes lanes;
};

/// The addresses of `PanelColumns`, without the part that depends on the row.
struct ColumnAddress {
  enum Kind { Uniform, Contiguous, Scattered } kind = Uniform;
  SmallVector<Value> places; ///< One place, or for Scattered one for each lane.
};

/// Emits the map on one panel, by vectors of columns, each for all rows. Values
/// that are the same for all rows are computed before the loop over rows.
class PanelEmitter {
public:
  PanelEmitter(Emitter &emitter, const Contraction &contraction,
               const Epilogue &epilogue, const PanelLayout &layout,
               const ResultPanel &panel)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), contraction_(contraction), epilogue_(epilogue),
        layout_(layout), tile_(panel.tile), panel_(panel),
        rowGroup_(Contraction::outerOf(layout.rows)),
        columnGroup_(Contraction::outerOf(1 - layout.rows)),
        line_(layout.line) {}

  void emit();
  void prefetch(Value row, int64_t count);

private:
  /// An input of a step, at the columns that are emitted.
  struct Input {
    ColumnAddress address;
    Value invariant; ///< The value, where it is the same for all rows.
  };

  int64_t findLine() const;
  void emitVector(const PanelColumns &columns);
  void emitColumns(const PanelColumns &columns);
  void emitRow(const PanelColumns &columns, Value row);
  Input prepare(const LinearAccess &read, const PanelColumns &columns);
  ColumnAddress getAddress(const Linear &index, const PanelColumns &columns);
  bool isRowInvariant(const Linear &index);
  /// `row` is null for an input that is the same for all rows.
  Value load(const LinearAccess &place, const ColumnAddress &address, Value row,
             Lanes lanes);
  void store(Value value, const EpilogueStore &target,
             const ColumnAddress &address, Value row, Lanes lanes);
  Value fromStorage(Value value, Type type);
  Value loadResults(Value place, Lanes lanes);
  void prefetchLines(Value tensor, const Linear &index, Value row,
                     int64_t count, Emitter::Prefetch intent);

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  const Contraction &contraction_;
  const Epilogue &epilogue_;
  const PanelLayout &layout_;
  const ResultTile &tile_;
  const ResultPanel &panel_;
  Contraction::DimGroup rowGroup_, columnGroup_;
  /// No columns that are emitted lie on both sides of a multiple of it.
  int64_t line_;
  int64_t numLines_ = 0; ///< Those that were to be prefetched.

  /// The inputs of each step, and the addresses of stores.
  SmallVector<SmallVector<Input>> inputs_;
  SmallVector<ColumnAddress> stores_;
};

} // namespace

void PanelEmitter::emit() {
  int64_t lanes = layout_.lanes, nr = layout_.width;
  Value first = math_.mul(panel_.panel, nr);
  Value count = math_.constant(nr);
  if (layout_.granule % nr != 0)
    count = math_.min(count, math_.sub(tile_.columns, first));
  Value column = math_.add(tile_.column, first);
  Value vectors = math_.floor(count, lanes);
  auto emitAt = [&](Value offset, Lanes some) {
    emitColumns(
        {math_.add(panel_.place, offset), math_.add(column, offset), some});
  };
  emitter_.emitLoop(math_.constant(0), vectors, lanes, [&](Value offset) {
    emitVector({math_.add(panel_.place, offset),
                math_.add(column, offset),
                {lanes, lanes}});
  });
  if (layout_.granule % lanes != 0)
    emitter_.emitLoop(vectors, count, 1,
                      [&](Value offset) { emitAt(offset, {}); });
}

/// The number of columns that lie side by side in all results, before they go
/// on elsewhere: the pixels of an image. 1 where vectors never have columns of
/// two such lines, or a line has less than one.
int64_t PanelEmitter::findLine() const {
  int64_t line = 0;
  for (const EpilogueStore &store : epilogue_.stores) {
    StridedIndex strided =
        contraction_.getStridedIndex(store.index.strides, columnGroup_);
    if (strided.parts.size() < 2 || strided.parts.back().stride != 1)
      return 1;
    line = std::gcd(line, strided.parts.back().extent);
  }
  bool isCrossed = line > layout_.lanes && line % layout_.lanes != 0;
  return isCrossed && layout_.line == 1 ? line : 1;
}

/// Emits a vector of columns: one of a line, whose elements are contiguous, or
/// one of two lines.
void PanelEmitter::emitVector(const PanelColumns &columns) {
  int64_t line = findLine();
  if (line == 1)
    return emitColumns(columns);
  Value inLine = arith::CmpIOp::create(
      builder_, loc_, arith::CmpIPredicate::ule,
      math_.rem(columns.column, line), math_.constant(line - layout_.lanes));
  auto ifOp =
      scf::IfOp::create(builder_, loc_, inLine, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(ifOp.elseBlock());
  emitColumns(columns);
  builder_.setInsertionPointToStart(ifOp.thenBlock());
  std::swap(line_, line);
  emitColumns(columns);
  std::swap(line_, line);
}

bool PanelEmitter::isRowInvariant(const Linear &index) {
  return llvm::all_of(contraction_.groups[rowGroup_],
                      [&](unsigned dim) { return index.strides[dim] == 0; });
}

ColumnAddress PanelEmitter::getAddress(const Linear &index,
                                       const PanelColumns &columns) {
  StridedIndex batches =
      contraction_.getStridedIndex(index.strides, Contraction::Batch);
  StridedIndex strided =
      contraction_.getStridedIndex(index.strides, columnGroup_);
  Value base = math_.add(math_.at(batches, tile_.batch), index.offset);
  auto at = [&](int64_t lane) {
    return math_.add(base, math_.at(strided, math_.add(columns.column, lane)));
  };
  int64_t width = columns.lanes.width;
  if (columns.lanes.isScalar())
    return {ColumnAddress::Uniform, {at(0)}};
  auto lies = [&](int64_t stride) {
    if (strided.getRun(width, stride) == width)
      return true;
    const StridedIndex::Part &last = strided.parts.back();
    return line_ >= width && last.stride == stride && last.extent % line_ == 0;
  };
  if (strided.parts.empty() || lies(0))
    return {ColumnAddress::Uniform, {at(0)}};
  if (lies(1))
    return {ColumnAddress::Contiguous, {at(0)}};
  ColumnAddress address = {ColumnAddress::Scattered, {}};
  for (int64_t lane = 0; lane < width; ++lane)
    address.places.push_back(at(lane));
  return address;
}

Value PanelEmitter::fromStorage(Value value, Type type) {
  if (getElementTypeOrSelf(value) == type)
    return value;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  return arith::TruncIOp::create(builder_, loc_, type, value);
}

Value PanelEmitter::load(const LinearAccess &place,
                         const ColumnAddress &address, Value row, Lanes lanes) {
  if (Value splat = emitter_.getSplatValue(place.tensor))
    return splat;
  auto at = [&](Value column) {
    return row ? math_.add(column, math_.at(contraction_.getStridedIndex(
                                                place.index.strides, rowGroup_),
                                            row))
               : column;
  };
  Type type = cast<RankedTensorType>(place.tensor.getType()).getElementType();
  if (address.kind == ColumnAddress::Uniform)
    return emitter_.load(place.tensor, at(address.places[0]));
  if (address.kind == ColumnAddress::Contiguous) {
    auto vector = VectorType::get({lanes.width}, getStorageType(type));
    return fromStorage(vector::LoadOp::create(builder_, loc_, vector,
                                              emitter_.getBuffer(place.tensor),
                                              at(address.places[0])),
                       type);
  }
  SmallVector<Value> elements;
  for (Value column : address.places)
    elements.push_back(emitter_.load(place.tensor, at(column)));
  return vector::FromElementsOp::create(
      builder_, loc_, VectorType::get({lanes.width}, type), elements);
}

void PanelEmitter::store(Value value, const EpilogueStore &target,
                         const ColumnAddress &address, Value row, Lanes lanes) {
  Value buffer = emitter_.getBuffer(target.destination);
  Value rowPart = math_.at(
      contraction_.getStridedIndex(target.index.strides, rowGroup_), row);
  if (lanes.isScalar())
    return emitter_.store(value, buffer, math_.add(address.places[0], rowPart));
  value = emitter_.broadcast(value, lanes);
  if (address.kind == ColumnAddress::Contiguous) {
    auto type = cast<VectorType>(value.getType());
    if (type.getElementType().isInteger(1))
      value = arith::ExtUIOp::create(builder_, loc_,
                                     type.clone(builder_.getI8Type()), value);
    vector::StoreOp::create(builder_, loc_, value, buffer,
                            math_.add(address.places[0], rowPart));
    return;
  }
  for (auto [lane, column] : llvm::enumerate(address.places))
    emitter_.store(vector::ExtractOp::create(builder_, loc_, value,
                                             static_cast<int64_t>(lane)),
                   buffer, math_.add(column, rowPart));
}

Value PanelEmitter::loadResults(Value place, Lanes lanes) {
  if (lanes.isScalar())
    return memref::LoadOp::create(builder_, loc_, panel_.buffer, place);
  auto vector = VectorType::get({lanes.width}, builder_.getF32Type());
  return vector::LoadOp::create(builder_, loc_, vector, panel_.buffer, place);
}

/// Finds the address of an input, and loads it where it is the same for all
/// rows.
PanelEmitter::Input PanelEmitter::prepare(const LinearAccess &read,
                                          const PanelColumns &columns) {
  Input input;
  if (!read.tensor || !emitter_.getBuffer(read.tensor))
    return input;
  input.address = getAddress(read.index, columns);
  if (isRowInvariant(read.index))
    input.invariant = load(read, input.address, Value(), columns.lanes);
  return input;
}

void PanelEmitter::emitColumns(const PanelColumns &columns) {
  inputs_.clear();
  stores_.clear();
  for (const EpilogueStep &step : epilogue_.steps) {
    inputs_.emplace_back();
    for (const LinearAccess &read : step.reads)
      inputs_.back().push_back(prepare(read, columns));
  }
  for (const EpilogueStore &store : epilogue_.stores)
    stores_.push_back(getAddress(store.index, columns));
  emitter_.emitLoop(math_.constant(0), tile_.rows, 1,
                    [&](Value row) { emitRow(columns, row); });
}

void PanelEmitter::emitRow(const PanelColumns &columns, Value row) {
  EpilogueValues values;
  Value place = math_.add(columns.place, math_.mul(row, layout_.width));
  row = math_.add(tile_.row, row);
  values[contraction_.getResult()] = loadResults(place, columns.lanes);
  auto loadInput = [&](size_t step, size_t number) {
    const Input &input = inputs_[step][number];
    return input.invariant ? input.invariant
                           : load(epilogue_.steps[step].reads[number],
                                  input.address, row, columns.lanes);
  };
  emitSteps(emitter_, epilogue_, columns.lanes, loadInput, values);
  for (auto [target, address] : llvm::zip(epilogue_.stores, stores_))
    store(values.lookup(target.value), target, address, row, columns.lanes);
}

/// Prefetches the elements of `tensor` at all columns of the panel in `count`
/// rows, where those of a row lie side by side, or nearly so: some may be of
/// the next image.
void PanelEmitter::prefetchLines(Value tensor, const Linear &index, Value row,
                                 int64_t count, Emitter::Prefetch intent) {
  Value buffer = emitter_.getBuffer(tensor);
  StridedIndex columns =
      contraction_.getStridedIndex(index.strides, columnGroup_);
  if (!buffer || isRowInvariant(index) || columns.parts.empty() ||
      columns.parts.back().stride != 1 ||
      columns.parts.back().extent < layout_.width)
    return;
  StridedIndex batches =
      contraction_.getStridedIndex(index.strides, Contraction::Batch);
  StridedIndex rows = contraction_.getStridedIndex(index.strides, rowGroup_);
  Value column =
      math_.add(tile_.column, math_.mul(panel_.panel, layout_.width));
  Value first =
      math_.add(math_.at(columns, column),
                math_.add(math_.at(batches, tile_.batch), index.offset));
  int64_t line = Emitter::countLineElements(buffer);
  numLines_ += count * llvm::divideCeil(layout_.width, line);
  if (numLines_ > Emitter::kMostPrefetches)
    return;
  for (int64_t number = 0; number < count; ++number) {
    Value place = math_.add(
        first, math_.at(rows, math_.add(tile_.row, math_.add(row, number))));
    for (int64_t lane = 0; lane < layout_.width; lane += line)
      emitter_.prefetch(buffer, math_.add(place, lane), intent);
  }
}

void PanelEmitter::prefetch(Value row, int64_t count) {
  for (const EpilogueStore &store : epilogue_.stores)
    prefetchLines(store.destination, store.index, row, count,
                  Emitter::Prefetch::Write);
  for (const EpilogueStep &step : epilogue_.steps)
    for (const LinearAccess &read : step.reads)
      if (read.tensor)
        prefetchLines(read.tensor, read.index, row, count,
                      Emitter::Prefetch::Read);
}

void mpc::cpu::emitEpilogue(Emitter &emitter, const Contraction &contraction,
                            const Epilogue &epilogue, const PanelLayout &layout,
                            const ResultPanel &panel) {
  PanelEmitter(emitter, contraction, epilogue, layout, panel).emit();
}

void mpc::cpu::emitEpiloguePrefetch(Emitter &emitter,
                                    const Contraction &contraction,
                                    const Epilogue &epilogue,
                                    const PanelLayout &layout,
                                    const ResultPanel &panel, Value row,
                                    int64_t count) {
  PanelEmitter(emitter, contraction, epilogue, layout, panel)
      .prefetch(row, count);
}
