// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's recurrent layers, unrolled over time: one product for the inputs of
/// all steps, one for each step's state.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/RecurrentActivations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Steps beyond this would unroll into a program of too many kernels.
constexpr int64_t kMostSteps = 2048;

/// What the three layers share: inputs X, W, R, B, sequence_lens, initial_h.
struct Layer {
  int64_t gates, steps, batch, input, hidden, directions;
  bool reverse;
  /// LSTM: initial_c.
  bool hasCell;
  /// The batch is the first axis of X, Y and the states.
  bool batchFirst;
  /// Of all directions.
  SmallVector<RecurrentActivation> activations = {};
  /// [batch], where sequences are of several lengths.
  std::optional<Operand> lengths = {};
};

/// One direction of a layer.
struct Direction {
  /// [steps, batch, gates * hidden]: what the inputs add to the gates.
  Operand fromInput;
  /// [gates * hidden, hidden] and [gates * hidden] (null without).
  Operand recurrent;
  std::optional<Operand> recurrentBias;
  Operand state;
  Operand cell;
  /// [3 * hidden]: of the input, output and forget gates on the cell.
  std::optional<Operand> peepholes;
  ArrayRef<RecurrentActivation> activations;
};

/// Part `index` of `count` along `axis`.
Operand part(TensorBuilder &b, const Operand &whole, int64_t axis,
             int64_t index, int64_t count) {
  int64_t size = whole.shape[axis] / count;
  return b.sliceAxis(whole, axis, index * size, (index + 1) * size);
}

/// Entry `index` of the first axis, which goes away.
Operand at(TensorBuilder &b, const Operand &whole, int64_t index) {
  return b.reshape(b.sliceAxis(whole, 0, index, index + 1),
                   ArrayRef(whole.shape).drop_front());
}

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

