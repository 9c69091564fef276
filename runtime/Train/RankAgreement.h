// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the ranks of a training must agree on outside of their steps.
#ifndef MPC_RUNTIME_TRAIN_RANKAGREEMENT_H
#define MPC_RUNTIME_TRAIN_RANKAGREEMENT_H

#include "runtime/Ranks/Ranks.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Checkpoint.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mpc::rt {

// `ranks` may be null in all functions: a process alone agrees with itself.

/// `own`, or an error where another rank has one: no rank goes on alone. All
/// ranks must call it.
Status agree(Ranks *ranks, const Status &own);

/// Something that must be the same on all ranks: its name, as in "the data",
/// and text that tells differences apart.
struct SharedFact {
  std::string name;
  std::string text;
};
/// An error that names the first fact that differs, and the ranks. All ranks
/// must have the same facts in the same order.
Status compareFacts(Ranks *ranks, const std::vector<SharedFact> &facts);

/// An error of the code Peer that names the first tensor of the state whose
/// bytes differ, and the ranks that differ from rank 0. Tensors that are
/// divided among ranks are not compared. All ranks must call it after the same
/// step.
Status compareStates(Ranks *ranks, const Runner &runner);

/// As compareStates(), for ranks that have not trained yet: an error of the
/// caller's.
Status compareFirstStates(Ranks *ranks, const Runner &runner);

/// Gives all ranks the state of rank 0, and the position that it resumed; empty
/// where it starts from the beginning.
///
/// `parts` is the folder of a checkpoint in parts that rank 0 has loaded: what
/// is divided each rank reads from there.
Status shareStart(Ranks *ranks, Runner &runner,
                  std::optional<TrainPosition> &position,
                  std::string parts = {});

/// Calls `use` on rank 0, in whose memory the state of all ranks is meanwhile.
/// Returns its error there, and on the others that of moving the state.
Status withWholeState(Runner &runner, const std::function<Status()> &use);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_RANKAGREEMENT_H
