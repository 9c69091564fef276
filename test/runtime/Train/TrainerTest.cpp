// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop over a hand-written program: metrics, skips, resume, signals.
#include "runtime/Train/Trainer.h"

#include "runtime/Support/Random.h"
#include "runtime/Train/Interrupt.h"
#include "runtime/Train/Metrics.h"
#include "test/runtime/EventFile.h"
#include "test/runtime/Ranks/ThreadRanks.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/TestProgram.h"
#include "test/runtime/TrainingResult.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

std::unique_ptr<Runner> makeRunner() {
  auto runner = Runner::create(test::makeTestProgram(), {1});
  double scale[] = {1024, 0};
  EXPECT_TRUE(
      (*runner)->writeState({{"loss_scale", DType::F64, {2}}, scale}).ok());
  return std::move(*runner);
}

class TrainerTest : public testing::Test {
protected:
  TrainerTest() { writeData({5, 18}); }

  /// 24 samples, six batches; the samples named have an infinite input.
  void writeData(const std::vector<size_t> &infinite) {
    std::vector<float> x, target;
    Random random(11);
    for (int i = 0; i < 24; ++i) {
      float sum = 0;
      for (int f = 0; f < 3; ++f) {
        x.push_back(float(random.below(1000)) / 500 - 1);
        sum += x.back() * float(f + 1);
      }
      target.push_back(sum);
    }
    for (size_t sample : infinite)
      x[sample * 3] = INFINITY;
    std::vector<TensorView> views = {
        {{"x", DType::F32, {24, 3}}, x.data()},
        {{"target", DType::F32, {24}}, target.data()}};
    ASSERT_TRUE(writeSafetensors(data_.files[0], views).ok());
  }

  /// A run from fresh state; `stopAfter` steps a signal comes.
  Result<TrainResult> run(int64_t stopAfter = -1) {
    auto runner = makeRunner();
    auto loader = DataLoader::open(data_, dataInputs(runner->program()));
    EXPECT_TRUE(loader.ok()) << loader.status().message();
    int64_t left = stopAfter;
    screen_.clear();
    output_.clear();
    TrainHooks hooks;
    hooks.terminal = {[&](std::string_view text) { screen_ += text; }, false,
                      false};
    hooks.signal = [&] { return --left == 0 ? SIGINT : 0; };
    hooks.output = [&](std::string_view text) { output_ += text; };
    hooks.exportModel = exportModel_;
    return train(*runner, *loader, options_, hooks);
  }

  std::vector<MetricsRow> readMetrics() {
    std::vector<MetricsRow> rows;
    EXPECT_TRUE(MetricsWriter::resume(options_.metrics, 1000, rows).ok());
    return rows;
  }

  TempFolder folder_;
  DataOptions data_{{folder_.path("data")}, SampleOrder::Shuffle, 3, {}};
  TrainOptions options_ = [this] {
    TrainOptions options;
    options.steps = 20;
    options.schedule = {ScheduleKind::Linear, 0.125, 2, 0};
    options.metrics = folder_.path("m.csv");
    return options;
  }();
  std::string screen_, output_;
  std::function<Status(const Runner &)> exportModel_;
};

/// The program exchanges nothing, so that ranks have states of their own.
TEST_F(TrainerTest, ComparesTheStatesOfRanksNowAndThen) {
  for (int64_t every : {0, 4})
    test::onRanks(2, [&](test::ThreadRanks &ranks) {
      RunnerOptions runnerOptions{1};
      runnerOptions.ranks = &ranks;
      auto runner = Runner::create(test::makeTestProgram(), runnerOptions);
      ASSERT_TRUE(runner.ok()) << runner.status().message();
      auto loader = DataLoader::open(data_, dataInputs((*runner)->program()));
      ASSERT_TRUE(loader.ok());
      TrainOptions options = options_;
      options.metrics.clear();
      options.checkRanksEvery = every;
      TrainHooks hooks;
      hooks.terminal = {[](std::string_view) {}, false, false};
      Result<TrainResult> result = train(**runner, *loader, options, hooks);
      EXPECT_EQ(result.status().code(),
                every == 0 ? StatusCode::Ok : StatusCode::Peer);
      std::string message = result.status().message();
      EXPECT_EQ(message.starts_with(
                    "after step 4: 'w' of rank 1 differs from that of rank 0"),
                every > 0)
          << message;
    });
}