/// The lengths of the samples' sequences where they differ, or nothing.
Expected<std::optional<Operand>> readLengths(NodeImporter &node,
                                             const Layer &layer) {
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

/// `activations` are those that a layer has by default.
Expected<Layer> readLayer(NodeImporter &node, int64_t gates, bool hasCell,
                          ArrayRef<StringRef> activations) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY(checkForm(node));
  const Operand &x = node.in(0), &w = node.in(1);
  if (x.rank() != 3 || w.rank() != 3 || w.shape[1] % gates != 0)
    return node.fail("X is " + shapeText(x.shape) + " and W is " +
                     shapeText(w.shape) + ", expected three axes each");
  StringRef direction = node.stringAttr("direction", "forward");
  bool batchFirst = node.intAttr("layout", 0) == 1;
  Layer layer{gates,
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
  return layer;
}

/// `x` with its first two axes exchanged where the batch comes first, and back.
Operand reordered(TensorBuilder &b, const Operand &x, const Layer &layer) {
  return layer.batchFirst ? b.transpose(x, {1, 0, 2}) : x;
}

/// The first state of direction `d`, input `index`; zeros where there is none.
Operand firstState(NodeImporter &node, const Layer &layer, size_t index,
                   int64_t d) {
  TensorBuilder &b = node.build;
  if (node.has(index))
    return at(b, reordered(b, node.in(index), layer), d);
  return b.splat(node.in(0).type, {layer.batch, layer.hidden}, 0.0);
}

/// `bias` says which bias goes with the inputs: with `together` both do.
Direction readDirection(NodeImporter &node, const Layer &layer, int64_t d,
                        bool together) {
  TensorBuilder &b = node.build;
  Direction direction;
  std::optional<Operand> inputBias;
  if (node.has(3)) {
    Operand both = at(b, node.in(3), d);
    inputBias = part(b, both, 0, 0, 2);
    Operand second = part(b, both, 0, 1, 2);
    if (together)
      inputBias = b.binary(Binary::Add, *inputBias, second);
    else
      direction.recurrentBias = second;
  }
  Operand rows = b.reshape(reordered(b, node.in(0), layer),
                           {layer.steps * layer.batch, layer.input});
  Operand product =
      b.linear(rows, at(b, node.in(1), d), inputBias ? &*inputBias : nullptr);
  direction.fromInput = b.reshape(
      product, {layer.steps, layer.batch, layer.gates * layer.hidden});
  direction.recurrent = at(b, node.in(2), d);
  direction.state = firstState(node, layer, 5, d);
  if (layer.hasCell)
    direction.cell = firstState(node, layer, 6, d);
  if (layer.hasCell && node.has(7))
    direction.peepholes = at(b, node.in(7), d);
  size_t count = layer.activations.size() / layer.directions;
  direction.activations =
      ArrayRef(layer.activations).slice(static_cast<size_t>(d) * count, count);
  return direction;
}

/// Advances `direction` by a step whose inputs are `fromInput`.
using Step = function_ref<void(Direction &direction, const Operand &fromInput)>;

/// Which samples still have a step at `time`, as a state has its shape.
Operand presentAt(TensorBuilder &b, const Layer &layer, int64_t time) {
  Operand isPresent =
      b.compare(nn::CompareKind::GT, *layer.lengths,
                b.splatLike(*layer.lengths, static_cast<double>(time)));
  return b.broadcast(isPresent, {layer.batch, layer.hidden}, {0});
}

/// Advances by the step at `time`, and gives the state that is put out: of a
/// sequence that has ended the states stay, and zeros are put out.
Operand advance(TensorBuilder &b, const Layer &layer, Direction &direction,
                int64_t time, Step step) {
  Operand state = direction.state, cell = direction.cell;
  step(direction, at(b, direction.fromInput, time));
  if (!layer.lengths)
    return direction.state;
  Operand isPresent = presentAt(b, layer, time);
  Operand output =
      b.select(isPresent, direction.state, b.splatLike(direction.state, 0.0));
  direction.state = b.select(isPresent, direction.state, state);
  if (layer.hasCell)
    direction.cell = b.select(isPresent, direction.cell, cell);
  return output;
}

/// Y [steps, directions, batch, hidden], Y_h and Y_c.
void unroll(NodeImporter &node, const Layer &layer, bool together, Step step) {
  TensorBuilder &b = node.build;
  Shape slot{1, 1, layer.batch, layer.hidden};
  SmallVector<Operand> outputs, states, cells;
  for (int64_t d = 0; d < layer.directions; ++d) {
    Direction direction = readDirection(node, layer, d, together);
    bool backwards = layer.reverse || d == 1;
    SmallVector<Operand> places(layer.steps);
    for (int64_t i = 0; i < layer.steps; ++i) {
      int64_t time = backwards ? layer.steps - 1 - i : i;
      places[time] = b.reshape(advance(b, layer, direction, time, step), slot);
    }
    if (node.wants(0))
      outputs.push_back(b.concat(places, 0));
    Shape last{1, layer.batch, layer.hidden};
    states.push_back(b.reshape(direction.state, last));
    if (layer.hasCell)
      cells.push_back(b.reshape(direction.cell, last));
  }
  if (node.wants(0)) {
    Operand steps = b.concat(outputs, 1);
    node.result(0, layer.batchFirst ? b.transpose(steps, {2, 0, 1, 3}) : steps);
  }
  node.result(1, reordered(b, b.concat(states, 0), layer));
  if (layer.hasCell)
    node.result(2, reordered(b, b.concat(cells, 0), layer));
}

/// What the peephole of gate `index`, of input, output and forget, adds to it.
Operand seen(TensorBuilder &b, const Direction &d, const Operand &gate,
             int64_t index, const Operand &cell) {
  if (!d.peepholes)
    return gate;
  Operand weights =
      b.broadcastTo(part(b, *d.peepholes, 0, index, 3), cell.shape);
  return b.binary(Binary::Add, gate, b.binary(Binary::Mul, weights, cell));
}

Error emitLSTM(NodeImporter &node) {
  MPC_TRY_ASSIGN(Layer layer,
                 readLayer(node, 4, true, {"Sigmoid", "Tanh", "Tanh"}));
  bool isCoupled = node.intAttr("input_forget", 0) != 0;
  MPC_TRY(checkShape(node, 7, "P", {layer.directions, 3 * layer.hidden}));
  TensorBuilder &b = node.build;
  unroll(node, layer, true, [&](Direction &d, const Operand &fromInput) {
    Operand gates = b.binary(Binary::Add, fromInput,
                             b.linear(d.state, d.recurrent, nullptr));
    auto gate = [&](int64_t index, int64_t peephole) {
      Operand sum = part(b, gates, 1, index, 4);
      return d.activations[0].apply(b, seen(b, d, sum, peephole, d.cell));
    };
    Operand input = gate(0, 0);
    Operand forget = isCoupled
                         ? b.binary(Binary::Sub, b.splatLike(input, 1.0), input)
                         : gate(2, 2);
    Operand candidate = d.activations[1].apply(b, part(b, gates, 1, 3, 4));
    d.cell = b.binary(Binary::Add, b.binary(Binary::Mul, forget, d.cell),
                      b.binary(Binary::Mul, input, candidate));
    // The output gate sees the new cell.
    Operand output = gate(1, 1);
    d.state = b.binary(Binary::Mul, output, d.activations[2].apply(b, d.cell));
  });
  return Error::success();
}

Error emitGRU(NodeImporter &node) {
  MPC_TRY_ASSIGN(Layer layer, readLayer(node, 3, false, {"Sigmoid", "Tanh"}));
  bool resetLast = node.intAttr("linear_before_reset", 0) != 0;
  TensorBuilder &b = node.build;
  // `parts` numbers of the recurrent weights, from `first` on.
  auto fromState = [&](Direction &d, const Operand &state, int64_t first,
                       int64_t parts) {
    int64_t h = layer.hidden;
    Operand weight =
        b.sliceAxis(d.recurrent, 0, first * h, (first + parts) * h);
    if (!d.recurrentBias)
      return b.linear(state, weight, nullptr);
    Operand bias =
        b.sliceAxis(*d.recurrentBias, 0, first * h, (first + parts) * h);
    return b.linear(state, weight, &bias);
  };
  unroll(node, layer, false, [&](Direction &d, const Operand &fromInput) {
    Operand gates =
        b.binary(Binary::Add, b.sliceAxis(fromInput, 1, 0, 2 * layer.hidden),
                 fromState(d, d.state, 0, 2));
    Operand update = d.activations[0].apply(b, part(b, gates, 1, 0, 2));
    Operand reset = d.activations[0].apply(b, part(b, gates, 1, 1, 2));
    Operand hidden =
        resetLast ? b.binary(Binary::Mul, reset, fromState(d, d.state, 2, 1))
                  : fromState(d, b.binary(Binary::Mul, reset, d.state), 2, 1);
    Operand candidate = d.activations[1].apply(
        b, b.binary(Binary::Add, part(b, fromInput, 1, 2, 3), hidden));
    // candidate + update * (state - candidate)
    d.state = b.binary(Binary::Add, candidate,
                       b.binary(Binary::Mul, update,
                                b.binary(Binary::Sub, d.state, candidate)));
  });
  return Error::success();
}

Error emitRNN(NodeImporter &node) {
  MPC_TRY_ASSIGN(Layer layer, readLayer(node, 1, false, {"Tanh"}));
  TensorBuilder &b = node.build;
  unroll(node, layer, true, [&](Direction &d, const Operand &fromInput) {
    Operand sum = b.binary(Binary::Add, fromInput,
                           b.linear(d.state, d.recurrent, nullptr));
    d.state = d.activations[0].apply(b, sum);
  });
  return Error::success();
}

const OpRule kRules[] = {
    {"GRU", 7, 3, 6, 2,
     "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s "
     "hidden_size:i linear_before_reset:i",
     emitGRU},
    {"GRU", 14, 3, 6, 2,
     "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s "
     "hidden_size:i layout:i linear_before_reset:i",
     emitGRU},
    {"LSTM", 7, 3, 8, 3,
     "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s "
     "hidden_size:i input_forget:i",
     emitLSTM},
    {"LSTM", 14, 3, 8, 3,
     "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s "
     "hidden_size:i input_forget:i layout:i",
     emitLSTM},
    {"RNN", 7, 3, 6, 2,
     "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s "
     "hidden_size:i",
     emitRNN},
    {"RNN", 14, 3, 6, 2,
     "activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s "
     "hidden_size:i layout:i",
     emitRNN},
};

} // namespace

ArrayRef<OpRule> recurrentRules() { return kRules; }

} // namespace mpc::onnx
