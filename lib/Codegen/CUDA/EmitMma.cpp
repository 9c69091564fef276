// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cuda.mma: a contraction on Tensor Cores. Tiles of both factors go through
// shared memory in stages, 16 bytes at a time where a factor's memory allows
// it, else element by element; what lies outside is zero.
#include "lib/Codegen/CUDA/EmitEpilogue.h"
#include "lib/Codegen/CUDA/Emitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;
using llvm::formatv;

/// Elements of 16 bytes.
static constexpr int64_t kChunk = 8;
/// Lines are this much longer than what they hold, so that the 8 rows that an
/// ldmatrix reads lie in different banks.
static constexpr int64_t kPadding = 8;
static constexpr int64_t kStages = 3;
/// Larger tiles are for results that have enough of them for a large GPU.
static constexpr int64_t kManyTiles = 132;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

namespace {

/// How a factor's elements get into a tile.
enum class Loading {
  AlongK,     ///< 16 bytes of k at a time; a line holds k.
  AlongOuter, ///< 16 bytes of rows or columns; a line holds those.
  Elements,   ///< One by one; a line holds k.
};

/// One of the two factors: its rows or columns (outer) by k.
struct Factor {
  Value tensor;
  StridedIndex batch, outer, k;
  int64_t offset = 0;
  int64_t numOuter = 1;
  Loading loading = Loading::Elements;
  bool outerIsFast = false; ///< Of Elements: neighbours in memory are outer.

  bool hasLines() const { return loading != Loading::AlongOuter; }
  int64_t pitch(MmaAttr schedule) const {
    return (hasLines() ? schedule.getDepth() : schedule.getSide()) + kPadding;
  }
  int64_t tileElements(MmaAttr schedule) const {
    return pitch(schedule) *
           (hasLines() ? schedule.getSide() : schedule.getDepth());
  }
};

} // namespace

/// Whether 16 bytes along `fast` can be had at once: all else moves in
/// multiples of them.
static bool hasChunks(const StridedIndex &fast,
                      ArrayRef<const StridedIndex *> others, int64_t offset) {
  auto isWhole = [](const StridedIndex::Part &part) {
    return part.stride % kChunk == 0;
  };
  if (fast.parts.empty() || fast.parts.back().stride != 1 ||
      fast.parts.back().extent % kChunk != 0 || offset % kChunk != 0)
    return false;
  return llvm::all_of(ArrayRef(fast.parts).drop_back(), isWhole) &&
         llvm::all_of(others, [&](const StridedIndex *other) {
           return llvm::all_of(other->parts, isWhole);
         });
}

/// Empty where the factor's memory is walked by more than strides.
static std::optional<Factor> getFactor(const Contraction &contraction,
                                       unsigned operand) {
  const Access &access = contraction.getOperand(operand);
  std::optional<Linear> linear =
      getLinear(access.index, contraction.statement.numDims());
  if (!linear)
    return std::nullopt;
  auto group = operand == 0 ? Contraction::M : Contraction::N;
  Factor factor;
  factor.tensor = access.tensor;
  factor.offset = linear->offset;
  factor.batch =
      contraction.getStridedIndex(linear->strides, Contraction::Batch);
  factor.outer = contraction.getStridedIndex(linear->strides, group);
  factor.k = contraction.getStridedIndex(linear->strides, Contraction::K);
  factor.numOuter = contraction.sizes[group];
  auto isFast = [](const StridedIndex &index) {
    return !index.parts.empty() && index.parts.back().stride == 1;
  };
  if (hasChunks(factor.k, {&factor.outer, &factor.batch}, factor.offset))
    factor.loading = Loading::AlongK;
  else if (hasChunks(factor.outer, {&factor.k, &factor.batch}, factor.offset))
    factor.loading = Loading::AlongOuter;
  factor.outerIsFast = isFast(factor.outer) && !isFast(factor.k);
  return factor;
}

/// Whether what is multiplied is the operand itself.
static bool isPlain(const Contraction &contraction, unsigned operand) {
  auto widened = contraction.factors[operand].getDefiningOp<arith::ExtFOp>();
  return widened && widened.getIn() == contraction.getArgument(operand);
}

static Type elementOf(const Contraction &contraction, unsigned operand) {
  return cast<RankedTensorType>(
             contraction.getOperand(operand).tensor.getType())
      .getElementType();
}

