// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Recurrent layers, as copies of one step.
#ifndef MPC_LIB_IMPORT_BUILD_RECURRENT_H
#define MPC_LIB_IMPORT_BUILD_RECURRENT_H

#include "lib/Import/Build/RecurrentActivations.h"

namespace mpc::build {

/// The common parts of LSTM, GRU and RNN. D is the number of directions.
struct RecurrentLayer {
  int64_t gates, steps, batch, input, hidden, directions;
  bool reverse;
  /// Whether it is an LSTM, with a cell.
  bool hasCell;
  /// Whether the batch is the first axis of X, the outputs and the states.
  bool batchFirst;
  /// The activations of all directions.
  llvm::SmallVector<RecurrentActivation> activations = {};
  /// [batch]; empty where all sequences have the same length.
  std::optional<Operand> lengths = {};
  /// [steps, batch, input], [D, gates * hidden, input] and [D, gates * hidden,
  /// hidden].
  Operand x = {}, w = {}, r = {};
  /// [D, 2 * gates * hidden]: first the biases of inputs, then those of states.
  std::optional<Operand> bias = {};
  /// [D, batch, hidden]; empty for zeros.
  std::optional<Operand> state = {}, cell = {};
  /// [D, 3 * hidden], of the input, output and forget gates.
  std::optional<Operand> peepholes = {};
  /// Whether the states of all steps are outputs.
  bool wantsSteps = true;
};

struct RecurrentOutputs {
  /// [steps, D, batch, hidden]
  std::optional<Operand> steps;
  /// [D, batch, hidden], after the last steps.
  Operand state;
  std::optional<Operand> cell;
};

/// Builds an LSTM. With `isCoupled` the forget gate is 1 minus the input gate.
RecurrentOutputs buildLSTM(TensorBuilder &b, const RecurrentLayer &layer,
                           bool isCoupled);
/// Builds a GRU. With `resetLast` the reset gate multiplies the product of the
/// state.
RecurrentOutputs buildGRU(TensorBuilder &b, const RecurrentLayer &layer,
                          bool resetLast);
RecurrentOutputs buildRNN(TensorBuilder &b, const RecurrentLayer &layer);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_RECURRENT_H
