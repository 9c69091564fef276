// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a program does with its inputs, found before it is imported: state that
/// it writes is read at each step, and is no constant.
#ifndef MPC_LIB_IMPORT_EXPORTED_STATEUSE_H
#define MPC_LIB_IMPORT_EXPORTED_STATEUSE_H

#include "lib/Import/Exported/OpTable.h"
#include "llvm/ADT/StringSet.h"

namespace mpc::exported {

/// By the names of inputs.
struct StateUse {
  llvm::StringSet<> written;    ///< By ops, also through views.
  llvm::StringSet<> statistics; ///< The running ones of normalizations.
};

/// Of the graphs that nodes run too.
StateUse findStateUse(const Graph &graph, const OpTable &table);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_STATEUSE_H