/// Whether the result's neighbours in memory are columns of factor 1.
static bool columnsAreFast(const Contraction &contraction) {
  const Statement &statement = contraction.statement;
  Linear result = *getLinear(statement.outputs[0].index, statement.numDims());
  return llvm::any_of(contraction.groups[Contraction::N],
                      [&](unsigned dim) { return result.strides[dim] == 1; });
}

static int64_t countTiles(const Contraction &contraction, int64_t side) {
  return contraction.sizes[Contraction::Batch] *
         llvm::divideCeil(contraction.sizes[Contraction::M], side) *
         llvm::divideCeil(contraction.sizes[Contraction::N], side);
}

std::optional<MmaAttr> mpc::cuda::scheduleMma(FuncOp kernel, const Body &body,
                                              int64_t arch) {
  Contraction contraction = *matchContraction(body.statements.front());
  Type type = elementOf(contraction, 0);
  bool isKnown = type.isF16() || (type.isBF16() && arch >= 80);
  for (unsigned operand = 0; operand < 2; ++operand)
    if (elementOf(contraction, operand) != type ||
        !isPlain(contraction, operand) || !getFactor(contraction, operand))
      return std::nullopt;
  // Less than one product of a Tensor Core is no work for it.
  int64_t m = contraction.sizes[Contraction::M];
  int64_t n = contraction.sizes[Contraction::N];
  if (!isKnown || std::max(m, n) < 16 || std::min(m, n) < 8 ||
      contraction.sizes[Contraction::K] < 16)
    return std::nullopt;
  int64_t side = countTiles(contraction, 128) >= kManyTiles ? 128 : 64;
  return MmaAttr::get(kernel.getContext(), countTiles(contraction, side),
                      side * 2, columnsAreFast(contraction) ? 0 : 1, {side, 32},
                      kStages);
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

class MmaEmitter {
public:
  MmaEmitter(KernelText &text, const Body &body, MmaAttr schedule)
      : text_(text), schedule_(schedule),
        contraction_(*matchContraction(body.statements.front())),
        epilogue_(*matchEpilogue(text.kernel, body, contraction_)),
        rows_(*getFactor(contraction_, schedule.getRows())),
        columns_(*getFactor(contraction_, 1 - schedule.getRows())) {}
  void emit();
  int64_t stageElements() const {
    return rows_.tileElements(schedule_) + columns_.tileElements(schedule_);
  }

private:
  void emitPlaces();
  void emitLoader();
  void emitFactor(const Factor &factor, const std::string &tile,
                  const std::string &first);
  void emitChunks(const Factor &factor, const std::string &tile,
                  const std::string &first);
  void emitElements(const Factor &factor, const std::string &tile,
                    const std::string &first);
  void emitProducts();
  void emitResults();
  void emitResult();
  int64_t numSteps() const {
    return llvm::divideCeil(contraction_.sizes[Contraction::K],
                            schedule_.getDepth());
  }
  /// Tiles of 16 rows that a warp has; of 8 columns there are 4.
  int64_t rowTiles() const { return schedule_.getSide() / 32; }

  KernelText &text_;
  MmaAttr schedule_;
  Contraction contraction_;
  Epilogue epilogue_;
  Factor rows_, columns_;
  std::string batch_, row_, column_; ///< Of the block's tile.
  std::string warpRow_, warpColumn_; ///< Of the warp's part in it.
};

} // namespace

/// Where `flat`, an index over `index`, is: a sum of strides.
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

/// Where element (`outer`, `k`) of the block's batch is.
static std::string placeOf(const Factor &factor, const std::string &batch,
                           const std::string &outer, const std::string &k) {
  SmallVector<std::string> terms = {offsetOf(factor.batch, batch),
                                    offsetOf(factor.outer, outer),
                                    offsetOf(factor.k, k)};
  if (factor.offset != 0)
    terms.push_back(std::to_string(factor.offset));
  llvm::erase(terms, "");
  return terms.empty() ? "0" : llvm::join(terms, " + ");
}

/// Which tile of the result the block does, and which part of it the warp.
void MmaEmitter::emitPlaces() {
  const std::string &type = text_.indexType();
  int64_t side = schedule_.getSide();
  int64_t across = llvm::divideCeil(columns_.numOuter, side);
  int64_t down = llvm::divideCeil(rows_.numOuter, side);
  std::string tile = text_.define(type, "tile", type + "(blockIdx.x)");
  batch_ =
      text_.define(type, "batch", formatv("{0} / {1}", tile, across * down));
  row_ = text_.define(
      type, "row", formatv("{0} / {1} % {2} * {3}", tile, across, down, side));
  column_ = text_.define(type, "column",
                         formatv("{0} % {1} * {2}", tile, across, side));
  // Two warps are above each other.
  warpRow_ =
      text_.define("int", "warpRow", formatv("mpc_warp() % 2 * {0}", side / 2));
  warpColumn_ = text_.define("int", "warpColumn", "mpc_warp() / 2 * 32");
}

