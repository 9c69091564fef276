// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cuda.mma and #cuda.simt: contractions by tiles. The tiles of both factors
// pass through shared memory in stages, 16 bytes at a time where a factor's
// layout allows it, else element by element. Elements outside of a factor are
// zero. The result passes through shared memory too, so that threads store
// neighbours.
#include "lib/Codegen/CUDA/EmitEpilogue.h"
#include "lib/Codegen/CUDA/Emitters.h"

#include "lib/Codegen/CUDA/ScalarText.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;
using llvm::formatv;

/// The number of rows of a result tile that are in shared memory at a time.
static constexpr int64_t kPartRows = 32;
/// The additional length of the result's lines, in f32, by which the rows that
/// a warp writes lie in different banks.
static constexpr int64_t kResultPadding = 8;

namespace {

class TileEmitter {
public:
  TileEmitter(KernelText &text, const Body &body, const TileSchedule &schedule,
              const TileProducts &products)
      : text_(text), schedule_(schedule), products_(products),
        contraction_(*matchContraction(body.statements.front())),
        epilogue_(*matchEpilogue(text.kernel, body, contraction_)),
        rows_{*getFactor(contraction_, schedule.rows, products.unit()),
              schedule.rows, "row", "rows"},
        columns_{*getFactor(contraction_, 1 - schedule.rows, products.unit()),
                 1 - schedule.rows, "column", "columns"} {}
  void emit();
  int64_t sharedBytes() const {
    int64_t stages =
        stageElements() * schedule_.stages * schedule_.elementBytes;
    int64_t result = kPartRows * resultPitch() * sizeof(float);
    return std::max(stages, result);
  }

private:
  /// A factor, and the names of its parts in the text.
  struct Side {
    Factor factor;
    unsigned operand;
    /// The first row or column of the block's tile in the factor.
    const char *first;
    const char *tile; ///< The tile in shared memory.
    /// This thread's first line in the tile, and its place in the line.
    std::string line{}, at{};
    /// The registers in which elements wait; empty for none.
    std::string held{};
  };

  void emitPlaces();
  void emitWalk(Side &side);
  void emitFetch();
  void emitKeep();
  void fetch(const Side &side);
  void keep(const Side &side);
  void forEach(const Side &side,
               llvm::function_ref<void(const std::string &, const std::string &,
                                       const std::string &)>
                   body);
  std::string isInside(const Side &side, const std::string &outer,
                       const std::string &k);
  std::string toProduct(const Side &side, const std::string &element);
  std::string storageOf(const Side &side);
  void emitTilePointers(const std::string &step, bool isConst);
  void emitProducts();
  void emitResults();
  void emitPart();
  void emitRun(const std::string &local, const std::string &at);
  Texts outerDims(const std::string &m);

  int64_t stageElements() const {
    return rows_.factor.tileElements(schedule_) +
           columns_.factor.tileElements(schedule_);
  }
  int64_t resultPitch() const { return schedule_.side + kResultPadding; }
  int64_t numSteps() const {
    return llvm::divideCeil(contraction_.sizes[Contraction::K],
                            schedule_.depth);
  }
  TileFactors factors() const { return {rows_.factor, columns_.factor}; }
  /// The number of places of a thread in a tile that is copied in pieces of the
  /// factor's width.
  int64_t numPlaces(const Factor &factor) const {
    return schedule_.side * schedule_.depth / factor.width / schedule_.threads;
  }
  int64_t lineLength(const Factor &factor) const {
    return factor.hasLines ? schedule_.depth : schedule_.side;
  }
  const char *elementText() const { return products_.elementText(); }
  Contraction::DimGroup columnGroup() const {
    return Contraction::outerOf(1 - schedule_.rows);
  }
  Contraction::DimGroup rowGroup() const {
    return Contraction::outerOf(schedule_.rows);
  }

  KernelText &text_;
  TileSchedule schedule_;
  const TileProducts &products_;
  Contraction contraction_;
  Epilogue epilogue_;
  Side rows_, columns_;
};

} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The offset of `flat`, an index over `index`: a sum of strides.
static std::string offsetOf(const StridedIndex &index,
                            const std::string &flat) {
  std::string text;
  int64_t below = 1;
  for (const StridedIndex::Part &part : llvm::reverse(index.parts)) {
    std::string place = flat;
    if (below > 1)
      place += formatv(" / {0}", below);
    if (&part != &index.parts.front())
      place += formatv(" % {0}", part.extent);
    below *= part.extent;
    std::string term = part.stride == 1
                           ? place
                           : formatv("({0}) * {1}", place, part.stride).str();
    text = text.empty() ? term : term + " + " + text;
  }
  return text;
}

