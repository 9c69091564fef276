// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.gemm: packed blocks of a contraction, the micro-kernel on them, the map
// on each tile of the result.
#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/ContractionPlan.h"
#include "lib/Codegen/CPU/EmitEpilogue.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/MicroKernel.h"
#include "lib/Codegen/CPU/PackBlock.h"
#include "lib/Codegen/CPU/PieceRuns.h"
#include "lib/Codegen/CPU/Pieces.h"
#include "lib/Codegen/CPU/Units.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

namespace {

class GemmEmitter {
public:
  GemmEmitter(Emitter &emitter, const Contraction &contraction,
              const Epilogue &epilogue, GemmAttr schedule)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), contraction_(contraction), epilogue_(epilogue),
        schedule_(schedule),
        rowGroup_(Contraction::outerOf(schedule.getRows())),
        columnGroup_(Contraction::outerOf(schedule.getColumns())),
        numRows_(contraction.sizes[rowGroup_]),
        numColumns_(contraction.sizes[columnGroup_]),
        numK_(contraction.sizes[Contraction::K]),
        numBlocks_(divideCeil(numK_, schedule.getKBlock())),
        rowPiece_(getPieceSize(schedule.getTileRows(), schedule.getRowPieces(),
                               schedule.getMicroRows())),
        columnPiece_(getPieceSize(schedule.getTileColumns(),
                                  schedule.getColumnPieces(),
                                  schedule.getMicroColumns())),
        rowUnit_(std::gcd(schedule.getTileRows(), rowPiece_)),
        columnUnit_(std::gcd(schedule.getTileColumns(), columnPiece_)),
        depth_(getDepth(schedule.getUnit())),
        chain_(getChainLength(contraction, schedule.getUnit())) {}

  void emit();

private:
  void allocate();
  void emitRun(const PieceRun &run);
  ResultTile getTile(const PieceRun &run);

  // Blocks of k.
  void emitBlocks(const ResultTile &tile);
  void emitBlock(const ResultTile &tile, Value block);
  Factor findFactor(unsigned operand, Contraction::DimGroup outer, Value batch);
  /// Groups of rows, or panels of columns: the first one, and the number of
  /// elements from one to the next.
  struct Operand {
    MicroOperand first;
    int64_t stride;

    MicroOperand at(IndexMath &math, Value number) const {
      return {first.buffer, math.add(first.offset, math.mul(number, stride))};
    }
  };
  /// Rows or columns of a tile, of `total` in all, and scratch memory for them.
  struct Side {
    unsigned operand;
    Contraction::DimGroup group;
    Value first, count;
    int64_t total, unit; ///< How many there are; a divisor of the first.
    Value scratch;
  };
  Operand preparePanels(const Side &side, Value batch, Value block, Value k);
  Operand preparePackedRows(const ResultTile &tile, Value block, Value k);
  Operand findRowsInPlace(const ResultTile &tile, Value block);
  Operand prepareRows(const ResultTile &tile, Value block, Value k);
  Operand prepareColumns(const ResultTile &tile, Value block, Value k);
  void emitPanel(const ResultTile &tile, Value block, Value k,
                 const Operand &rows, const Operand &columns,
                 const ResultPanel &results);
  /// A chain's k in a block.
  struct Chain {
    Value first, length;
  };
  /// The first k of a chain in all.
  Value getK(Value block, const Chain &chain) {
    return math_.add(math_.mul(block, schedule_.getKBlock()), chain.first);
  }
  void loopChains(Value k, llvm::function_ref<void(const Chain &)> body);
  Value findNextChain(const Chain &chain, Value k, MicroOperand panel,
                      int64_t stride);
  void prefetchColumns(Value next, Value buffer, Value group);
  void prefetchResults(Value block, const Chain &chain,
                       const ResultPanel &results, Value row);
  void emitChain(Value block, const Chain &chain, MicroOperand rows,
                 MicroOperand columns, Value place);
  PanelLayout getPanelLayout() const {
    return {schedule_.getLanes(), schedule_.getMicroColumns(),
            schedule_.getRows(), numColumns_};
  }
  void emitMap(const ResultPanel &results) {
    emitEpilogue(emitter_, contraction_, epilogue_, getPanelLayout(), results);
  }

  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  const Contraction &contraction_;
  const Epilogue &epilogue_;
  GemmAttr schedule_;
  Contraction::DimGroup rowGroup_, columnGroup_;
  int64_t numRows_, numColumns_, numK_, numBlocks_;
  int64_t rowPiece_, columnPiece_; ///< The rows and columns of a piece.
  /// Divisors of the first row and the first column of any run.
  int64_t rowUnit_, columnUnit_;
  int64_t depth_; ///< The number of k in a step of the unit.
  int64_t chain_; ///< The number of k in a chain.
  /// The number of elements from one row to the next, where rows lie so.
  int64_t rowStride_ = 0;

