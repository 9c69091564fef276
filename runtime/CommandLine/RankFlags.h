// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags by which tools train on several ranks.
#ifndef MPC_RUNTIME_COMMANDLINE_RANKFLAGS_H
#define MPC_RUNTIME_COMMANDLINE_RANKFLAGS_H

#include "runtime/Program/Program.h"
#include "runtime/Ranks/Launcher.h"
#include "runtime/Ranks/Ranks.h"
#include "runtime/Support/Status.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

namespace mpc::rt {

struct RankFlags {
  std::string engine = "auto"; ///< "auto", "off", "mpi" or "nccl".
  /// Where ranks find each other before NCCL connects them: HOST:PORT or a
  /// file; empty for what the launcher says.
  std::string rendezvous;
  double timeout = 60;      ///< In seconds, for a rank that is silent.
  double patience = 600;    ///< In seconds, for one that does something else.
  int64_t checkEvery = 100; ///< The steps between comparisons of states.
};

/// Adds --ranks, --rendezvous, --rank-timeout, --rank-patience and
/// --check-ranks.
void addRankFlags(CLI::App &app, RankFlags &flags);

/// What the launcher says of this process; empty where it trains alone. An
/// error where --ranks asks for a launcher and there is none.
Result<std::optional<LaunchedRank>> launchedRank(const RankFlags &flags);

/// Opens the ranks that the launcher has started; null where there is one.
/// Errors that end the process name the `tool`.
Result<std::shared_ptr<Ranks>> openRanks(const RankFlags &flags,
                                         const std::string &tool);

/// An error unless as many ranks were started as the program is for.
Status checkRanks(const RankFlags &flags, const Program &program);

/// The threads of each rank, where the ranks of a machine share its CPUs.
[[nodiscard]] int threadsOf(const LaunchedRank &launched);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_RANKFLAGS_H
