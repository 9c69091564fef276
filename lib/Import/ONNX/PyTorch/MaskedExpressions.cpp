// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes expressions of masked elements in place, where the mask is true.
#include "lib/Import/ONNX/PyTorch/MaskedExpressions.h"

#include "lib/Import/ONNX/Ops/NodeImporter.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// The nodes of one call.
using CallNodes = SmallVector<const Node *>;

/// A write y[mask] = f(a[mask], ...), and the nodes that replace it.
class MaskedWrite {
public:
  MaskedWrite(const StringMap<const Node *> &makers,
              const StringMap<CallNodes> &calls)
      : makers_(makers), calls_(calls) {}

  /// The nodes that replace `write`; the last one makes its output. Empty where
  /// it is no such write.
  std::vector<Node> replace(const Node &write) {
    SmallVector<StringRef> values = OriginalCall(write).values();
    StringRef target = OriginalCall(write).target();
    if (!target.starts_with("aten.index_put") || values.size() != 3 ||
        isAccumulated(write) ||
        write.record.call.find("[None") != std::string::npos)
      return {};
    mask_ = values[1];
    suffix_ = "/" + write.outputs[0];
    data_ = write.inputs[0];
    replaced_ = {write.record.call};
    StringRef source = outsideOf(write, values[2]);
    if (source.empty() || values[2] == mask_)
      return {};
    std::optional<std::string> full = fullOf(source);
    if (!full || !usesMask_)
      return {};
    nodes_.push_back(selection(write.outputs[0], *full, data_));
    nodes_.back().name = write.name;
    return std::move(nodes_);
  }

  /// The calls that computed it before; a call comes before those that it
  /// reads.
  const std::vector<std::string> &replaced() const { return replaced_; }

private:
  static bool isAccumulated(const Node &write) {
    return any_of(write.attributes, [](const Attribute &attribute) {
      return attribute.name == "reduction" && attribute.s != "none";
    });
  }

  const Node *makerOf(StringRef name) const { return makers_.lookup(name); }

  /// The value that the nodes of `node`'s call read from outside, made by the
  /// call that is named `value`.
  StringRef outsideOf(const Node &node, StringRef value) const {
    for (const Node *part : calls_.lookup(node.record.call))
      for (const std::string &input : part->inputs)
        if (input == value)
          return input;
    return "";
  }

  /// `name`, a value of masked elements, as a value of all elements.
  std::optional<std::string> fullOf(StringRef name) {
    if (auto known = full_.find(name); known != full_.end())
      return known->second;
    const Node *maker = makerOf(name);
    if (!maker || maker->record.call.empty())
      return std::nullopt;
    replaced_.push_back(maker->record.call);
    std::optional<std::string> full =
        OriginalCall(*maker).target().starts_with("aten.index.")
            ? selected(*maker)
            : computed(*maker);
    if (full)
      full_[name] = *full;
    return full;
  }

  /// a for a[mask].
  std::optional<std::string> selected(const Node &maker) {
    SmallVector<StringRef> values = OriginalCall(maker).values();
    if (values.size() != 2 || values[1] != mask_ ||
        StringRef(maker.record.call).contains("[None"))
      return std::nullopt;
    StringRef data;
    for (const Node *part : calls_.lookup(maker.record.call)) {
      if (part->opType == "NonZero" && !part->inputs.empty())
        maskValue_ = part->inputs[0];
      for (const std::string &input : part->inputs)
        if (input == values[0])
          data = input;
    }
    if (data.empty() || maskValue_.empty())
      return std::nullopt;
    usesMask_ = true;
    nodes_.push_back(selection(maker.outputs[0] + suffix_, data, ""));
    return nodes_.back().outputs[0];
  }

  static bool isElementwise(const Node &node) {
    return node.domain.empty() && node.outputs.size() == 1 &&
           any_of(elementwiseRules(), [&](const OpRule &rule) {
             return rule.opType == node.opType;
           });
  }

  /// Whether `name` has the elements for which some mask is true.
  bool isSelected(StringRef name, int depth = 64) const {
    const Node *maker = makerOf(name);
    if (!maker || depth == 0)
      return depth == 0;
    if (maker->opType == "NonZero")
      return true;
    return any_of(maker->inputs, [&](const std::string &input) {
      return isSelected(input, depth - 1);
    });
  }

  /// An elementwise op on masked values and on others, which are broadcast.
  std::optional<std::string> computed(const Node &maker) {
    if (!isElementwise(maker))
      return std::nullopt;
    Node copy = maker;
    for (std::string &input : copy.inputs) {
      if (input.empty() || !isSelected(input))
        continue;
      std::optional<std::string> full = fullOf(input);
      if (!full)
        return std::nullopt;
      input = *full;
    }
    copy.outputs[0] += suffix_;
    nodes_.push_back(std::move(copy));
    return nodes_.back().outputs[0];
  }

  /// `value` where the mask is true, else `otherwise`.
  Node selection(StringRef output, StringRef value, StringRef otherwise) const {
    Node node;
    node.name = "node_" + output.str();
    node.opType = "Where";
    node.inputs = {maskValue_.str(), value.str()};
    if (!otherwise.empty())
      node.inputs.push_back(otherwise.str());
    node.outputs = {output.str()};
    node.form = form::kMaskSelect;
    return node;
  }

  const StringMap<const Node *> &makers_;
  const StringMap<CallNodes> &calls_;
  /// The mask's name in calls, and its value in nodes.
  StringRef mask_, maskValue_;
  bool usesMask_ = false;
  /// The suffix of new values' names.
  std::string suffix_;
  /// The value that is written to.
  StringRef data_;
  std::vector<std::string> replaced_;
  StringMap<std::string> full_;
  std::vector<Node> nodes_;
};

} // namespace

/// Removes calls without readers. A call that several others read goes with the
/// last of these.
static void removeUnread(Graph &graph, ArrayRef<std::string> calls) {
  for (size_t before = 0; before != graph.nodes.size();) {
    before = graph.nodes.size();
    for (const std::string &call : calls)
      removeUnread(graph, call);
  }
}

void restoreMaskedExpressions(Graph &graph) {
  StringMap<const Node *> makers;
  StringMap<CallNodes> calls;
  for (const Node &node : graph.nodes) {
    for (const std::string &output : node.outputs)
      makers[output] = &node;
    if (!node.record.call.empty())
      calls[node.record.call].push_back(&node);
  }
  std::vector<Node> nodes;
  std::vector<std::string> replaced;
  for (const Node &node : graph.nodes) {
    MaskedWrite write(makers, calls);
    std::vector<Node> others;
    if (node.opType == "ScatterND" && node.domain.empty() &&
        node.inputs.size() == 3 && node.outputs.size() == 1)
      others = write.replace(node);
    if (others.empty()) {
      nodes.push_back(node);
      continue;
    }
    append_range(nodes, others);
    append_range(replaced, write.replaced());
  }
  graph.nodes = std::move(nodes);
  removeUnread(graph, replaced);
}

} // namespace mpc::onnx
