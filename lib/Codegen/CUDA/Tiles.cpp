// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of contractions, and which contractions run by tiles.
#include "lib/Codegen/CUDA/Tiles.h"

#include "lib/Codegen/CUDA/KernelText.h"
#include "lib/Codegen/CUDA/ScalarText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// Bytes that one thread moves at once. Lines of a tile are this much longer
/// than what they hold, so that 8 lines that are read together lie in different
/// banks.
static constexpr int64_t kChunkBytes = 16;
/// Larger tiles are for results that have enough of them for a large GPU.
static constexpr int64_t kManyTiles = 132;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

int64_t Factor::pitch(const TileSchedule &schedule) const {
  return (hasLines ? schedule.depth : schedule.side) +
         kChunkBytes / schedule.elementBytes();
}

int64_t Factor::tileElements(const TileSchedule &schedule) const {
  return pitch(schedule) * (hasLines ? schedule.side : schedule.depth);
}

/// Whether `chunk` elements along `fast` can be had at once: all else moves in
/// multiples of them.
static bool hasChunks(const StridedIndex &fast,
                      ArrayRef<const StridedIndex *> others, int64_t offset,
                      int64_t chunk) {
  auto isWhole = [&](const StridedIndex::Part &part) {
    return part.stride % chunk == 0;
  };
  if (fast.parts.empty() || fast.parts.back().stride != 1 ||
      fast.parts.back().extent % chunk != 0 || offset % chunk != 0)
    return false;
  return llvm::all_of(ArrayRef(fast.parts).drop_back(), isWhole) &&
         llvm::all_of(others, [&](const StridedIndex *other) {
           return llvm::all_of(other->parts, isWhole);
         });
}

/// Elements that lie as if together, of a walk along `index` by neighbouring
/// threads: those of a row of it, which may step over a few.
static int64_t getRun(const StridedIndex &index) {
  constexpr int64_t kFew = 4;
  if (index.parts.empty() || index.parts.back().stride > kFew ||
      index.parts.back().stride < 1)
    return 0;
  return index.parts.back().extent / index.parts.back().stride;
}

/// Whether an element by itself should have k as its neighbours. Where neither
/// way is long, rows or columns are better: a thread then has one of them, and
/// need not know where 16 of them are.
static bool prefersK(const Factor &factor) {
  constexpr int64_t kLong = 8;
  int64_t alongK = getRun(factor.k), alongOuter = getRun(factor.outer);
  return alongK >= alongOuter && (alongK >= kLong || alongOuter == 0);
}

/// Whether what is multiplied is the operand itself: the f32 that it is, or
/// for Tensor Cores the one that its 16 bits are widened to.
static bool isPlain(const Contraction &contraction, unsigned operand,
                    bool isMma) {
  Value factor = contraction.factors[operand];
  if (isMma) {
    auto widened = factor.getDefiningOp<arith::ExtFOp>();
    return widened && widened.getIn() == contraction.getArgument(operand);
  }
  return factor == contraction.getArgument(operand);
}

static Type elementOf(const Contraction &contraction, unsigned operand) {
  return cast<RankedTensorType>(
             contraction.getOperand(operand).tensor.getType())
      .getElementType();
}

std::optional<Factor> mpc::cuda::getFactor(const Contraction &contraction,
                                           unsigned operand, bool isMma) {
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
  factor.numK = contraction.sizes[Contraction::K];
  factor.isPlain = isPlain(contraction, operand, isMma);
  int64_t chunk =
      kChunkBytes / getStorageBytes(elementOf(contraction, operand));
  bool isWide = isAligned(access.tensor, chunk);
  bool alongK = isWide && hasChunks(factor.k, {&factor.outer, &factor.batch},
                                    factor.offset, chunk);
  bool alongOuter =
      isWide &&
      hasChunks(factor.outer, {&factor.k, &factor.batch}, factor.offset, chunk);
  factor.width = alongK || alongOuter ? chunk : 1;
  factor.hasLines = alongK || (!alongOuter && prefersK(factor));
  return factor;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// The factor that gives the rows: the columns are the result's neighbours in
/// memory.
static unsigned getRows(const Contraction &contraction) {
  const Statement &statement = contraction.statement;
  Linear result = *getLinear(statement.outputs[0].index, statement.numDims());
  bool isFast =
      llvm::any_of(contraction.groups[Contraction::N],
                   [&](unsigned dim) { return result.strides[dim] == 1; });
  return isFast ? 0 : 1;
}

static int64_t countTiles(const Contraction &contraction, int64_t side) {
  return contraction.sizes[Contraction::Batch] *
         llvm::divideCeil(contraction.sizes[Contraction::M], side) *
         llvm::divideCeil(contraction.sizes[Contraction::N], side);
}

static int64_t getSide(const Contraction &contraction) {
  return countTiles(contraction, 128) >= kManyTiles ? 128 : 64;
}

/// A tile schedule of these numbers; null where it is none, which is reported.
template <typename Schedule, typename... Numbers>
static Schedule make(const Contraction &contraction, Numbers... numbers) {
  FuncOp kernel = contraction.generic()->getParentOfType<FuncOp>();
  return Schedule::getChecked([&] { return kernel.emitOpError(kTooLarge); },
                              kernel.getContext(), numbers...);
}

/// Whether most of a tile would not be idle.
static bool fillsTile(const Contraction &contraction, int64_t least) {
  int64_t m = contraction.sizes[Contraction::M];
  int64_t n = contraction.sizes[Contraction::N];
  return std::max(m, n) >= 16 && std::min(m, n) >= least &&
         contraction.sizes[Contraction::K] >= 16;
}

std::optional<MmaAttr> mpc::cuda::scheduleMma(const Contraction &contraction,
                                              int64_t arch) {
  Type type = elementOf(contraction, 0);
  bool isKnown = type.isF16() || (type.isBF16() && arch >= 80);
  for (unsigned operand = 0; operand < 2; ++operand) {
    std::optional<Factor> factor = getFactor(contraction, operand, true);
    if (!factor || !factor->isPlain || elementOf(contraction, operand) != type)
      return std::nullopt;
  }
  // Less than one product of a Tensor Core is no work for it.
  if (!isKnown || !fillsTile(contraction, 8))
    return std::nullopt;
  int64_t side = getSide(contraction);
  int64_t tile[] = {side, 32};
  return make<MmaAttr>(contraction, countTiles(contraction, side), side * 2,
                       getRows(contraction), ArrayRef<int64_t>(tile),
                       /*stages=*/int64_t{3});
}

std::optional<SimtAttr>
mpc::cuda::scheduleSimt(const Contraction &contraction) {
  if (!contraction.fused || !fillsTile(contraction, 4) ||
      !getFactor(contraction, 0, false) || !getFactor(contraction, 1, false))
    return std::nullopt;
  int64_t side = getSide(contraction);
  int64_t tile[] = {side, 16};
  return make<SimtAttr>(contraction, countTiles(contraction, side), side * 2,
                        getRows(contraction), ArrayRef<int64_t>(tile),
                        /*stages=*/int64_t{2});
}