  /// Scratch memory: a micro-tile of zeros and then the tile's results, panel
  /// by panel; packed blocks.
  Value results_, packedRows_, packedColumns_;
  int64_t firstResult_ = 0;
};

} // namespace

void GemmEmitter::allocate() {
  int64_t mr = schedule_.getMicroRows(), nr = schedule_.getMicroColumns();
  int64_t rows = alignTo(schedule_.getTileRows(), mr);
  int64_t columns = alignTo(schedule_.getTileColumns(), nr);
  Type f32 = builder_.getF32Type();
  firstResult_ = mr * nr;
  // With several blocks of k, the results of the whole tile are kept between
  // them. With one block, only the results of a panel are.
  int64_t kept = numBlocks_ > 1 ? columns : nr;
  results_ = emitter_.allocate(firstResult_ + rows * kept, f32);
  Type factor = getFactorType(builder_.getContext(), schedule_.getUnit());
  int64_t k = schedule_.getKBlock();
  if (!schedule_.isPacked(schedule_.getRows()) &&
      schedule_.getRowLayout() != RowLayout::InPlace)
    packedRows_ = emitter_.allocate(
        schedule_.hasPanels(schedule_.getRows())
            ? rows / mr * getPanelStride(schedule_, schedule_.getRows(), k)
            : rows * schedule_.getRowStride(),
        factor);
  if (!schedule_.isPacked(schedule_.getColumns()))
    packedColumns_ = emitter_.allocate(
        columns / nr * getPanelStride(schedule_, schedule_.getColumns(), k),
        factor);
}

void GemmEmitter::emit() {
  allocate();
  int64_t lanes = schedule_.getLanes();
  auto vector = VectorType::get({lanes}, builder_.getF32Type());
  Value zero = arith::ConstantOp::create(builder_, loc_,
                                         DenseElementsAttr::get(vector, 0.0f));
  emitter_.emitLoop(
      math_.constant(0), math_.constant(firstResult_), lanes, [&](Value place) {
        vector::StoreOp::create(builder_, loc_, zero, results_, place);
      });
  emitPieceRuns(emitter_, schedule_,
                [&](const PieceRun &run) { emitRun(run); });
}

ResultTile GemmEmitter::getTile(const PieceRun &run) {
  Value chunk = run.tile;
  int64_t columnTiles = divideCeil(numColumns_, schedule_.getTileColumns());
  int64_t rowTiles = divideCeil(numRows_, schedule_.getTileRows());
  ResultTile tile;
  tile.column =
      math_.mul(math_.rem(chunk, columnTiles), schedule_.getTileColumns());
  chunk = math_.div(chunk, columnTiles);
  tile.row = math_.mul(math_.rem(chunk, rowTiles), schedule_.getTileRows());
  tile.batch = math_.div(chunk, rowTiles);
  tile.rows = math_.min(math_.constant(schedule_.getTileRows()),
                        math_.sub(math_.constant(numRows_), tile.row));
  tile.columns = math_.min(math_.constant(schedule_.getTileColumns()),
                           math_.sub(math_.constant(numColumns_), tile.column));
  takePieces(emitter_, run.rows, rowPiece_, tile.row, tile.rows);
  takePieces(emitter_, run.columns, columnPiece_, tile.column, tile.columns);
  return tile;
}

/// Computes neighbouring pieces of a tile as one.
void GemmEmitter::emitRun(const PieceRun &run) {
  ResultTile tile = getTile(run);
  emitIfAny(emitter_, tile.rows, tile.columns, [&] { emitBlocks(tile); });
}

void GemmEmitter::emitBlocks(const ResultTile &tile) {
  if (numBlocks_ == 1)
    return emitBlock(tile, math_.constant(0));
  emitter_.emitLoop(math_.constant(0), math_.constant(numBlocks_), 1,
                    [&](Value block) { emitBlock(tile, block); });
}

