// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs a recorded optimizer step (schema mpc-optimizer-step/1) on the compiled
/// step, for `mpc-scale step`.
#ifndef MPC_LIB_DRIVER_OPTIMIZERCASE_H
#define MPC_LIB_DRIVER_OPTIMIZERCASE_H

#include "runtime/Support/Status.h"

#include <string>
#include <string_view>

namespace mpc {

/// Runs the case in the JSON `text`. Returns one JSON line for each step; see
/// docs/command-line.md, "mpc-scale". Without `fuse` every structured op is a
/// kernel of its own.
rt::Result<std::string> runOptimizerCase(std::string_view text, bool fuse);

} // namespace mpc

#endif // MPC_LIB_DRIVER_OPTIMIZERCASE_H
