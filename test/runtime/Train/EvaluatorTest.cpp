// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations beside a training: what they count, keep and end.
#include "runtime/Train/Evaluator.h"

#include "runtime/Support/Random.h"
#include "runtime/Train/FileEvaluation.h"
#include "runtime/Train/Trainer.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/TestProgram.h"
#include "test/runtime/TrainingResult.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

using test::kBatch;
using test::kFeatures;

/// buffers: x, target, rows, weight; then loss/sum, loss/count, accuracy/sum,
/// accuracy/count, error of each row, the largest of them.
void measure(void *const *buffers, int64_t, int64_t, void *) {
  auto *x = static_cast<const float *>(buffers[0]);
  auto *target = static_cast<const float *>(buffers[1]);
  int64_t rows = *static_cast<const int64_t *>(buffers[2]);
  auto *weight = static_cast<const float *>(buffers[3]);
  auto sum = [&](int i) -> double & {
    return *static_cast<double *>(buffers[i]);
  };
  auto *errors = static_cast<float *>(buffers[8]);
  auto *largest = static_cast<float *>(buffers[9]);
  sum(4) = sum(5) = sum(6) = sum(7) = *largest = 0;
  for (int64_t b = 0; b < kBatch; ++b) {
    float error = -target[b];
    for (int64_t f = 0; f < kFeatures; ++f)
      error += x[b * kFeatures + f] * weight[f];
    errors[b] = error * error;
    *largest = std::max(*largest, errors[b]);
    if (b >= rows)
      continue;
    sum(4) += errors[b];
    sum(5) += 1;
    sum(6) += errors[b] < 0.25f;
    sum(7) += 1;
  }
}

std::shared_ptr<Program> makeProgram() {
  auto program = test::makeTestProgram();
  Entry entry;
  entry.name = "measure";
  entry.role = EntryRole::Measure;
  entry.inputs = {{"x", DType::F32, {kBatch, kFeatures}},
                  {"target", DType::F32, {kBatch}},
                  {"measure/rows", DType::I64, {}}};
  entry.outputs = {
      {"loss/sum", DType::F64, {}},     {"loss/count", DType::F64, {}},
      {"accuracy/sum", DType::F64, {}}, {"accuracy/count", DType::F64, {}},
      {"error", DType::F32, {kBatch}},  {"largest", DType::F32, {}}};
  Launch launch;
  launch.symbol = "measure";
  launch.command = test::makeKernel(*program, measure);
  for (uint32_t i = 0; i < 3; ++i)
    launch.buffers.push_back({Space::Input, i, 0});
  launch.buffers.push_back({Space::State, 0, test::kWeight});
  for (uint32_t i = 0; i < 6; ++i)
    launch.buffers.push_back({Space::Output, i, 0});
  launch.numRead = 4;
  entry.launches = {launch};
  program->entries.push_back(entry);
  return program;
}

/// What is measured has no number a batch and none a row.
std::shared_ptr<Program> makeProgramWithoutNumbers() {
  std::shared_ptr<Program> program = makeProgram();
  Entry &entry = program->entries.back();
  entry.outputs = {{"pixels", DType::F32, {kBatch + 1, 2}}};
  entry.launches.clear();
  return program;
}

class EvaluatorTest : public testing::Test {
protected:
  EvaluatorTest() {
    writeData(data_.files[0], 24);
    writeData(held_, 10);
  }

  void writeData(const std::string &path, int64_t samples) {
    std::vector<float> x, target;
    Random random(static_cast<uint64_t>(samples));
    for (int64_t i = 0; i < samples; ++i) {
      float sum = 0;
      for (int f = 0; f < 3; ++f) {
        x.push_back(float(random.below(1000)) / 500 - 1);
        sum += x.back() * float(f + 1);
      }
      target.push_back(sum + float(random.below(100)) / 200);
    }
    std::vector<TensorView> views = {
        {{"x", DType::F32, {samples, 3}}, x.data()},
        {{"target", DType::F32, {samples}}, target.data()}};
    ASSERT_TRUE(writeSafetensors(path, views).ok());
  }

  static std::unique_ptr<Runner> makeRunner() {
    auto runner = Runner::create(makeProgram(), {1});
    double scale[] = {1024, 0};
    EXPECT_TRUE(
        (*runner)->writeState({{"loss_scale", DType::F64, {2}}, scale}).ok());
    return std::move(*runner);
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
    return train(*runner, *loader, options_, hooks);
  }

