// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognizes the arithmetic, and the random numbers that it uses.
#include "lib/Import/ONNX/PyTorch/AlphaDropout.h"

#include "lib/Import/ONNX/Ops/Forms.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Finds the arithmetic that ends in a sum.
class DropoutFinder {
public:
  explicit DropoutFinder(const Graph &graph) {
    for (const Node &node : graph.nodes)
      for (const std::string &output : node.outputs)
        makers_[output] = &node;
  }

  /// Turns `sum` into the node of the whole function; false where it is another
  /// sum.
  bool restore(Node &sum) {
    for (size_t side : {size_t(0), size_t(1)}) {
      const Node *product = made(sum, side, "Mul", "aten.mul.");
      const Node *shift = made(sum, 1 - side, "Add", "aten.add.");
      if (product && shift && restore(sum, *product, *shift))
        return true;
    }
    return false;
  }

  /// The calls of the arithmetic; a call comes before those that it reads.
  const std::vector<std::string> &replaced() const { return replaced_; }

private:
  /// The node that makes an input of `reader`, if it has that op type; else
  /// null.
  const Node *made(const Node &reader, size_t input, StringRef opType,
                   StringRef target) const {
    if (input >= reader.inputs.size())
      return nullptr;
    const Node *node = makers_.lookup(reader.inputs[input]);
    bool isOne = node && node->opType == opType && node->inputs.size() == 2 &&
                 OriginalCall(*node).target().starts_with(target);
    return isOne ? node : nullptr;
  }

  /// The draw in the first operand of `reader`; or null.
  const Node *drawOf(const Node *reader) const {
    const Node *draw = reader ? makers_.lookup(reader->inputs[0]) : nullptr;
    if (!draw || !OriginalCall(*draw).target().starts_with("aten.bernoulli.p"))
      return nullptr;
    std::optional<double> stays = OriginalCall(*draw).number(1, "p");
    return stays && *stays > 0.0 && *stays <= 1.0 ? draw : nullptr;
  }

  bool restore(Node &sum, const Node &product, const Node &shift) {
    const Node *scaled = made(shift, 0, "Mul", "aten.mul.");
    const Node *shifted =
        scaled ? drawOf(made(*scaled, 0, "Add", "aten.add.")) : nullptr;
    for (size_t side : {size_t(0), size_t(1)}) {
      const Node *factor = made(product, side, "Mul", "aten.mul.");
      const Node *draw = drawOf(factor);
      if (!draw || draw != shifted)
        continue;
      std::string noise = noiseOf(*draw);
      if (noise.empty())
        return false;
      sum.inputs = {product.inputs[1 - side], noise};
      sum.record.call = draw->record.call;
      sum.attributes.clear();
      sum.form = form::kAlphaDropout;
      sum.settings.emplace_back(setting::kStays,
                                *OriginalCall(*draw).number(1, "p"));
      for (const Node *node : {&product, factor, &shift, scaled,
                               made(*scaled, 0, "Add", "aten.add."), draw})
        replaced_.push_back(node->record.call);
      return true;
    }
    return false;
  }

  /// The value whose shape the draw has.
  std::string noiseOf(const Node &draw) const {
    SmallVector<StringRef> values = OriginalCall(draw).values();
    return values.size() == 1 && makers_.contains(values[0]) ? values[0].str()
                                                             : "";
  }

  StringMap<const Node *> makers_;
  std::vector<std::string> replaced_;
};

} // namespace

void restoreAlphaDropout(Graph &graph) {
  DropoutFinder finder(graph);
  for (Node &node : graph.nodes)
    if (node.opType == "Add" && node.domain.empty() && node.inputs.size() == 2)
      finder.restore(node);
  for (const std::string &call : finder.replaced())
    removeUnread(graph, call);
}

} // namespace mpc::onnx