/// 16 bytes a thread and step, of memory that is walked in such pieces.
void MmaEmitter::emitChunks(const Factor &factor, const std::string &tile,
                            const std::string &first) {
  int64_t lines =
      factor.hasLines() ? schedule_.getSide() : schedule_.getDepth();
  int64_t chunks =
      (factor.hasLines() ? schedule_.getDepth() : schedule_.getSide()) / kChunk;
  std::string chunk = text_.makeName("chunk");
  text_.line("#pragma unroll");
  std::string head =
      formatv("for (int {0} = threadIdx.x; {0} < {1}; {0} += {2})", chunk,
              lines * chunks, schedule_.getThreads());
  text_.block(head, [&] {
    std::string line =
        text_.define("int", "line", formatv("{0} / {1}", chunk, chunks));
    std::string at = text_.define(
        "int", "at", formatv("{0} % {1} * {2}", chunk, chunks, kChunk));
    const std::string &type = text_.indexType();
    std::string outer = text_.define(
        type, "outer",
        formatv("{0} + {1}", first, factor.hasLines() ? line : at));
    std::string k =
        text_.define(type, "k",
                     formatv("step * {0} + {1}", schedule_.getDepth(),
                             factor.hasLines() ? at : line));
    std::string inside =
        text_.define("bool", "inside",
                     formatv("{0} < {1} && {2} < {3}", outer, factor.numOuter,
                             k, contraction_.sizes[Contraction::K]));
    std::string place =
        text_.define(type, "place", placeOf(factor, batch_, outer, k));
    text_.line("mpc_copy_async16(mpc_shared_address({0} + {1} * {2} + {3}), "
               "{4} + ({5} ? {6} : 0), {5} ? 16 : 0);",
               tile, line, factor.pitch(schedule_), at,
               text_.pointer(factor.tensor), inside, place);
  });
}

/// One element a thread and step, neighbours in memory by neighbours.
void MmaEmitter::emitElements(const Factor &factor, const std::string &tile,
                              const std::string &first) {
  int64_t side = schedule_.getSide(), depth = schedule_.getDepth();
  const std::string &type = text_.indexType();
  std::string element = text_.makeName("element");
  text_.line("#pragma unroll 4");
  std::string head =
      formatv("for (int {0} = threadIdx.x; {0} < {1}; {0} += {2})", element,
              side * depth, schedule_.getThreads());
  text_.block(head, [&] {
    int64_t fast = factor.outerIsFast ? side : depth;
    std::string slow =
        text_.define("int", "slow", formatv("{0} / {1}", element, fast));
    std::string quick =
        text_.define("int", "quick", formatv("{0} % {1}", element, fast));
    const std::string &line = factor.outerIsFast ? quick : slow;
    const std::string &at = factor.outerIsFast ? slow : quick;
    std::string outer =
        text_.define(type, "outer", formatv("{0} + {1}", first, line));
    std::string k =
        text_.define(type, "k", formatv("step * {0} + {1}", depth, at));
    std::string inside =
        text_.define("bool", "inside",
                     formatv("{0} < {1} && {2} < {3}", outer, factor.numOuter,
                             k, contraction_.sizes[Contraction::K]));
    std::string place =
        text_.define(type, "place", placeOf(factor, batch_, outer, k));
    text_.line("{0}[{1} * {2} + {3}] = {4} ? {5}[{6}] : mpc_u16(0);", tile,
               line, factor.pitch(schedule_), at, inside,
               text_.pointer(factor.tensor), place);
  });
}

void MmaEmitter::emitFactor(const Factor &factor, const std::string &tile,
                            const std::string &first) {
  if (factor.loading == Loading::Elements)
    return emitElements(factor, tile, first);
  emitChunks(factor, tile, first);
}

