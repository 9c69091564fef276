// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes to places where a mask is true: masked_scatter(mask, source) and
// x[mask] = values. The exporter writes them as the mask's places, whose number
// is not known, and a ScatterND to them.
#include "lib/Import/ONNX/PyTorch/MaskedWrites.h"

#include "lib/Import/ONNX/Ops/Forms.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// The nodes of a graph by their outputs.
class Producers {
public:
  explicit Producers(const Graph &graph) {
    for (const Node &node : graph.nodes)
      for (const std::string &output : node.outputs)
        nodes_[output] = &node;
  }

  /// The first input of the node that makes `name`, if that is an `opType`;
  /// else empty.
  StringRef inputOf(StringRef name, StringRef opType) const {
    const Node *node = nodes_.lookup(name);
    bool isOne = node && node->domain.empty() && node->opType == opType &&
                 !node->inputs.empty();
    return isOne ? StringRef(node->inputs[0]) : StringRef();
  }

  /// The value that is broadcast to `name`.
  StringRef unexpanded(StringRef name) const {
    for (StringRef input = inputOf(name, "Expand"); !input.empty();
         input = inputOf(name, "Expand"))
      name = input;
    return name;
  }

private:
  StringMap<const Node *> nodes_;
};

} // namespace

/// The written value as the user gave it; empty where `node` does not write by
/// a mask.
static StringRef sourceOf(const Node &node, const Producers &producers) {
  StringRef target = OriginalCall(node).target();
  if (target.starts_with("aten.masked_scatter"))
    return producers.inputOf(node.inputs[2], "Slice");
  if (target.starts_with("aten.index_put"))
    return producers.unexpanded(producers.inputOf(node.inputs[2], "Reshape"));
  return {};
}

void restoreMaskedWrites(Graph &graph) {
  Producers producers(graph);
  std::vector<std::string> calls;
  for (Node &node : graph.nodes) {
    if (node.opType != "ScatterND" || !node.domain.empty() ||
        node.inputs.size() != 3)
      continue;
    StringRef mask = producers.unexpanded(producers.inputOf(
        producers.inputOf(node.inputs[1], "Transpose"), "NonZero"));
    StringRef source = sourceOf(node, producers);
    if (mask.empty() || source.empty())
      continue;
    node.inputs = {node.inputs[0], mask.str(), source.str()};
    node.form = form::kMaskWrite;
    calls.push_back(node.record.call);
  }
  for (const std::string &call : calls)
    removeUnread(graph, call);
}

} // namespace mpc::onnx
