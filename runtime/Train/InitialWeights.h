// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Initial weights from a file (`--init`).
#ifndef MPC_RUNTIME_TRAIN_INITIALWEIGHTS_H
#define MPC_RUNTIME_TRAIN_INITIALWEIGHTS_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"

#include <string>
#include <vector>

namespace mpc::rt {

/// What a file of weights and a program did not have in common.
struct InitialWeightsReport {
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