TEST_F(TrainerTest, EachNumberOfAStepIsAScalarForTensorBoard) {
  options_.tensorboard = folder_.path("tb");
  ASSERT_TRUE(run().ok());
  std::vector<std::string> records;
  for (const auto &file :
       std::filesystem::directory_iterator(options_.tensorboard))
    records = recordsOf(readText(file.path()));
  std::vector<MetricsRow> rows = readMetrics();
  ASSERT_EQ(rows.size(), 20u);
  ASSERT_EQ(records.size(), 1 + 5 * rows.size()); // The first is the version.
  auto record = records.begin() + 1;
  for (const MetricsRow &row : rows)
    for (auto [tag, value] :
         {std::pair("loss", float(row.loss)), std::pair("lr", row.lr),
          std::pair("scale", float(row.scale)),
          std::pair("skipped", row.skipped ? 1.0f : 0.0f),
          std::pair("grad_norm", float(row.gradNorm))}) {
      EventScalar scalar = scalarOf(*record++);
      EXPECT_EQ(scalar.step, row.step);
      EXPECT_EQ(scalar.tag, tag);
      EXPECT_TRUE(scalar.value == value ||
                  (std::isnan(scalar.value) && std::isnan(value)))
          << tag << " of step " << row.step << " is " << scalar.value;
    }
  EXPECT_NE(rows.front().scale, rows.back().scale);
}

// Features: I3, J5, X2.
TEST_F(TrainerTest, RecordsEachStepAndLearns) {
  data_.order = SampleOrder::Sequential;
  options_.steps = 60;
  options_.json = true;
  options_.plot = folder_.path("p.svg");
  options_.tensorboard = folder_.path("tb");
  Result<TrainResult> result = run();
  ASSERT_TRUE(result.ok()) << result.status().message();
  std::vector<MetricsRow> rows = readMetrics();
  ASSERT_EQ(rows.size(), 60u);
  Schedule schedule = options_.schedule;
  schedule.totalSteps = 60;
  int64_t applied = 0, good = 0;
  float scale = 1024;
  for (size_t i = 0; i < rows.size(); ++i) {
    // Samples 5 and 18 are in batches 1 and 4 of each six.
    bool skipped = i % 6 == 1 || i % 6 == 4;
    EXPECT_EQ(rows[i].step, int64_t(i));
    EXPECT_EQ(rows[i].skipped, skipped);
    EXPECT_EQ(rows[i].lr, float(schedule.at(applied)));
    EXPECT_EQ(rows[i].scale, scale);
    applied += !skipped;
    good = skipped ? 0 : good + 1;
    EXPECT_EQ(rows[i].goodSteps, double(good));
    EXPECT_EQ(std::isfinite(rows[i].gradNorm), !skipped);
    scale = skipped ? scale / 2 : scale;
  }
  EXPECT_EQ(result->position.applied, applied);
  EXPECT_LT(rows[56].loss, rows[0].loss / 100);
  auto json = nlohmann::json::parse(output_);
  EXPECT_EQ(json["loss_first"].get<float>(), rows[0].loss);
  EXPECT_EQ(json["skipped"], 20);
  EXPECT_NE(readText(options_.plot).find("skipped step (20)"),
            std::string::npos);
  EXPECT_NE(screen_.find("step 60/60"), std::string::npos);
  EXPECT_FALSE(std::filesystem::is_empty(options_.tensorboard));
}

TEST_F(TrainerTest, ResumedRunIsBitIdenticalFromEachStep) {
  options_.checkpointDir = folder_.path("whole");
  ASSERT_TRUE(run().ok());
  std::string wanted = resultOf(folder_.path("whole/ckpt-00000020.safetensors"),
                                options_.metrics);
  for (int64_t stop = 1; stop < 20; ++stop) {
    options_.checkpointDir = folder_.path(std::to_string(stop));
    options_.metrics = options_.checkpointDir + ".csv";
    options_.resume = false;
    Result<TrainResult> first = run(stop);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first->signal, SIGINT);
    EXPECT_EQ(first->position.step, stop);
    options_.resume = true;
    Result<TrainResult> second = run();
    ASSERT_TRUE(second.ok()) << second.status().message();
    EXPECT_EQ(second->signal, 0);
    ASSERT_EQ(resultOf(options_.checkpointDir + "/ckpt-00000020.safetensors",
                       options_.metrics),
              wanted)
        << stop;
  }
}

