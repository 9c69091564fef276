// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Nodes that run graphs: contexts like torch.no_grad() and torch.autocast,
/// branches and loops.
#ifndef MPC_LIB_IMPORT_EXPORTED_REGIONS_H
#define MPC_LIB_IMPORT_EXPORTED_REGIONS_H

#include "lib/Import/Exported/GraphImporter.h"

namespace mpc::exported {

/// Imports `node` of `graph`. Errors have no place.
using RegionEmitter = llvm::Error (*)(GraphImporter &importer, const Node &node,
                                      const Graph &graph, Scope &scope);

/// Null where a node of this target runs no graph.
RegionEmitter findRegion(llvm::StringRef target);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_REGIONS_H