  std::vector<MetricsRow> readMetrics() {
    std::vector<MetricsRow> rows;
    std::string header = metricsHeader(
        {"eval_loss", "eval_accuracy", "eval_error", "eval_largest"});
    EXPECT_TRUE(
        MetricsWriter::resume(options_.metrics, 1000, rows, header).ok());
    return rows;
  }

  /// The values of one metric, by the steps that were done.
  std::map<int64_t, double> evaluated(size_t column) {
    std::map<int64_t, double> values;
    for (const MetricsRow &row : readMetrics())
      if (std::optional<double> value = row.others.at(column))
        values[row.step + 1] = *value;
    return values;
  }

  std::string faultOf(const std::string &keepBest, int64_t stopAfter = 0) {
    options_.evaluation.keepBest = keepBest;
    options_.evaluation.stopAfter = stopAfter;
    auto runner = makeRunner();
    auto made = Evaluator::open(options_.evaluation, *runner, {}, 1,
                                [](std::string_view, std::string_view) {});
    if (made.ok())
      return "";
    EXPECT_EQ(made.status().code(), StatusCode::Usage);
    return made.status().message();
  }

  TempFolder folder_;
  std::string held_ = folder_.path("eval");
  DataOptions data_{{folder_.path("data")}, SampleOrder::Shuffle, 3, {}};
  TrainOptions options_ = [this] {
    TrainOptions options;
    options.steps = 20;
    options.schedule.lr = 0.05;
    options.metrics = folder_.path("m.csv");
    options.json = true;
    options.evaluation = {{held_}, 3, "", 0};
    return options;
  }();
  std::string screen_, output_;
};

TEST_F(EvaluatorTest, ResultsWithoutANumberTellNothing) {
  auto runner = Runner::create(makeProgramWithoutNumbers(), {1});
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  DataOptions held = data_;
  held.files = {held_};
  EXPECT_EQ(FileEvaluation::open((*runner)->program(), held).status().message(),
            "entry 'measure' yields no number that tells how good the model "
            "is");
}

TEST_F(EvaluatorTest, EachSampleCountsOnce) {
  auto runner = makeRunner();
  float weight[] = {0.5f, -1, 2};
  ASSERT_TRUE(runner->writeState({{"w", DType::F32, {3}}, weight}).ok());
  auto file = SafetensorsFile::open(held_);
  auto *x = static_cast<const float *>(file->find("x")->data);
  auto *target = static_cast<const float *>(file->find("target")->data);
  double loss = 0, hits = 0, largest = 0, batch = 0;
  for (int64_t i = 0; i < 10; ++i) {
    double error = -double(target[i]);
    for (int64_t f = 0; f < 3; ++f)
      error += double(x[3 * i + f]) * weight[f];
    loss += error * error / 10;
    hits += error * error < 0.25;
    batch = i % 4 ? std::max(batch, error * error) : error * error;
    if (i % 4 == 3)
      largest += batch / 2; // The last two samples fill no batch.
  }
  DataOptions data;
  data.files = {held_};
  auto evaluation = FileEvaluation::open(runner->program(), data);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status().message();
  ASSERT_TRUE((*evaluation)->bind(*runner).ok());
  EXPECT_EQ((*evaluation)->metrics(),
            (std::vector<std::string>{"loss", "accuracy", "error", "largest"}));
  EXPECT_EQ((*evaluation)->byBatch(), (std::vector<std::string>{"largest"}));
  EXPECT_EQ((*evaluation)->numLeftOut(), 2);
  for (int again = 0; again < 2; ++again) {
    auto values = (*evaluation)->run();
    ASSERT_TRUE(values.ok()) << values.status().message();
    EXPECT_NEAR((*values)[0], loss, 1e-6 * loss);
    EXPECT_EQ((*values)[1], hits / 10);
    EXPECT_NEAR((*values)[2], loss, 1e-6 * loss);
    EXPECT_NEAR((*values)[3], largest, 1e-6 * largest);
  }
}