TEST_F(TrainerTest, ResumeGoesBackToTheLastCheckpoint) {
  options_.checkpointDir = folder_.path("c");
  options_.checkpointEvery = 6;
  options_.steps = 18;
  ASSERT_TRUE(run().ok());
  writeText(folder_.path("c/ckpt-00000018.safetensors"), "damaged");
  options_.resume = true;
  Result<TrainResult> result = run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(readMetrics().size(), 18u);
  EXPECT_NE(screen_.find("mpc-train: warning: passed over a checkpoint: " +
                         folder_.path("c/ckpt-00000018.safetensors")),
            std::string::npos)
      << screen_;
  EXPECT_NE(screen_.find("mpc-train: note: resuming " +
                         folder_.path("c/ckpt-00000012.safetensors")),
            std::string::npos);
  ASSERT_TRUE(run().ok());
  EXPECT_NE(screen_.find("mpc-train: note: all 18 steps are done"),
            std::string::npos);
  EXPECT_EQ(readMetrics().size(), 18u);
}

TEST_F(TrainerTest, ResumeOfAnEmptyFolderStartsFromScratch) {
  options_.checkpointDir = folder_.path("c");
  options_.resume = true;
  ASSERT_TRUE(run().ok());
  EXPECT_NE(screen_.find("no checkpoint to resume, starting from scratch"),
            std::string::npos);
}

TEST_F(TrainerTest, AnOldRunIsNotOverwritten) {
  options_.checkpointDir = folder_.path("c");
  ASSERT_TRUE(run().ok());
  Result<TrainResult> again = run();
  EXPECT_EQ(again.status().code(), StatusCode::Usage);
  EXPECT_EQ(again.status().message(),
            folder_.path("c") + ": holds checkpoints up to step 20; continue "
                                "them with --resume, or name another folder");
}

TEST_F(TrainerTest, ACheckpointWithNodesInFp32NeedsTheCompiler) {
  options_.checkpointDir = folder_.path("c");
  ASSERT_TRUE(run().ok());
  std::string path = folder_.path("c/ckpt-00000020.safetensors");
  auto file = SafetensorsFile::open(path);
  SafetensorsWriteOptions options;
  options.metadata = file->metadata();
  options.metadata["kept_fp32"] = "[\"fc1\"]";
  options.metadata.erase("content_hash");
  options.contentHash = true;
  ASSERT_TRUE(writeSafetensors(path, file->tensors(), options).ok());
  options_.resume = true;
  Status status = run().status();
  EXPECT_TRUE(status.message().ends_with(
      "keeps nodes in fp32, which needs the compiler"))
      << status.message();
}

TEST_F(TrainerTest, TheRateIsANumber) {
  auto program = test::makeTestProgram();
  program->entries[1].inputs[2].dtype = DType::F64;
  auto runner = Runner::create(program, {1});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  auto loader = DataLoader::open(data_, dataInputs(*program));
  ASSERT_TRUE(loader.ok()) << loader.status().message();
  EXPECT_EQ(train(**runner, *loader, options_, {}).status().message(),
            "input 'lr' is f64[], expected f32[]");
}

TEST_F(TrainerTest, WeightsAreExportedAsTheLastCheckpointHasThem) {
  options_.checkpointDir = folder_.path("c");
  options_.exportedWeights = folder_.path("weights");
  ASSERT_TRUE(run().ok());
  auto weights = SafetensorsFile::open(options_.exportedWeights);
  ASSERT_TRUE(weights.ok()) << weights.status().message();
  auto last =
      SafetensorsFile::open(folder_.path("c/ckpt-00000020.safetensors"));
  ASSERT_TRUE(last.ok()) << last.status().message();
  // The momentum beside it is no weight.
  ASSERT_EQ(weights->tensors().size(), 1u);
  const TensorView *weight = weights->find("w"), *wanted = last->find("w");
  ASSERT_TRUE(weight && wanted);
  EXPECT_EQ(toString(weight->desc), toString(wanted->desc));
  EXPECT_EQ(std::memcmp(weight->data, wanted->data, weight->desc.numBytes()),
            0);
}

TEST_F(TrainerTest, WeightsThatCannotBeExportedAreSeenBeforeTheFirstStep) {
  options_.exportedWeights = folder_.path("none/weights");
  Result<TrainResult> result = run();
  EXPECT_EQ(result.status().code(), StatusCode::Environment);
  EXPECT_TRUE(result.status().message().starts_with(options_.exportedWeights))
      << result.status().message();
  EXPECT_FALSE(std::filesystem::exists(options_.metrics));
}

