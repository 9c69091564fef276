// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ranks that an MPI launcher has started.
#ifndef MPC_RUNTIME_RANKS_MPI_MPIRANKS_H
#define MPC_RUNTIME_RANKS_MPI_MPIRANKS_H

#include "runtime/Ranks/Ranks.h"
#include "runtime/Ranks/RollCall.h"

#include <functional>
#include <memory>
#include <string>

namespace mpc::rt {

struct MpiOptions {
  /// The module for the launcher's library: "openmpi" or "mpich".
  std::string library;
  RankPatience patience;
  /// Whether this process was asked to end. It then waits no longer than a
  /// launcher does that ends its ranks.
  std::function<bool()> isToEnd;
  /// Called from another thread, with what is the matter, where MPI itself has
  /// not started or not ended after the silence of `patience`: a rank is
  /// missing, and no call of MPI returns. It must end the process.
  std::function<void(const std::string &)> giveUp;
};

/// Opens the library's module, which lies in lib/mpc beside the program, and
/// starts MPI in this process. At most once in a process.
Result<std::unique_ptr<Ranks>> openMpi(const MpiOptions &options);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RANKS_MPI_MPIRANKS_H
