// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks on GPUs: this process and a child of it, each with the test driver,
// which the test NCCL connects.
#include "runtime/Ranks/NCCL/NcclRanks.h"

#include "runtime/Program/Commands.h"
#include "runtime/Runner/Runner.h"
#include "test/runtime/TempFolder.h"
#include "test/support/cuda/FakeDriver.h"

#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

class NcclRanks : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("MPC_CUDA_DRIVER", MPC_FAKE_CUDA, 1);
    ::setenv("MPC_NVRTC", MPC_FAKE_NVRTC, 1);
    ::setenv("MPC_CUBLASLT", "off", 1);
    ::setenv("MPC_NCCL", MPC_FAKE_NCCL, 1);
  }
  void TearDown() override {
    for (const char *name : {"MPC_CUDA_DRIVER", "MPC_NVRTC", "MPC_NCCL"})
      ::unsetenv(name);
  }

  static cuda::test::FakeDriver &fake() {
    void *library = ::dlopen(MPC_FAKE_CUDA, RTLD_NOW);
    auto *get = reinterpret_cast<cuda::test::FakeDriver *(*)()>(
        ::dlsym(library, cuda::test::kFakeDriverSymbol));
    return *get();
  }

  std::unique_ptr<Ranks> join(uint32_t rank) {
    fake().reset({});
    NcclOptions options;
    options.rank = rank;
    options.size = 2;
    options.rendezvous = folder_.path("meet");
    options.patience = patience_;
    auto ranks = openNccl(options);
    EXPECT_TRUE(ranks.ok()) << ranks.status().message();
    return ranks.ok() ? *std::move(ranks) : nullptr;
  }

  /// Calls `body` as rank 1, in a child, and as rank 0, here.
  void onBoth(const std::function<void(Ranks &)> &body) {
    apart([&](Ranks &ranks) { body(ranks); },
          [&](Ranks &ranks) { body(ranks); });
    int status = 0;
    ASSERT_EQ(::waitpid(child_, &status, 0), child_);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }

  /// Calls `first` as rank 0 and `second` as rank 1. The child lives on, or
  /// ends after it.
  void apart(const std::function<void(Ranks &)> &first,
             const std::function<void(Ranks &)> &second) {
    child_ = ::fork();
    if (child_ == 0) {
      if (std::unique_ptr<Ranks> ranks = join(1))
        second(*ranks);
      ::_exit(HasFailure() ? 1 : 0);
    }
    std::unique_ptr<Ranks> ranks = join(0);
    ASSERT_TRUE(ranks);
    first(*ranks);
  }

  TempFolder folder_;
  RankPatience patience_;
  pid_t child_ = 0;
};

/// A program for two GPUs, whose entry "eval" deals out `count` integers in
/// parts of `part`, joins what rank 0 has of each again, and takes the own
/// part.
std::shared_ptr<Program> makeProgram(int64_t count, int64_t part) {
  auto program = std::make_shared<Program>();
  program->target = CudaTarget{*CudaArch::parse("90")};
  uint64_t whole = count * sizeof(int32_t), own = part * sizeof(int32_t);
  std::vector<Parts> parts = {Parts{2, whole, own}};
  auto collective = [&](CollectiveKind kind, BufferRef from, BufferRef to) {
    return Launch{
        "", "", {from, to}, 1, std::make_shared<Collective>(kind, parts)};
  };
  Entry entry;
  entry.name = "eval";
  entry.inputs = {{"x", DType::I32, {count}}};
  entry.outputs = {{"parts", DType::I32, {2 * part}},
                   {"whole", DType::I32, {count}},
                   {"own", DType::I32, {part}}};
  entry.launches = {
      collective(CollectiveKind::AllToAll, {Space::Input, 0, 0, whole},
                 {Space::Output, 0, 0, 2 * own}),
      collective(CollectiveKind::AllGather, {Space::Output, 0, 0, own},
                 {Space::Output, 1, 0, whole}),
      collective(CollectiveKind::TakePart, {Space::Input, 0, 0, whole},
                 {Space::Output, 2, 0, own})};
  program->entries = {entry};
  return program;
}

/// Number `i` of the integers of a rank.
int32_t valueOf(int64_t rank, int64_t i) {
  return static_cast<int32_t>(1000 * (rank + 1) + i);
}

struct Moved {
  std::vector<int32_t> parts, whole, own;
};

Status move(Runner &runner, uint32_t rank, int64_t count, int64_t part,
            Moved &moved) {
  std::vector<int32_t> x;
  for (int64_t i = 0; i < count; ++i)
    x.push_back(valueOf(rank, i));
  moved.parts.assign(2 * part, -1);
  moved.whole.assign(count, -1);
  moved.own.assign(part, -1);
  const void *inputs[] = {x.data()};
  void *outputs[] = {moved.parts.data(), moved.whole.data(), moved.own.data()};
  return runner.run("eval", inputs, outputs);
}

std::unique_ptr<Runner> runnerOf(std::shared_ptr<Program> program,
                                 Ranks &ranks) {
  RunnerOptions options{1};
  options.ranks = &ranks;
  auto runner = Runner::create(std::move(program), options);
  EXPECT_TRUE(runner.ok()) << runner.status().message();
  return runner.ok() ? *std::move(runner) : nullptr;
}

