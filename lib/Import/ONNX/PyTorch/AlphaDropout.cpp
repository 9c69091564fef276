// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With s the negative bound of SELU and b drawn, 1 with probability 1 - p:
//   a = 1 / sqrt((s^2 p + 1) (1 - p))
//   y = x (b a) + (((b - 1) (s a)) + s a p)
// which keeps mean and variance of what SELU gives. Its mean over b is not x,
// so that an evaluation cannot put b's mean in b's place.
#include "lib/Import/ONNX/PyTorch/AlphaDropout.h"

#include "dialects/NN/Random.h"
#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/Random.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace llvm;

namespace mpc::onnx {

//===----------------------------------------------------------------------===//
// In the graph
//===----------------------------------------------------------------------===//

namespace {

/// Finds the arithmetic behind its last sum.
class DropoutFinder {
public:
  explicit DropoutFinder(const Graph &graph) {
    for (const Node &node : graph.nodes)
      for (const std::string &output : node.outputs)
        makers_[output] = &node;
  }

  /// Makes `sum` the node of the whole; false where it is another sum.
  bool restore(Node &sum) {
    for (size_t side : {size_t(0), size_t(1)}) {
      const Node *product = made(sum, side, "Mul", "aten.mul.");
      const Node *shift = made(sum, 1 - side, "Add", "aten.add.");
      if (product && shift && restore(sum, *product, *shift))
        return true;
    }
    return false;
  }

  /// The calls of the arithmetic, what reads others first.
  const std::vector<std::string> &replaced() const { return replaced_; }

private:
  /// The node that makes an input of `reader`, if that is such a one.
  const Node *made(const Node &reader, size_t input, StringRef opType,
                   StringRef target) const {
    if (input >= reader.inputs.size())
      return nullptr;
    const Node *node = makers_.lookup(reader.inputs[input]);
    bool isOne = node && node->opType == opType && node->inputs.size() == 2 &&
                 OriginalCall(*node).target().starts_with(target);
    return isOne ? node : nullptr;
  }

  /// The draw that is the first operand of `reader`, or null.
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
      sum.call = draw->call;
      sum.attributes.clear();
      sum.isAlphaDropout = true;
      for (const Node *node : {&product, factor, &shift, scaled,
                               made(*scaled, 0, "Add", "aten.add."), draw})
        replaced_.push_back(node->call);
      return true;
    }
    return false;
  }

  /// What the draw has its shape of.
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

//===----------------------------------------------------------------------===//
// As ops
//===----------------------------------------------------------------------===//

/// A Dropout of ones is 1 where it is left out, else 0 or 1 / (1 - p): so the
/// draw says both which elements stay and whether there was one.
static Error emitAlphaDropout(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const double stays = OriginalCall(node.node()).number(1, "p").value_or(1.0);
  const double kBound = 1.7580993408473766, p = 1.0 - stays;
  const double scale = 1.0 / std::sqrt((kBound * kBound * p + 1.0) * stays);
  TensorBuilder &b = node.build;
  const Operand &x = node.in(0);
  Operand ones = b.splat(b.f32(), node.in(1).shape, 1.0);
  Operand drawn = dropout(b, ones, p, takeStream(b));
  auto spread = [&](nn::CompareKind kind, double number) {
    return node.broadcastTo(b.compare(kind, drawn, b.splatLike(drawn, number)),
                            x.shape, "the mask");
  };
  MPC_TRY_ASSIGN(Operand isKept, spread(nn::CompareKind::NE, 0.0));
  MPC_TRY_ASSIGN(Operand isLeftOut, spread(nn::CompareKind::EQ, 1.0));
  Operand wide = b.wide(x);
  Operand kept = b.binary(Binary::Add, b.binary(Binary::Mul, wide, scale),
                          kBound * scale * p);
  Operand dropped = b.splatLike(wide, kBound * scale * (p - 1.0));
  Operand active = b.cast(b.select(isKept, kept, dropped), x.type);
  node.result(0, p > 0.0 ? b.select(isLeftOut, x, active) : x);
  return Error::success();
}

const OpRule &ruleOfAlphaDropout() {
  static const OpRule kRule = {"", 1, 2, 2, 1, "", emitAlphaDropout};
  return kRule;
}

} // namespace mpc::onnx
