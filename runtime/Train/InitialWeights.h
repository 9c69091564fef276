// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The state that a run begins with: the program's, and a file's (`--init`).
#ifndef MPC_RUNTIME_TRAIN_INITIALWEIGHTS_H
#define MPC_RUNTIME_TRAIN_INITIALWEIGHTS_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpc::rt {

/// Sets the state as the program's initial values say, what is drawn from
/// `seed`, and derives what follows from it. The names of those that the
/// program has no value of: they stay zeros. What lies in another runner's
/// state stays as it is.
Result<std::vector<std::string>> drawState(Runner &runner, uint64_t seed);

/// Sets the state as the program's initial values say, and derives what follows
/// from it: what `initFile` has (empty for none) is the file's, what is drawn
/// comes from `seed`. A weight whose values lie outside and that the file lacks
/// is an error that names it, and so is a value of the wrong shape.
Status initializeState(Runner &runner, const std::string &initFile,
                       uint64_t seed);

/// Replaces each weight by its average in `initFile`, a checkpoint of a
/// training with --ema. Weights without an average stay.
Status initializeAverages(Runner &runner, const std::string &initFile);

/// What a file of weights and a program did not have in common.
struct InitialWeightsReport {
  std::vector<std::string> loaded;  ///< Weights that are the file's now.
  std::vector<std::string> unused;  ///< Tensors that name no weight.
  std::vector<std::string> missing; ///< Parameters that keep their values.
};

/// Sets parameters and buffers by name from a safetensors file and derives what
/// follows from them. A tensor of another shape or type is an error, and so is
/// a file that names no weight at all.
Result<InitialWeightsReport> loadInitialWeights(Runner &runner,
                                                const std::string &path);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_INITIALWEIGHTS_H