/// The place of element (`outer`, `k`) of the block's batch.
static std::string placeOf(const Factor &factor, const std::string &outer,
                           const std::string &k) {
  SmallVector<std::string> terms = {offsetOf(factor.batch, "batch"),
                                    offsetOf(factor.outer, outer),
                                    offsetOf(factor.k, k)};
  if (factor.offset != 0)
    terms.push_back(std::to_string(factor.offset));
  llvm::erase(terms, "");
  return terms.empty() ? "0" : llvm::join(terms, " + ");
}

/// Emits which tile of the result the block computes, and which part of it the
/// thread does.
void TileEmitter::emitPlaces() {
  const std::string &type = text_.indexType();
  int64_t side = schedule_.side;
  int64_t across = llvm::divideCeil(columns_.factor.numOuter, side);
  int64_t down = llvm::divideCeil(rows_.factor.numOuter, side);
  text_.line("const {0} tile = {0}(blockIdx.x);", type);
  if (contraction_.sizes[Contraction::Batch] > 1)
    text_.line("const {0} batch = tile / {1};", type, across * down);
  text_.line("const {0} row = tile / {1} % {2} * {3};", type, across, down,
             side);
  text_.line("const {0} column = tile % {1} * {2};", type, across, side);
  products_.emitPlaces(text_, schedule_);
}

/// Emits where this thread begins in its tile. It advances by whole lines.
void TileEmitter::emitWalk(Side &side) {
  int64_t pieces = lineLength(side.factor) / side.factor.width;
  side.line = (side.tile + StringRef("Line")).str();
  side.at = (side.tile + StringRef("At")).str();
  text_.line("const int {0} = threadIdx.x / {1};", side.line, pieces);
  std::string at = formatv("threadIdx.x % {0}", pieces);
  if (side.factor.width > 1)
    at += formatv(" * {0}", side.factor.width);
  text_.line("const int {0} = {1};", side.at, at);
  if (side.factor.isCopied())
    return;
  side.held = (side.tile + StringRef("Held")).str();
  text_.line("{0} {1}[{2}];", storageOf(side), side.held,
             numPlaces(side.factor));
}

//===----------------------------------------------------------------------===//
// Copying tiles
//===----------------------------------------------------------------------===//

/// The type in which a thread holds a factor's elements at one place.
std::string TileEmitter::storageOf(const Side &side) {
  auto type = cast<RankedTensorType>(side.factor.tensor.getType());
  std::string element = getStorageText(type.getElementType());
  if (side.factor.width == 1)
    return element;
  return formatv("mpc_vector<{0}, {1}>", element, side.factor.width);
}

/// The condition that a place lies in the factor; empty where all places do.
std::string TileEmitter::isInside(const Side &side, const std::string &outer,
                                  const std::string &k) {
  std::string text;
  if (side.factor.numOuter % schedule_.side != 0)
    text = formatv("{0} < {1}", outer, side.factor.numOuter);
  if (side.factor.numK % schedule_.depth != 0)
    text += formatv("{0}{1} < {2}", text.empty() ? "" : " && ", k,
                    side.factor.numK);
  return text;
}

/// Loops over this thread's places in a tile; `body` gets the number of the
/// place, its position in the tile, and the condition `inside` where it depends
/// on the place.
void TileEmitter::forEach(
    const Side &side,
    llvm::function_ref<void(const std::string &, const std::string &,
                            const std::string &)>
        body) {
  const Factor &factor = side.factor;
  const std::string &type = text_.indexType();
  int64_t pieces = lineLength(factor) / factor.width;
  text_.line("#pragma unroll");
  std::string head =
      formatv("for (int i = 0; i < {0}; ++i)", numPlaces(factor));
  text_.block(head, [&] {
    text_.line("const int line = {0} + i * {1};", side.line,
               schedule_.threads / pieces);
    text_.line("const {0} outer = {1} + {2};", type, side.first,
               factor.hasLines ? "line" : side.at);
    text_.line("const {0} k = step * {1} + {2};", type, schedule_.depth,
               factor.hasLines ? side.at : "line");
    std::string inside = isInside(side, "outer", "k");
    if (!inside.empty())
      text_.line("const bool inside = {0};", inside);
    std::string where = formatv("{0} + line * {1} + {2}", side.tile,
                                factor.pitch(schedule_), side.at);
    body("i", where, inside.empty() ? "" : "inside");
  });
}

