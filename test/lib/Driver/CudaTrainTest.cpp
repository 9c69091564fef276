// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The training loop on the test driver: one step ahead of what it knows, with
// the results of a loop that waits for each.
#include "runtime/Program/Link.h"
#include "runtime/Train/Trainer.h"
#include "test/lib/Driver/CudaStep.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/TrainingResult.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <sstream>

using namespace mpc;

namespace {

constexpr int64_t kSteps = 8, kSamples = 4, kInputs = 8;

/// As few threads as there can be, so that steps are quick in the emulator.
constexpr const char *kModel = R"(
nn.parameter @w : tensor<10x8xf32> = #nn.init<uniform 0.3>
func.func @model(%x: tensor<4x8xf32> {nn.name = "x"})
    -> (tensor<4x10xf32> {nn.name = "logits"}) {
  %w = nn.get @w : tensor<10x8xf32>
  %y = nn.linear %x, %w : tensor<4x8xf32>, tensor<10x8xf32> -> tensor<4x10xf32>
  return %y : tensor<4x10xf32>
}
)";

/// What the host had done when an iteration of the loop ended.
struct Progress {
  int64_t begun; ///< Steps.
  int waited, synchronized;
  int64_t rows; ///< Of the metrics.

  bool operator==(const Progress &) const = default;
  Progress operator-(const Progress &o) const {
    return {begun - o.begun, waited - o.waited, synchronized - o.synchronized,
            rows};
  }
};

class CudaTrain : public CudaStep {
protected:
  void SetUp() override {
    CudaStep::SetUp();
    rt::writeText(folder_.path("model.mlir"), kModel);
    options_.steps = kSteps;
    options_.schedule = {rt::ScheduleKind::Constant, 1e-3, 0, 0};
  }

  /// One compilation serves all tests.
  std::shared_ptr<rt::Program> compile(Precision precision,
                                       int64_t accumulate = 1) {
    static std::map<std::pair<Precision, int64_t>, std::shared_ptr<rt::Program>>
        programs;
    auto &program = programs[{precision, accumulate}];
    if (program)
      return program;
    CompileRequest request;
    request.modelPath = folder_.path("model.mlir");
    request.recipe.clauses["--precision"] = stringifyPrecision(precision).str();
    request.recipe.clauses["--accumulate"] = int64_t{accumulate};
    return program = compileAnew(request, "cuda:sm_80");
  }

  /// The step for batches of four and of three.
  std::shared_ptr<rt::Program> compileBoth(const std::string &target,
                                           int64_t accumulate) {
    std::vector<std::shared_ptr<rt::Program>> programs;
    for (const char *rows : {"<4x", "<3x"}) {
      std::string text = kModel;
      for (size_t at = 0; (at = text.find("<4x", at)) != std::string::npos;
           ++at)
        text.replace(at, 3, rows);
      CompileRequest request;
      request.modelPath = folder_.path("rows.mlir");
      rt::writeText(request.modelPath, text);
      request.recipe.clauses["--precision"] = std::string("fp16");
      request.recipe.clauses["--accumulate"] = accumulate;
      programs.push_back(compileAnew(request, target));
    }
    auto linked = rt::linkPrograms(programs);
    EXPECT_TRUE(linked.ok()) << linked.status().message();
    return *linked;
  }

  /// As many batches as steps, each another; those named have an infinite
  /// input.
  void writeData(const std::vector<size_t> &infinite) {
    std::mt19937 engine(5);
    std::normal_distribution<float> numbers;
    std::vector<float> x(static_cast<size_t>(samples_ * kInputs));
    std::vector<int64_t> target(static_cast<size_t>(samples_));
    for (float &value : x)
      value = numbers(engine);
    for (int64_t &label : target)
      label = static_cast<int64_t>(engine() % kClasses);
    for (size_t batch : infinite)
      x[batch * kSamples * kInputs + 9] = INFINITY;
    if (badSample_ >= 0)
      target[static_cast<size_t>(badSample_)] = kClasses;
    std::vector<rt::TensorView> views = {
        {{"x", rt::DType::F32, {samples_, kInputs}}, x.data()},
        {{"target", rt::DType::I64, {samples_}}, target.data()}};
    ASSERT_TRUE(rt::writeSafetensors(folder_.path("data"), views).ok());
  }

