// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's recurrent layers: one call is several layers, in both directions.
#include "lib/Import/Build/Recurrent.h"

#include "lib/Import/Build/Random.h"
#include "lib/Import/Exported/Call.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

namespace {

/// Gates of PyTorch's weights in the order in which the layer has them.
struct Kind {
  SmallVector<int64_t> order;
  bool hasCell;
  SmallVector<StringRef> functions;
};

/// What a call says of all its layers.
struct Stack {
  Operand x; ///< [steps, batch, input]
  Operand state, cell;
  std::vector<Operand> weights;
  bool hasBias = true, isBidirectional = false, batchFirst = false;
  bool drops = false;
  int64_t layers = 1;
  double dropped = 0.0;

  [[nodiscard]] int64_t directions() const { return isBidirectional ? 2 : 1; }
  [[nodiscard]] int64_t perDirection() const { return hasBias ? 4 : 2; }
};

RecurrentActivation activation(StringRef name) {
  for (const RecurrentFunction &function : recurrentFunctions())
    if (function.name == name)
      return {&function, 0.0, 0.0, std::nullopt};
  llvm_unreachable("an activation of every recurrent layer");
}

Expected<Stack> readStack(Call &call, const Kind &kind) {
  Stack stack;
  MPC_TRY_ASSIGN(stack.x, call.real("input"));
  MPC_TRY_ASSIGN(stack.hasBias, call.flag("has_biases", true));
  MPC_TRY_ASSIGN(stack.isBidirectional, call.flag("bidirectional", false));
  MPC_TRY_ASSIGN(stack.batchFirst, call.flag("batch_first", false));
  MPC_TRY_ASSIGN(stack.drops, call.flag("train", false));
  MPC_TRY_ASSIGN(stack.layers, call.integer("num_layers"));
  MPC_TRY_ASSIGN(stack.dropped, call.number("dropout", 0.0));
  MPC_TRY_ASSIGN(stack.weights, call.tensors("params"));
  std::vector<Operand> states;
  if (kind.hasCell) {
    MPC_TRY_ASSIGN(states, call.tensors("hx"));
  } else {
    MPC_TRY_ASSIGN(Operand state, call.real("hx"));
    states.push_back(state);
  }
  if (states.size() != (kind.hasCell ? 2 : 1))
    return call.fail("has " + Twine(states.size()) + " states");
  stack.state = states.front();
  stack.cell = states.back();
  int64_t wanted = stack.layers * stack.directions() * stack.perDirection();
  if (stack.layers < 1 || stack.layers > 1024 ||
      int64_t(stack.weights.size()) != wanted)
    return call.fail("has " + Twine(stack.weights.size()) +
                     " weights, expected " + Twine(wanted) +
                     " (proj_size is not supported)");
  if (stack.x.rank() != 3 || is_contained(stack.x.shape, 0) ||
      !(stack.dropped >= 0.0 && stack.dropped < 1.0))
    return call.fail("the input is " + shapeText(stack.x.shape) +
                     ", expected steps, batch and features");
  if (stack.batchFirst)
    stack.x = call.build.transpose(stack.x, {1, 0, 2});
  return stack;
}

/// Rows of a weight, gate by gate in another order.
Operand reordered(TensorBuilder &b, const Operand &weight,
                  ArrayRef<int64_t> order, int64_t hidden) {
  std::vector<Operand> gates;
  for (int64_t gate : order)
    gates.push_back(b.sliceAxis(weight, 0, gate * hidden, (gate + 1) * hidden));
  return gates.size() == 1 ? gates.front() : b.concat(gates, 0);
}

/// One layer of the stack, its directions side by side.
class LayerReader {
public:
  LayerReader(Call &call, const Kind &kind, const Stack &stack, int64_t layer)
      : call_(call), b_(call.build), kind_(kind), stack_(stack), layer_(layer) {
  }

  Expected<RecurrentLayer> read(const Operand &x);

private:
  Expected<Operand> weight(int64_t direction, int64_t which,
                           ArrayRef<int64_t> shape);
  Expected<Operand> join(int64_t which, ArrayRef<int64_t> shape);
  Expected<Operand> stateOf(const Operand &states, int64_t batch,
                            int64_t hidden);

