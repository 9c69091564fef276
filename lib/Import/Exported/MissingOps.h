// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which nodes of a program have no row.
#ifndef MPC_LIB_IMPORT_EXPORTED_MISSINGOPS_H
#define MPC_LIB_IMPORT_EXPORTED_MISSINGOPS_H

#include "lib/Import/Exported/OpTable.h"

namespace mpc::exported {

/// Whether the node computes nothing: a check that the exporter wrote down.
bool isCheck(const Node &node);

/// One error for all of the program: an op, how often, where first.
llvm::Error refuseMissingOps(const Program &program, const OpTable &table);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_MISSINGOPS_H