/// Starts to copy the tile, or loads it to registers.
void TileEmitter::fetch(const Side &side) {
  const Factor &factor = side.factor;
  std::string place = placeOf(factor, "outer", "k");
  std::string pointer = text_.pointer(factor.tensor, factor.width);
  forEach(side, [&](const std::string &i, const std::string &where,
                    const std::string &inside) {
    text_.line("const {0} place = {1};", text_.indexType(), place);
    if (factor.isCopied() && inside.empty())
      return text_.line(
          "mpc_copy_async16(mpc_shared_address({0}), {1} + place, 16);", where,
          pointer);
    if (factor.isCopied())
      return text_.line("mpc_copy_async16(mpc_shared_address({0}), {1} + "
                        "(inside ? place : 0), inside ? 16 : 0);",
                        where, pointer);
    std::string type = storageOf(side);
    std::string value =
        factor.width == 1
            ? formatv("{0}[place]", pointer).str()
            : formatv("{0}::load({1} + place)", type, pointer).str();
    if (!inside.empty())
      value = formatv("inside ? {0} : {1}{{}", value, type);
    text_.line("{0}[{1}] = {2};", side.held, i, value);
  });
}

/// The factor's value for an element in memory.
std::string TileEmitter::toProduct(const Side &side,
                                   const std::string &element) {
  return side.factor.isPlain
             ? element
             : text_.factor(contraction_, side.operand, element);
}

/// Stores elements that were loaded to registers in the tile. Elements outside
/// must be set to zero, because a function of zero need not be zero.
void TileEmitter::keep(const Side &side) {
  const Factor &factor = side.factor;
  if (factor.isCopied())
    return;
  bool isSelected = !factor.isPlain;
  auto select = [&](const std::string &value, const std::string &inside) {
    return inside.empty() || !isSelected ? value
                                         : "inside ? " + value + " : 0.0f";
  };
  forEach(side, [&](const std::string &i, const std::string &where,
                    const std::string &inside) {
    std::string held = side.held + "[" + i + "]";
    if (factor.width == 1)
      return text_.line("*({0}) = {1};", where,
                        select(toProduct(side, held), inside));
    std::string type = formatv("mpc_vector<float, {0}>", factor.width);
    text_.line("{0} made;", type);
    text_.line("#pragma unroll");
    text_.block(
        formatv("for (int lane = 0; lane < {0}; ++lane)", factor.width), [&] {
          text_.line("made.at[lane] = {0};",
                     select(toProduct(side, held + ".at[lane]"), inside));
        });
    text_.line("made.put({0});", where);
  });
}

void TileEmitter::emitTilePointers(const std::string &step, bool isConst) {
  text_.line("{0}{1} *rows = shared + {2} % {3} * {4};",
             isConst ? "const " : "", elementText(), step, schedule_.stages,
             stageElements());
  text_.line("{0}{1} *columns = rows + {2};", isConst ? "const " : "",
             elementText(), rows_.factor.tileElements(schedule_));
}

/// Emits the code that starts copying step `step` of k to its stage. Every call
/// makes one group of copies. An empty group completes at once.
void TileEmitter::emitFetch() {
  auto bring = [&] {
    if (rows_.factor.isCopied() || columns_.factor.isCopied())
      emitTilePointers("step", false);
    fetch(rows_);
    fetch(columns_);
  };
  text_.block(
      "auto fetch = [&](int step)",
      [&] {
        text_.block(formatv("if (step < {0})", numSteps()), bring);
        text_.line("mpc_copy_async_commit();");
      },
      "};");
}

