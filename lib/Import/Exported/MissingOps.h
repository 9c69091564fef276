// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which nodes of a program have no row.
#ifndef MPC_LIB_IMPORT_EXPORTED_MISSINGOPS_H
#define MPC_LIB_IMPORT_EXPORTED_MISSINGOPS_H

#include "lib/Import/Exported/OpTable.h"
#include "llvm/ADT/DenseSet.h"

namespace mpc::exported {

/// Whether the importer reads such a node: an op with a row, a region, or a
/// check that the exporter wrote down.
bool isKnown(const Node &node, const OpTable &table);

/// The nodes of a graph that are left out: checks that the exporter wrote down,
/// and what only they read, where the importer does not know it.
llvm::DenseSet<const Node *> findPassedOver(const Graph &graph,
                                            const OpTable &table);

/// One error for all of the program: an op, how often, where first.
llvm::Error refuseMissingOps(const Program &program, const OpTable &table);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_MISSINGOPS_H
