// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The form of an embedding bag with padding. Exporters write a loop over the
/// bags. The size of each bag depends on the amount of padding in it.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/EmbeddingBag.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// The settings of the node.
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
  MPC_TRY_ASSIGN(Operand result,
                 node.placed(embeddingBag(node.build, table, indices, offsets,
                                          {call.mode, *call.padding})));
  node.result(0, result);
  return Error::success();
}

ArrayRef<OpRule> embeddingBagForms() {
  static const OpRule forms[] = {
      {form::kEmbeddingBag, 1, 1, 3, 1, "", emitEmbeddingBag},
  };
  return forms;
}

} // namespace mpc::onnx
