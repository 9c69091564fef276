// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks whose messages the test moves between its threads.
#include "mpc-c/Ranks.h"
#include "mpc-c/Checkpoints.h"
#include "test/capi/CAPITest.h"
#include "test/runtime/TempFolder.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

namespace mpc::test {
namespace {

/// Messages from a rank to a rank, in their order.
struct Wire {
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<std::pair<uint32_t, uint32_t>, std::deque<std::vector<char>>>
      messages;
};

/// One rank at the wire.
struct Plug {
  Wire *wire;
  uint32_t rank;
  bool isCut = false;
};

MpcError *exchange(void *context, const MpcRankMessage *sends, size_t numSends,
                   const MpcRankMessage *receives, size_t numReceives) {
  auto &plug = *static_cast<Plug *>(context);
  if (plug.isCut)
    return mpcErrorCreate(MPC_ERROR_ENVIRONMENT, "the wire is cut");
  std::unique_lock lock(plug.wire->mutex);
  for (size_t i = 0; i < numSends; ++i) {
    const char *data = static_cast<const char *>(sends[i].data);
    plug.wire->messages[{plug.rank, sends[i].peer}].emplace_back(
        data, data + sends[i].numBytes);
  }
  plug.wire->arrived.notify_all();
  for (size_t i = 0; i < numReceives; ++i) {
    auto &from = plug.wire->messages[{receives[i].peer, plug.rank}];
    if (!plug.wire->arrived.wait_for(lock, std::chrono::seconds(5),
                                     [&] { return !from.empty(); }))
      return mpcErrorCreate(MPC_ERROR_PEER, "a rank is missing");
    if (from.front().size() != receives[i].numBytes)
      return mpcErrorCreate(MPC_ERROR_INTERNAL, "a message of another size");
    std::memcpy(receives[i].data, from.front().data(), receives[i].numBytes);
    from.pop_front();
  }
  return nullptr;
}

/// Runs `body` with the ranks and the plug of each of `size` threads.
template <typename Body>
void onRanks(uint32_t size, Body body) {
  Wire wire;
  std::vector<std::jthread> threads;
  for (uint32_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      Plug plug{&wire, rank};
      MpcRanks *ranks = nullptr;
      EXPECT_SUCCESS(
          mpcRanksCreateCallbacks(rank, size, exchange, &plug, &ranks));
      body(ranks, plug);
      mpcRanksDestroy(ranks);
    });
}

/// A program for `ranks`, whose gradients stay those of each.
std::shared_ptr<rt::Program> makeRanksProgram(uint32_t ranks) {
  auto program = makeProgram();
  program->protocol.ranks = ranks;
  for (rt::Entry &entry : program->entries)
    if (entry.role == rt::EntryRole::Step)
      entry.inputs.push_back({"first_batch", rt::DType::I64, {}});
  return program;
}

MpcRunnerOptions optionsOf(const MpcRanks *ranks) {
  MpcRunnerOptions options = {};
  options.structSize = sizeof options;
  options.numThreads = 1;
  options.ranks = ranks;
  return options;
}

/// The message of a runner that cannot be made.
std::string createError(const std::shared_ptr<rt::Program> &of,
                        const MpcRunnerOptions &options) {
  MpcProgram *program = load(of);
  MpcRunner *runner = nullptr;
  Outcome outcome = outcomeOf(mpcRunnerCreate(program, &options, &runner));
  EXPECT_EQ(outcome.code, MPC_ERROR_USAGE);
  mpcProgramDestroy(program);
  return outcome.message;
}

TEST(CAPIRanks, ALossIsThatOfAllBatches) {
  onRanks(2, [](MpcRanks *ranks, Plug &plug) {
    Trained t(makeRanksProgram(2), optionsOf(ranks));
    t.bind();
    t.x[0] += static_cast<float>(plug.rank);
    // The mean of one process's two steps on the same weights.
    double sum = 0;
    for (int batch = 0; batch < 2; ++batch) {
      Trained alone;
      alone.bind();
      alone.x[0] += static_cast<float>(batch);
      sum += alone.step().loss;
    }
    EXPECT_EQ(t.step().loss, sum / 2);
    uint32_t rank = 7, size = 0;
    EXPECT_SUCCESS(mpcRanksGetPlace(ranks, &rank, &size));
    EXPECT_EQ(rank, plug.rank);
    EXPECT_EQ(size, 2u);
    EXPECT_SUCCESS(mpcRanksGetPlace(ranks, nullptr, nullptr));
  });
}

TEST(CAPIRanks, BeginWithOneState) {
  onRanks(3, [](MpcRanks *ranks, Plug &plug) {
    Trained t(makeRanksProgram(3), optionsOf(ranks));
    t.bind();
    std::vector<float> own = {1.0f + static_cast<float>(plug.rank), 2, 3};
    EXPECT_SUCCESS(mpcRunnerWriteState(
        t.runner, "w", View(own.data(), kF32Type, {kFeatures})));
    MpcStepResult result = {};
    result.structSize = sizeof result;
    EXPECT_FAILURE(mpcRunnerStep(t.runner, &result), MPC_ERROR_USAGE,
                   "'w' of ranks 1, 2 differs from that of rank 0: ranks begin "
                   "with one seed, or one gives its state to all");
    EXPECT_SUCCESS(mpcRunnerBroadcastState(t.runner));
    EXPECT_EQ(t.weights(), (std::vector<float>{1, 2, 3}));
    EXPECT_SUCCESS(mpcRunnerStep(t.runner, &result));
  });
}

TEST(CAPIRanks, BeginWithOneProgram) {
  onRanks(2, [](MpcRanks *ranks, Plug &plug) {
    auto program = makeRanksProgram(2);
    if (plug.rank == 1)
      program->recipe = "--precision=bf16";
    Trained t(program, optionsOf(ranks));
    t.bind();
    EXPECT_FAILURE(mpcRunnerStep(t.runner, nullptr), MPC_ERROR_USAGE,
                   "the programs of rank 1 differ from those of rank 0");
  });
}

/// The program with a slot of 6 elements, of which each of 2 ranks has 4 or 2.
std::shared_ptr<rt::Program> makeDividedProgram() {
  auto program = makeRanksProgram(2);
  auto slab = static_cast<uint32_t>(program->slabs.size());
  program->slabs.push_back({"divided", 16, 2});
  program->state.push_back({{"w/extra", rt::DType::F32, {6}},
                            rt::StateRole::Slot,
                            slab,
                            0,
                            false,
                            "w",
                            "extra"});
  return program;
}

TEST(CAPIRanks, AllReadAndWriteWhatIsDivided) {
  onRanks(2, [](MpcRanks *ranks, Plug &plug) {
    Trained t(makeDividedProgram(), optionsOf(ranks));
    float own = static_cast<float>(100 * plug.rank);
    // Each writes the whole, and keeps its part.
    const std::vector<float> given = {own,     own + 1, own + 2,
                                      own + 3, own + 4, own + 5};
    EXPECT_SUCCESS(mpcRunnerWriteState(t.runner, "w/extra",
                                       View(given.data(), kF32Type, {6})));
    std::vector<float> whole(6);
    for (int i = 0; i < 2; ++i)
      EXPECT_SUCCESS(mpcRunnerReadState(t.runner, "w/extra",
                                        View(whole.data(), kF32Type, {6})));
    EXPECT_EQ(whole, (std::vector<float>{0, 1, 2, 3, 104, 105}));
    DLManagedTensorVersioned *shared = nullptr;
    for (auto *share : {mpcRunnerShareState, mpcRunnerEditState})
      EXPECT_FAILURE(share(t.runner, "w/extra", &shared), MPC_ERROR_USAGE,
                     "'w/extra' is divided among ranks, none of which has it "
                     "whole: all read it by mpcRunnerReadState, and write it "
                     "by mpcRunnerWriteState");
    // Rank 0 saves all of it, and gives it to both.
    rt::TempFolder folder;
    MpcCheckpoints *checkpoints = nullptr;
    if (plug.rank == 0)
      EXPECT_SUCCESS(
          mpcCheckpointsOpen(folder.path("c").c_str(), nullptr, &checkpoints));
    EXPECT_SUCCESS(mpcCheckpointsSave(checkpoints, t.runner, nullptr));
    const std::vector<float> none(6);
    EXPECT_SUCCESS(mpcRunnerWriteState(t.runner, "w/extra",
                                       View(none.data(), kF32Type, {6})));
    int found = 0;
    if (plug.rank == 0)
      EXPECT_SUCCESS(
          mpcCheckpointsLoadNewest(checkpoints, t.runner, nullptr, &found));
    EXPECT_SUCCESS(mpcRunnerBroadcastState(t.runner));
    EXPECT_SUCCESS(mpcRunnerReadState(t.runner, "w/extra",
                                      View(whole.data(), kF32Type, {6})));
    EXPECT_EQ(whole, (std::vector<float>{0, 1, 2, 3, 104, 105}));
    if (plug.rank == 0)
      EXPECT_FAILURE(mpcCheckpointsSave(nullptr, t.runner, nullptr),
                     MPC_ERROR_USAGE,
                     "checkpoints is NULL: only ranks other than 0 save "
                     "without a folder, to that of rank 0");
    mpcCheckpointsDestroy(checkpoints);
  });
}

TEST(CAPIRanks, ALostRankIsAnErrorOfPeers) {
  onRanks(2, [](MpcRanks *ranks, Plug &plug) {
    Trained t(makeRanksProgram(2), optionsOf(ranks));
    t.bind();
    plug.isCut = true;
    EXPECT_FAILURE(mpcRunnerStep(t.runner, nullptr), MPC_ERROR_PEER,
                   "the wire is cut");
  });
}

TEST(CAPIRanks, AProgramIsForItsNumberOfRanks) {
  Plug plug{nullptr, 0};
  MpcRanks *ranks = nullptr;
  EXPECT_SUCCESS(mpcRanksCreateCallbacks(0, 3, exchange, &plug, &ranks));
  MpcRunnerOptions options = optionsOf(ranks);
  EXPECT_EQ(createError(makeRanksProgram(2), options),
            "the program is for 2 ranks, and there are 3");
  mpcRanksDestroy(ranks);
  EXPECT_EQ(createError(makeRanksProgram(3), options),
            "the handle of a group of ranks is invalid, or was destroyed");
}

} // namespace
} // namespace mpc::test
