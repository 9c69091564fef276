// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #cuda.scatter: a block owns some rows of the result, and searches all indices
// for updates of them.
#include "lib/Codegen/CUDA/Emitters.h"

#include "dialects/Interfaces/Precision.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;
using llvm::formatv;

/// The threads of a block, which examine as many indices at the same time.
static constexpr int64_t kThreads = 256;
/// The most blocks. Every block examines all indices, so that more blocks would
/// do little else.
static constexpr int64_t kMostBlocks = 1024;

namespace {

/// Shapes: updates are outer x count x inner, the result outer x size x inner.
struct Shape {
  explicit Shape(ScatterOp scatter) {
    auto updates = cast<RankedTensorType>(scatter.getUpdates().getType());
    auto init = cast<RankedTensorType>(scatter.getInit().getType());
    outer = updates.getDimSize(0);
    count = updates.getDimSize(1);
    inner = updates.getDimSize(2);
    size = init.getDimSize(1);
  }
  int64_t outer, count, inner, size;
};

class ScatterEmitter {
public:
  ScatterEmitter(KernelText &text, const Body &body, ScatterAttr schedule)
      : text_(text), statement_(body.statements.front()),
        scatter_(cast<ScatterOp>(statement_.op)), schedule_(schedule),
        shape_(scatter_),
        to_(text.destinationsOf(scatter_.getResult()).front()) {}
  void emit();

private:
  void emitPlaces();
  void emitInit();
  void emitSearch();
  void emitUpdates();
  void emitUpdate();
  std::string placeOf(const std::string &row) const {
    return formatv("(outer * {0} + firstRow + {1}) * {2} + column", shape_.size,
                   row, shape_.inner);
  }
  /// The number of thread groups, each with rows of its own.
  int64_t numGroups() const { return kThreads / schedule_.getColumns(); }

  KernelText &text_;
  const Statement &statement_;
  ScatterOp scatter_;
  ScatterAttr schedule_;
  Shape shape_;
  Value to_;
};

} // namespace

ScatterAttr mpc::cuda::scheduleScatter(const Body &body) {
  Shape shape(cast<ScatterOp>(body.statements.front().op));
  int64_t columns = std::min<int64_t>(
      llvm::PowerOf2Ceil(std::max<int64_t>(shape.inner, 1)), kThreads);
  int64_t across = std::max<int64_t>(llvm::divideCeil(shape.inner, columns), 1);
  int64_t units = shape.outer * across;
  int64_t rows = llvm::alignTo(
      std::max<int64_t>(llvm::divideCeil(units * shape.size, kMostBlocks), 1),
      kThreads / columns);
  int64_t chunks = units * llvm::divideCeil(shape.size, rows);
  Operation *op = body.statements.front().op;
  return ScatterAttr::getChecked([&] { return op->emitOpError(kTooLarge); },
                                 op->getContext(), std::max<int64_t>(chunks, 1),
                                 kThreads, rows, columns);
}

/// Emits which rows the block owns, and which column and rows of these the
/// thread has.
void ScatterEmitter::emitPlaces() {
  const std::string &type = text_.indexType();
  int64_t columns = schedule_.getColumns();
  int64_t across = llvm::divideCeil(shape_.inner, columns);
  int64_t down = llvm::divideCeil(shape_.size, schedule_.getRows());
  text_.line("const {0} outer = {0}(blockIdx.x) / {1};", type, across * down);
  text_.line("const {0} firstRow = {0}(blockIdx.x) / {1} % {2} * {3};", type,
             across, down, schedule_.getRows());
  text_.line("const {0} column = {0}(blockIdx.x) % {1} * {2} + threadIdx.x % "
             "{2};",
             type, across, columns);
  text_.line("const int group = threadIdx.x / {0};", columns);
}

/// Writes the first values of the block's rows.
void ScatterEmitter::emitInit() {
  if (isInPlace(text_.kernel, statement_, 0))
    return;
  std::string head = formatv(
      "for (int row = group; row < {0} && firstRow + row < {1} && column < "
      "{2}; row += {3})",
      schedule_.getRows(), shape_.size, shape_.inner, numGroups());
  text_.block(head, [&] {
    std::string place = placeOf("row");
    text_.store(to_, place, text_.load(scatter_.getInit(), place));
  });
}

