// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function for each op whose calls say more than its nodes, and the table
// of these functions.
#include "lib/Import/ONNX/PyTorch/CallSettings.h"

#include "lib/Import/ONNX/Ops/Forms.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Functions of PyTorch, up to their overload, that are refused as a whole.
struct CallRemedy {
  StringRef target;
  StringRef remedy;
};

constexpr CallRemedy kCalls[] = {
    {"aten.index.Tensor",
     "x[mask] has as many elements as its mask is true, and a step is compiled "
     "for fixed shapes: y[mask] = a[mask] - b[mask] is taken as a torch.where; "
     "else write (x * mask).sum() / mask.sum() for x[mask].mean(), and for "
     "edge_index[:, mask], as PyG's remove_self_loops() has it, filter before "
     "the model, or keep all edges and multiply their messages by the mask"},
    {"aten.nonzero.",
     "nonzero() has as many rows as the data says, and a step is compiled for "
     "fixed shapes: select by a mask (torch.where), or compute it outside of "
     "the model"},
    {"aten.embedding_renorm.",
     "the max_norm of an embedding rewrites its table when it is read, which "
     "no model does: leave it out, and scale what is read (rows * (max_norm / "
     "rows.norm(dim=-1, keepdim=True)).clamp(max=1))"},
};

/// A node that gets settings from its call.
class Told {
public:
  Told(Node &node, bool isOfPyTorch)
      : call(node), isOfPyTorch(isOfPyTorch || !node.record.call.empty()),
        node_(node) {}

  void set(StringRef name, Setting value = int64_t(1)) {
    node_.settings.emplace_back(name, std::move(value));
  }
  void setIf(bool condition, StringRef name) {
    if (condition)
      set(name);
  }
  void setForm(StringRef form) { node_.form = form; }
  void refuse(StringRef why) { node_.refusal = why.str(); }

  OriginalCall call;
  /// Whether one of PyTorch's exporters wrote the node. Where ONNX and PyTorch
  /// define the same op differently, PyTorch's definition is meant.
  bool isOfPyTorch;

private:
  Node &node_;
};

/// Of PyTorch's `detach()` a file has only the call's name.
void tellIdentity(Told &node) {
  if (node.call.target().starts_with("aten.detach"))
    node.setForm(form::kDetach);
}

void tellPow(Told &node) {
  node.setIf(node.call.target().contains("norm"), setting::kFlatAtPole);
}

/// PyTorch's window differs from ONNX's, but its exporter writes ONNX's op.
void tellHammingWindow(Told &node) {
  node.setIf(node.call.target().starts_with("aten.hamming"),
             setting::kTwoDigits);
}

void tellGather(Told &node) {
  StringRef target = node.call.target();
  bool isTable = target == "aten.embedding.default";
  if (isTable)
    if (auto index = node.call.integer(2, "padding_idx"); index && *index >= 0)
      node.set(setting::kFrozenRow, *index);
  if (node.call.argument(3, "scale_grad_by_freq") != "True")
    return;
  node.setIf(isTable, setting::kSharesGradient);
  node.setIf(target == "aten.embedding_bag.padding_idx",
             setting::kSharesGradientOfList);
}

/// The exporter writes cross_entropy() without its label_smoothing.
void tellLoss(Told &node) {
  node.setIf(node.isOfPyTorch, setting::kUnbatched);
  if (node.call.target().starts_with("aten.cross_entropy_loss"))
    if (auto smoothing = node.call.number(5, "label_smoothing"))
      node.set(setting::kLabelSmoothing, *smoothing);
}

void tellSqueeze(Told &node) {
  node.setIf(node.call.target().starts_with("aten.squeeze."),
             setting::kKeepsLongAxes);
}

/// ONNX has no scatter_reduce(reduce="mean"), and the exporter writes "none".
void tellScatter(Told &node) {
  StringRef target = node.call.target();
  node.setIf(target.starts_with("aten.scatter_reduce") &&
                 node.call.argument(4, "reduce") == "mean",
             setting::kMean);
  node.setIf(node.call.argument(5, "include_self") == "False",
             setting::kExcludesData);
  node.setIf(target.starts_with("aten.index_put"), setting::kRepeats);
}

void tellQuantization(Told &node) {
  node.setIf(node.call.target().starts_with("aten.fake_"),
             setting::kByReciprocal);
}

/// In PyTorch a scalar has an axis.
void tellReduction(Told &node) {
  node.setIf(node.isOfPyTorch, setting::kScalarHasAxis);
}

