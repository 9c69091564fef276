// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layers over time, with one product for the inputs of all steps and one for
// each step's state. Few steps are copied, many are a loop.
#include "lib/Import/Build/Recurrent.h"

#include "lib/Import/Build/Loops.h"

using namespace llvm;

namespace mpc::build {

namespace {

/// One direction of a layer.
struct Direction {
  /// [steps, batch, gates * hidden]: the part of the gates that comes from the
  /// inputs.
  Operand fromInput;
  /// [gates * hidden, hidden] and [gates * hidden]; null without a bias.
  Operand recurrent;
  std::optional<Operand> recurrentBias;
  Operand state;
  Operand cell;
  /// [3 * hidden]: the peepholes of the input, output and forget gates.
  std::optional<Operand> peepholes;
  ArrayRef<RecurrentActivation> activations;
};

} // namespace

/// Part `index` of `count` equal parts along `axis`.
static Operand part(TensorBuilder &b, const Operand &whole, int64_t axis,
                    int64_t index, int64_t count) {
  int64_t size = whole.shape[axis] / count;
  return b.sliceAxis(whole, axis, index * size, (index + 1) * size);
}

/// Entry `index` of the first axis, which is removed.
static Operand at(TensorBuilder &b, const Operand &whole, int64_t index) {
  return b.reshape(b.sliceAxis(whole, 0, index, index + 1),
                   ArrayRef(whole.shape).drop_front());
}

/// `x` with its first two axes exchanged, where the batch comes first, or
/// exchanged back.
static Operand reordered(TensorBuilder &b, const Operand &x,
                         const RecurrentLayer &layer) {
  return layer.batchFirst ? b.transpose(x, {1, 0, 2}) : x;
}

/// The first state of direction `d`: a part of `given`, or zeros where that is
/// empty.
static Operand firstState(TensorBuilder &b, const RecurrentLayer &layer,
                          const std::optional<Operand> &given, int64_t d) {
  if (given)
    return at(b, reordered(b, *given, layer), d);
  return b.splat(layer.x.type, {layer.batch, layer.hidden}, 0.0);
}

/// Prepares a direction. With `together`, both biases are added to the inputs'
/// part; else only their own.
static Direction directionOf(TensorBuilder &b, const RecurrentLayer &layer,
                             int64_t d, bool together) {
  Direction direction;
  std::optional<Operand> inputBias;
  if (layer.bias) {
    Operand both = at(b, *layer.bias, d);
    inputBias = part(b, both, 0, 0, 2);
    Operand second = part(b, both, 0, 1, 2);
    if (together)
      inputBias = b.binary(Binary::Add, *inputBias, second);
    else
      direction.recurrentBias = second;
  }
  Operand rows = b.reshape(reordered(b, layer.x, layer),
                           {layer.steps * layer.batch, layer.input});
  Operand product =
      b.linear(rows, at(b, layer.w, d), inputBias ? &*inputBias : nullptr);
  direction.fromInput = b.reshape(
      product, {layer.steps, layer.batch, layer.gates * layer.hidden});
  direction.recurrent = at(b, layer.r, d);
  direction.state = firstState(b, layer, layer.state, d);
  if (layer.hasCell)
    direction.cell = firstState(b, layer, layer.cell, d);
  if (layer.peepholes)
    direction.peepholes = at(b, *layer.peepholes, d);
  size_t count = layer.activations.size() / layer.directions;
  direction.activations =
      ArrayRef(layer.activations).slice(static_cast<size_t>(d) * count, count);
  return direction;
}

/// Advances `direction` by a step whose part from the inputs is `fromInput`.
using Step = function_ref<void(Direction &direction, const Operand &fromInput)>;

/// Which samples still have a step, at each time: [steps, batch, hidden].
static Operand presence(TensorBuilder &b, const RecurrentLayer &layer) {
  Shape shape{layer.steps, layer.batch, layer.hidden};
  Operand times = b.coordinates({layer.steps}, 0);
  Operand lengths = b.cast(*layer.lengths, times.type);
  return b.compare(nn::CompareKind::GT, b.broadcast(lengths, shape, {1}),
                   b.broadcast(times, shape, {0}));
}

/// Advances by a step, and returns its output. The states of a sequence that
/// has ended, by `isPresent`, stay, and its output is zeros.
static Operand advance(TensorBuilder &b, const RecurrentLayer &layer,
                       Direction &direction, const Operand &fromInput,
                       const Operand *isPresent, Step step) {
  Operand state = direction.state, cell = direction.cell;
  step(direction, fromInput);
  if (!isPresent)
    return direction.state;
  Operand output =
      b.select(*isPresent, direction.state, b.splatLike(direction.state, 0.0));
  direction.state = b.select(*isPresent, direction.state, state);
  if (layer.hasCell)
    direction.cell = b.select(*isPresent, direction.cell, cell);
  return output;
}

/// Copies of the step, one after the other. Returns the outputs of all:
/// [steps, batch, hidden].
static Operand unroll(TensorBuilder &b, const RecurrentLayer &layer,
                      Direction &direction, const Operand *isPresent,
                      bool backwards, Step step) {
  SmallVector<Operand> places(layer.steps);
  for (int64_t i = 0; i < layer.steps; ++i) {
    int64_t time = backwards ? layer.steps - 1 - i : i;
    std::optional<Operand> present;
    if (isPresent)
      present = at(b, *isPresent, time);
    Operand output =
        advance(b, layer, direction, at(b, direction.fromInput, time),
                present ? &*present : nullptr, step);
    places[time] = b.reshape(output, {1, layer.batch, layer.hidden});
  }
  return b.concat(places, 0);
}

/// A loop of the step. Returns the outputs of all turns; empty where steps have
/// to be copied.
static std::optional<Operand>
repeat(TensorBuilder &b, const RecurrentLayer &layer, Direction &direction,
       const Operand *isPresent, bool backwards, Step step) {
  Loop loop{"turn", layer.steps, backwards};
  loop.inits.push_back(direction.state);
  if (layer.hasCell)
    loop.inits.push_back(direction.cell);
  loop.stacks.push_back(direction.fromInput);
  if (isPresent)
    loop.stacks.push_back(*isPresent);
  // Without lengths, outputs are the states.
  loop.keepsEachTurn = !isPresent;
  auto turn = [&](const Turn &taken) {
    Direction inside = direction;
    inside.state = taken.carried[0];
    if (layer.hasCell)
      inside.cell = taken.carried[1];
    const Operand *present = isPresent ? &taken.entries[1] : nullptr;
    Operand output = advance(b, layer, inside, taken.entries[0], present, step);
    Turn result;
    result.carried.push_back(inside.state);
    if (layer.hasCell)
      result.carried.push_back(inside.cell);
    if (isPresent)
      result.entries.push_back(output);
    return result;
  };
  std::optional<Turn> results = tryBuildLoop(b, loop, turn);
  if (!results)
    return std::nullopt;
  Operand outputs = isPresent ? results->entries[0] : results->carried[0];
  auto last = [&](const Operand &carried) {
    return isPresent ? carried
                     : at(b, carried, backwards ? 0 : layer.steps - 1);
  };
  direction.state = last(results->carried[0]);
  if (layer.hasCell)
    direction.cell = last(results->carried[1]);
  return outputs;
}

/// Y [steps, directions, batch, hidden], Y_h and Y_c.
static RecurrentOutputs build(TensorBuilder &b, const RecurrentLayer &layer,
                              bool together, Step step) {
  SmallVector<Operand> outputs, states, cells;
  std::optional<Operand> isPresent;
  if (layer.lengths)
    isPresent = presence(b, layer);
  for (int64_t d = 0; d < layer.directions; ++d) {
    Direction direction = directionOf(b, layer, d, together);
    const Operand *present = isPresent ? &*isPresent : nullptr;
    bool backwards = layer.reverse || d == 1;
    std::optional<Operand> all =
        repeat(b, layer, direction, present, backwards, step);
    if (!all)
      all = unroll(b, layer, direction, present, backwards, step);
    if (layer.wantsSteps)
      outputs.push_back(
          b.reshape(*all, {layer.steps, 1, layer.batch, layer.hidden}));
    Shape last{1, layer.batch, layer.hidden};
    states.push_back(b.reshape(direction.state, last));
    if (layer.hasCell)
      cells.push_back(b.reshape(direction.cell, last));
  }
  RecurrentOutputs result;
  if (layer.wantsSteps) {
    Operand steps = b.concat(outputs, 1);
    result.steps = layer.batchFirst ? b.transpose(steps, {2, 0, 1, 3}) : steps;
  }
  result.state = reordered(b, b.concat(states, 0), layer);
  if (layer.hasCell)
    result.cell = reordered(b, b.concat(cells, 0), layer);
  return result;
}

/// The part of gate `index` (input, output or forget) that comes from its
/// peephole.
static Operand seen(TensorBuilder &b, const Direction &d, const Operand &gate,
                    int64_t index, const Operand &cell) {
  if (!d.peepholes)
    return gate;
  Operand weights =
      b.broadcastTo(part(b, *d.peepholes, 0, index, 3), cell.shape);
  return b.binary(Binary::Add, gate, b.binary(Binary::Mul, weights, cell));
}

RecurrentOutputs buildLSTM(TensorBuilder &b, const RecurrentLayer &layer,
                           bool isCoupled) {
  return build(b, layer, true, [&](Direction &d, const Operand &fromInput) {
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
    // The output gate uses the new cell.
    Operand output = gate(1, 1);
    d.state = b.binary(Binary::Mul, output, d.activations[2].apply(b, d.cell));
  });
}

RecurrentOutputs buildGRU(TensorBuilder &b, const RecurrentLayer &layer,
                          bool resetLast) {
  // `parts` parts of the recurrent product, from part `first` on.
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
  return build(b, layer, false, [&](Direction &d, const Operand &fromInput) {
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
}

RecurrentOutputs buildRNN(TensorBuilder &b, const RecurrentLayer &layer) {
  return build(b, layer, true, [&](Direction &d, const Operand &fromInput) {
    Operand sum = b.binary(Binary::Add, fromInput,
                           b.linear(d.state, d.recurrent, nullptr));
    d.state = d.activations[0].apply(b, sum);
  });
}

} // namespace mpc::build
