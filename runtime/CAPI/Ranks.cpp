// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks over C: those of MPI, and those whose messages the caller moves.
#include "runtime/CAPI/Ranks.h"

#include "runtime/CAPI/Boundary.h"
#include "runtime/CAPI/OnRunner.h"
#include "runtime/Ranks/Launcher.h"
#include "runtime/Ranks/MPI/MpiRanks.h"
#include "runtime/Ranks/NCCL/NcclRanks.h"

#include <atomic>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

using namespace mpc::rt;

namespace {

/// Ranks whose messages a function of the caller moves.
class CallbackRanks final : public Ranks {
public:
  CallbackRanks(uint32_t rank, uint32_t size, MpcExchangeFunction function,
                void *context)
      : Ranks(rank, size), function_(function), context_(context) {}

protected:
  Status exchange(std::span<const Outgoing> sends,
                  std::span<const Incoming> receives) override {
    std::vector<MpcRankMessage> out, in;
    // C has one type for both directions, and sent bytes are only read.
    for (const Outgoing &one : sends)
      out.push_back({one.to, const_cast<std::byte *>(one.bytes.data()),
                     one.bytes.size()});
    for (const Incoming &one : receives)
      in.push_back({one.from, one.bytes.data(), one.bytes.size()});
    Status status = takeError(
        function_(context_, out.data(), out.size(), in.data(), in.size()));
    return status.ok() ? status : Status(StatusCode::Peer, status.message());
  }

private:
  MpcExchangeFunction function_;
  void *context_;
};

/// The seconds that a caller gives, or the default for 0.
Result<std::chrono::duration<double>> secondsOf(const char *what, double given,
                                                double byDefault) {
  if (!(given >= 0 && given <= 1e6))
    return usageError(
        fmt::format("{} is {}, expected 0 to 1000000 seconds", what, given));
  return std::chrono::duration<double>(given == 0 ? byDefault : given);
}

[[noreturn]] void endProcess(uint32_t rank, const std::string &reason) {
  std::string text = fmt::format("rank {}: error: {}\n", rank, reason);
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(static_cast<int>(StatusCode::Peer));
}

Result<RankPatience> patienceOf(double timeout, double patience) {
  RankPatience seconds;
  MPC_ASSIGN_OR_RETURN(seconds.silence, secondsOf("timeout", timeout, 60));
  MPC_ASSIGN_OR_RETURN(seconds.others, secondsOf("patience", patience, 600));
  return seconds;
}

Status checkPlace(uint32_t rank, uint32_t size) {
  return rank < size
             ? Status()
             : usageError(fmt::format("rank {} of {}: ranks are counted from 0",
                                      rank, size));
}

Result<std::unique_ptr<Ranks>> joinNccl(const MpcNcclOptions &given) {
  MPC_RETURN_IF_ERROR(checkPlace(given.rank, given.size));
  if (!given.rendezvous || !*given.rendezvous || given.device < 0)
    return usageError("a GPU and a rendezvous are needed: HOST:PORT, or a file "
                      "that all ranks see");
  NcclOptions options;
  options.rank = given.rank;
  options.size = given.size;
  options.device = given.device;
  options.rendezvous = given.rendezvous;
  MPC_ASSIGN_OR_RETURN(options.patience,
                       patienceOf(given.timeout, given.patience));
  return openNccl(options);
}

Result<std::unique_ptr<Ranks>> joinMpi(const MpcRanksOptions &given) {
  MPC_ASSIGN_OR_RETURN(std::optional<LaunchedRank> launched,
                       findLauncher(/*hasNccl=*/false));
  if (!launched)
    return usageError("no launcher has started this process: mpirun -n N in "
                      "front of the command does");
  MpiOptions options;
  options.library = launched->library;
  MPC_ASSIGN_OR_RETURN(options.patience,
                       patienceOf(given.timeout, given.patience));
  options.isToEnd = [] { return false; };
  options.giveUp = [rank = launched->rank](const std::string &reason) {
    endProcess(rank, reason);
  };
  static std::atomic<bool> isStarted = false;
  if (isStarted.exchange(true))
    return usageError("MPI starts once in a process: keep its ranks");
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<Ranks> ranks, openMpi(options));
  if (ranks->size() == launched->size)
    return ranks;
  return usageError(fmt::format(
      "{} has started {} ranks, but {} knows {}: start them by the mpirun of "
      "{}",
      launched->launcher, launched->size, launched->library, ranks->size(),
      launched->library));
}

/// A process must not end before its MPI has, and some never destroy their
/// handles.
void endAtExit(const std::shared_ptr<Ranks> &ranks) {
  static std::weak_ptr<Ranks> joined;
  joined = ranks;
  (void)std::atexit([] {
    if (std::shared_ptr<Ranks> left = joined.lock())
      left->end();
  });
}

Status give(std::shared_ptr<Ranks> ranks, MpcRanks **out) {
  return giveHandle(std::make_shared<OpenRanks>(OpenRanks{std::move(ranks)}),
                    out);
}

} // namespace

MpcError *mpcRanksCreateMPI(const MpcRanksOptions *options, MpcRanks **ranks) {
  return guarded([&]() -> Status {
    MPC_RETURN_IF_ERROR(needs("ranks", ranks));
    MpcRanksOptions known = {};
    MPC_RETURN_IF_ERROR(takeOptions(options, known));
    MPC_ASSIGN_OR_RETURN(std::shared_ptr<Ranks> joined, joinMpi(known));
    endAtExit(joined);
    return give(std::move(joined), ranks);
  });
}

MpcError *mpcRanksCreateNCCL(const MpcNcclOptions *options, MpcRanks **ranks) {
  return guarded([&]() -> Status {
    MPC_RETURN_IF_ERROR(needs("ranks", ranks));
    MPC_RETURN_IF_ERROR(needs("options", options));
    MpcNcclOptions known = {};
    MPC_RETURN_IF_ERROR(takeOptions(options, known));
    MPC_ASSIGN_OR_RETURN(std::shared_ptr<Ranks> joined, joinNccl(known));
    return give(std::move(joined), ranks);
  });
}

MpcError *mpcRanksCreateCallbacks(uint32_t rank, uint32_t size,
                                  MpcExchangeFunction exchange, void *context,
                                  MpcRanks **ranks) {
  return guarded([&]() -> Status {
    MPC_RETURN_IF_ERROR(needs("ranks", ranks));
    MPC_RETURN_IF_ERROR(needs("exchange", reinterpret_cast<void *>(exchange)));
    MPC_RETURN_IF_ERROR(checkPlace(rank, size));
    return give(std::make_shared<CallbackRanks>(rank, size, exchange, context),
                ranks);
  });
}

MpcError *mpcRanksGetPlace(const MpcRanks *ranks, uint32_t *rank,
                           uint32_t *size) {
  return guarded([&]() -> Status {
    MPC_ASSIGN_OR_RETURN(OpenRanks * open, objectOf(ranks));
    if (rank)
      *rank = open->ranks->rank();
    if (size)
      *size = open->ranks->size();
    return {};
  });
}

MpcError *mpcRunnerBroadcastState(MpcRunner *runner) {
  return onRunner(runner,
                  [](Session &session) { return session.broadcastState(); });
}

void mpcRanksDestroy(MpcRanks *ranks) {
  (void)guarded([&]() -> Status {
    (void)removeHandle(HandleKind::Ranks, ranks);
    return {};
  });
}
