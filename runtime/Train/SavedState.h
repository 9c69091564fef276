// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Fits a checkpoint's tensors to a program whose rule may differ.
#ifndef MPC_RUNTIME_TRAIN_SAVEDSTATE_H
#define MPC_RUNTIME_TRAIN_SAVEDSTATE_H

#include "runtime/Program/StateRecord.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Train/TrainingRule.h"

#include <span>
#include <string>
#include <vector>

namespace mpc::rt {

struct SavedState {
  std::vector<TensorView> tensors;  ///< The tensors for Runner::importState.
  std::vector<std::string> changes; ///< The differences, as sentences.
};

/// Fits the tensors of a checkpoint, which `record` describes, to a runner.
/// Numbers that the user sets, and loss scalers, keep the runner's values in
/// three cases: the checkpoint lacks them, or was written under another policy
/// or another optimizer. Such tensors that the program does not have are
/// dropped. All other tensors must fit.
Result<SavedState> fitState(const Runner &runner,
                            std::span<const TensorView> saved,
                            const StateRecord &record,
                            const TrainingRule &before,
                            const TrainingRule &now);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_SAVEDSTATE_H
