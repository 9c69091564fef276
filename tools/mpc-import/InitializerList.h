// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The table that --list-parameters prints.
#ifndef MPC_TOOLS_MPC_IMPORT_INITIALIZERLIST_H
#define MPC_TOOLS_MPC_IMPORT_INITIALIZERLIST_H

#include "lib/Import/Model.h"

#include <string>
#include <vector>

namespace mpc {

/// Name, shape, element type, role and rule of each initializer, in columns.
std::string listInitializers(const std::vector<InitializerRole> &initializers);

} // namespace mpc

#endif // MPC_TOOLS_MPC_IMPORT_INITIALIZERLIST_H
