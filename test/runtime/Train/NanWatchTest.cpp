// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a probe is asked for after a step that is not finite, and what is told.
#include "runtime/Train/NanWatch.h"

#include "runtime/Train/StepCalls.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/TestProgram.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

using test::kBatch;
using test::kFeatures;

/// What a request held while it was answered.
struct Asked {
  std::string entry;
  size_t tensors = 0;
  std::optional<double> scale;
  float x = -1, target = -1, lr = -1; ///< The first element of each.
  float weight = -1, momentum = -1;
};

ProbedTensor tensorOf(const std::string &op, const std::string &node,
                      const TensorDesc &desc, double largest = INFINITY) {
  ProbedTensor tensor;
  tensor.op = op;
  tensor.node = node;
  tensor.desc = desc;
  tensor.largest = largest;
  return tensor;
}

class NanWatchTest : public testing::Test {
protected:
  void SetUp() override {
    runner_ = *Runner::create(test::makeTestProgram(), {1});
    // Every element of batch n is n, of the target 100 + n.
    std::vector<float> x, target;
    for (int64_t sample = 0; sample < 6 * kBatch; ++sample) {
      x.insert(x.end(), kFeatures, static_cast<float>(sample / kBatch));
      target.push_back(static_cast<float>(100 + sample / kBatch));
    }
    std::vector<TensorView> views = {
        {{"x", DType::F32, {6 * kBatch, kFeatures}}, x.data()},
        {{"target", DType::F32, {6 * kBatch}}, target.data()}};
    ASSERT_TRUE(writeSafetensors(folder_.path("data"), views).ok());
    inputs_ = dataInputs(runner_->program());
    loader_ = *DataLoader::open(
        {{folder_.path("data")}, SampleOrder::Sequential, 0, {}}, inputs_);
  }

  NanWatch makeWatch() {
    return {options_,
            probe_,
            *loader_,
            inputs_,
            [this](std::string_view kind, std::string_view text) {
              told_.push_back(std::string(kind) + ": " + std::string(text));
            },
            [this](std::string_view text) { output_ += text; }};
  }

  Result<std::optional<NanFinding>> answer(const ProbeRequest &request) {
    Asked asked = {std::string(request.entry), request.state.size(),
                   request.scale};
    auto first = [&](std::string_view name) {
      return *static_cast<const float *>(request.input(name));
    };
    asked.x = first("x");
    asked.target = first("target");
    asked.lr = first("lr");
    EXPECT_EQ(request.input("none"), nullptr);
    for (const TensorView &tensor : request.state)
      if (tensor.desc.name == "w")
        asked.weight = *static_cast<const float *>(tensor.data);
      else if (tensor.desc.name == "w/momentum")
        asked.momentum = *static_cast<const float *>(tensor.data);
    asked_.push_back(asked);
    if (!fault_.empty())
      return invalidInput(fault_);
    return asked_.size() <= answers_.size() ? answers_[asked_.size() - 1]
                                            : std::nullopt;
  }

  void next(int64_t batches) {
    for (int64_t i = 0; i < batches; ++i)
      ASSERT_TRUE(loader_->next().ok());
  }

  void setState(const char *name, float value) {
    std::vector<float> values(kFeatures, value);
    ASSERT_TRUE(
        runner_->writeState({{name, DType::F32, {kFeatures}}, values.data()})
            .ok());
  }

  static NanFinding findingOf(const std::string &node) {
    NanFinding finding;
    finding.first = tensorOf("nn.matmul", node, {"", DType::F16, {4, 3}});
    return finding;
  }

  TempFolder folder_;
  std::unique_ptr<Runner> runner_;
  std::vector<TensorDesc> inputs_;
  std::optional<DataLoader> loader_;
  NanWatchOptions options_;
  std::vector<Asked> asked_;
  std::vector<std::optional<NanFinding>> answers_;
  std::string fault_, output_;
  std::vector<std::string> told_;
  NanProbe probe_ = [this](const ProbeRequest &request) {
    return answer(request);
  };
  NanStep step_ = {.step = 7, .skipped = true, .loss = 2, .scale = 8, .lr = 3};
};

TEST_F(NanWatchTest, AStepIsRunAgainOnItsBatch) {
  NanWatch watch = makeWatch();
  next(2);
  ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
  next(1);
  answers_ = {findingOf("fc")};
  auto finding = watch.find(*runner_, step_);
  ASSERT_TRUE(finding.ok()) << finding.status().message();
  EXPECT_EQ((*finding)->first.node, "fc");
  ASSERT_EQ(asked_.size(), 1u);
  EXPECT_EQ(asked_[0].entry, "step");
  EXPECT_EQ(asked_[0].x, 2);
  EXPECT_EQ(asked_[0].target, 102);
  EXPECT_EQ(asked_[0].lr, 3);
  EXPECT_EQ(asked_[0].scale, 8.0);
}