/// What begins to bring step `step` of k to its stage. Every call makes one
/// group of copies, of which an empty one waits for nothing.
void MmaEmitter::emitLoader() {
  auto bring = [&] {
    text_.line("mpc_u16 *rows = shared + step % {0} * {1};",
               schedule_.getStages(), stageElements());
    text_.line("mpc_u16 *columns = rows + {0};", rows_.tileElements(schedule_));
    emitFactor(rows_, "rows", row_);
    emitFactor(columns_, "columns", column_);
  };
  auto body = [&] {
    text_.block(formatv("if (step < {0})", numSteps()), bring);
    text_.line("mpc_copy_async_commit();");
  };
  text_.block("auto load = [&](int step)", body, "};");
}

static std::string tileType(const Factor &factor, MmaAttr schedule) {
  return formatv("mpc_tile<{0}, {1}>", factor.hasLines() ? "true" : "false",
                 factor.pitch(schedule));
}

/// The loop over k: a stage is filled again one step after it was read, behind
/// a barrier that all have passed by then.
void MmaEmitter::emitProducts() {
  int64_t stages = schedule_.getStages();
  text_.line("float sums[{0}][4][4] = {{};", rowTiles());
  for (int64_t stage = 0; stage + 1 < stages; ++stage)
    text_.line("load({0});", stage);
  text_.block(
      formatv("for (int step = 0; step < {0}; ++step)", numSteps()), [&] {
        text_.line("mpc_copy_async_wait<{0}>();", stages - 2);
        text_.line("mpc_sync_block();");
        text_.line("load(step + {0});", stages - 1);
        text_.line("const mpc_u16 *rows = shared + step % {0} * {1};", stages,
                   stageElements());
        text_.line("mpc_multiply_tiles<{0}, {1}, {2}, {3}>(sums, rows, {4}, "
                   "rows + {5}, {6});",
                   tileType(rows_, schedule_), tileType(columns_, schedule_),
                   elementOf(contraction_, 0).isBF16() ? "true" : "false",
                   schedule_.getDepth(), warpRow_,
                   rows_.tileElements(schedule_), warpColumn_);
      });
}

/// Element (m, n) of the result, whose sum is `sum`.
void MmaEmitter::emitResult() {
  Texts dims(contraction_.statement.numDims());
  auto set = [&](Contraction::Group group, const std::string &flat) {
    SmallVector<int64_t> extents;
    for (unsigned dim : contraction_.groups[group])
      extents.push_back(contraction_.statement.extents[dim]);
    for (auto [dim, place] : llvm::zip(contraction_.groups[group],
                                       text_.delinearize(flat, extents)))
      dims[dim] = place;
  };
  bool rowsAreFirst = schedule_.getRows() == 0;
  set(Contraction::Batch, batch_);
  set(rowsAreFirst ? Contraction::M : Contraction::N, "m");
  set(rowsAreFirst ? Contraction::N : Contraction::M, "n");
  emitEpilogue(text_, contraction_, epilogue_, dims, "sum");
}

/// Lane l of a product has rows l / 4 and l / 4 + 8, and of each the columns
/// 2 * (l % 4) and the next.
void MmaEmitter::emitResults() {
  const std::string &type = text_.indexType();
  auto loop = [&](const char *name, int64_t count,
                  llvm::function_ref<void()> body) {
    text_.line("#pragma unroll");
    text_.block(formatv("for (int {0} = 0; {0} < {1}; ++{0})", name, count),
                body);
  };
  loop("i", rowTiles(), [&] {
    loop("j", 4, [&] {
      loop("e", 4, [&] {
        text_.line("const {0} m = {1} + {2} + i * 16 + mpc_lane() / 4 + e / 2 "
                   "* 8;",
                   type, row_, warpRow_);
        text_.line("const {0} n = {1} + {2} + j * 8 + mpc_lane() % 4 * 2 + e "
                   "% 2;",
                   type, column_, warpColumn_);
        text_.block(formatv("if (m < {0} && n < {1})", rows_.numOuter,
                            columns_.numOuter),
                    [&] {
                      text_.line("const float sum = sums[i][j][e];");
                      emitResult();
                    });
      });
    });
  });
}

void MmaEmitter::emit() {
  text_.line("MPC_DYNAMIC_SHARED(mpc_u16, shared);");
  emitPlaces();
  emitLoader();
  emitProducts();
  emitResults();
}

void mpc::cuda::emitMma(KernelText &text, const Body &body, MmaAttr schedule) {
  MmaEmitter(text, body, schedule).emit();
}

int64_t mpc::cuda::getSharedBytes(FuncOp kernel, const Body &body,
                                  MmaAttr schedule) {
  KernelText unused(kernel);
  return MmaEmitter(unused, body, schedule).stageElements() * 2 *
         schedule.getStages();
}
