// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Recurrent layers, as copies of a step.
#ifndef MPC_LIB_IMPORT_BUILD_RECURRENT_H
#define MPC_LIB_IMPORT_BUILD_RECURRENT_H

#include "lib/Import/Build/RecurrentActivations.h"

namespace mpc::build {

/// What LSTM, GRU and RNN share. D is the number of directions.
struct RecurrentLayer {
  int64_t gates, steps, batch, input, hidden, directions;
  bool reverse;
  /// Of an LSTM.
  bool hasCell;
  /// The batch is the first axis of X, the outputs and the states.
  bool batchFirst;
  /// Of all directions.
  llvm::SmallVector<RecurrentActivation> activations = {};
  /// [batch], where sequences are of several lengths.
  std::optional<Operand> lengths = {};
  /// [steps, batch, input], [D, gates * hidden, input] and [D, gates * hidden,
  /// hidden].
  Operand x = {}, w = {}, r = {};
  /// [D, 2 * gates * hidden], of the inputs and of the states.
  std::optional<Operand> bias = {};
  /// [D, batch, hidden]; zeros where there is none.
  std::optional<Operand> state = {}, cell = {};
  /// [D, 3 * hidden], of the input, output and forget gates on the cell.
  std::optional<Operand> peepholes = {};
  /// The states of all steps are outputs.
  bool wantsSteps = true;
};

struct RecurrentOutputs {
  /// [steps, D, batch, hidden]
  std::optional<Operand> steps;
  /// [D, batch, hidden], of the last steps.
  Operand state;
  std::optional<Operand> cell;
};

/// `isCoupled`: the forget gate is one less the input gate.
RecurrentOutputs buildLSTM(TensorBuilder &b, const RecurrentLayer &layer,
                           bool isCoupled);
/// `resetLast`: the reset gate goes on what the product gave.
RecurrentOutputs buildGRU(TensorBuilder &b, const RecurrentLayer &layer,
                          bool resetLast);
RecurrentOutputs buildRNN(TensorBuilder &b, const RecurrentLayer &layer);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_RECURRENT_H
