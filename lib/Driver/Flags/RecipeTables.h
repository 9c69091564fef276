// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a recipe can choose among, as tables in Markdown.
#ifndef MPC_LIB_DRIVER_FLAGS_RECIPETABLES_H
#define MPC_LIB_DRIVER_FLAGS_RECIPETABLES_H

#include <string>

namespace mpc {

/// What --loss knows: of each loss its target, its formula and its flags.
std::string describeLosses();

/// What --optimizer knows: of each optimizer its hyper-parameters with their
/// defaults, its flags and what it keeps.
std::string describeOptimizers();

} // namespace mpc

#endif // MPC_LIB_DRIVER_FLAGS_RECIPETABLES_H
