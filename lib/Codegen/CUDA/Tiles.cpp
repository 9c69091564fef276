// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factors of contractions, and how tiles of them are copied.
#include "lib/Codegen/CUDA/Tiles.h"

#include "dialects/Interfaces/Precision.h"
#include "lib/Codegen/CUDA/KernelText.h"
#include "lib/Codegen/CUDA/ScalarText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// The bytes that one thread moves at once. Lines of a tile are longer than
/// their contents by so much, so that 8 lines that are read together lie in
/// different banks.
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

/// Whether `chunk` elements along `fast` can be accessed at once: all other
/// dimensions move in multiples of `chunk`.
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

/// The number of elements that neighbouring threads, which walk along `index`,
/// access nearly contiguously: those of one row, perhaps with small steps.
static int64_t getRun(const StridedIndex &index) {
  constexpr int64_t kFew = 4;
  if (index.parts.empty() || index.parts.back().stride > kFew ||
      index.parts.back().stride < 1)
    return 0;
  return index.parts.back().extent / index.parts.back().stride;
}

/// Whether neighbours along k should be copied by neighbouring threads, where
/// elements are copied alone. Where neither direction is long, rows or columns
/// are better: a thread then has one of them, and need not keep the places of
/// 16.
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

/// Whether the operand itself is multiplied: an f32, or an f32 widened from 16
/// bits of the unit's type.
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
  auto group = Contraction::outerOf(operand);
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