/// torch.max() and torch.min() with indices: their gradient goes to the element
/// that the index names. The gradient of amax() goes to all equal elements.
void tellExtremum(Told &node) {
  StringRef target = node.call.target();
  tellReduction(node);
  node.setIf(target == "aten.max.dim" || target == "aten.min.dim",
             setting::kFirstOfEqual);
}

/// The scales of a call such as aten._upsample_bilinear2d_aa.default(%x, [2,
/// 2], False, 0.6, 0.6), of which the exporter writes only the sizes.
void tellResize(Told &node) {
  node.setIf(node.isOfPyTorch, setting::kCornersBySize);
  StringRef target = node.call.target();
  if (!target.contains("upsample_") || !target.ends_with(".default"))
    return;
  size_t numSizes = 0;
  for (char digit : {'1', '2', '3'})
    if (target.contains(std::string{digit, 'd'}))
      numSizes = digit - '0';
  size_t first = 1 + numSizes + (target.contains("nearest") ? 0 : 1);
  std::vector<std::optional<double>> scales;
  for (size_t axis = 0; axis < numSizes; ++axis)
    scales.push_back(node.call.number(first + axis, "scales"));
  node.set(setting::kScales, std::move(scales));
}

/// The exporter writes torch.arange(1., 6) with the types of its arguments.
void tellRange(Told &node) {
  node.setIf(node.isOfPyTorch, setting::kMixedTypes);
}

/// The exporter does not write the divisor_override.
void tellAveragePool(Told &node) {
  if (node.call.target().starts_with("aten.avg_pool"))
    if (auto divisor = node.call.lastInteger())
      node.set(setting::kDivisor, *divisor);
}

/// The exporter leaves the projection out of the file.
void tellLSTM(Told &node) {
  if (any_of(node.call.parameters(),
             [](StringRef name) { return name.contains("weight_hr_l"); }))
    node.refuse("it is an nn.LSTM(proj_size=...), whose projection "
                "'weight_hr' PyTorch's exporter leaves out of the file: "
                "write the layer as a loop over an nn.LSTMCell's gates with "
                "a Linear behind each step, or leave proj_size out");
}

struct ToldOp {
  StringRef opType;
  void (*tell)(Told &node);
};

constexpr ToldOp kToldOps[] = {
    {"AveragePool", tellAveragePool},
    {"DequantizeLinear", tellQuantization},
    {"Gather", tellGather},
    {"HammingWindow", tellHammingWindow},
    {"Identity", tellIdentity},
    {"LSTM", tellLSTM},
    {"NegativeLogLikelihoodLoss", tellLoss},
    {"Pow", tellPow},
    {"QuantizeLinear", tellQuantization},
    {"Range", tellRange},
    {"ReduceL1", tellReduction},
    {"ReduceL2", tellReduction},
    {"ReduceLogSum", tellReduction},
    {"ReduceLogSumExp", tellReduction},
    {"ReduceMax", tellExtremum},
    {"ReduceMean", tellReduction},
    {"ReduceMin", tellExtremum},
    {"ReduceProd", tellReduction},
    {"ReduceSum", tellReduction},
    {"ReduceSumSquare", tellReduction},
    {"Resize", tellResize},
    {"Scatter", tellScatter},
    {"ScatterElements", tellScatter},
    {"ScatterND", tellScatter},
    {"SoftmaxCrossEntropyLoss", tellLoss},
    {"Squeeze", tellSqueeze},
    {"Upsample", tellResize},
};

} // namespace

/// "pow.Tensor_Scalar" for a node of that aten call.
static StringRef nameInAten(const OriginalCall &call) {
  StringRef name = call.target();
  if (!name.consume_front("aten."))
    return "";
  name.consume_back(".default");
  return name;
}

static void restoreSettings(Node &node, bool isOfPyTorch) {
  Told told(node, isOfPyTorch);
  node.module = modulePath(node.record.scopes);
  if (StringRef name = nameInAten(told.call); !name.empty())
    node.calledAs = name.str();
  for (const CallRemedy &row : kCalls)
    if (told.call.target().starts_with(row.target))
      node.remedy = row.remedy.str();
  if (node.domain.empty())
    for (const ToldOp &op : kToldOps)
      if (op.opType == node.opType)
        op.tell(told);
  for (Attribute &attribute : node.attributes) {
    if (!attribute.g)
      continue;
    auto inner = std::make_shared<Graph>(*attribute.g);
    restoreSettings(*inner, isOfPyTorch);
    attribute.g = std::move(inner);
  }
}

void restoreSettings(Graph &graph, bool isOfPyTorch) {
  for (Node &node : graph.nodes)
    restoreSettings(node, isOfPyTorch);
}

} // namespace mpc::onnx
