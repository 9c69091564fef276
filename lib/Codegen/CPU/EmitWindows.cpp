// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cpu.gemm with rows in windows: a copy of the part of the images that a tile
// reads, the micro-kernel on windows of the copy, the map on the results.
#include "lib/Codegen/CPU/ContractionPlan.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/PieceRuns.h"
#include "lib/Codegen/CPU/Pieces.h"
#include "lib/Codegen/CPU/Units.h"
#include "lib/Codegen/CPU/WindowKernel.h"
#include "lib/Codegen/CPU/WindowPacker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

//===----------------------------------------------------------------------===//
// WindowKernel
//===----------------------------------------------------------------------===//

WindowKernel::WindowKernel(Emitter &emitter, const Contraction &contraction,
                           const Epilogue &epilogue, GemmAttr schedule)
    : emitter(emitter), math(emitter), contraction(contraction),
      epilogue(epilogue), schedule(schedule),
      windows(*matchWindows(contraction)), depth(getDepth(schedule.getUnit())),
      chains(*getWindowChains(contraction, windows, depth)),
      tile(getWindowTile(windows, schedule)),
      copy(getTileCopy(contraction, windows, schedule)),
      rows(schedule.getMicroRows()), columns(schedule.getMicroColumns()),
      pieceColumns(getPieceSize(schedule.getTileColumns(),
                                schedule.getColumnPieces(), columns)),
      numBlocks(divideCeil(windows.first().tap.extent, tile.taps)) {
  Type f32 = emitter.builder.getF32Type();
  Type factor = getFactorType(emitter.builder.getContext(), schedule.getUnit());
  // Rows of a micro-tile beyond the last image or position read what lies
  // there; nobody reads their results.
  int64_t count = tile.alongImages ? alignTo(tile.images, rows) : tile.images;
  int64_t beyond = rows * windows.last().stride * copy.pitches.back() + 8;
  images = emitter.allocate(count * copy.image + beyond, factor);
  int64_t kept =
      numBlocks > 1 ? divideCeil(schedule.getTileColumns(), columns) : 1;
  results =
      emitter.allocate(rows * columns + kept * panelRows() * columns, f32);
  transposed = emitter.allocate(schedule.getLanes() * columns, f32);
  panels =
      emitter.getBuffer(contraction.getOperand(schedule.getColumns()).tensor);
}

int64_t WindowKernel::lineRows() const {
  return tile.alongImages ? lineWidth() : alignTo(lineWidth(), rows);
}

int64_t WindowKernel::imageRows() const {
  return tile.lines * (windows.countLine() / lineWidth()) * lineRows();
}

