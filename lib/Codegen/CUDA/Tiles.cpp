// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of contractions, as tiles are brought.
#include "lib/Codegen/CUDA/Tiles.h"

#include "dialects/Interfaces/Precision.h"
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

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

int64_t Factor::pitch(const TileSchedule &schedule) const {
  return (hasLines ? schedule.depth : schedule.side) +
         kChunkBytes / schedule.elementBytes;
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

static Type elementOf(const Contraction &contraction, unsigned operand) {
  return cast<RankedTensorType>(
             contraction.getOperand(operand).tensor.getType())
      .getElementType();
}

/// Whether what is multiplied is the operand itself: the f32 that it is, or
/// the one that 16 bits of the unit's type are widened to.
static bool isPlain(const Contraction &contraction, unsigned operand,
                    const MultiplyUnit &unit) {
  Value factor = contraction.factors[operand];
  Value element = contraction.getArgument(operand);
  if (unit.factors == mpc::Precision::FP32)
    return factor == element;
  auto widened = factor.getDefiningOp<arith::ExtFOp>();
  return widened && widened.getIn() == element &&
         element.getType() == mpc::typeOf(unit.factors, element.getContext());
}

std::optional<Factor> mpc::cuda::getFactor(const Contraction &contraction,
                                           unsigned operand,
                                           const MultiplyUnit &unit) {
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
  factor.isPlain = isPlain(contraction, operand, unit);
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