TEST_F(TrainerTest, AModelIsExportedOnceWithTheLastWeights) {
  options_.checkpointDir = folder_.path("c");
  std::vector<float> exported;
  exportModel_ = [&](const Runner &runner) {
    Result<TensorView> weight = runner.readState("w");
    auto *data = static_cast<const float *>(weight->data);
    exported.insert(exported.end(), data, data + 3);
    return Status();
  };
  ASSERT_TRUE(run().ok());
  auto last =
      SafetensorsFile::open(folder_.path("c/ckpt-00000020.safetensors"));
  ASSERT_EQ(exported.size(), 3u);
  EXPECT_EQ(std::memcmp(exported.data(), last->find("w")->data, 12), 0);

  options_.checkpointDir.clear();
  exportModel_ = [](const Runner &) { return environmentError("no room"); };
  EXPECT_EQ(run().status().message(), "no room");
}

TEST_F(TrainerTest, FlagsThatNeedAFolder) {
  options_.resume = true;
  EXPECT_EQ(run().status().message(), "--resume needs --checkpoint-dir");
  options_.resume = false;
  options_.checkpointEvery = 5;
  EXPECT_EQ(run().status().message(),
            "--checkpoint-every needs --checkpoint-dir");
}

// Features: L1.
TEST_F(TrainerTest, AccumulatesOverBatches) {
  data_.order = SampleOrder::Sequential;
  writeData({});
  auto program = test::makeTestProgram();
  test::WindowEntries window(program->entries[1]);
  std::vector<double> losses; // of each batch with the first weights
  {
    auto runner = makeRunner();
    auto loader = DataLoader::open(data_, dataInputs(runner->program()));
    for (int i = 0; i < 3; ++i) {
      auto fresh = makeRunner();
      ASSERT_TRUE(loader->next().ok());
      float lr = 0, loss = 0, scale = 0;
      uint8_t inf = 0;
      double norm = 0, good = 0;
      const void *inputs[] = {loader->batch(0), loader->batch(1), &lr};
      void *outputs[] = {&loss, &scale, &inf, &norm, &good};
      ASSERT_TRUE(fresh->run("step", inputs, outputs).ok());
      losses.push_back(loss);
    }
  }
  program->entries.push_back(window.accumulate);
  program->entries.push_back(window.apply);
  auto runner = Runner::create(program, {1});
  auto loader = DataLoader::open(data_, dataInputs(*program, 3));
  options_.accumulate = 3;
  options_.steps = 0;
  options_.epochs = 2;
  TrainHooks hooks;
  hooks.terminal = {[](std::string_view) {}, false, false};
  auto result = train(**runner, *loader, options_, hooks);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->position.step, 4); // 12 batches
  EXPECT_EQ(readMetrics()[0].loss,
            float((losses[0] + losses[1] + losses[2]) / 3));
}

// A skipped step is run again on its own batch, at the scale that it has come
// to; what it costs is scale, not rows, and the batches after it are the same.
TEST_F(TrainerTest, ReplaysSkippedStepsAtALowerScale) {
  ASSERT_TRUE(run().ok());
  std::vector<MetricsRow> once = readMetrics();
  options_.replays = 2;
  ASSERT_TRUE(run().ok());
  std::vector<MetricsRow> replayed = readMetrics();
  ASSERT_EQ(replayed.size(), once.size());
  float scale = 1024;
  int skips = 0;
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(replayed[i].skipped, once[i].skipped) << i;
    EXPECT_EQ(replayed[i].lr, once[i].lr) << i;
    if (once[i].skipped) // Of the third attempt.
      scale /= 4;
    else
      EXPECT_EQ(replayed[i].loss, once[i].loss) << i;
    EXPECT_EQ(replayed[i].scale, scale) << i;
    if (once[i].skipped)
      scale /= 2;
    skips += once[i].skipped;
  }
  EXPECT_GT(skips, 2);
}

TEST_F(TrainerTest, EpochsGiveTheNumberOfSteps) {
  options_.steps = 0;
  options_.epochs = 2.5;
  Result<TrainResult> result = run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->position.step, 15);
  options_.epochs = 0.1;
  EXPECT_EQ(run().status().code(), StatusCode::Usage);
}