int64_t WindowKernel::panelRows() const {
  int64_t count = tile.alongImages ? alignTo(tile.images, rows) : tile.images;
  return count * imageRows();
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

namespace {

/// Emits a contraction of windows.
class WindowEmitter {
public:
  explicit WindowEmitter(const WindowKernel &kernel)
      : kernel_(kernel), emitter_(kernel.emitter), builder_(emitter_.builder),
        loc_(emitter_.loc), math_(kernel.math),
        numColumns_(
            kernel.contraction
                .sizes[Contraction::outerOf(kernel.schedule.getColumns())]) {}

  void emit();

private:
  using Body = llvm::function_ref<void(Value)>;

  void clearBorders();
  void clearColumns(Value place, int64_t begin, int64_t end);
  WindowPart getPart(const PieceRun &run);
  void emitRun(const PieceRun &run);
  void emitPart(const WindowPart &part);
  void emitBlock(const WindowPart &part, Value block);
  void emitPanel(const WindowPart &part, Value panel, Value tap, Value taps);
  Value panelPlace(Value panel);
  void clearResults(Value results, Value tap);

  // Micro-tiles.
  void loopTiles(const WindowPart &part, TileBody body);
  void loopImageTiles(const WindowPart &part, TileBody body);
  void loopLineTiles(const WindowPart &part, TileBody body);
  Value rowPlace(Value image, Value line, ValueRange inner);

  void loop(Value to, int64_t step, Body body) {
    emitter_.emitLoop(math_.constant(0), to, step, body);
  }

  const WindowKernel &kernel_;
  Emitter &emitter_;
  OpBuilder &builder_;
  Location loc_;
  IndexMath math_;
  int64_t numColumns_;
  Value firstPanel_; ///< The place of the part's first panel of the weight.
};

} // namespace

void WindowEmitter::emit() {
  int64_t lanes = kernel_.schedule.getLanes();
  auto vector = VectorType::get({lanes}, builder_.getF32Type());
  Value zero = arith::ConstantOp::create(builder_, loc_,
                                         DenseElementsAttr::get(vector, 0.0f));
  loop(math_.constant(kernel_.rows * kernel_.columns), lanes, [&](Value place) {
    vector::StoreOp::create(builder_, loc_, zero, kernel_.results, place);
  });
  clearBorders();
  emitPieceRuns(emitter_, kernel_.schedule,
                [&](const PieceRun &run) { emitRun(run); });
}

/// Sets to zero, once, the places of the copy that are of a border of the last
/// axis that is read and has no memory. No copy of images changes them.
void WindowEmitter::clearBorders() {
  const WindowAxis &last = kernel_.windows.last();
  bool hasMemory = last.memoryBegin < last.begin || last.memoryEnd > last.end;
  if (kernel_.tile.alongImages || !last.hasBorder() || hasMemory)
    return;
  const WindowCopy &copy = kernel_.copy;
  int64_t first = copy.firsts.back(), count = copy.counts.back();
  int64_t begin = std::clamp<int64_t>(last.begin - first, 0, count);
  int64_t end = std::clamp<int64_t>(last.end - first, begin, count);
  SmallVector<int64_t> lines = {kernel_.tile.images};
  llvm::append_range(lines, ArrayRef(copy.counts).drop_back());
  emitter_.emitNest(lines, [&](ValueRange line) {
    Value place = math_.mul(line.front(), copy.image);
    for (auto [index, pitch] : llvm::zip(line.drop_front(), copy.pitches))
      place = math_.add(place, math_.mul(index, pitch));
    clearColumns(place, 0, begin);
    clearColumns(place, end, count);
  });
}

/// Sets the columns from `begin` to `end` of the line of the copy at `place` to
/// zero, and up to 7 elements behind them.
void WindowEmitter::clearColumns(Value place, int64_t begin, int64_t end) {
  auto type = cast<MemRefType>(kernel_.images.getType());
  auto vector = VectorType::get({8}, type.getElementType());
  Value zero =
      arith::ConstantOp::create(builder_, loc_, builder_.getZeroAttr(vector));
  int64_t pitch = kernel_.copy.pitches.back();
  emitter_.emitLoop(math_.constant(begin * pitch), math_.constant(end * pitch),
                    8, [&](Value element) {
                      vector::StoreOp::create(builder_, loc_, zero,
                                              kernel_.images,
                                              math_.add(place, element));
                    });
}

WindowPart WindowEmitter::getPart(const PieceRun &run) {
  Value chunk = run.tile;
  auto take = [&](int64_t total, int64_t size, Value &first, Value &count) {
    int64_t tiles = divideCeil(total, size);
    first = math_.mul(math_.rem(chunk, tiles), size);
    count = total % size == 0
                ? math_.constant(size)
                : math_.min(math_.constant(size),
                            math_.sub(math_.constant(total), first));
    chunk = math_.div(chunk, tiles);
  };
  WindowPart part;
  take(numColumns_, kernel_.schedule.getTileColumns(), part.column,
       part.columns);
  take(kernel_.windows.first().position.extent, kernel_.tile.lines, part.line,
       part.lines);
  take(kernel_.windows.images.extent, kernel_.tile.images, part.image,
       part.images);
  part.batch = chunk;
  takePieces(emitter_, run.rows, kernel_.tile.pieceLines, part.line,
             part.lines);
  takePieces(emitter_, run.columns, kernel_.pieceColumns, part.column,
             part.columns);
  return part;
}

/// Computes neighbouring pieces of a tile as one, so that they have one copy of
/// the images.
void WindowEmitter::emitRun(const PieceRun &run) {
  WindowPart part = getPart(run);
  emitIfAny(emitter_, part.lines, part.columns, [&] { emitPart(part); });
}

void WindowEmitter::emitPart(const WindowPart &part) {
  Value panel =
      math_.add(math_.mul(part.batch, divideCeil(numColumns_, kernel_.columns)),
                math_.div(part.column, kernel_.columns));
  int64_t k = kernel_.contraction.sizes[Contraction::K];
  firstPanel_ =
      math_.mul(panel, getPanelStride(kernel_.schedule,
                                      kernel_.schedule.getColumns(), k));
  if (kernel_.numBlocks == 1)
    return emitBlock(part, math_.constant(0));
  loop(math_.constant(kernel_.numBlocks), 1,
       [&](Value block) { emitBlock(part, block); });
}

void WindowEmitter::emitBlock(const WindowPart &part, Value block) {
  int64_t extent = kernel_.windows.first().tap.extent;
  Value tap = math_.mul(block, kernel_.tile.taps);
  Value taps = extent % kernel_.tile.taps == 0
                   ? math_.constant(kernel_.tile.taps)
                   : math_.min(math_.constant(kernel_.tile.taps),
                               math_.sub(math_.constant(extent), tap));
  emitWindowCopy(
      emitter_, kernel_.contraction, kernel_.windows, kernel_.schedule,
      {part.batch, part.image, part.images, part.line, part.lines, tap, taps},
      kernel_.images);
  loop(math_.ceilDiv(part.columns, kernel_.columns), 1, [&](Value panel) {
    emitPanel(part, panel, tap, taps);
    if (kernel_.numBlocks == 1)
      return emitWindowResults(kernel_, part, panel, panelPlace(panel));
    Value last =
        arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::eq, block,
                              math_.constant(kernel_.numBlocks - 1));
    auto ifOp =
        scf::IfOp::create(builder_, loc_, last, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(ifOp.thenBlock());
    emitWindowResults(kernel_, part, panel, panelPlace(panel));
  });
}

/// The place of the results of a panel.
Value WindowEmitter::panelPlace(Value panel) {
  Value first = math_.constant(kernel_.rows * kernel_.columns);
  return kernel_.numBlocks == 1
             ? first
             : math_.add(first, math_.mul(panel, kernel_.panelRows() *
                                                     kernel_.columns));
}

/// Multiplies all micro-tiles by one panel, some chains at a time.
void WindowEmitter::emitPanel(const WindowPart &part, Value panel, Value tap,
                              Value taps) {
  int64_t k = kernel_.contraction.sizes[Contraction::K];
  int64_t stride =
      getPanelStride(kernel_.schedule, kernel_.schedule.getColumns(), k);
  MicroOperand columns = {kernel_.panels,
                          math_.add(firstPanel_, math_.mul(panel, stride))};
  Value results = panelPlace(panel);
  if (kernel_.windows.hasBorder())
    clearResults(results, tap);
  emitWindowProducts(kernel_, tap, taps, columns, [&](TileBody body) {
    loopTiles(part, [&](MicroTile tile) {
      tile.positions[0] = math_.add(part.line, tile.positions[0]);
      tile.result = math_.add(results, tile.result);
      body(std::move(tile));
    });
  });
}

/// Sets the results of a panel to zero before the first tap: any chain may be
/// the first that is added to them.
void WindowEmitter::clearResults(Value results, Value tap) {
  int64_t lanes = kernel_.schedule.getLanes();
  auto vector = VectorType::get({lanes}, builder_.getF32Type());
  Value zero = arith::ConstantOp::create(builder_, loc_,
                                         DenseElementsAttr::get(vector, 0.0f));
  // No rows after the first block of taps.
  Value isFirst = arith::CmpIOp::create(
      builder_, loc_, arith::CmpIPredicate::eq, tap, math_.constant(0));
  Value count = arith::SelectOp::create(
      builder_, loc_, isFirst,
      math_.constant(kernel_.panelRows() * kernel_.columns), math_.constant(0));
  loop(count, lanes, [&](Value place) {
    vector::StoreOp::create(builder_, loc_, zero, kernel_.results,
                            math_.add(results, place));
  });
}

//===----------------------------------------------------------------------===//
// Micro-tiles
//===----------------------------------------------------------------------===//

/// The place in the copy of the first tap of the position `line`, `inner`.
Value WindowEmitter::rowPlace(Value image, Value line, ValueRange inner) {
  Value place = math_.mul(image, kernel_.copy.image);
  SmallVector<Value> positions = {line};
  llvm::append_range(positions, inner);
  for (auto [axis, position] : llvm::enumerate(positions)) {
    const WindowAxis &here = kernel_.windows.axes[axis];
    // The copy may begin behind the border.
    Value index = math_.add(math_.mul(position, here.stride),
                            here.first - kernel_.copy.firsts[axis]);
    place = math_.add(place, math_.mul(index, kernel_.copy.pitches[axis]));
  }
  return place;
}

void WindowEmitter::loopTiles(const WindowPart &part, TileBody body) {
  if (kernel_.tile.alongImages)
    loopImageTiles(part, body);
  else
    loopLineTiles(part, body);
}

/// Loops over micro-tiles of one position of several images.
void WindowEmitter::loopImageTiles(const WindowPart &part, TileBody body) {
  SmallVector<int64_t> extents;
  for (const WindowAxis &axis : llvm::drop_begin(kernel_.windows.axes))
    extents.push_back(axis.position.extent);
  loop(part.images, kernel_.rows, [&](Value image) {
    loop(part.lines, 1, [&](Value line) {
      emitter_.emitNest(extents, [&](ValueRange inner) {
        Value position = line;
        for (auto [extent, index] : llvm::zip(extents, inner))
          position = math_.add(math_.mul(position, extent), index);
        Value row = math_.add(math_.mul(image, kernel_.imageRows()), position);
        SmallVector<Value> positions = {line};
        llvm::append_range(positions, inner);
        body({rowPlace(image, line, inner), math_.mul(row, kernel_.columns),
              positions});
      });
    });
  });
}

/// Loops over micro-tiles of neighbours along the last axis.
void WindowEmitter::loopLineTiles(const WindowPart &part, TileBody body) {
  SmallVector<int64_t> extents;
  for (const WindowAxis &axis :
       llvm::drop_end(llvm::drop_begin(kernel_.windows.axes)))
    extents.push_back(axis.position.extent);
  loop(part.images, 1, [&](Value image) {
    loop(part.lines, 1, [&](Value line) {
      emitter_.emitNest(extents, [&](ValueRange middle) {
        Value row = line;
        for (auto [extent, index] : llvm::zip(extents, middle))
          row = math_.add(math_.mul(row, extent), index);
        row = math_.add(math_.mul(image, kernel_.imageRows()),
                        math_.mul(row, kernel_.lineRows()));
        loop(math_.constant(kernel_.lineWidth()), kernel_.rows,
             [&](Value first) {
               SmallVector<Value> inner(middle);
               inner.push_back(first);
               SmallVector<Value> positions = {line};
               llvm::append_range(positions, middle);
               positions.push_back(Value());
               body({rowPlace(image, line, inner),
                     math_.mul(math_.add(row, first), kernel_.columns),
                     positions});
             });
      });
    });
  });
}

void mpc::cpu::emitWindows(Emitter &emitter, const Contraction &contraction,
                           const Epilogue &epilogue, GemmAttr schedule) {
  WindowKernel kernel(emitter, contraction, epilogue, schedule);
  WindowEmitter(kernel).emit();
}