//===----------------------------------------------------------------------===//
// Blocks of k
//===----------------------------------------------------------------------===//

Factor GemmEmitter::findFactor(unsigned operand, Contraction::DimGroup outer,
                               Value batch) {
  const Access &access = contraction_.getOperand(operand);
  Linear linear = *getLinear(access.index, contraction_.statement.numDims());
  StridedIndex batches =
      contraction_.getStridedIndex(linear.strides, Contraction::Batch);
  Value factor = getFactor(contraction_, operand, schedule_.getUnit());
  return {factor.getType(),
          [this, factor, operand](Value element) {
            return emitFactor(emitter_, factor,
                              contraction_.getArgument(operand), element);
          },
          emitter_.getBuffer(access.tensor),
          math_.add(math_.at(batches, batch), linear.offset),
          contraction_.getStridedIndex(linear.strides, outer),
          contraction_.getStridedIndex(linear.strides, Contraction::K)};
}

/// Packs the panels of `side` in one block of k, unless a kernel has.
GemmEmitter::Operand GemmEmitter::preparePanels(const Side &side, Value batch,
                                                Value block, Value k) {
  unsigned operand = side.operand;
  int64_t width = schedule_.getPanelWidth(operand);
  Value kFirst = math_.mul(block, schedule_.getKBlock());
  if (schedule_.isPacked(operand)) {
    int64_t stride = getPanelStride(schedule_, operand, numK_);
    Value panel = math_.add(math_.mul(batch, divideCeil(side.total, width)),
                            math_.div(side.first, width));
    Value tensor = contraction_.getOperand(operand).tensor;
    return {{emitter_.getBuffer(tensor),
             math_.add(math_.mul(panel, stride), math_.mul(kFirst, width))},
            stride};
  }
  int64_t stride = getPanelStride(schedule_, operand, schedule_.getKBlock());
  Factor factor = findFactor(operand, side.group, batch);
  emitPackColumns(
      emitter_, factor,
      {side.first, side.count, kFirst, k, side.unit, schedule_.getKBlock()},
      {side.scratch, math_.constant(0), stride},
      {width, side.total, {std::min(schedule_.getLanes(), width), depth_}});
  return {{side.scratch, math_.constant(0)}, stride};
}

/// Rows one after another, packed by this chunk or by a kernel.
GemmEmitter::Operand GemmEmitter::preparePackedRows(const ResultTile &tile,
                                                    Value block, Value k) {
  unsigned operand = schedule_.getRows();
  int64_t stride = schedule_.getRowStride(), unit = schedule_.getMicroRows();
  rowStride_ = stride;
  if (schedule_.isPacked(operand)) {
    Value row = math_.add(math_.mul(tile.batch, numBlocks_), block);
    row = math_.add(math_.mul(row, alignTo(numRows_, unit)), tile.row);
    Value tensor = contraction_.getOperand(operand).tensor;
    return {{emitter_.getBuffer(tensor), math_.mul(row, stride)},
            unit * stride};
  }
  Factor factor = findFactor(operand, rowGroup_, tile.batch);
  emitPackRows(emitter_, factor,
               {tile.row, tile.rows, math_.mul(block, schedule_.getKBlock()), k,
                rowUnit_, schedule_.getKBlock()},
               {packedRows_, math_.constant(0), stride},
               math_.mul(math_.ceilDiv(tile.rows, unit), unit),
               {schedule_.getLanes(), depth_});
  return {{packedRows_, math_.constant(0)}, unit * stride};
}

/// Rows where the factor has them.
GemmEmitter::Operand GemmEmitter::findRowsInPlace(const ResultTile &tile,
                                                  Value block) {
  Factor factor = findFactor(schedule_.getRows(), rowGroup_, tile.batch);
  rowStride_ = factor.outer.parts.empty() ? 0 : factor.outer.parts[0].stride;
  Value first = math_.add(factor.base, math_.at(factor.outer, tile.row));
  first = math_.add(first, math_.mul(block, schedule_.getKBlock()));
  return {{factor.buffer, first}, schedule_.getMicroRows() * rowStride_};
}

