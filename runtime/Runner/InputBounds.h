// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checks whether integer inputs have values that a program can take.
#ifndef MPC_RUNTIME_RUNNER_INPUTBOUNDS_H
#define MPC_RUNTIME_RUNNER_INPUTBOUNDS_H

#include "runtime/Program/Program.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <span>

namespace mpc::rt {

/// Fails on an element of `input` outside of its bounds, if it has any, because
/// class labels and row numbers index memory. Allocates nothing unless it
/// fails.
Status checkBounds(const TensorView &input, std::span<const InputBound> bounds);

/// Whether there is anything to check.
[[nodiscard]] bool hasBounds(const TensorDesc &input,
                             std::span<const InputBound> bounds);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_INPUTBOUNDS_H
