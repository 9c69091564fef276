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

/// The parameters and buffers of a program's state, by their own names.
[[nodiscard]] std::vector<std::string> modelNames(const Program &program);
/// What these are at this moment.
Result<std::vector<TensorView>> modelTensors(const Runner &runner);

/// Writes parameters and buffers, and nothing else of the state, under the
/// names that the model has for them: one that modules share under each.
Status exportWeights(const Runner &runner, const std::string &path);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_EXPORTEDWEIGHTS_H