  /// A run from fresh state, whose files are called by `name`.
  rt::Result<rt::TrainResult> run(const std::shared_ptr<rt::Program> &program,
                                  const std::string &name) {
    auto runner = makeRunner(program);
    options_.metrics = folder_.path(name + ".csv");
    options_.checkpointDir = folder_.path(name);
    options_.rule = {rt::clausesOf(program->protocol.rule)};
    options_.accumulate = program->protocol.accumulate;
    auto loader =
        rt::DataLoader::open({{folder_.path("data")},
                              rt::SampleOrder::Sequential,
                              0,
                              program->bounds,
                              {},
                              lastBatch_},
                             rt::dataInputs(*program, options_.accumulate));
    EXPECT_TRUE(loader.ok()) << loader.status().message();
    progress_.clear();
    before_ = look();
    rt::TrainHooks hooks;
    hooks.terminal = {[](std::string_view) {}, false, false};
    hooks.signal = [&] {
      progress_.push_back(look() - before_);
      if (std::ssize(progress_) == failAfter_)
        fake_.failAt("cuEventSynchronize", 1, 700);
      return std::ssize(progress_) == stopAfter_ ? SIGTERM : 0;
    };
    return rt::train(*runner, *loader, options_, hooks);
  }

  Progress look() const {
    int64_t runs = options_.accumulate == 1 ? 1 : options_.accumulate + 1;
    return {fake_.count("cuGraphLaunch") / runs,
            fake_.count("cuEventSynchronize"),
            fake_.count("cuStreamSynchronize"),
            static_cast<int64_t>(rowsOf(options_.metrics).size())};
  }

  static std::vector<rt::MetricsRow> rowsOf(const std::string &path) {
    std::istringstream file(rt::readText(path));
    std::vector<rt::MetricsRow> rows;
    rt::MetricsRow row;
    for (std::string line; std::getline(file, line);)
      if (rt::parseCsv(line, row))
        rows.push_back(row);
    return rows;
  }

  /// Each step's rate is that of the schedule behind the steps that were
  /// applied, by the columns alone.
  void expectRates(const std::string &name) {
    rt::Schedule schedule = options_.schedule;
    schedule.totalSteps = options_.steps;
    int64_t applied = 0;
    for (const rt::MetricsRow &row : rowsOf(folder_.path(name + ".csv"))) {
      EXPECT_EQ(static_cast<float>(row.lr), schedule.rateAt(applied))
          << row.step;
      applied += !row.skipped;
    }
  }

  /// What was waited for is the event of the step before the one that runs.
  void expectOneStepAhead() {
    ASSERT_EQ(std::ssize(progress_), kSteps);
    int synchronized = progress_.front().synchronized;
    for (int i = 0; i < kSteps - 1; ++i)
      EXPECT_EQ(progress_[i], (Progress{i + 1, i, synchronized, i})) << i;
    EXPECT_EQ(progress_.back(),
              (Progress{kSteps, kSteps, synchronized, kSteps}));
  }

  /// After how many iterations a step was under way.
  [[nodiscard]] int64_t numAhead() const {
    return std::ranges::count_if(
        progress_, [](const Progress &p) { return p.begun > p.rows; });
  }
  [[nodiscard]] int64_t numSkipped(const std::string &name) const {
    return std::ranges::count_if(
        rowsOf(folder_.path(name + ".csv")),
        [](const rt::MetricsRow &row) { return row.skipped; });
  }

  /// The same by a loop that waits: a trace has the state after each step.
  rt::Result<rt::TrainResult>
  runWaiting(const std::shared_ptr<rt::Program> &program,
             const std::string &name) {
    options_.record = folder_.path(name + ".json");
    auto result = run(program, name);
    options_.record.clear();
    return result;
  }

  /// The metrics without their times.
  std::string tableOf(const std::string &name) {
    return rt::rowsWithoutTimes(folder_.path(name + ".csv"));
  }
  std::string resultOf(const std::string &name, int64_t step = kSteps) {
    return rt::resultOf(
        folder_.path(fmt::format("{}/ckpt-{:08}.safetensors", name, step)),
        folder_.path(name + ".csv"));
  }

  rt::TempFolder folder_;
  rt::TrainOptions options_;
  rt::LastBatch lastBatch_ = rt::LastBatch::Drop;
  int64_t samples_ = kSteps * kSamples;
  int64_t stopAfter_ = -1, failAfter_ = -1, badSample_ = -1;
  int runs_ = 0;
  Progress before_;
  std::vector<Progress> progress_;
};

TEST_F(CudaTrain, KeepsOneStepAhead) {
  writeData({});
  ASSERT_TRUE(run(compile(Precision::FP16), "ahead").ok());
  expectOneStepAhead();
}

