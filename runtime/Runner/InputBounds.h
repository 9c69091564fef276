// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether integer inputs hold what a program can take.
#ifndef MPC_RUNTIME_RUNNER_INPUTBOUNDS_H
#define MPC_RUNTIME_RUNNER_INPUTBOUNDS_H

#include "runtime/Program/Program.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <span>

namespace mpc::rt {

/// Fails on an element of `input` that is outside of its bounds, if it has any:
/// class labels and row numbers index memory. Allocates nothing where it does
/// not fail.
Status checkBounds(const TensorView &input, std::span<const InputBound> bounds);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_INPUTBOUNDS_H