TEST_F(EvaluatorTest, RowsOfTheseStepsAndTheLastTellWhatWasFound) {
  options_.plot = folder_.path("p.svg");
  ASSERT_TRUE(run().ok());
  std::vector<int64_t> steps;
  for (auto [step, loss] : evaluated(0))
    steps.push_back(step);
  EXPECT_EQ(steps, (std::vector<int64_t>{3, 6, 9, 12, 15, 18, 20}));
  auto json = nlohmann::json::parse(output_);
  EXPECT_EQ(json["evaluations"], 7);
  EXPECT_EQ(json["eval_loss"].get<double>(), evaluated(0)[20]);
  EXPECT_EQ(json["eval_accuracy"].get<double>(), evaluated(1)[20]);
  EXPECT_EQ(json.count("best"), 0u);
  std::string plot = readText(options_.plot);
  for (const char *curve : {"eval_loss", "eval_accuracy", "eval_largest"})
    EXPECT_NE(plot.find(curve), std::string::npos) << curve;
  EXPECT_NE(screen_.find(std::string("note: --eval-data: ") +
                         "the last 2 of 10 samples do not fill a batch and are "
                         "left out of 'largest'"),
            std::string::npos)
      << screen_;
  EXPECT_NE(screen_.find("step 6/20  loss "), std::string::npos) << screen_;
  EXPECT_NE(screen_.find("  eval loss "), std::string::npos) << screen_;
}

TEST_F(EvaluatorTest, TheTrainingHasTheSameBitsWithoutOne) {
  options_.checkpointDir = folder_.path("with");
  ASSERT_TRUE(run().ok());
  auto with =
      SafetensorsFile::open(folder_.path("with/ckpt-00000020.safetensors"));
  options_.evaluation = {};
  options_.checkpointDir = folder_.path("without");
  ASSERT_TRUE(run().ok());
  auto without =
      SafetensorsFile::open(folder_.path("without/ckpt-00000020.safetensors"));
  ASSERT_EQ(with->tensors().size(), without->tensors().size());
  for (const TensorView &tensor : with->tensors()) {
    const TensorView *other = without->find(tensor.desc.name);
    ASSERT_TRUE(other);
    EXPECT_EQ(std::memcmp(tensor.data, other->data, tensor.desc.numBytes()), 0)
        << tensor.desc.name;
  }
}

TEST_F(EvaluatorTest, TheBestStateIsKept) {
  options_.checkpointDir = folder_.path("c");
  options_.schedule.lr = 0.4; // So that the loss goes up and down.
  for (std::string metric : {"loss", "eval_loss:min", "loss:max"}) {
    std::filesystem::remove_all(options_.checkpointDir);
    options_.evaluation.keepBest = metric;
    ASSERT_TRUE(run().ok());
    std::map<int64_t, double> losses = evaluated(0);
    auto better = [&](auto &a, auto &b) {
      return metric.ends_with("max") ? a.second > b.second
                                     : a.second < b.second;
    };
    auto best = std::min_element(losses.begin(), losses.end(), better);
    auto file = SafetensorsFile::open(folder_.path("c/best.safetensors"));
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE(file->verifyContentHash().ok());
    EXPECT_EQ(file->metadata().at("step"), std::to_string(best->first));
    auto json = nlohmann::json::parse(output_);
    EXPECT_EQ(json["best"]["step"], best->first);
    EXPECT_EQ(json["best"]["value"].get<double>(), best->second);
    EXPECT_EQ(json["best"]["metric"], "loss");
  }
}

TEST_F(EvaluatorTest, WithoutGainTheTrainingEnds) {
  options_.checkpointDir = folder_.path("c");
  options_.steps = 400;
  options_.schedule.lr = 0.4;
  options_.evaluation.stopAfter = 2;
  Result<TrainResult> result = run();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->signal, 0);
  double best = INFINITY;
  int64_t without = 0, last = 0;
  for (auto [step, loss] : evaluated(0)) {
    EXPECT_LT(without, 2);
    without = loss < best ? 0 : without + 1;
    best = std::min(best, loss);
    last = step;
  }
  EXPECT_EQ(without, 2);
  ASSERT_LT(last, 400);
  EXPECT_EQ(result->position.step, last);
  EXPECT_EQ(nlohmann::json::parse(output_)["stopped_early"], true);
  EXPECT_NE(screen_.find("note: stopped after step " + std::to_string(last) +
                         ": 2 evaluations without a smaller loss; the best "
                         "was "),
            std::string::npos)
      << screen_;
  // It stays so, unless more patience is asked for.
  options_.resume = true;
  EXPECT_EQ(run()->position.step, last);
  EXPECT_EQ(readMetrics().size(), size_t(last));
  options_.evaluation.stopAfter = 3;
  EXPECT_GT(run()->position.step, last);
}