/// Marks those of the next indices that name a row of the block.
void ScatterEmitter::emitSearch() {
  auto indices = cast<RankedTensorType>(scatter_.getIndices().getType());
  std::string at = indices.getRank() == 2
                       ? formatv("outer * {0} + step", shape_.count).str()
                       : "step";
  text_.line("const {0} step = first + threadIdx.x;", text_.indexType());
  text_.line("mpc_i64 row = -1;");
  text_.block(formatv("if (step < {0})", shape_.count), [&] {
    text_.line("row = mpc_wrap(mpc_i{0}({1}), {2}) - firstRow;",
               indices.getElementTypeBitWidth(),
               text_.load(scatter_.getIndices(), at), shape_.size);
  });
  text_.line("const bool isOwn = 0 <= row && row < {0};", schedule_.getRows());
  text_.line("mpc_sync_block();");
  text_.line("rows[threadIdx.x] = static_cast<int>(row);");
  text_.line("const mpc_u32 found = mpc_ballot(MPC_FULL_WARP, isOwn);");
  text_.block("if (mpc_lane() == 0)",
              [&] { text_.line("own[mpc_warp()] = found;"); });
  text_.line("mpc_sync_block();");
}

/// Two numbers combined; {2} is a signed integer type. C++ computes short types
/// as int, whose products may overflow; unsigned ones wrap.
static const char *joinOf(CombineKind by, bool isFloat) {
  switch (by) {
  case CombineKind::Sum:
    return "{0} + {1}";
  case CombineKind::Product:
    return isFloat ? "{0} * {1}" : "1u * {0} * {1}";
  case CombineKind::Maximum:
    return isFloat ? "mpc_max({0}, {1})" : "{2}({0}) > {2}({1}) ? {0} : {1}";
  case CombineKind::Minimum:
    return isFloat ? "mpc_min({0}, {1})" : "{2}({0}) < {2}({1}) ? {0} : {1}";
  }
  llvm_unreachable("all kinds are above");
}

/// `value`, of type `from` in memory, as a `to`.
static std::string widen(Type from, Type to, const std::string &value) {
  std::string wide = value;
  if (from.isF16())
    wide = "mpc_f16_to_f32(" + value + ")";
  else if (from.isBF16())
    wide = "mpc_bf16_to_f32(" + value + ")";
  return from != to && to.isF64() ? "double(" + wide + ")" : wide;
}

void ScatterEmitter::emitUpdate() {
  Type from = getElementTypeOrSelf(scatter_.getUpdates().getType());
  Type to = getElementTypeOrSelf(scatter_.getInit().getType());
  text_.line("const {0} place = {1};", text_.indexType(), placeOf("row"));
  std::string update =
      text_.load(scatter_.getUpdates(),
                 formatv("(outer * {0} + first + number) * {1} + column",
                         shape_.count, shape_.inner));
  std::string sign = formatv("mpc_i{0}", to.getIntOrFloatBitWidth());
  text_.store(to_, "place",
              formatv(joinOf(scatter_.getBy(), isa<FloatType>(to)),
                      text_.load(to_, "place"), widen(from, to, update), sign));
}

/// Combines the found updates with the result, in the order of the indices.
void ScatterEmitter::emitUpdates() {
  text_.block(
      formatv("for (int warp = 0; warp < {0}; ++warp)", kThreads / 32), [&] {
        text_.block(
            "for (mpc_u32 rest = own[warp]; rest != 0; rest &= rest - 1)", [&] {
              text_.line("const int number = warp * 32 + mpc_lowest(rest);");
              text_.line("const int row = rows[number];");
              std::string guard = formatv("column < {0}", shape_.inner);
              if (numGroups() > 1)
                guard += formatv(" && row % {0} == group", numGroups());
              text_.block("if (" + guard + ")", [&] { emitUpdate(); });
            });
      });
}

void ScatterEmitter::emit() {
  text_.declareShared("int", "rows", kThreads, 4);
  text_.declareShared("mpc_u32", "own", kThreads / 32, 4);
  emitPlaces();
  emitInit();
  text_.block(formatv("for ({0} first = 0; first < {1}; first += {2})",
                      text_.indexType(), shape_.count, kThreads),
              [&] {
                emitSearch();
                emitUpdates();
              });
}

void mpc::cuda::emitScatter(KernelText &text, const Body &body,
                            ScatterAttr schedule) {
  ScatterEmitter(text, body, schedule).emit();
}