// Skips among them: a step behind one that was skipped is waited for.
TEST_F(CudaTrain, WritesAndSavesWhatALoopThatWaitsDoes) {
  writeData({1, 5, 6});
  options_.checkpointEvery = 4;
  for (int64_t accumulate : {1, 2}) {
    auto program = compile(Precision::FP16, accumulate);
    options_.steps = kSteps / accumulate;
    std::string ahead = fmt::format("ahead{}", accumulate);
    std::string waits = fmt::format("waits{}", accumulate);
    ASSERT_TRUE(run(program, ahead).ok());
    EXPECT_GE(numAhead(), 2 / accumulate);
    ASSERT_TRUE(runWaiting(program, waits).ok());
    EXPECT_EQ(numAhead(), 0);
    for (int64_t step = 4; step <= options_.steps; step += 4)
      EXPECT_TRUE(resultOf(ahead, step) == resultOf(waits, step)) << step;
    EXPECT_EQ(tableOf(ahead), tableOf(waits));
    EXPECT_EQ(numSkipped(ahead), 3);
  }
}

// The last batch of an epoch is a step of its own size, in windows too; one is
// skipped.
TEST_F(CudaTrain, ASmallerLastBatchIsAStepOfItsOwn) {
  lastBatch_ = rt::LastBatch::Smaller;
  samples_ -= 1;
  writeData({1, 5});
  options_.schedule = {rt::ScheduleKind::Linear, 0.1, 3, 0};
  for (int64_t accumulate : {1, 2}) {
    auto onGpu = compileBoth("cuda:sm_80", accumulate);
    auto onCpu = compileBoth("x86-64-v3", accumulate);
    ASSERT_GT(onGpu->cuda()->modules.size(), 1u);
    options_.steps = 12 / accumulate; // Batches of 4, ..., 4 and 3.
    std::string ahead = fmt::format("ahead{}", accumulate);
    std::string waits = fmt::format("waits{}", accumulate);
    std::string cpu = fmt::format("cpu{}", accumulate);
    auto result = run(onGpu, ahead);
    ASSERT_TRUE(result.ok()) << result.status().message();
    ASSERT_TRUE(runWaiting(onGpu, waits).ok());
    EXPECT_EQ(tableOf(ahead), tableOf(waits));
    EXPECT_TRUE(resultOf(ahead, options_.steps) ==
                resultOf(waits, options_.steps));
    ASSERT_TRUE(run(onCpu, cpu).ok());
    auto ours = rowsOf(folder_.path(ahead + ".csv"));
    auto theirs = rowsOf(folder_.path(cpu + ".csv"));
    ASSERT_EQ(std::ssize(ours), options_.steps);
    ASSERT_EQ(ours.size(), theirs.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].skipped, theirs[i].skipped) << i;
      EXPECT_EQ(ours[i].scale, theirs[i].scale) << i;
      if (!ours[i].skipped)
        EXPECT_NEAR(ours[i].loss, theirs[i].loss, 2e-3) << i;
    }
    EXPECT_GE(numSkipped(ahead), 2);
  }
}

// Bits do not hang on when a signal came.
TEST_F(CudaTrain, ASignalFindsASettledState) {
  writeData({1});
  auto program = compile(Precision::FP16);
  ASSERT_TRUE(run(program, "whole").ok());
  stopAfter_ = 5;
  auto stopped = run(program, "stopped");
  ASSERT_TRUE(stopped.ok()) << stopped.status().message();
  EXPECT_EQ(progress_.back().rows, 4);
  EXPECT_EQ(stopped->position.step, 5);
  EXPECT_EQ(stopped->signal, SIGTERM);
  options_.resume = true;
  ASSERT_TRUE(run(program, "stopped").ok());
  EXPECT_EQ(tableOf("stopped"), tableOf("whole"));
  EXPECT_TRUE(resultOf("stopped") == resultOf("whole"));
}

// A rate follows from how many steps were applied; of the last one the device
// alone knows in time.
TEST_F(CudaTrain, ARateThatMovesIsNotWaitedFor) {
  writeData({});
  options_.schedule = {rt::ScheduleKind::Linear, 0.1, 3, 0};
  for (Precision precision : {Precision::FP16, Precision::BF16}) {
    std::string name = fmt::format("{}", static_cast<int>(precision));
    ASSERT_TRUE(run(compile(precision), "ahead" + name).ok());
    expectOneStepAhead();
    ASSERT_TRUE(runWaiting(compile(precision), "waits" + name).ok());
    EXPECT_TRUE(resultOf("ahead" + name) == resultOf("waits" + name));
    EXPECT_EQ(tableOf("ahead" + name), tableOf("waits" + name));
  }
}

