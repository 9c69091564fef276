// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program around the library may have done: its floating-point mode, its
// locale, its threads, and that it forks.
#include "test/capi/CAPITest.h"
#include "test/runtime/FlushMode.h"
#include "test/runtime/TempFolder.h"

#include <atomic>
#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <locale>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace mpc::test {
namespace {

/// Numbers for which every mode other than the default gives other results.
struct Numbers {
  Numbers() {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = 1.0f / float(i + 3);
  }
  std::array<float, kBatch * kFeatures> x;
  float large = 0.7f,
        small = 2e-38f; ///< Quotients of the second are subnormal.
};

/// Made before any test changes the mode.
const Numbers kNumbers;

/// The bits that a training of some steps and two evaluations come to.
std::vector<uint32_t> bitsOf(int threads = 4) {
  MpcRunnerOptions options = {};
  options.numThreads = threads;
  Trained t(makeProgram(), options);
  t.bind(0.1);
  t.x = kNumbers.x;
  EXPECT_SUCCESS(mpcRunnerBindInput(t.runner, "label", t.labelView));
  for (int i = 0; i < 3; ++i)
    t.step();
  std::vector<float> values = t.weights();
  for (float first : {kNumbers.large, kNumbers.small}) {
    t.x[0] = first;
    EXPECT_SUCCESS(mpcRunnerEvaluate(t.runner));
    std::vector<float> grid(kGrid);
    EXPECT_SUCCESS(mpcRunnerReadOutput(t.runner, "grid",
                                       View(grid.data(), kF32Type, {kGrid})));
    values.insert(values.end(), grid.begin(), grid.end());
  }
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

class CAPIHost : public testing::Test {
protected:
  CAPIHost() : expected_(bitsOf()) {}
  std::vector<uint32_t> expected_;
};

TEST_F(CAPIHost, FlushingSubnormalsDecidesNothing) {
  if (!rt::FlushMode::kSupported)
    GTEST_SKIP() << "no such mode on this processor";
  std::vector<uint32_t> bits;
  {
    [[maybe_unused]] rt::FlushMode flush;
    bits = bitsOf();
    volatile float tiny = 1e-40f;
    EXPECT_EQ(tiny * 1.0f, 0) << "the caller's mode is gone";
  }
  EXPECT_EQ(bits, expected_);
}

TEST_F(CAPIHost, RoundingModeDecidesNothing) {
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    std::vector<uint32_t> bits = bitsOf();
    EXPECT_EQ(std::fegetround(), mode);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(bits, expected_);
  }
}

TEST_F(CAPIHost, TrapsDecideNothing) {
  feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW |
                 FE_INEXACT);
  std::vector<uint32_t> bits;
  {
    // This test's own arithmetic may not trap.
    std::thread([&] {
      fedisableexcept(FE_ALL_EXCEPT);
      bits = bitsOf();
    }).join();
  }
  Trained t;
  t.bind();
  t.x[0] = INFINITY;
  EXPECT_SUCCESS(mpcRunnerStep(t.runner, nullptr));
  EXPECT_NE(fegetexcept(), 0);
  fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(bits, expected_);
}

/// What is written to a file, and read from one.
std::string checkpointBytes() {
  rt::TempFolder folder;
  Trained t;
  t.bind(0.1);
  t.step();
  EXPECT_SUCCESS(mpcRunnerWriteNumber(t.runner, "scale", 1234567.5));
  MpcCheckpoints *checkpoints = nullptr;
  int found = 0;
  EXPECT_SUCCESS(
      mpcCheckpointsOpen(folder.path("run").c_str(), nullptr, &checkpoints));
  EXPECT_SUCCESS(mpcCheckpointsSave(checkpoints, t.runner, nullptr));
  EXPECT_SUCCESS(
      mpcCheckpointsLoadNewest(checkpoints, t.runner, nullptr, &found));
  EXPECT_EQ(found, 1);
  mpcCheckpointsDestroy(checkpoints);
  EXPECT_FAILURE(mpcRunnerUpdateScale(t.runner, nullptr, -1234567.5),
                 MPC_ERROR_INVALID_INPUT,
                 "a loss scale must be positive and finite in f32, not "
                 "-1234567.5");
  return rt::readText(folder.path("run/ckpt-00000001.safetensors"));
}

/// Makes a program's numbers appear with commas, so far as it asks.
struct Commas : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_F(CAPIHost, LocaleOfCppDecidesNothing) {
  std::string bytes = checkpointBytes();
  std::locale old = std::locale::global(std::locale({}, new Commas));
  std::vector<uint32_t> bits = bitsOf();
  std::string other = checkpointBytes();
  std::locale::global(old);
  EXPECT_EQ(bits, expected_);
  EXPECT_EQ(other, bytes);
}

TEST_F(CAPIHost, LocaleOfCDecidesNothing) {
  rt::TempFolder folder;
  std::string make = "localedef -i de_DE -f ISO-8859-1 " +
                     folder.path("de_DE.ISO-8859-1") + " >/dev/null 2>&1";
  ::setenv("LOCPATH", folder.path().c_str(), 1);
  bool isSet = std::system(make.c_str()) == 0 &&
               std::setlocale(LC_ALL, "de_DE.ISO-8859-1");
  ::unsetenv("LOCPATH");
  if (!isSet)
    GTEST_SKIP() << "this machine cannot make a German locale";
  EXPECT_STREQ(std::localeconv()->decimal_point, ",");
  std::vector<uint32_t> bits = bitsOf();
  std::string other = checkpointBytes();
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(bits, expected_);
  EXPECT_EQ(other, checkpointBytes());
}

TEST_F(CAPIHost, RunnersOfSeveralThreadsDoNotMeet) {
  std::vector<std::vector<uint32_t>> bits(4);
  std::vector<std::thread> threads;
  for (std::vector<uint32_t> &own : bits)
    threads.emplace_back([&own] {
      for (int i = 0; i < 3; ++i)
        own = bitsOf(2);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<uint32_t> &own : bits)
    EXPECT_EQ(own, expected_);
}

TEST_F(CAPIHost, ARunnerIsForOneThreadAtATime) {
  Trained t;
  t.bind();
  std::atomic<int> ran{0}, refused{0}, others{0};
  auto run = [&] {
    for (int i = 0; i < 200; ++i) {
      Outcome outcome = outcomeOf(mpcRunnerStep(t.runner, nullptr));
      bool isInUse = outcome.code == MPC_ERROR_USAGE &&
                     outcome.message.find("in use") != std::string::npos;
      ++(outcome.code == MPC_ERROR_NONE ? ran : isInUse ? refused : others);
    }
  };
  std::thread first(run), second(run);
  first.join();
  second.join();
  EXPECT_EQ(others, 0);
  EXPECT_EQ(ran + refused, 400);
  EXPECT_EQ(t.number("counter"), ran);
}

TEST_F(CAPIHost, AChildUsesProgramsAndNotRunners) {
  Trained t;
  t.bind();
  t.step();
  pid_t child = ::fork();
  if (child == 0) {
    Outcome outcome = outcomeOf(mpcRunnerStep(t.runner, nullptr));
    bool isRefused = outcome.code == MPC_ERROR_USAGE &&
                     outcome.message ==
                         "the runner belongs to the process that forked this "
                         "one";
    mpcRunnerDestroy(t.runner); // Must not wait for the parent's threads.
    // More would be threads of a child, which ThreadSanitizer cannot follow.
    bool isEqual = bitsOf(/*threads=*/1) == expected_;
    ::_exit(isRefused && isEqual ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  t.step();
}

} // namespace
} // namespace mpc::test
