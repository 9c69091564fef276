// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds pairs of a QuantizeLinear and the DequantizeLinear after it.
#include "lib/Import/ONNX/PyTorch/FakeQuantization.h"

#include "lib/Import/ONNX/Ops/Forms.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace mpc::onnx {

static StringRef inputOf(const Node &node, size_t index) {
  return index < node.inputs.size() ? StringRef(node.inputs[index]) : "";
}

static int64_t axisOf(const Node &node) {
  auto found = find_if(node.attributes, [](const Attribute &attribute) {
    return attribute.name == "axis";
  });
  return found == node.attributes.end() ? 1 : found->i;
}

static bool isOp(const Node *node, StringRef opType) {
  return node && node->domain.empty() && node->opType == opType;
}

static bool haveOneScale(const Node &a, const Node &b) {
  return inputOf(a, 1) == inputOf(b, 1) && inputOf(a, 2) == inputOf(b, 2) &&
         axisOf(a) == axisOf(b);
}

void restoreFakeQuantization(Graph &graph) {
  StringMap<const Node *> producers;
  for (const Node &node : graph.nodes)
    for (const std::string &output : node.outputs)
      producers[output] = &node;
  std::vector<std::string> calls;
  for (Node &node : graph.nodes) {
    if (!isOp(&node, "DequantizeLinear"))
      continue;
    const Node *made = producers.lookup(inputOf(node, 0));
    // A Clip restricts the levels to fewer than the type has.
    const Node *clip = isOp(made, "Clip") ? made : nullptr;
    if (clip)
      made = producers.lookup(inputOf(*clip, 0));
    if (!isOp(made, "QuantizeLinear") || !haveOneScale(*made, node))
      continue;
    node.inputs = {inputOf(*made, 0).str(), inputOf(node, 1).str(),
                   inputOf(node, 2).str()};
    if (clip)
      append_range(node.inputs, std::vector{inputOf(*clip, 1).str(),
                                            inputOf(*clip, 2).str()});
    node.form = form::kFakeQuantize;
    if (!node.record.call.empty())
      calls.push_back(node.record.call);
  }
  for (const std::string &call : calls)
    removeUnread(graph, call);
}

} // namespace mpc::onnx
