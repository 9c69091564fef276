// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of calls tells for some layers whether they were in train(). For
// layers that are the same in both modes, nothing tells it.
#include "lib/Import/ONNX/PyTorch/TrainingModes.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/Forms.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// A call that has its module's mode as an argument.
struct ModalCall {
  /// The call's target, up to the overload.
  StringRef target;
  /// The index and the name of the mode's argument. The index counts from the
  /// end where the argument comes after lists.
  size_t index;
  StringRef name;
  bool fromEnd = false;
};

constexpr ModalCall kModalCalls[] = {
    {"aten.alpha_dropout.", 2, "train"},
    {"aten.dropout.", 2, "train"},
    {"aten.feature_alpha_dropout.", 2, "train"},
    {"aten.feature_dropout.", 2, "train"},
    {"aten.gru.input", 3, "train", true},
    {"aten.lstm.input", 3, "train", true},
    {"aten.native_dropout.", 2, "train"},
    {"aten.rnn_relu.input", 3, "train", true},
    {"aten.rnn_tanh.input", 3, "train", true},
    {"aten.rrelu.", 3, "training"},
    {"aten.rrelu_with_noise.", 4, "training"},
};

} // namespace

/// Whether a module in train() made the call.
static bool isOfTraining(const Node &node) {
  OriginalCall call(node);
  StringRef target = call.target();
  // An attention's argument is a probability, which is 0 in eval().
  if (target.starts_with("aten.scaled_dot_product_attention."))
    return call.number(4, "dropout_p").value_or(0) > 0;
  // This holds for an instance normalization that keeps statistics.
  if (target.starts_with("aten.instance_norm."))
    return call.argument(3, "running_mean") != "None" &&
           call.argument(5, "use_input_stats") == "True";
  for (const ModalCall &modal : kModalCalls)
    if (target.starts_with(modal.target))
      return (modal.fromEnd ? call.argumentFromEnd(modal.index)
                            : call.argument(modal.index, modal.name)) == "True";
  return false;
}

static bool isBatchNormalization(const Node &node) {
  return node.opType == "BatchNormalization" && node.domain.empty();
}

static bool hasTrainingMode(const Node &node) {
  return any_of(node.attributes, [](const Attribute &attribute) {
    return attribute.name == "training_mode" && attribute.i != 0;
  });
}

/// Whether the file has a batch normalization in its training form. Argument 5
/// tells so in each variant of the call; the one without training has another
/// argument there.
static bool trains(const Node &node) {
  OriginalCall call(node);
  return hasTrainingMode(node) || (call.target().contains("batch_norm") &&
                                   call.argument(5, "training") == "True");
}

/// Whether `name` is a constant that is true.
static bool isTrue(const Graph &graph, StringRef name) {
  auto holdsTrue = [](const Tensor &tensor) {
    return tensor.type == ElemType::Bool && tensor.bytes.size() == 1 &&
           tensor.bytes.front() != 0;
  };
  for (const Tensor &tensor : graph.initializers)
    if (tensor.name == name)
      return holdsTrue(tensor);
  for (const Node &node : graph.nodes)
    if (node.opType == "Constant" && is_contained(node.outputs, name))
      return any_of(node.attributes, [&](const Attribute &attribute) {
        return attribute.t && holdsTrue(*attribute.t);
      });
  return false;
}

/// Whether the file shows that the model was in train() when it was written.
static bool isOfTraining(const Graph &graph) {
  return any_of(graph.nodes, [&](const Node &node) {
    if (isBatchNormalization(node))
      return trains(node);
    if (node.opType == "Dropout" && node.domain.empty() &&
        node.inputs.size() > 2)
      return isTrue(graph, node.inputs[2]);
    return node.form == form::kAlphaDropout || isOfTraining(node);
  });
}

/// The module's name in state_dict(), from its statistics or its scope.
static std::string moduleOf(const Node &node) {
  if (node.inputs.size() > 3)
    if (StringRef name = node.inputs[3]; name.consume_back(".running_mean"))
      return name.str();
  std::string path = modulePath(node.record.scopes);
  return path.empty() ? node.name : path;
}

static std::string describeUnknown(ArrayRef<Node *> evaluated) {
  std::string first = "'" + printable(moduleOf(*evaluated.front())) + "'";
  std::string which = evaluated.size() == 1
                          ? "batch normalization " + first + " is"
                          : "all " + std::to_string(evaluated.size()) +
                                " batch normalizations (the first is " + first +
                                ") are";
  return which +
         " in eval() in the file, and trained all the same: by the statistics "
         "of each batch, while the running ones change. If the model was in "
         "train() and they are frozen, give --frozen-batch-norm=all, or a "
         "REGEX of modules; --frozen-batch-norm=none says that they train";
}

/// Describes instance normalizations that keep statistics. The exporter leaves
/// the statistics out: a layer that trains by the batch's statistics uses its
/// own in eval().
static std::string describeLostStatistics(const Graph &graph) {
  std::vector<std::string> modules;
  for (const Node &node : graph.nodes) {
    OriginalCall call(node);
    StringRef mean = call.argument(3, "running_mean");
    std::string shown = "'" + printable(modulePath(node.record.scopes)) + "'";
    if (call.target().starts_with("aten.instance_norm.") &&
        mean.starts_with("%") && !is_contained(modules, shown))
      modules.push_back(shown);
  }
  if (modules.empty())
    return "";
  return "the running statistics of " +
         join(ArrayRef(modules).take_front(4), ", ") +
         (modules.size() > 4 ? ", ..." : "") +
         ", instance normalizations, are not in the file: training does not "
         "keep them, and --export-weights is without them. In eval() PyTorch "
         "normalizes by those that the module has; make it with "
         "track_running_stats=False, by which train() and eval() are alike, "
         "or load with strict=False and run the data through it in train()";
}

static void freeze(Node &node) {
  node.settings.emplace_back(setting::kFrozen, int64_t(1));
}

TrainingModes restoreTrainingModes(Graph &graph, NameChoice &choice) {
  SmallVector<Node *> evaluated;
  for (Node &node : graph.nodes) {
    if (!isBatchNormalization(node))
      continue;
    if (choice.chooses({moduleOf(node)}))
      freeze(node);
    else if (!trains(node))
      evaluated.push_back(&node);
  }
  TrainingModes modes;
  modes.warnings = choice.warnOfUnused("batch normalization");
  if (std::string lost = describeLostStatistics(graph); !lost.empty())
    modes.trainingWarnings.push_back(std::move(lost));
  if (choice.choosesNone() || evaluated.empty())
    return modes;
  if (isOfTraining(graph))
    for (Node *node : evaluated)
      freeze(*node);
  else if (!choice.isGiven())
    modes.trainingWarnings.push_back(describeUnknown(evaluated));
  return modes;
}

} // namespace mpc::onnx
