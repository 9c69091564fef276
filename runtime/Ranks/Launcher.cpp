// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what launchers leave in the environment.
#include "runtime/Ranks/Launcher.h"

#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace mpc::rt {
namespace {

using Launched = Result<std::optional<LaunchedRank>>;

/// The variables of a launcher.
struct LauncherRow {
  const char *launcher;
  const char *library;
  const char *rank;
  const char *size;
  const char *localSize;
  const char *localRank;
};

// Open MPI's mpirun sets variables of PMIx too, so that its own come first.
constexpr LauncherRow kLaunchers[] = {
    {"mpirun", "openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"mpirun", "mpich", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS",
     "MPI_LOCALRANKID"},
    {"srun", "openmpi", "PMIX_RANK", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE",
     "SLURM_LOCALID"},
};
constexpr LauncherRow kTorch = {
    "torchrun", "", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "LOCAL_RANK"};

Result<uint32_t> readNumber(const char *name, const char *text) {
  std::string_view whole = text;
  uint32_t number = 0;
  auto [end, error] =
      std::from_chars(whole.data(), whole.data() + whole.size(), number);
  if (error != std::errc() || end != whole.data() + whole.size())
    return usageError(fmt::format("{}={} is not a number", name, text));
  return number;
}

Launched read(const LauncherRow &row, const Environment &variable) {
  const char *rank = variable(row.rank), *size = variable(row.size);
  if (!rank || !size)
    return std::optional<LaunchedRank>();
  LaunchedRank launched;
  launched.launcher = row.launcher;
  launched.library = row.library;
  MPC_ASSIGN_OR_RETURN(launched.rank, readNumber(row.rank, rank));
  MPC_ASSIGN_OR_RETURN(launched.size, readNumber(row.size, size));
  if (const char *local = variable(row.localSize)) {
    MPC_ASSIGN_OR_RETURN(launched.localSize, readNumber(row.localSize, local));
  }
  if (const char *local = variable(row.localRank)) {
    MPC_ASSIGN_OR_RETURN(launched.localRank, readNumber(row.localRank, local));
  }
  if (launched.rank >= launched.size)
    return usageError(
        fmt::format("{}={}, but {}={}", row.rank, rank, row.size, size));
  return std::optional(launched);
}

/// The port behind that of torchrun, which is its own.
Result<std::string> rendezvousOf(const Environment &variable) {
  const char *host = variable("MASTER_ADDR"), *port = variable("MASTER_PORT");
  if (!host || !port)
    return std::string();
  MPC_ASSIGN_OR_RETURN(uint32_t number, readNumber("MASTER_PORT", port));
  return fmt::format("{}:{}", host, number + 1);
}

/// The ranks of torchrun, of which MPI knows nothing: without NCCL each would
/// train alone.
Launched findTorch(const Environment &variable, bool hasNccl) {
  if (hasNccl) {
    MPC_ASSIGN_OR_RETURN(std::optional<LaunchedRank> found,
                         read(kTorch, variable));
    if (found) {
      MPC_ASSIGN_OR_RETURN(found->rendezvous, rendezvousOf(variable));
    }
    return found;
  }
  const char *size = variable("WORLD_SIZE");
  if (!size || !variable("TORCHELASTIC_RUN_ID") ||
      std::string_view(size) == "1")
    return std::optional<LaunchedRank>();
  return usageError(fmt::format(
      "torchrun has started {} processes, which would train alone: give "
      "--ranks=nccl for GPUs, start them by mpirun -n {}, or give --ranks=off",
      size, size));
}

} // namespace

Launched findLauncher(const Environment &variable, bool hasNccl) {
  for (const LauncherRow &row : kLaunchers) {
    MPC_ASSIGN_OR_RETURN(std::optional<LaunchedRank> found,
                         read(row, variable));
    if (found)
      return found;
  }
  return findTorch(variable, hasNccl);
}

Launched findLauncher(bool hasNccl) {
  return findLauncher(
      [](const char *name) -> const char * { return std::getenv(name); },
      hasNccl);
}

} // namespace mpc::rt
