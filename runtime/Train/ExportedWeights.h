// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A trained model's weights as a file of its framework.
#ifndef MPC_RUNTIME_TRAIN_EXPORTEDWEIGHTS_H
#define MPC_RUNTIME_TRAIN_EXPORTEDWEIGHTS_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"

#include <string>
#include <vector>

namespace mpc::rt {

/// The names of the parameters and buffers in a program's state.
[[nodiscard]] std::vector<std::string> modelNames(const Program &program);
/// Their current values.
Result<std::vector<TensorView>> modelTensors(const Runner &runner);

/// Writes only parameters and buffers, under the model's names. A parameter
/// that modules share is written under each of its names.
Status exportWeights(const Runner &runner, const std::string &path);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_EXPORTEDWEIGHTS_H
