// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's recurrent layers.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/Recurrent.h"
#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/RecurrentActivations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// The most steps. More would unroll into a program of too many kernels.
constexpr int64_t kMostSteps = 2048;

Error checkShape(NodeImporter &node, size_t index, StringRef what,
                 ArrayRef<int64_t> expected) {
  if (!node.has(index))
    return Error::success();
  MPC_TRY(node.requireSameType(index, 0));
  if (ArrayRef<int64_t>(node.in(index).shape) == expected)
    return Error::success();
  return node.fail(what + " is " + shapeText(node.in(index).shape) +
                   ", expected " + shapeText(expected));
}

/// The lengths of the samples' sequences; empty where all are equal.
Expected<std::optional<Operand>> readLengths(NodeImporter &node,
                                             const RecurrentLayer &layer) {
  std::optional<Operand> none;
  if (!node.has(4))
    return none;
  MPC_TRY(node.requireIntegers(4));
  const Operand &lengths = node.in(4);
  if (lengths.shape != Shape{layer.batch})
    return node.fail("sequence_lens is " + shapeText(lengths.shape) +
                     ", expected " + Twine(layer.batch));
  if (lengths.known) {
    MPC_TRY_ASSIGN(auto known, node.ints(4, "the sequence lengths"));
    for (int64_t length : known)
      if (length < 0 || length > layer.steps)
        return node.fail("sequence_lens has " + Twine(length) +
                         ", expected 0 to " + Twine(layer.steps));
    if (all_equal(known) && known.front() == layer.steps)
      return none;
  }
  return std::optional(node.build.cast(lengths, node.build.i64()));
}

std::optional<Operand> optionalInput(const NodeImporter &node, size_t index) {
  return node.has(index) ? std::optional(node.in(index)) : std::nullopt;
}

Error checkForm(NodeImporter &node) {
  StringRef direction = node.stringAttr("direction", "forward");
  if (direction != "forward" && direction != "reverse" &&
      direction != "bidirectional")
    return node.fail("attribute 'direction' is '" + printable(direction) + "'");
  int64_t layout = node.intAttr("layout", 0);
  if (layout != 0 && layout != 1)
    return node.fail("attribute 'layout' is " + Twine(layout) +
                     ", expected 0 or 1");
  return Error::success();
}

/// Reads a layer; `activations` are its defaults.
Expected<RecurrentLayer> readLayer(NodeImporter &node, int64_t gates,
                                   bool hasCell,
                                   ArrayRef<StringRef> activations) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY(checkForm(node));
  const Operand &x = node.in(0), &w = node.in(1);
  if (x.rank() != 3 || w.rank() != 3 || w.shape[1] % gates != 0)
    return node.fail("X is " + shapeText(x.shape) + " and W is " +
                     shapeText(w.shape) + ", expected three axes each");
  StringRef direction = node.stringAttr("direction", "forward");
  bool batchFirst = node.intAttr("layout", 0) == 1;
  RecurrentLayer layer{gates,
                       x.shape[batchFirst ? 1 : 0],
                       x.shape[batchFirst ? 0 : 1],
                       x.shape[2],
                       w.shape[1] / gates,
                       direction == "bidirectional" ? 2 : 1,
                       direction == "reverse",
                       hasCell,
                       batchFirst};
  int64_t d = layer.directions, h = layer.hidden;
  if (layer.steps < 1 || layer.steps > kMostSteps || layer.batch < 1 || h < 1)
    return node.fail("X is " + shapeText(x.shape) + ": 1 to " +
                     Twine(kMostSteps) + " steps of a batch are supported");
  if (node.intAttr("hidden_size", h) != h)
    return node.fail("attribute 'hidden_size' is " +
                     Twine(node.intAttr("hidden_size", h)) + ", W is " +
                     shapeText(w.shape));
  MPC_TRY(checkShape(node, 1, "W", {d, gates * h, layer.input}));
  MPC_TRY(checkShape(node, 2, "R", {d, gates * h, h}));
  MPC_TRY(checkShape(node, 3, "B", {d, 2 * gates * h}));
  Shape state =
      batchFirst ? Shape{layer.batch, d, h} : Shape{d, layer.batch, h};
  MPC_TRY(checkShape(node, 5, "initial_h", state));
  if (hasCell)
    MPC_TRY(checkShape(node, 6, "initial_c", state));
  MPC_TRY_ASSIGN(layer.lengths, readLengths(node, layer));
  MPC_TRY_ASSIGN(layer.activations, readActivations(node, activations, d));
  layer.x = x;
  layer.w = w;
  layer.r = node.in(2);
  layer.bias = optionalInput(node, 3);
  layer.state = optionalInput(node, 5);
  if (hasCell)
    layer.cell = optionalInput(node, 6);
  layer.wantsSteps = node.wants(0);
  return layer;
}

Error giveResults(NodeImporter &node, const RecurrentOutputs &outputs) {
  if (outputs.steps)
    node.result(0, *outputs.steps);
  node.result(1, outputs.state);
  if (outputs.cell)
    node.result(2, *outputs.cell);
  return Error::success();
}

Error emitLSTM(NodeImporter &node) {
  MPC_TRY_ASSIGN(RecurrentLayer layer,
                 readLayer(node, 4, true, {"Sigmoid", "Tanh", "Tanh"}));
  bool isCoupled = node.intAttr("input_forget", 0) != 0;
  MPC_TRY(checkShape(node, 7, "P", {layer.directions, 3 * layer.hidden}));
  layer.peepholes = optionalInput(node, 7);
  return giveResults(node, buildLSTM(node.build, layer, isCoupled));
}

Error emitGRU(NodeImporter &node) {
  MPC_TRY_ASSIGN(RecurrentLayer layer,
                 readLayer(node, 3, false, {"Sigmoid", "Tanh"}));
  bool resetLast = node.intAttr("linear_before_reset", 0) != 0;
  return giveResults(node, buildGRU(node.build, layer, resetLast));
}

Error emitRNN(NodeImporter &node) {
  MPC_TRY_ASSIGN(RecurrentLayer layer, readLayer(node, 1, false, {"Tanh"}));
  return giveResults(node, buildRNN(node.build, layer));
}

} // namespace

ArrayRef<OpRule> recurrentRules() {
  static const OpRule rules[] = {
      {"GRU", 7, 3, 6, 2,
       "activation_alpha:fs activation_beta:fs activations:ss clip:f "
       "direction:s "
       "hidden_size:i linear_before_reset:i",
       emitGRU},
      {"GRU", 14, 3, 6, 2,
       "activation_alpha:fs activation_beta:fs activations:ss clip:f "
       "direction:s "
       "hidden_size:i layout:i linear_before_reset:i",
       emitGRU},
      {"LSTM", 7, 3, 8, 3,
       "activation_alpha:fs activation_beta:fs activations:ss clip:f "
       "direction:s "
       "hidden_size:i input_forget:i",
       emitLSTM},
      {"LSTM", 14, 3, 8, 3,
       "activation_alpha:fs activation_beta:fs activations:ss clip:f "
       "direction:s "
       "hidden_size:i input_forget:i layout:i",
       emitLSTM},
      {"RNN", 7, 3, 6, 2,
       "activation_alpha:fs activation_beta:fs activations:ss clip:f "
       "direction:s "
       "hidden_size:i",
       emitRNN},
      {"RNN", 14, 3, 6, 2,
       "activation_alpha:fs activation_beta:fs activations:ss clip:f "
       "direction:s "
       "hidden_size:i layout:i",
       emitRNN},
  };
  return rules;
}

} // namespace mpc::onnx
