// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the ranks of a training by flags and launcher.
#include "runtime/CommandLine/RankFlags.h"

#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Ranks/MPI/MpiRanks.h"
#include "runtime/Ranks/NCCL/NcclRanks.h"
#include "runtime/Train/Interrupt.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace mpc::rt {

void addRankFlags(CLI::App &app, RankFlags &flags) {
  app.add_option("--ranks", flags.engine,
                 "How processes that a launcher has started train together: "
                 "auto, by MPI under mpirun or srun, else alone; off, alone; "
                 "mpi, not without a launcher; nccl, on a GPU each, under "
                 "torchrun --no-python too (default: auto)")
      ->type_name("auto|off|mpi|nccl")
      ->group(flag_group::kTarget)
      ->check(oneOf({"auto", "off", "mpi", "nccl"}));
  app.add_option("--rendezvous", flags.rendezvous,
                 "Where the ranks of --ranks=nccl find each other: a port of "
                 "rank 0's machine, or a file that all see and that is not "
                 "there yet (default: the port behind torchrun's)")
      ->type_name("HOST:PORT|FILE")
      ->group(flag_group::kTarget);
  app.add_option("--rank-timeout", flags.timeout,
                 "Seconds to wait for a rank that does not answer; the process "
                 "then ends with 4 (default: 60)")
      ->type_name("SECONDS")
      ->group(flag_group::kTarget)
      ->check(CLI::Range(0.1, 1e6));
  app.add_option("--rank-patience", flags.patience,
                 "Seconds to wait for a rank that answers that it reads data, "
                 "evaluates or saves (default: 600)")
      ->type_name("SECONDS")
      ->group(flag_group::kTarget)
      ->check(CLI::Range(0.1, 1e6));
  app.add_option(
         "--check-ranks", flags.checkEvery,
         "Compare the state of all ranks after every so many steps, and "
         "end with 4 where one differs; 0: never (default: 100)")
      ->type_name("STEPS")
      ->group(flag_group::kTarget)
      ->check(CLI::NonNegativeNumber);
}

Result<std::optional<LaunchedRank>> launchedRank(const RankFlags &flags) {
  if (flags.engine == "off")
    return std::optional<LaunchedRank>();
  MPC_ASSIGN_OR_RETURN(std::optional<LaunchedRank> launched,
                       findLauncher(flags.engine == "nccl"));
  if (!launched && flags.engine != "auto")
    return usageError("--ranks=" + flags.engine +
                      ": no launcher has started this process; mpirun -n N in "
                      "front of the command does" +
                      (flags.engine == "nccl"
                           ? ", or torchrun --no-python --nproc-per-node=N"
                           : ""));
  return launched;
}

Status checkRanks(const RankFlags &flags, const Program &program) {
  MPC_ASSIGN_OR_RETURN(std::optional<LaunchedRank> launched,
                       launchedRank(flags));
  uint32_t expected = program.protocol.ranks;
  uint32_t started = launched ? launched->size : 1;
  if (expected == started)
    return {};
  if (!launched)
    return usageError(
        fmt::format("the program is for {} ranks: start it by mpirun -n {}",
                    expected, expected));
  return usageError(fmt::format(
      "{} has started {} ranks, but the program is for {}: compile it with "
      "--num-ranks={}, or give --ranks=off to train alone",
      launched->launcher, started, expected, started));
}

static RankPatience patienceOf(const RankFlags &flags) {
  return {
      std::chrono::duration<double>(flags.timeout),
      std::chrono::duration<double>(std::max(flags.timeout, flags.patience))};
}

static bool isToEnd() { return SignalGuard::received() != 0; }

static Result<std::shared_ptr<Ranks>> openByNccl(const RankFlags &flags,
                                                 const LaunchedRank &launched) {
  NcclOptions options;
  options.rank = launched.rank;
  options.size = launched.size;
  options.device = static_cast<int>(launched.localRank);
  options.rendezvous =
      flags.rendezvous.empty() ? launched.rendezvous : flags.rendezvous;
  options.patience = patienceOf(flags);
  options.isToEnd = isToEnd;
  if (options.rendezvous.empty())
    return usageError("--ranks=nccl: --rendezvous=HOST:PORT, or a file that "
                      "all ranks see, has to say where they find each other");
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<Ranks> ranks, openNccl(options));
  return ranks;
}

static Result<std::shared_ptr<Ranks>> openByMpi(const RankFlags &flags,
                                                const std::string &tool,
                                                const LaunchedRank &launched) {
  MpiOptions options;
  options.library = launched.library;
  options.patience = patienceOf(flags);
  options.isToEnd = isToEnd;
  options.giveUp = [name = fmt::format("{}: rank {}", tool, launched.rank)](
                       const std::string &reason) {
    ::_exit(reportError(name, Status(StatusCode::Peer, reason)));
  };
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<Ranks> ranks, openMpi(options));
  if (ranks->size() == launched.size)
    return ranks;
  return usageError(fmt::format(
      "{} has started {} ranks, but {} knows {}: start them by the mpirun of "
      "{}",
      launched.launcher, launched.size, launched.library, ranks->size(),
      launched.library));
}

Result<std::shared_ptr<Ranks>> openRanks(const RankFlags &flags,
                                         const std::string &tool) {
  MPC_ASSIGN_OR_RETURN(std::optional<LaunchedRank> launched,
                       launchedRank(flags));
  if (!launched || launched->size == 1)
    return std::shared_ptr<Ranks>();
  return flags.engine == "nccl" ? openByNccl(flags, *launched)
                                : openByMpi(flags, tool, *launched);
}

int threadsOf(const LaunchedRank &launched) {
  unsigned all = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int>(std::max(1u, all / std::max(1u, launched.localSize)));
}

} // namespace mpc::rt