TEST_F(NanWatchTest, AWindowIsRunAgainBatchByBatchAndThenWhatEndsIt) {
  options_.entries = {"accumulate", "apply"};
  options_.accumulate = 3;
  NanWatch watch = makeWatch();
  next(1);
  ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
  next(3);
  LoaderState after = loader_->state();
  answers_ = {std::nullopt, findingOf("second"), findingOf("third")};
  auto finding = watch.find(*runner_, step_);
  ASSERT_TRUE(finding.ok()) << finding.status().message();
  EXPECT_EQ((*finding)->first.node, "second");
  std::vector<std::string> entries;
  std::vector<float> batches;
  for (size_t i = 0; i < asked_.size(); ++i) {
    entries.push_back(asked_[i].entry);
    batches.push_back(asked_[i].x);
    // What follows goes on with what the first has left.
    EXPECT_EQ(asked_[i].tensors, i == 0 ? 4u : 0u);
    EXPECT_EQ(asked_[i].scale.has_value(), i == 0);
  }
  EXPECT_EQ(entries, (std::vector<std::string>{"accumulate", "accumulate",
                                               "accumulate", "apply"}));
  EXPECT_EQ(batches, (std::vector<float>{1, 2, 3, 3}));
  EXPECT_EQ(loader_->state(), after);
}

TEST_F(NanWatchTest, AWindowOfOneBatchHasAnEnd) {
  options_.entries = {"accumulate", "apply"};
  NanWatch watch = makeWatch();
  ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
  next(1);
  ASSERT_TRUE(watch.find(*runner_, step_).ok());
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(asked_[0].entry, "accumulate");
  EXPECT_EQ(asked_[1].entry, "apply");
}

TEST_F(NanWatchTest, TheStateBeforeTheStepIsKeptWhereTheStepChangesIt) {
  for (bool keeps : {false, true}) {
    asked_.clear();
    options_.keepState = keeps;
    options_.report = NanWatchOptions::kTextOnly;
    NanWatch watch = makeWatch();
    setState("w", 1);
    setState("w/momentum", 2);
    ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
    next(1);
    setState("w", 9);
    setState("w/momentum", 9);
    ASSERT_TRUE(watch.find(*runner_, step_).ok());
    ASSERT_EQ(asked_.size(), 1u);
    EXPECT_EQ(asked_[0].tensors, 4u);
    EXPECT_EQ(asked_[0].weight, keeps ? 1 : 9);
    EXPECT_EQ(asked_[0].momentum, keeps ? 2 : 9);
    EXPECT_EQ(asked_[0].scale.has_value(), !keeps);
  }
}

TEST_F(NanWatchTest, NothingIsKeptWhereNobodyAsks) {
  options_.keepState = true;
  NanWatch watch = makeWatch();
  ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
  next(1);
  EXPECT_EQ(watch.cause(*runner_, step_), "");
  ASSERT_TRUE(watch.beforeStep(*runner_, true).ok());
  next(1);
  EXPECT_EQ(watch.cause(*runner_, step_),
            "; every tensor of the batch is finite when it is run again");
  // What the step before asked for is gone.
  ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
  next(1);
  EXPECT_EQ(watch.cause(*runner_, step_), "");
  EXPECT_EQ(asked_.size(), 1u);
}

TEST_F(NanWatchTest, WithoutAProbeNothingIsSaid) {
  probe_ = {};
  options_.report = "-";
  NanWatch watch = makeWatch();
  ASSERT_TRUE(watch.beforeStep(*runner_, true).ok());
  next(1);
  EXPECT_TRUE(watch.report(*runner_, step_).ok());
  EXPECT_EQ(watch.cause(*runner_, step_), "");
  EXPECT_EQ(output_, "");
  EXPECT_TRUE(told_.empty());
}

TEST_F(NanWatchTest, AFindingIsRememberedUntilTheNextStep) {
  options_.report = NanWatchOptions::kTextOnly;
  NanWatch watch = makeWatch();
  ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
  next(1);
  answers_ = {findingOf("fc")};
  ASSERT_TRUE(watch.report(*runner_, step_).ok());
  EXPECT_EQ(watch.cause(*runner_, step_),
            "; the first tensor that is not finite is node 'fc' (nn.matmul), "
            "f16[4x3], largest magnitude inf");
  EXPECT_EQ(asked_.size(), 1u);
  ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
  next(1);
  ASSERT_TRUE(watch.report(*runner_, step_).ok());
  EXPECT_EQ(asked_.size(), 2u);
}

TEST_F(NanWatchTest, AFaultOfTheProbeIsPartOfTheCause) {
  fault_ = "no memory";
  NanWatch watch = makeWatch();
  ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
  next(1);
  EXPECT_EQ(watch.cause(*runner_, step_),
            "; it cannot be run again: no memory");
}