// One step, some in a row, and the last of all are skipped; in between a run
// stops and goes on.
TEST_F(CudaTrain, ARateThatMovesCountsAppliedStepsOnly) {
  writeData({1, 5, 6});
  options_.schedule = {rt::ScheduleKind::Cosine, 0.1, 3, 0};
  for (int64_t accumulate : {1, 2}) {
    auto program = compile(Precision::FP16, accumulate);
    options_.steps = kSteps / accumulate;
    auto named = [&](const char *name) {
      return fmt::format("{}{}", name, accumulate);
    };
    ASSERT_TRUE(run(program, named("ahead")).ok());
    EXPECT_GE(numAhead(), 2 / accumulate);
    EXPECT_EQ(numSkipped(named("ahead")), 3);
    expectRates(named("ahead"));
    ASSERT_TRUE(runWaiting(program, named("waits")).ok());
    EXPECT_EQ(numAhead(), 0);
    stopAfter_ = 2;
    ASSERT_TRUE(run(program, named("stopped")).ok());
    stopAfter_ = -1;
    options_.resume = true;
    ASSERT_TRUE(run(program, named("stopped")).ok());
    options_.resume = false;
    for (const char *name : {"ahead", "stopped"}) {
      EXPECT_EQ(tableOf(named(name)), tableOf(named("waits"))) << name;
      EXPECT_TRUE(resultOf(named(name), options_.steps) ==
                  resultOf(named("waits"), options_.steps))
          << name;
    }
  }
}

// Whatever looks at a step again needs the state as that step left it.
TEST_F(CudaTrain, WaitsForWhatIsLookedAtAgain) {
  writeData({});
  auto program = compile(Precision::FP16);
  auto countWith = [&](auto set) {
    rt::TrainOptions plain = options_;
    set(options_);
    EXPECT_TRUE(run(program, fmt::format("run{}", ++runs_)).ok());
    options_ = plain;
    return numAhead();
  };
  EXPECT_GT(countWith([](auto &) {}), 0);
  EXPECT_EQ(countWith([](auto &o) { o.nanReport = "stderr"; }), 0);
  EXPECT_EQ(countWith([](auto &o) { o.replays = 1; }), 0);
  EXPECT_EQ(countWith([](auto &o) { o.atFloor = rt::AtFloor::Stop; }), 0);
  EXPECT_EQ(countWith([](auto &o) { o.maxSkipsInRow = 1; }), 0);
}

TEST_F(CudaTrain, NoStepIsUnderWayWhereARunGivesUp) {
  writeData({2, 3, 4});
  options_.maxSkipsInRow = 3;
  auto result = run(compile(Precision::FP16), "diverged");
  EXPECT_EQ(result.status().code(), rt::StatusCode::Diverged);
  EXPECT_EQ((look() - before_).begun, 5);
  EXPECT_EQ(rowsOf(options_.metrics).size(), 5u);
}

// The rows before it are written, as by a loop that waits.
TEST_F(CudaTrain, ABatchThatIsWrongEndsTheRunBehindTheStepsBeforeIt) {
  badSample_ = 17;
  writeData({});
  auto program = compile(Precision::FP16);
  auto result = run(program, "bad");
  EXPECT_EQ(result.status().code(), rt::StatusCode::InvalidInput);
  EXPECT_NE(result.status().message().find("sample 17"), std::string::npos)
      << result.status().message();
  EXPECT_EQ(rowsOf(options_.metrics).size(), 4u);
}

TEST_F(CudaTrain, ADriverErrorInAStepLeavesTheLastCheckpoint) {
  writeData({});
  options_.checkpointEvery = 3;
  auto program = compile(Precision::FP16);
  ASSERT_TRUE(run(program, "whole").ok());
  failAfter_ = 5;
  auto result = run(program, "lost");
  EXPECT_EQ(result.status().code(), rt::StatusCode::Environment);
  EXPECT_NE(result.status().message().find("cuEventSynchronize"),
            std::string::npos)
      << result.status().message();
  EXPECT_TRUE(
      std::filesystem::exists(folder_.path("lost/ckpt-00000003.safetensors")));
  EXPECT_FALSE(
      std::filesystem::exists(folder_.path("lost/ckpt-00000006.safetensors")));
  failAfter_ = -1;
  fake_.reset({});
  options_.resume = true;
  ASSERT_TRUE(run(program, "lost").ok());
  EXPECT_EQ(tableOf("lost"), tableOf("whole"));
  EXPECT_TRUE(resultOf("lost") == resultOf("whole"));
}

} // namespace
