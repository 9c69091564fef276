// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The choices of a recipe, as tables in Markdown.
#ifndef MPC_LIB_DRIVER_FLAGS_RECIPETABLES_H
#define MPC_LIB_DRIVER_FLAGS_RECIPETABLES_H

#include <string>

namespace mpc {

/// The losses of --loss: the target, formula and flags of each.
std::string describeLosses();

/// The optimizers of --optimizer: the hyper-parameters of each with their
/// defaults, its flags, and the state that it keeps.
std::string describeOptimizers();

} // namespace mpc

#endif // MPC_LIB_DRIVER_FLAGS_RECIPETABLES_H