GemmEmitter::Operand GemmEmitter::prepareRows(const ResultTile &tile,
                                              Value block, Value k) {
  switch (schedule_.getRowLayout()) {
  case RowLayout::Windows:
    break; // By emitWindows().
  case RowLayout::Packed:
    return preparePackedRows(tile, block, k);
  case RowLayout::InPlace:
    return findRowsInPlace(tile, block);
  case RowLayout::Panels:
    return preparePanels({schedule_.getRows(), rowGroup_, tile.row, tile.rows,
                          numRows_, rowUnit_, packedRows_},
                         tile.batch, block, k);
  }
  llvm_unreachable("all layouts are above");
}

GemmEmitter::Operand GemmEmitter::prepareColumns(const ResultTile &tile,
                                                 Value block, Value k) {
  return preparePanels({schedule_.getColumns(), columnGroup_, tile.column,
                        tile.columns, numColumns_, columnUnit_, packedColumns_},
                       tile.batch, block, k);
}

/// With fewer micro-tiles of rows, reading long runs of a row is worth more
/// than to keep a panel's chain in the L1 cache.
static constexpr int64_t kLeastGroups = 4;

/// Multiplies all rows of the tile by panel number `results.panel`: chain by
/// chain, so that the panel's part of a chain stays in the L1 cache, or row by
/// row where there are few.
void GemmEmitter::emitPanel(const ResultTile &tile, Value block, Value k,
                            const Operand &rows, const Operand &columns,
                            const ResultPanel &results) {
  int64_t mr = schedule_.getMicroRows();
  MicroOperand panel = columns.at(math_, results.panel);
  auto loopGroups = [&](llvm::function_ref<void(Value)> body) {
    emitter_.emitLoop(math_.constant(0), math_.ceilDiv(tile.rows, mr), 1, body);
  };
  auto emitGroup = [&](const Chain &chain, Value next, Value group) {
    prefetchColumns(next, panel.buffer, group);
    prefetchResults(block, chain, results, math_.mul(group, mr));
    emitChain(block, chain, rows.at(math_, group), panel,
              math_.add(results.place,
                        math_.mul(group, mr * schedule_.getMicroColumns())));
  };
  if (schedule_.getTileRows() < kLeastGroups * mr)
    return loopGroups([&](Value group) {
      loopChains(k, [&](const Chain &chain) { emitGroup(chain, {}, group); });
    });
  loopChains(k, [&](const Chain &chain) {
    Value next = findNextChain(chain, k, panel, columns.stride);
    loopGroups([&](Value group) { emitGroup(chain, next, group); });
  });
}

/// Calls `body` for each chain of a block of `k`.
void GemmEmitter::loopChains(Value k,
                             llvm::function_ref<void(const Chain &)> body) {
  if (std::min(numK_, schedule_.getKBlock()) <= chain_)
    return body({math_.constant(0), k});
  emitter_.emitLoop(math_.constant(0), k, chain_, [&](Value first) {
    body({first, math_.min(math_.constant(chain_), math_.sub(k, first))});
  });
}

/// A packed factor of fewer bytes stays in the second cache.
static constexpr int64_t kCachedBytes = 1 << 20;

/// Where the elements of columns begin that are multiplied after `chain`: in
/// the same panel, or in the next one. Null where the cache has them already.
Value GemmEmitter::findNextChain(const Chain &chain, Value k,
                                 MicroOperand panel, int64_t stride) {
  int64_t bytes = numColumns_ * numK_ * sizeof(float) / depth_;
  if (!schedule_.isPacked(schedule_.getColumns()) || bytes < kCachedBytes)
    return {};
  Value next = math_.add(chain.first, chain_);
  Value isInside =
      arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ult, next, k);
  next = arith::SelectOp::create(builder_, loc_, isInside,
                                 math_.mul(next, schedule_.getMicroColumns()),
                                 math_.constant(stride));
  return math_.add(panel.offset, next);
}

