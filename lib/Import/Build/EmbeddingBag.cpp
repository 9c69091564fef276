// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding is replaced by values that change nothing.
#include "lib/Import/Build/EmbeddingBag.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"
#include <limits>

using namespace llvm;

namespace mpc::build {

/// The bag of each of `count` indices; bags begin at `offsets`.
static std::vector<int64_t> bagsOf(ArrayRef<int64_t> offsets, int64_t count) {
  std::vector<int64_t> bags(count);
  for (auto [bag, offset] : enumerate(offsets))
    for (int64_t i = std::clamp<int64_t>(offset, 0, count); i < count; ++i)
      bags[i] = static_cast<int64_t>(bag);
  return bags;
}

static Operand sumsOf(TensorBuilder &b, const Operand &updates,
                      const Operand &bags, int64_t count) {
  Shape shape(updates.shape);
  shape.front() = count;
  return b.fold(nn::ScatterAddOp::create(
      b.builder(), b.location(), b.tensorType(updates.type, shape),
      updates.value, bags.value, /*axis=*/0, /*batch_dims=*/0));
}

/// The largest row of each bag; 0 for a bag of padding only.
static Operand maximaOf(TensorBuilder &b, const Operand &rows,
                        const Operand &bags, int64_t count) {
  Operand least = b.splat(rows.type, {count, rows.shape[1]},
                          -std::numeric_limits<double>::infinity());
  Operand maxima = b.fold(nn::ScatterReduceOp::create(
      b.builder(), b.location(), nn::ScatterKind::Max, least.value, rows.value,
      bags.value));
  Operand isEmpty = b.compare(nn::CompareKind::EQ, maxima, least);
  return b.select(isEmpty, b.splatLike(maxima, 0), maxima);
}

Expected<Operand> embeddingBag(TensorBuilder &b, const Operand &table,
                               const Operand &indices,
                               ArrayRef<int64_t> offsets,
                               const EmbeddingBag &how) {
  auto count = static_cast<int64_t>(offsets.size());
  int64_t padding = how.padding + (how.padding < 0 ? table.shape[0] : 0);
  MPC_TRY_ASSIGN(Operand bags,
                 b.fromValues<int64_t>(b.i64(), indices.shape,
                                       bagsOf(offsets, indices.shape[0])));
  Operand isPadding =
      b.compare(nn::CompareKind::EQ, indices,
                b.splatLike(indices, static_cast<double>(padding)));
  Operand rows = b.wide(b.gather(table, indices, 0));
  bool isMax = how.mode == BagMode::Max;
  Operand nothing =
      b.splatLike(rows, isMax ? -std::numeric_limits<double>::infinity() : 0.0);
  rows = b.select(b.broadcast(isPadding, rows.shape, {0}), nothing, rows);
  Operand result =
      isMax ? maximaOf(b, rows, bags, count) : sumsOf(b, rows, bags, count);
  if (how.mode == BagMode::Mean) {
    Operand each = b.cast(b.logicalNot(isPadding), rows.type);
    Operand number = b.binary(Binary::Max, sumsOf(b, each, bags, count), 1.0);
    result =
        b.binary(Binary::Div, result, b.broadcast(number, result.shape, {0}));
  }
  return b.cast(result, table.type);
}

} // namespace mpc::build
