// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The launcher that started this process as one rank of several: mpirun, srun.
#ifndef MPC_RUNTIME_RANKS_LAUNCHER_H
#define MPC_RUNTIME_RANKS_LAUNCHER_H

#include "runtime/Support/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace mpc::rt {

/// What a launcher says of this process.
struct LaunchedRank {
  std::string launcher; ///< "mpirun", for messages.
  std::string library;  ///< The MPI: "openmpi" or "mpich"; empty for torchrun.
  uint32_t rank = 0, size = 1;
  /// The ranks on this machine, and the number of this one among them.
  uint32_t localSize = 1, localRank = 0;
  /// Where torchrun's ranks may find each other: the port behind its own, at
  /// the same host. Empty for other launchers.
  std::string rendezvous;
};

/// Reads an environment variable; null where it is not set.
using Environment = std::function<const char *(const char *name)>;

/// What the launcher says; empty where there is none. An error where it starts
/// ranks that would not find each other: those of torchrun do by NCCL alone.
Result<std::optional<LaunchedRank>> findLauncher(const Environment &variable,
                                                 bool hasNccl);
Result<std::optional<LaunchedRank>> findLauncher(bool hasNccl);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RANKS_LAUNCHER_H