/// Emits the code that stores the elements of step `step`, which wait in
/// registers, in its stage.
void TileEmitter::emitKeep() {
  auto bring = [&] {
    emitTilePointers("step", false);
    keep(rows_);
    keep(columns_);
  };
  text_.block(
      "auto keep = [&](int step)",
      [&] { text_.block(formatv("if (step < {0})", numSteps()), bring); },
      "};");
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Emits the loop over k. A stage is filled again one step after it was read,
/// after a barrier that all threads have passed by then. Elements that wait in
/// registers arrive while the products of a step are computed.
void TileEmitter::emitProducts() {
  int64_t stages = schedule_.stages;
  products_.emitSums(text_, schedule_);
  for (int64_t stage = 0; stage + 1 < stages; ++stage) {
    text_.line("fetch({0});", stage);
    if (factors().areHeld())
      text_.line("keep({0});", stage);
  }
  text_.block(formatv("for (int step = 0; step < {0}; ++step)", numSteps()),
              [&] {
                text_.line("mpc_copy_async_wait<{0}>();", stages - 2);
                text_.line("mpc_sync_block();");
                text_.line("fetch(step + {0});", stages - 1);
                emitTilePointers("step", true);
                products_.emitMultiply(text_, schedule_, factors());
                if (factors().areHeld())
                  text_.line("keep(step + {0});", stages - 1);
              });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The dimensions of the batch and of row `m`; those of columns are empty.
Texts TileEmitter::outerDims(const std::string &m) {
  Texts dims(contraction_.statement.numDims());
  auto set = [&](Contraction::DimGroup group, const std::string &flat) {
    ArrayRef<unsigned> list = contraction_.groups[group];
    SmallVector<int64_t> extents = llvm::map_to_vector(list, [&](unsigned dim) {
      return contraction_.statement.extents[dim];
    });
    for (auto [dim, place] : llvm::zip(list, text_.delinearize(flat, extents)))
      dims[dim] = place;
  };
  set(Contraction::Batch, "batch");
  set(rowGroup(), m);
  return dims;
}

/// Emits the columns from `at` on of row `local` of the part.
void TileEmitter::emitRun(const std::string &local, const std::string &at) {
  const std::string &type = text_.indexType();
  int64_t count = getRunLength(contraction_, epilogue_, columnGroup());
  text_.line("const {0} m = row + {1};", type,
             products_.rowOfPart(schedule_, factors(), kPartRows));
  text_.line("const {0} n = column + {1};", type, at);
  SmallVector<std::string> guards;
  if (rows_.factor.numOuter % schedule_.side != 0)
    guards.push_back(formatv("m < {0}", rows_.factor.numOuter));
  if (columns_.factor.numOuter % schedule_.side != 0)
    guards.push_back(formatv("n < {0}", columns_.factor.numOuter));
  std::string guard =
      guards.empty() ? "" : "if (" + llvm::join(guards, " && ") + ")";
  text_.block(guard, [&] {
    Texts dims = outerDims("m");
    std::string vector = formatv("mpc_vector<float, {0}>", count);
    std::string sums = text_.define(vector, "sum",
                                    formatv("{0}::get(whole + {1} * {2} + {3})",
                                            vector, local, resultPitch(), at));
    emitEpilogue(text_, contraction_, epilogue_,
                 ResultRun{columnGroup(), count, "n", dims}, sums);
  });
}

/// Emits 32 rows of the result: to shared memory, and from there, in runs, to
/// the result.
void TileEmitter::emitPart() {
  int64_t side = schedule_.side;
  text_.line("mpc_sync_block();");
  products_.emitPutSums(text_, schedule_, factors(), kPartRows, resultPitch());
  text_.line("mpc_sync_block();");
  int64_t count = getRunLength(contraction_, epilogue_, columnGroup());
  int64_t runs = side / count;
  text_.line("#pragma unroll 1");
  text_.block(
      formatv("for (int local = threadIdx.x / {0}; local < {1}; local += {2})",
              runs, kPartRows, schedule_.threads / runs),
      [&] {
        std::string at = formatv("threadIdx.x % {0}", runs);
        text_.line("const int at = {0}{1};", at,
                   count > 1 ? formatv(" * {0}", count).str() : "");
        emitRun("local", "at");
      });
}

void TileEmitter::emitResults() {
  text_.line(products_.elementBytes() == sizeof(float)
                 ? "float *whole = shared;"
                 : "float *whole = reinterpret_cast<float *>(shared);");
  text_.line("#pragma unroll");
  text_.block(formatv("for (int part = 0; part < {0}; ++part)",
                      schedule_.side / kPartRows),
              [&] { emitPart(); });
}

void TileEmitter::emit() {
  products_.leaveRegisters(text_, schedule_, factors());
  text_.line("MPC_DYNAMIC_SHARED({0}, shared);", elementText());
  emitPlaces();
  emitWalk(rows_);
  emitWalk(columns_);
  emitFetch();
  if (factors().areHeld())
    emitKeep();
  emitProducts();
  emitResults();
}

void mpc::cuda::emitTiles(KernelText &text, const Body &body,
                          const TileSchedule &schedule,
                          const TileProducts &products) {
  TileEmitter(text, body, schedule, products).emit();
}

int64_t mpc::cuda::getSharedBytes(FuncOp kernel, const Body &body,
                                  const TileSchedule &schedule,
                                  const TileProducts &products) {
  KernelText unused(kernel);
  return TileEmitter(unused, body, schedule, products).sharedBytes();
}
