// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sets the first state of a run: the program's, and a file's (`--init`).
#ifndef MPC_RUNTIME_TRAIN_INITIALWEIGHTS_H
#define MPC_RUNTIME_TRAIN_INITIALWEIGHTS_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpc::rt {

/// Sets the state to the program's first values, with random ones drawn from
/// `seed`, and computes the state that follows from them. Returns the names of
/// tensors without values, which stay zero. Tensors that are shared with
/// another runner stay unchanged.
Result<std::vector<std::string>> drawState(Runner &runner, uint64_t seed);

/// Sets the state to the program's first values, with random ones drawn from
/// `seed`, and computes the state that follows from them. Values in `initFile`
/// (empty for none) take precedence. An error names a weight whose values are
/// neither in the program nor in the file, and so does an error for a value of
/// the wrong shape.
Status initializeState(Runner &runner, const std::string &initFile,
                       uint64_t seed);

/// Replaces each weight by its average in `initFile`, a checkpoint of a
/// training with --ema. Weights without an average stay unchanged.
Status initializeAverages(Runner &runner, const std::string &initFile);

/// The differences between a file of weights and a program.
struct InitialWeightsReport {
  std::vector<std::string> loaded; ///< The weights that were set from the file.
  std::vector<std::string> unused; ///< The tensors that name no weight.
  std::vector<std::string> missing; ///< The parameters that keep their values.
};

/// Sets parameters and buffers by name from a safetensors file, and computes
/// the state that follows from them. A tensor of another shape or type is an
/// error, and so is a file without any weight.
Result<InitialWeightsReport> loadInitialWeights(Runner &runner,
                                                const std::string &path);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_INITIALWEIGHTS_H