TEST_F(NanWatchTest, TenStepsAreReported) {
  options_.report = folder_.path("nan.jsonl");
  NanWatch watch = makeWatch();
  ASSERT_TRUE(watch.open().ok());
  for (int64_t i = 0; i < 12; ++i) {
    ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
    next(1);
    step_.step = i;
    ASSERT_TRUE(watch.report(*runner_, step_).ok());
  }
  EXPECT_EQ(asked_.size(), 10u);
  ASSERT_EQ(told_.size(), 11u);
  EXPECT_EQ(told_[9],
            "nan-report: step 9, skipped, loss 2, loss scale 8: every tensor "
            "of the batch is finite when it is run again");
  EXPECT_EQ(told_[10], "note: nan-report: 10 steps are reported, further ones "
                       "are not");
  std::istringstream file(readText(options_.report));
  int64_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines)
    EXPECT_EQ(nlohmann::json::parse(line)["step"], lines);
  EXPECT_EQ(lines, 10);
}

TEST_F(NanWatchTest, NothingIsReportedBehindAStepThatWasApplied) {
  options_.report = NanWatchOptions::kTextOnly;
  NanWatch watch = makeWatch();
  step_.skipped = false;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
    next(1);
    ASSERT_TRUE(watch.report(*runner_, step_).ok());
  }
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].find("nan-report: step 7, applied, "), 0u);
}

TEST_F(NanWatchTest, AReportGoesOnWithItsFileOrBeginsItAnew) {
  options_.report = folder_.path("nan.jsonl");
  for (auto [appends, lines] : {std::pair(false, 1), {true, 2}, {false, 1}}) {
    options_.append = appends;
    NanWatch watch = makeWatch();
    ASSERT_TRUE(watch.open().ok());
    ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
    next(1);
    ASSERT_TRUE(watch.report(*runner_, step_).ok());
    std::string text = readText(options_.report);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), lines);
  }
  EXPECT_EQ(output_, "");
}

TEST_F(NanWatchTest, AReportMayGoToStandardOutput) {
  options_.report = "-";
  NanWatch watch = makeWatch();
  ASSERT_TRUE(watch.open().ok());
  ASSERT_TRUE(watch.beforeStep(*runner_, false).ok());
  next(1);
  ASSERT_TRUE(watch.report(*runner_, step_).ok());
  EXPECT_EQ(nlohmann::json::parse(output_)["step"], 7);
}

TEST(NanReport, NamesWhatATensorIs) {
  ProbedTensor tensor = tensorOf("input", "x", {"", DType::F32, {4, 3}}, NAN);
  EXPECT_EQ(describe(tensor), "input 'x', f32[4x3], largest magnitude nan");
  tensor.op = "nn.get";
  EXPECT_EQ(describe(tensor), "parameter 'x', f32[4x3], largest magnitude nan");
  tensor.op = "amp.get_scale";
  EXPECT_EQ(describe(tensor),
            "the scale of 'x', f32[4x3], largest magnitude nan");
  tensor.op = "nn.exp";
  tensor.file = "net.mlir:7";
  tensor.largest = 0.5;
  EXPECT_EQ(describe(tensor),
            "node 'x' (nn.exp) at net.mlir:7, f32[4x3], largest magnitude 0.5");
  tensor.gradient = true;
  EXPECT_EQ(describe(tensor), "gradient of node 'x' (nn.exp) at net.mlir:7, "
                              "f32[4x3], largest magnitude 0.5");
  tensor.node = tensor.file = "";
  EXPECT_EQ(describe(tensor), "nn.exp, f32[4x3], largest magnitude 0.5");
  tensor.parameter = "w";
  EXPECT_EQ(describe(tensor), "nn.exp of the gradient of 'w', f32[4x3], "
                              "largest magnitude 0.5");
}

TEST(NanReport, TellsTheLargestInputAndTheFirstParameter) {
  NanFinding finding;
  finding.first = tensorOf("nn.exp", "e", {"", DType::F16, {2}});
  finding.first.file = "net.mlir:7";
  finding.largestInput = 12.5;
  finding.parameter = tensorOf("nn.matmul", "m", {"", DType::F32, {3}}, NAN);
  finding.parameter->gradient = true;
  finding.parameter->parameter = "w";
  EXPECT_EQ(describe(std::optional(finding)),
            "the first tensor that is not finite is node 'e' (nn.exp) at "
            "net.mlir:7, f16[2], largest magnitude inf, from inputs of up to "
            "12.5; the first parameter's gradient is that of 'w', f32[3], "
            "largest magnitude nan");
  std::string line = toJson({.step = 3, .skipped = true, .loss = NAN}, finding);
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(nlohmann::json::parse(line), nlohmann::json::parse(R"({
      "step": 3, "skipped": true, "loss": "nan", "scale": 1.0,
      "first": {"op": "nn.exp", "node": "e", "file": "net.mlir:7",
                "direction": "forward", "dtype": "f16", "shape": [2],
                "amax": "inf", "amax_inputs": 12.5},
      "parameter": {"op": "nn.matmul", "node": "m", "direction": "gradient",
                    "gradient_of": "w", "dtype": "f32", "shape": [3],
                    "amax": "nan", "name": "w"}})"));
  EXPECT_EQ(nlohmann::json::parse(toJson({.loss = 1}, std::nullopt))["first"],
            nullptr);
}

} // namespace
} // namespace mpc::rt