TEST_F(TrainerTest, OnlySkipsIsDiverged) {
  std::vector<size_t> all(24);
  for (size_t i = 0; i < 24; ++i)
    all[i] = i;
  writeData(all);
  options_.steps = 200;
  options_.plot = folder_.path("p.svg");
  Result<TrainResult> result = run();
  EXPECT_EQ(result.status().code(), StatusCode::Diverged);
  EXPECT_TRUE(result.status().message().starts_with(
      "training diverged: 50 steps in a row had gradients that are not "
      "finite, the last at step 49 with loss scale 1.8189894035458565e-12; try "
      "a lower --lr"))
      << result.status().message();
  EXPECT_EQ(readMetrics().size(), 50u);
  EXPECT_NE(readText(options_.plot).find("skipped step (50)"),
            std::string::npos);
  options_.maxSkipsInRow = 0;
  EXPECT_TRUE(run().ok());
}

TEST_F(TrainerTest, ANonFiniteLossOfAnAppliedStepIsReportedOnce) {
  auto program = test::makeTestProgram();
  // Without found_inf, every step counts as applied.
  program->entries[1].outputs[2].name = "unused";
  auto runner = Runner::create(program, {1});
  auto loader = DataLoader::open(data_, dataInputs(*program));
  TrainHooks hooks;
  hooks.terminal = {[&](std::string_view text) { screen_ += text; }, false,
                    false};
  ASSERT_TRUE(train(**runner, *loader, options_, hooks).ok());
  size_t first = screen_.find("mpc-train: warning: step ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(screen_.find("warning", first + 20), std::string::npos);
}

TEST_F(TrainerTest, AFullDiskEndsTheRunWithTheFileNamed) {
  options_.metrics = "/dev/full";
  Result<TrainResult> result = run();
  EXPECT_EQ(result.status().code(), StatusCode::Environment);
  EXPECT_EQ(result.status().message(),
            "/dev/full: cannot write: No space left on device");
}

/// Trains for ever in a child, with handlers installed, and returns its pid.
pid_t startChild(TrainOptions options, const DataOptions &data) {
  pid_t child = ::fork();
  if (child != 0)
    return child;
  SignalGuard guard;
  auto runner = makeRunner();
  auto loader = DataLoader::open(data, dataInputs(runner->program()));
  options.steps = int64_t(1) << 40;
  TrainHooks hooks;
  hooks.terminal = {[](std::string_view) {}, false, false};
  hooks.signal = [] { return SignalGuard::received(); };
  auto result = train(*runner, *loader, options, hooks);
  ::_exit(result.ok() ? 128 + result->signal : int(result.status().code()));
}

TEST_F(TrainerTest, SignalsEndInACleanSave) {
  options_.checkpointDir = folder_.path("c");
  options_.metrics.clear();
  writeData({}); // skips would end with a scale of 0, which cannot be loaded
  for (int signal : {SIGINT, SIGTERM}) {
    pid_t child = startChild(options_, data_);
    ::usleep(50'000);
    ::kill(child, signal);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
    auto folder = CheckpointFolder::open(options_.checkpointDir, {});
    auto runner = makeRunner();
    auto position = folder->loadNewest(*runner);
    ASSERT_TRUE(position.ok()) << position.status().message();
    ASSERT_TRUE(position->has_value());
    EXPECT_GT((*position)->step, 0);
    options_.resume = true;
  }
}

TEST(SignalGuard, ATruncatedDataFileIsAnErrorNotACrash) {
  TempFolder folder;
  std::string path = folder.path("data");
  writeText(path, std::string(100'000, 'x'));
  pid_t child = ::fork();
  if (child == 0) {
    SignalGuard guard;
    auto file = MappedFile::open(path);
    volatile std::byte last{};
    if (file.ok() && ::truncate(path.c_str(), 10) == 0)
      last = file->bytes()[90'000];
    (void)last;
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST(SignalGuard, ASecondSignalStopsAtOnce) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    SignalGuard guard;
    char byte = 1;
    bool told = ::write(ready[1], &byte, 1) == 1;
    while (told && SignalGuard::received() == 0)
      ::usleep(100);
    told = told && ::write(ready[1], &byte, 1) == 1;
    for (;;)
      ::pause();
  }
  char byte = 0;
  for (int signal : {SIGTERM, SIGINT}) {
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::kill(child, signal);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
}

} // namespace
} // namespace mpc::rt
