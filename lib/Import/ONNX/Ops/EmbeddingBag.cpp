// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PyTorch's embedding_bag of a padding: rows of a table, joined bag by bag. The
// exporter writes a loop over the bags, each of a size that depends on how much
// of it is padding; here padding joins as what changes nothing.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"

#include <limits>

using namespace llvm;

namespace mpc::onnx {

namespace {

enum class BagMode { Sum, Mean, Max };

/// What the node is told.
struct Bags {
  explicit Bags(const NodeImporter &node)
      : mode(static_cast<BagMode>(
            node.setting<int64_t>(setting::kMode).value_or(0))),
        endsWithSize(node.isSet(setting::kEndsWithSize)),
        isPlain(node.isSet(setting::kIsPlain)),
        padding(node.setting<int64_t>(setting::kPadding)) {}

  BagMode mode;
  bool endsWithSize;
  bool isPlain;
  std::optional<int64_t> padding;
};

} // namespace

/// The number of the bag of each of `count` indices; bags begin at `offsets`.
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

/// The largest row of each bag, 0 of one that has padding alone.
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

static Error emitEmbeddingBag(NodeImporter &node) {
  Bags call(node);
  MPC_TRY_ASSIGN(auto offsets, node.ints(2, "offsets"));
  const Operand &table = node.in(0), &indices = node.in(1);
  if (!call.isPlain || !call.padding || table.rank() != 2 ||
      indices.rank() != 1)
    return node.fail("embedding_bag() with a padding_idx takes no weights and "
                     "no scale_grad_by_freq");
  if (call.endsWithSize && !offsets.empty())
    offsets.pop_back();
  TensorBuilder &b = node.build;
  auto count = static_cast<int64_t>(offsets.size());
  int64_t padding = *call.padding + (*call.padding < 0 ? table.shape[0] : 0);
  MPC_TRY_ASSIGN(Operand bags,
                 node.constant<int64_t>(b.i64(), indices.shape,
                                        bagsOf(offsets, indices.shape[0])));
  Operand isPadding =
      b.compare(nn::CompareKind::EQ, indices,
                b.splatLike(indices, static_cast<double>(padding)));
  Operand rows = b.wide(b.gather(table, indices, 0));
  bool isMax = call.mode == BagMode::Max;
  Operand nothing =
      b.splatLike(rows, isMax ? -std::numeric_limits<double>::infinity() : 0.0);
  rows = b.select(b.broadcast(isPadding, rows.shape, {0}), nothing, rows);
  Operand result =
      isMax ? maximaOf(b, rows, bags, count) : sumsOf(b, rows, bags, count);
  if (call.mode == BagMode::Mean) {
    Operand each = b.cast(b.logicalNot(isPadding), rows.type);
    Operand number = b.binary(Binary::Max, sumsOf(b, each, bags, count), 1.0);
    result =
        b.binary(Binary::Div, result, b.broadcast(number, result.shape, {0}));
  }
  node.result(0, b.cast(result, table.type));
  return Error::success();
}

static const OpRule kForms[] = {
    {form::kEmbeddingBag, 1, 1, 3, 1, "", emitEmbeddingBag},
};

ArrayRef<OpRule> embeddingBagForms() { return kForms; }

} // namespace mpc::onnx