  Call &call_;
  TensorBuilder &b_;
  const Kind &kind_;
  const Stack &stack_;
  int64_t layer_;
};

Expected<Operand> LayerReader::weight(int64_t direction, int64_t which,
                                      ArrayRef<int64_t> shape) {
  int64_t place =
      (layer_ * stack_.directions() + direction) * stack_.perDirection() +
      which;
  const Operand &weight = stack_.weights[place];
  if (!weight.type || ArrayRef<int64_t>(weight.shape) != shape ||
      weight.type != stack_.x.type)
    return call_.fail("weight " + Twine(place) + " is " +
                      shapeText(weight.shape) + ", expected " +
                      shapeText(shape));
  return reordered(b_, weight, kind_.order,
                   shape[0] / int64_t(kind_.order.size()));
}

/// [D, ..] of all directions.
Expected<Operand> LayerReader::join(int64_t which, ArrayRef<int64_t> shape) {
  std::vector<Operand> parts;
  Shape wide{1};
  append_range(wide, shape);
  for (int64_t direction : seq<int64_t>(0, stack_.directions())) {
    MPC_TRY_ASSIGN(Operand part, weight(direction, which, shape));
    parts.push_back(b_.reshape(part, wide));
  }
  return parts.size() == 1 ? parts.front() : b_.concat(parts, 0);
}

/// [D, batch, hidden]
Expected<Operand> LayerReader::stateOf(const Operand &states, int64_t batch,
                                       int64_t hidden) {
  int64_t directions = stack_.directions();
  if (states.shape != Shape{stack_.layers * directions, batch, hidden} ||
      states.type != stack_.x.type)
    return call_.fail("a state is " + shapeText(states.shape) + ", expected " +
                      shapeText({stack_.layers * directions, batch, hidden}));
  return b_.sliceAxis(states, 0, layer_ * directions,
                      (layer_ + 1) * directions);
}

Expected<RecurrentLayer> LayerReader::read(const Operand &x) {
  auto gates = int64_t(kind_.order.size());
  const Operand &recurrent =
      stack_.weights[layer_ * stack_.directions() * stack_.perDirection() + 1];
  if (!recurrent.type || recurrent.rank() != 2 || recurrent.shape[1] < 1 ||
      recurrent.shape[0] != gates * recurrent.shape[1])
    return call_.fail("a weight is " + shapeText(recurrent.shape));
  int64_t hidden = recurrent.shape[1], batch = x.shape[1], input = x.shape[2];
  RecurrentLayer layer{gates,
                       x.shape[0],
                       batch,
                       input,
                       hidden,
                       stack_.directions(),
                       /*reverse=*/false,
                       kind_.hasCell,
                       /*batchFirst=*/false};
  layer.x = x;
  MPC_TRY_ASSIGN(layer.w, join(0, {gates * hidden, input}));
  MPC_TRY_ASSIGN(layer.r, join(1, {gates * hidden, hidden}));
  if (stack_.hasBias) {
    MPC_TRY_ASSIGN(Operand ofInput, join(2, {gates * hidden}));
    MPC_TRY_ASSIGN(Operand ofState, join(3, {gates * hidden}));
    layer.bias = b_.concat({ofInput, ofState}, 1);
  }
  MPC_TRY_ASSIGN(layer.state, stateOf(stack_.state, batch, hidden));
  if (kind_.hasCell) {
    MPC_TRY_ASSIGN(layer.cell, stateOf(stack_.cell, batch, hidden));
  }
  for (int64_t i = 0; i < stack_.directions(); ++i)
    for (StringRef name : kind_.functions)
      layer.activations.push_back(activation(name));
  return layer;
}

/// [steps, D, batch, hidden] as [steps, batch, D * hidden].
Operand sideBySide(TensorBuilder &b, const Operand &steps) {
  const Shape &shape = steps.shape;
  return b.reshape(b.transpose(steps, {0, 2, 1, 3}),
                   {shape[0], shape[2], shape[1] * shape[3]});
}

Error emitStack(Call &call, const Kind &kind,
                function_ref<RecurrentOutputs(const RecurrentLayer &)> build) {
  MPC_TRY_ASSIGN(Stack stack, readStack(call, kind));
  TensorBuilder &b = call.build;
  Operand x = stack.x;
  std::vector<Operand> states, cells;
  for (int64_t index : seq<int64_t>(0, stack.layers)) {
    MPC_TRY_ASSIGN(RecurrentLayer layer,
                   LayerReader(call, kind, stack, index).read(x));
    RecurrentOutputs outputs = build(layer);
    x = sideBySide(b, *outputs.steps);
    states.push_back(outputs.state);
    if (kind.hasCell)
      cells.push_back(*outputs.cell);
    if (stack.drops && stack.dropped > 0.0 && index + 1 < stack.layers)
      x = dropout(b, x, stack.dropped, b.takeStream());
  }
  auto together = [&](ArrayRef<Operand> parts) {
    return parts.size() == 1 ? parts.front() : b.concat(parts, 0);
  };
  call.result(stack.batchFirst ? b.transpose(x, {1, 0, 2}) : x);
  call.result(together(states));
  if (kind.hasCell)
    call.result(together(cells));
  return Error::success();
}

/// PyTorch: input, forget, cell, output. The layer: input, output, forget,
/// cell.
Error emitLstm(Call &call) {
  return emitStack(call, {{0, 3, 1, 2}, true, {"Sigmoid", "Tanh", "Tanh"}},
                   [&](const RecurrentLayer &layer) {
                     return buildLSTM(call.build, layer, /*isCoupled=*/false);
                   });
}

/// PyTorch: reset, update, new. The layer: update, reset, new.
Error emitGru(Call &call) {
  return emitStack(call, {{1, 0, 2}, false, {"Sigmoid", "Tanh"}},
                   [&](const RecurrentLayer &layer) {
                     return buildGRU(call.build, layer, /*resetLast=*/true);
                   });
}

Error emitRnn(Call &call, StringRef function) {
  return emitStack(
      call, {{0}, false, {function}},
      [&](const RecurrentLayer &layer) { return buildRNN(call.build, layer); });
}

Error emitRnnTanh(Call &call) { return emitRnn(call, "Tanh"); }
Error emitRnnRelu(Call &call) { return emitRnn(call, "Relu"); }

} // namespace

ArrayRef<OpRow> recurrentRows() {
  static const OpRow rows[] = {
      {"gru.input", emitGru},
      {"lstm.input", emitLstm},
      {"rnn_relu.input", emitRnnRelu},
      {"rnn_tanh.input", emitRnnTanh},
  };
  return rows;
}

} // namespace mpc::exported