/// Prefetches the share of micro-tile number `group` in the panel's elements of
/// the next chain. A tile of few rows would ask for too many at a time.
void GemmEmitter::prefetchColumns(Value next, Value buffer, Value group) {
  if (!next)
    return;
  int64_t line = Emitter::countLineElements(buffer);
  int64_t k = std::min({chain_, numK_, schedule_.getKBlock()});
  int64_t lines = divideCeil(k * schedule_.getMicroColumns(), line);
  int64_t groups =
      divideCeil(schedule_.getTileRows(), schedule_.getMicroRows());
  int64_t share = divideCeil(lines, groups);
  if (share > Emitter::kMostPrefetches)
    return;
  Value first = math_.add(next, math_.mul(group, share * line));
  for (int64_t number = 0; number < share; ++number)
    emitter_.prefetch(buffer, math_.add(first, number * line),
                      Emitter::Prefetch::Read);
}

/// Prefetches where the results of the micro-tile with row number `row` go, and
/// what the map reads there, while its last chain is multiplied.
void GemmEmitter::prefetchResults(Value block, const Chain &chain,
                                  const ResultPanel &results, Value row) {
  auto prefetch = [&] {
    emitEpiloguePrefetch(emitter_, contraction_, epilogue_, getPanelLayout(),
                         results, row, schedule_.getMicroRows());
  };
  if (numK_ <= chain_)
    return prefetch();
  Value isLast = arith::CmpIOp::create(
      builder_, loc_, arith::CmpIPredicate::uge,
      math_.add(getK(block, chain), chain_), math_.constant(numK_));
  auto ifOp =
      scf::IfOp::create(builder_, loc_, isLast, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(ifOp.thenBlock());
  prefetch();
}

/// Adds a chain of a block of k to the micro-tile at `place`.
void GemmEmitter::emitChain(Value block, const Chain &chain, MicroOperand rows,
                            MicroOperand columns, Value place) {
  int64_t mr = schedule_.getMicroRows(), nr = schedule_.getMicroColumns();
  bool rowPanels = schedule_.hasPanels(schedule_.getRows());
  MicroKernel shape = {mr,
                       nr,
                       schedule_.getLanes(),
                       contraction_.fused,
                       schedule_.getUnit(),
                       rowPanels};
  Value init = math_.constant(0);
  if (numK_ > chain_) {
    Value isFirst = arith::CmpIOp::create(
        builder_, loc_, arith::CmpIPredicate::eq, getK(block, chain), init);
    init = arith::SelectOp::create(builder_, loc_, isFirst, init, place);
  }
  emitMicroKernelCall(
      emitter_, shape, math_.ceilDiv(chain.length, depth_),
      {rows.buffer,
       math_.add(rows.offset, math_.mul(chain.first, rowPanels ? mr : 1))},
      math_.constant(rowStride_),
      {columns.buffer, math_.add(columns.offset, math_.mul(chain.first, nr))},
      {results_, init}, {results_, place});
}

void GemmEmitter::emitBlock(const ResultTile &tile, Value block) {
  int64_t nr = schedule_.getMicroColumns();
  Value k = math_.constant(numK_);
  if (numBlocks_ > 1)
    k = math_.min(math_.constant(schedule_.getKBlock()),
                  math_.sub(k, math_.mul(block, schedule_.getKBlock())));
  Operand rows = prepareRows(tile, block, k);
  Operand columns = prepareColumns(tile, block, k);
  int64_t panelSize =
      alignTo(schedule_.getTileRows(), schedule_.getMicroRows()) * nr;
  emitter_.emitLoop(
      math_.constant(0), math_.ceilDiv(tile.columns, nr), 1, [&](Value panel) {
        Value place = math_.constant(firstResult_);
        if (numBlocks_ > 1)
          place = math_.add(place, math_.mul(panel, panelSize));
        ResultPanel results = {tile, results_, place, panel};
        emitPanel(tile, block, k, rows, columns, results);
        if (numBlocks_ == 1)
          return emitMap(results);
        Value last =
            arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::eq,
                                  block, math_.constant(numBlocks_ - 1));
        auto ifOp = scf::IfOp::create(builder_, loc_, last,
                                      /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(builder_);
        builder_.setInsertionPointToStart(ifOp.thenBlock());
        emitMap(results);
      });
}

void mpc::cpu::emitGemm(Emitter &emitter, const Body &body, GemmAttr schedule) {
  Contraction contraction = *matchContraction(body.statements.front());
  Epilogue epilogue = getEpilogue(emitter.kernel, body);
  if (schedule.getRowLayout() == RowLayout::Windows)
    return emitWindows(emitter, contraction, epilogue, schedule);
  GemmEmitter(emitter, contraction, epilogue, schedule).emit();
}