TEST_F(EvaluatorTest, AResumedRunGoesOnWithBestAndPatience) {
  options_.evaluation.keepBest = "loss";
  options_.evaluation.stopAfter = 3;
  options_.schedule.lr = 0.4;
  options_.steps = 40;
  options_.checkpointDir = folder_.path("whole");
  Result<TrainResult> whole = run();
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  std::string wanted = readText(folder_.path("whole/best.safetensors"));
  std::vector<MetricsRow> rows = readMetrics();
  for (int64_t stop = 1; stop < whole->position.step; ++stop) {
    options_.checkpointDir = folder_.path(std::to_string(stop));
    options_.metrics = options_.checkpointDir + ".csv";
    options_.resume = false;
    ASSERT_TRUE(run(stop).ok());
    options_.resume = true;
    Result<TrainResult> second = run();
    ASSERT_TRUE(second.ok()) << second.status().message();
    EXPECT_EQ(second->position, whole->position) << stop;
    EXPECT_EQ(readText(options_.checkpointDir + "/best.safetensors"), wanted)
        << stop;
    std::vector<MetricsRow> again = readMetrics();
    ASSERT_EQ(again.size(), rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
      EXPECT_EQ(again[i].others, rows[i].others) << stop;
  }
}

TEST_F(EvaluatorTest, AnotherMetricBeginsAnew) {
  options_.checkpointDir = folder_.path("c");
  options_.evaluation.keepBest = "loss";
  ASSERT_TRUE(run().ok());
  options_.resume = true;
  options_.steps = 24;
  options_.evaluation.keepBest = "accuracy";
  Result<TrainResult> result = run();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->position.best->metric, "accuracy");
  EXPECT_GT(result->position.best->step, 20);
  EXPECT_NE(screen_.find("warning: the best so far was the least 'loss'; "
                         "from now on the best is the largest 'accuracy'"),
            std::string::npos)
      << screen_;
}

TEST_F(EvaluatorTest, WhatCannotBeIsSaid) {
  EXPECT_EQ(faultOf("loss"), "");
  EXPECT_EQ(faultOf("eval_accuracy:max"), "");
  EXPECT_EQ(faultOf("recall"),
            "--keep-best=recall: the evaluation has no 'recall'; it has "
            "'loss', 'accuracy', 'error', 'largest'");
  EXPECT_EQ(faultOf("error"), "--keep-best=error: which is better? "
                              "--keep-best=error:min or --keep-best=error:max");
  EXPECT_EQ(faultOf("error:min"), "");
  options_.evaluation.keepBest = "loss";
  EXPECT_EQ(run().status().message(), "--keep-best needs --checkpoint-dir");
  options_.checkpointDir = folder_.path("c");
  std::filesystem::create_directory(options_.checkpointDir);
  writeText(folder_.path("c/best.safetensors"), "old");
  EXPECT_EQ(run().status().message(),
            folder_.path("c/best.safetensors") +
                ": is the best state of another run, which --keep-best would "
                "replace; name another folder");
  options_.evaluation = {{folder_.path("none")}, 3, "", 0};
  options_.checkpointDir.clear();
  EXPECT_EQ(run().status().message().find(
                "--eval-data: " + folder_.path("none") + ": "),
            0u);
}

/// One that is not a number is never the best.
TEST_F(EvaluatorTest, NaNIsNoGain) {
  std::vector<float> x(12, NAN), target(4, 0);
  std::vector<TensorView> views = {
      {{"x", DType::F32, {4, 3}}, x.data()},
      {{"target", DType::F32, {4}}, target.data()}};
  ASSERT_TRUE(writeSafetensors(held_, views).ok());
  options_.evaluation.stopAfter = 2;
  options_.evaluation.keepBest = "loss";
  options_.checkpointDir = folder_.path("c");
  Result<TrainResult> result = run();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->position.step, 6);
  EXPECT_NE(screen_.find("2 evaluations without a smaller loss; none was a "
                         "number"),
            std::string::npos)
      << screen_;
  EXPECT_FALSE(std::filesystem::exists(folder_.path("c/best.safetensors")));
}

} // namespace
} // namespace mpc::rt