TEST_F(NcclRanks, MovePartsInOneGraph) {
  onBoth([](Ranks &ranks) {
    int64_t rank = ranks.rank();
    for (auto [count, part] : {std::pair<int64_t, int64_t>{2, 1},
                               {7, 4},
                               {5, 8}, // Rank 1 has nothing.
                               {3001, 1501}}) {
      std::unique_ptr<Runner> runner =
          runnerOf(makeProgram(count, part), ranks);
      ASSERT_TRUE(runner);
      int before = fake().count("cuGraphLaunch");
      for (int run = 0; run < 3; ++run) {
        Moved moved;
        Status status = move(*runner, ranks.rank(), count, part, moved);
        ASSERT_TRUE(status.ok()) << status.message();
        int64_t begin = std::min(rank * part, count);
        int64_t own = std::min(part, count - begin);
        for (int64_t peer = 0; peer < 2; ++peer)
          for (int64_t i = 0; i < own; ++i)
            EXPECT_EQ(moved.parts[peer * part + i], valueOf(peer, begin + i));
        // Both have given what they had of rank 0.
        for (int64_t i = 0; i < count; ++i)
          EXPECT_EQ(moved.whole[i], valueOf(0, i)) << i;
        for (int64_t i = 0; i < part; ++i)
          EXPECT_EQ(moved.own[i], i < own ? valueOf(rank, begin + i) : 0) << i;
      }
      EXPECT_EQ(fake().count("cuGraphLaunch") - before, 3);
    }
  });
}

TEST_F(NcclRanks, HostsExchangeToo) {
  onBoth([](Ranks &ranks) {
    auto all = ranks.gatherValues<int64_t>({ranks.rank() + 10, 7});
    ASSERT_TRUE(all.ok()) << all.status().message();
    EXPECT_EQ(*all, (std::vector<int64_t>{10, 7, 11, 7}));
    // Two messages to the same rank, of other lengths.
    std::vector<int32_t> first = {valueOf(ranks.rank(), 0)},
                         second = {valueOf(ranks.rank(), 1),
                                   valueOf(ranks.rank(), 2)},
                         firsts(2), seconds(4);
    auto moved = [](std::vector<int32_t> &from, std::vector<int32_t> &to) {
      uint64_t own = from.size() * sizeof(int32_t);
      return MovedTensor{reinterpret_cast<const std::byte *>(from.data()),
                         reinterpret_cast<std::byte *>(to.data()),
                         {2, 2 * own, own}};
    };
    MovedTensor tensors[] = {moved(first, firsts), moved(second, seconds)};
    EXPECT_TRUE(ranks.allGather(tensors).ok());
    EXPECT_EQ(firsts, (std::vector<int32_t>{1000, 2000}));
    EXPECT_EQ(seconds, (std::vector<int32_t>{1001, 1002, 2001, 2002}));
    std::string text = ranks.isFirst() ? "from rank 0" : "";
    EXPECT_TRUE(ranks.broadcast(text).ok());
    EXPECT_EQ(text, "from rank 0");
    // More than what lies on the GPU at a time, and no whole number of that.
    std::vector<uint32_t> longer(((size_t{33} << 20) + 12) / 4);
    for (size_t i = 0; ranks.isFirst() && i < longer.size(); ++i)
      longer[i] = static_cast<uint32_t>(i);
    EXPECT_TRUE(
        ranks.broadcast(std::as_writable_bytes(std::span(longer))).ok());
    size_t wrong = 0;
    for (size_t i = 0; i < longer.size(); ++i)
      wrong += longer[i] != i ? 1 : 0;
    EXPECT_EQ(wrong, 0u);
  });
}

TEST_F(NcclRanks, OneThatHasEndedIsFound) {
  apart(
      [](Ranks &ranks) {
        std::unique_ptr<Runner> runner = runnerOf(makeProgram(4, 2), ranks);
        ASSERT_TRUE(runner);
        Moved moved;
        Status status = move(*runner, 0, 4, 2, moved);
        EXPECT_EQ(status.code(), StatusCode::Peer);
        EXPECT_EQ(status.message(), "NCCL: remote process exited or there was "
                                    "a network error (6)");
        // It is final.
        EXPECT_EQ(ranks.gatherValues<int>({1}).status().message(),
                  status.message());
      },
      [](Ranks &) { ::_exit(0); });
  ::waitpid(child_, nullptr, 0);
}

TEST_F(NcclRanks, OneThatIsSilentIsLeft) {
  patience_.others = std::chrono::duration<double>(0.3);
  apart(
      [](Ranks &ranks) {
        std::unique_ptr<Runner> runner = runnerOf(makeProgram(4, 2), ranks);
        ASSERT_TRUE(runner);
        Moved moved;
        Status status = move(*runner, 0, 4, 2, moved);
        EXPECT_EQ(status.code(), StatusCode::Peer);
        EXPECT_EQ(status.message(), "waited 0.3 s for another rank");
      },
      [](Ranks &) { ::pause(); });
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

TEST_F(NcclRanks, OneThatDoesNotComeIsSaid) {
  fake().reset({});
  NcclOptions options;
  options.rank = 1;
  options.size = 2;
  options.rendezvous = folder_.path("meet");
  options.patience.silence = std::chrono::duration<double>(0.1);
  EXPECT_EQ(openNccl(options).status().message(),
            "--rendezvous: rank 0 has not written " + folder_.path("meet") +
                " after 0.1 s");
  // Rank 0 has written, and nobody has come.
  options.rank = 0;
  EXPECT_EQ(openNccl(options).status().message(),
            "waited 0.1 s for another rank");
  EXPECT_NE(::access(folder_.path("meet").c_str(), F_OK), 0);
}

} // namespace
} // namespace mpc::rt
