// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkpoints under damage, kill, full disks, wrong models and two writers.
#include "runtime/Train/Checkpoint.h"

#include "runtime/Support/Random.h"
#include "test/runtime/FailingIo.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/TestProgram.h"

#include <csignal>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

class CheckpointTest : public testing::Test {
protected:
  CheckpointTest() : runner_(makeRunner(test::makeTestProgram())) {}

  static std::unique_ptr<Runner>
  makeRunner(std::shared_ptr<const Program> program) {
    auto runner = Runner::create(std::move(program), {1});
    EXPECT_TRUE(runner.ok());
    return std::move(*runner);
  }

  CheckpointFolder open(const Io &io = Io::system()) {
    auto folder = CheckpointFolder::open(
        path_, [this](const std::string &text) { warnings_.push_back(text); },
        io);
    EXPECT_TRUE(folder.ok()) << folder.status().message();
    return std::move(*folder);
  }

  void write(Runner &runner, const char *name, DType dtype, const void *data,
             int64_t count) {
    Status status = runner.writeState({{name, dtype, {count}}, data});
    ASSERT_TRUE(status.ok()) << status.message();
  }

  /// State and position that belong to a step.
  TrainPosition makeState(Runner &runner, int64_t step) {
    float weights[] = {float(step), 2, 3};
    float velocity[] = {4, float(-step), 6};
    double scale[] = {1024, double(step)}, steps[] = {double(step)};
    write(runner, "w", DType::F32, weights, 3);
    write(runner, "w/momentum", DType::F32, velocity, 3);
    write(runner, "loss_scale", DType::F64, scale, 2);
    write(runner, "optimizer", DType::F64, steps, 1);
    TrainPosition position{step, step - 1, 1, {~uint64_t(0), 3, 8, 22, 4}};
    if (step % 2)
      position.keptFp32 = {"fc1", "a \"quoted\" name"};
    return position;
  }

  void save(CheckpointFolder &folder, int64_t step) {
    Status status = folder.save(*runner_, makeState(*runner_, step));
    ASSERT_TRUE(status.ok()) << status.message();
  }

  /// Loads into a fresh runner and checks that state and position are those of
  /// one step. -1 where there is none, with `fault` set where that is an error.
  int64_t load(std::string *fault = nullptr) {
    CheckpointFolder folder = open();
    auto fresh = makeRunner(test::makeTestProgram());
    auto position = folder.loadNewest(*fresh);
    if (!position.ok()) {
      if (fault)
        *fault = position.status().message();
      else
        ADD_FAILURE() << position.status().message();
      return -1;
    }
    if (!*position)
      return -1;
    auto reference = makeRunner(test::makeTestProgram());
    EXPECT_EQ(**position, makeState(*reference, (*position)->step));
    EXPECT_TRUE(reference->derive().ok());
    for (const char *name :
         {"w", "w/momentum", "w/f16", "loss_scale", "optimizer"}) {
      auto loaded = fresh->readState(name), wanted = reference->readState(name);
      EXPECT_EQ(
          std::memcmp(loaded->data, wanted->data, wanted->desc.numBytes()), 0)
          << name;
    }
    return (*position)->step;
  }

  /// Rewrites the newest checkpoint, with a valid hash, after `change`.
  template <typename Change>
  std::string faultAfter(Change change) {
    std::filesystem::remove_all(path_);
    CheckpointFolder folder = open();
    save(folder, 5);
    auto file = SafetensorsFile::open(folder.fileOf(5));
    SafetensorsWriteOptions options;
    options.metadata = file->metadata();
    options.metadata.erase("content_hash");
    options.contentHash = true;
    std::vector<TensorView> tensors = file->tensors();
    change(options.metadata, tensors);
    EXPECT_TRUE(writeSafetensors(folder.fileOf(5), tensors, options).ok());
    auto fresh = makeRunner(test::makeTestProgram());
    auto result = folder.loadNewest(*fresh);
    if (result.ok())
      return "";
    std::string prefix = folder.fileOf(5) + ": ";
    EXPECT_TRUE(result.status().message().starts_with(prefix));
    return result.status().message().substr(prefix.size());
  }

  TempFolder temp_;
  std::string path_ = temp_.path("ckpt");
  std::unique_ptr<Runner> runner_;
  std::vector<std::string> warnings_;
};

TEST_F(CheckpointTest, RoundTripsAndKeepsTwo) {
  EXPECT_EQ(load(), -1);
  {
    CheckpointFolder folder = open();
    for (int64_t step : {1, 2, 3, 100000000})
      save(folder, step);
    EXPECT_EQ(folder.steps(), (std::vector<int64_t>{100000000, 3}));
  }
  EXPECT_EQ(load(), 100000000);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(CheckpointTest, DamagedCopiesFallBackToThePreviousOne) {
  std::string path, good;
  {
    CheckpointFolder folder = open();
    save(folder, 1);
    save(folder, 2);
    path = folder.fileOf(2);
    good = readText(path);
  }
  Random random(7);
  auto expectFallBack = [&](const std::string &bad, const std::string &what) {
    if (bad == good)
      return;
    writeText(path, bad);
    warnings_.clear();
    ASSERT_EQ(load(), 1) << what;
    ASSERT_EQ(warnings_.size(), 1u);
    ASSERT_NE(warnings_[0].find(path), std::string::npos);
  };
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    size_t bit = random.below(good.size() * 8);
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    expectFallBack(bad, fmt::format("bit {}", bit));
  }
  for (int i = 0; i < 200; ++i)
    expectFallBack(good.substr(0, random.below(good.size())), "cut");
  for (int i = 0; i < 100; ++i) {
    std::string bad = good;
    size_t at = random.below(good.size());
    bad.replace(at, 64, std::min<size_t>(64, good.size() - at), '\0');
    expectFallBack(bad, "zeros");
  }
  size_t half = good.size() / 2;
  expectFallBack(good.substr(half) + good.substr(0, half), "halves");
  expectFallBack(good + "x", "longer");
}

TEST_F(CheckpointTest, OnlyDamagedOnesIsAnError) {
  {
    CheckpointFolder folder = open();
    save(folder, 1);
    writeText(folder.fileOf(1), "");
  }
  std::string fault;
  EXPECT_EQ(load(&fault), -1);
  EXPECT_EQ(fault, path_ + ": none of its 1 checkpoints is whole");
}

TEST_F(CheckpointTest, SavingAfterAFallBackKeepsGoodOnes) {
  {
    CheckpointFolder folder = open();
    save(folder, 10);
    save(folder, 20);
    writeText(folder.fileOf(20), "damaged");
  }
  {
    CheckpointFolder folder = open();
    auto fresh = makeRunner(test::makeTestProgram());
    ASSERT_TRUE(folder.loadNewest(*fresh).ok());
    save(folder, 15);
    EXPECT_EQ(folder.steps(), (std::vector<int64_t>{15, 10}));
  }
  EXPECT_EQ(load(), 15);
}

// Features: L10.
TEST_F(CheckpointTest, KilledWhileSavingLosesNoAcknowledgedStep) {
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    int acks[2];
    ASSERT_EQ(::pipe(acks), 0);
    pid_t child = ::fork();
    if (child == 0) {
      ::close(acks[0]);
      CheckpointFolder folder = open();
      for (int64_t step = round * 1000 + 1;; ++step) {
        if (!folder.save(*runner_, makeState(*runner_, step)).ok() ||
            ::write(acks[1], &step, sizeof step) != sizeof step)
          ::_exit(1);
      }
    }
    ::close(acks[1]);
    // From its first acknowledged step on, at any moment of a later save.
    int64_t step = 0, last = 0;
    ASSERT_EQ(::read(acks[0], &last, sizeof last), ssize_t(sizeof last));
    ::usleep(static_cast<useconds_t>(random.below(4000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    while (::read(acks[0], &step, sizeof step) == ssize_t(sizeof step))
      last = step;
    ::close(acks[0]);
    warnings_.clear();
    ASSERT_GE(load(), last);
    EXPECT_TRUE(warnings_.empty());
  }
  {
    CheckpointFolder folder = open();
  }
  for (const auto &entry : std::filesystem::directory_iterator(path_))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".mpc-tmp-"));
}

TEST_F(CheckpointTest, EachFailingCallKeepsTheOldCheckpoint) {
  for (int error : {ENOSPC, EIO, EDQUOT, EACCES}) {
    for (int failAt = 0;; ++failAt) {
      std::filesystem::remove_all(path_);
      {
        CheckpointFolder folder = open();
        save(folder, 1);
      }
      FailingIo io(failAt, error);
      bool done = false;
      {
        CheckpointFolder folder = open(io);
        Status status = folder.save(*runner_, makeState(*runner_, 2));
        done = status.ok();
        if (!done) {
          EXPECT_EQ(status.code(), StatusCode::Environment);
          EXPECT_NE(status.message().find(folder.fileOf(2)), std::string::npos);
        }
      }
      int64_t step = load();
      EXPECT_TRUE(step == 2 || (step == 1 && !done));
      if (done)
        break;
    }
  }
}

TEST_F(CheckpointTest, SaysWhatEachTensorIs) {
  CheckpointFolder folder = open();
  save(folder, 5);
  auto file = SafetensorsFile::open(folder.fileOf(5));
  EXPECT_EQ(file->metadata().find("state")->second,
            R"({"loss_scale":{"role":"loss_scale"},)"
            R"("optimizer":{"role":"optimizer"},"w":{"role":"parameter"},)"
            R"("w/momentum":{"key":"momentum","owner":"w","role":"slot"}})");
}

TEST_F(CheckpointTest, ARecordThatDoesNotFitIsRefused) {
  EXPECT_EQ(faultAfter([](Metadata &, std::vector<TensorView> &t) {
              for (TensorView &tensor : t)
                if (tensor.desc.name == "w/momentum")
                  tensor.desc.name = "w/exp_avg";
            }),
            "field 'state' has, for tensor 'w/exp_avg', no role; it must "
            "describe each tensor as mpc writes it: take another checkpoint");
}

TEST_F(CheckpointTest, AWrongModelIsListedNotPassedOver) {
  EXPECT_EQ(faultAfter([](Metadata &, std::vector<TensorView> &) {}), "");
  EXPECT_EQ(faultAfter([](Metadata &m, std::vector<TensorView> &t) {
              m.erase("state"); // As files before it.
              for (TensorView &tensor : t)
                if (tensor.desc.name == "w")
                  tensor.desc.shape = {3, 1};
                else if (tensor.desc.name == "w/momentum")
                  tensor.desc.name = "w/exp_avg";
            }),
            "does not fit this model and recipe; 1 missing: 'w/momentum'; 1 "
            "extra: 'w/exp_avg'; 1 different: 'w' (expected f32[3], found "
            "f32[3x1]); --init=FILE without --resume begins anew with the "
            "weights of a checkpoint");
}

TEST_F(CheckpointTest, ImpossibleFieldsAreNamed) {
  auto withScale = [&](double scale, double counter) {
    double values[] = {scale, counter};
    return faultAfter([&](Metadata &, std::vector<TensorView> &t) {
      for (TensorView &tensor : t)
        if (tensor.desc.name == "loss_scale")
          tensor.data = values;
    });
  };
  EXPECT_EQ(withScale(-1, 0),
            "field 'scale' of 'loss_scale' is -1, expected 0 to inf");
  // Torch has no floor, keras3 and deepspeed have no cap, and logmax comes to
  // NaN by gradients of zeros.
  for (double scale : {0.0, 1e39, double(INFINITY), double(NAN)})
    EXPECT_EQ(withScale(scale, 0), "");
  for (double counter : {-1.0, 0x1p63, double(NAN)})
    EXPECT_TRUE(withScale(1, counter)
                    .starts_with("field 'counter' of 'loss_scale' is "));
  auto withField = [&](const char *key, const char *value) {
    return faultAfter([&](Metadata &metadata, std::vector<TensorView> &) {
      metadata[key] = value;
    });
  };
  EXPECT_EQ(withField("step", "9223372036854775808"),
            "field 'step' is '9223372036854775808', expected 0 to "
            "9007199254740992");
  EXPECT_EQ(withField("applied", "-1"),
            "field 'applied' is '-1', expected 0 to 9007199254740992");
  EXPECT_EQ(withField("data.epoch", "1x"),
            "field 'data.epoch' is '1x', expected 0 to 9007199254740992");
  EXPECT_EQ(withField("data.order", "random"),
            "field 'data.order' is 'random'");
  for (const char *names : {"{}", "[1]", "["})
    EXPECT_EQ(withField("kept_fp32", names),
              "field 'kept_fp32' is not a list of names");
  EXPECT_EQ(withField("data.last_batch", "keep"),
            "field 'data.last_batch' is 'keep'");
  // An older mpc did not write it.
  EXPECT_EQ(faultAfter([](Metadata &metadata, auto &) {
              EXPECT_EQ(metadata.erase("data.last_batch"), 1u);
            }),
            "");
  auto withBest = [&](const char *goal, const char *value) {
    return faultAfter([&](Metadata &metadata, std::vector<TensorView> &) {
      metadata["best.metric"] = "loss";
      metadata["best.goal"] = goal;
      metadata["best.value"] = value;
      metadata["best.step"] = metadata["best.without_gain"] = "0";
    });
  };
  EXPECT_EQ(withBest("max", "1.5"), "");
  EXPECT_EQ(withBest("most", "1.5"), "field 'best.goal' is 'most'");
  EXPECT_EQ(withBest("max", "1.5x"), "field 'best.value' is '1.5x'");
  EXPECT_EQ(withField("step", "6"), "holds step 6");
  EXPECT_EQ(withField("format", "x"), "is not a checkpoint of mpc");
  EXPECT_EQ(withField("format_version", "2"),
            "was written by a newer mpc (format 2, this one reads up to 1)");
}

/// A program with numbers, as its rule sets them.
std::shared_ptr<Program> makeProgramWithNumbers(double beta1, double interval,
                                                double scale) {
  auto program = test::makeTestProgram();
  auto bytesOf = [](std::vector<double> values, size_t size) {
    std::vector<uint8_t> bytes(size);
    std::memcpy(bytes.data(), values.data(), values.size() * sizeof(double));
    return SharedBytes::of(std::move(bytes));
  };
  program->state[3].desc.name = "amp.loss_scale";
  program->slabs[2].initial = bytesOf({scale, 0}, program->slabs[2].bytes);
  program->slabs.push_back({"numbers", 64, 1, bytesOf({beta1, interval}, 64)});
  program->state.push_back({{"amp.hyper.beta1", DType::F64, {}},
                            StateRole::Hyperparameters,
                            4,
                            0,
                            false,
                            "",
                            "beta1"});
  program->state.push_back({{"amp.hyper.growth_interval", DType::F64, {}},
                            StateRole::Setting,
                            4,
                            8,
                            false,
                            "",
                            "growth_interval"});
  return program;
}

class RuleTest : public CheckpointTest {
protected:
  /// What a run by `now` has of a checkpoint by `saved`: beta1, the growth
  /// interval and the scale.
  std::vector<double> resume(const TrainingRule &saved,
                             const TrainingRule &now) {
    std::filesystem::remove_all(path_);
    auto runner = makeRunner(makeProgramWithNumbers(0.8, 7, 64));
    CheckpointFolder folder = open();
    folder.setRule(saved);
    EXPECT_TRUE(folder.save(*runner, TrainPosition{}).ok());
    auto next = makeRunner(makeProgramWithNumbers(0.9, 2000, 4096));
    folder.setRule(now);
    warnings_.clear();
    auto loaded = folder.loadNewest(*next);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    for (std::string &warning : warnings_)
      warning = warning.substr(folder.fileOf(0).size() + 2);
    std::vector<double> numbers;
    for (const char *name : {"beta1", "growth_interval", "scale"})
      numbers.push_back(*next->readNumber(name));
    return numbers;
  }

  TrainingRule rule_ = {
      clausesOf("precision(fp16) loss_scale<torch> optimizer<adam>")};
};

TEST_F(RuleTest, TheSameKeepsEveryNumber) {
  EXPECT_EQ(resume(rule_, rule_), (std::vector<double>{0.8, 7, 64}));
  EXPECT_TRUE(warnings_.empty());
}

// Features: J9.
TEST_F(RuleTest, OfAnotherPolicySettingsAndScaleBeginAnew) {
  TrainingRule now = rule_;
  now.recipe["loss_scale"] = "loss_scale<keras3>";
  EXPECT_EQ(resume(rule_, now), (std::vector<double>{0.8, 2000, 4096}));
  EXPECT_EQ(warnings_,
            (std::vector<std::string>{
                "the run goes on with loss_scale<keras3> in place of "
                "loss_scale<torch>",
                "the loss scale begins anew, at 4096"}));
}

TEST_F(RuleTest, OfAnotherOptimizerNumbersBeginAnew) {
  TrainingRule now = rule_;
  now.recipe["optimizer"] = "optimizer<adamw, amsgrad>";
  EXPECT_EQ(resume(rule_, now), (std::vector<double>{0.9, 7, 64}));
  EXPECT_EQ(warnings_, (std::vector<std::string>{
                           "the run goes on with optimizer<adamw, amsgrad> in "
                           "place of optimizer<adam>"}));
}

TEST_F(RuleTest, WhatDecidesNoNumberIsOnlySaid) {
  TrainingRule now = rule_;
  now.recipe["precision"] = "precision(bf16)";
  now.recipe["larc"] = "larc<clip>";
  now.recipe["optimizer"] = "optimizer<adam, amsgrad>";
  EXPECT_EQ(resume(rule_, now), (std::vector<double>{0.8, 7, 64}));
  EXPECT_EQ(warnings_,
            (std::vector<std::string>{
                "the run goes on with larc<clip> in place of no larc, "
                "optimizer<adam, amsgrad> in place of "
                "optimizer<adam>, precision(bf16) in place of "
                "precision(fp16)"}));
}

TEST_F(RuleTest, AFileWithoutOneIsTakenForThisRuns) {
  EXPECT_EQ(resume({}, rule_), (std::vector<double>{0.8, 7, 64}));
  EXPECT_EQ(warnings_,
            (std::vector<std::string>{"does not say by which rule it was "
                                      "trained; this run's rule is assumed"}));
}

TEST_F(RuleTest, AFileMayLackNumbersOrHaveMore) {
  auto with = makeProgramWithNumbers(0.8, 7, 64);
  auto without = test::makeTestProgram();
  std::erase_if(without->state, [](const StateTensor &tensor) {
    return tensor.role == StateRole::LossScale;
  });
  auto carry = [&](const auto &from, const auto &to) {
    std::filesystem::remove_all(path_);
    CheckpointFolder folder = open();
    auto runner = makeRunner(from);
    EXPECT_TRUE(folder.save(*runner, TrainPosition{}).ok());
    auto next = makeRunner(to);
    warnings_.clear();
    auto loaded = folder.loadNewest(*next);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    for (std::string &warning : warnings_)
      warning = warning.substr(folder.fileOf(0).size() + 2);
    return next;
  };
  auto next = carry(without, with);
  EXPECT_EQ(*next->readNumber("scale"), 64);
  EXPECT_EQ(warnings_,
            (std::vector<std::string>{
                "the loss scale begins anew, at 64",
                "numbers that it lacks have this run's values: 'beta1', "
                "'growth_interval'"}));
  carry(with, without);
  EXPECT_EQ(warnings_, (std::vector<std::string>{
                           "numbers that this run has no use for are dropped: "
                           "'beta1', 'growth_interval', 'loss_scale'"}));
}

TEST_F(RuleTest, WhatDoesNotFitSaysHowTheRuleDiffers) {
  CheckpointFolder folder = open();
  folder.setRule(rule_);
  EXPECT_TRUE(folder.save(*runner_, TrainPosition{}).ok());
  auto program = test::makeTestProgram();
  program->state[1].desc.name = "w/exp_avg";
  auto next = makeRunner(program);
  folder.setRule(
      {clausesOf("precision(fp16) loss_scale<torch> optimizer<adamax>")});
  EXPECT_EQ(folder.loadNewest(*next).status().message(),
            folder.fileOf(0) +
                ": does not fit this model and recipe; 1 missing: 'w/exp_avg'; "
                "1 extra: 'w/momentum'; this run has optimizer<adamax> in "
                "place of optimizer<adam>; --init=FILE without --resume begins "
                "anew with "
                "the weights of a checkpoint");
}

TEST_F(RuleTest, TheNewestFileSaysHowAStepIsSummed) {
  auto positionAt = [](int64_t step) {
    TrainPosition position;
    position.step = step;
    return position;
  };
  EXPECT_FALSE(findSavedWindow(path_ + "/none"));
  std::filesystem::remove_all(path_);
  {
    CheckpointFolder folder = open();
    EXPECT_FALSE(findSavedWindow(path_));
    folder.setRule({clausesOf("accumulate(8) pairwise precision(fp16)")});
    EXPECT_TRUE(folder.save(*runner_, positionAt(3)).ok());
    folder.setRule({clausesOf("accumulate(2) precision(fp16)")});
    EXPECT_TRUE(folder.save(*runner_, positionAt(12)).ok());
  }
  std::optional<SavedWindow> newest = findSavedWindow(path_);
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->batches, 2);
  EXPECT_FALSE(newest->isPairwise);
  // One that cannot be read is passed over, as a resume does.
  std::filesystem::resize_file(path_ + "/ckpt-00000012.safetensors", 5);
  std::optional<SavedWindow> older = findSavedWindow(path_);
  ASSERT_TRUE(older);
  EXPECT_EQ(older->batches, 8);
  EXPECT_TRUE(older->isPairwise);
}

TEST_F(CheckpointTest, ARuleThatIsNoneIsNamed) {
  auto withRule = [&](const char *value) {
    return faultAfter([&](Metadata &metadata, std::vector<TensorView> &) {
      metadata["rule"] = value;
    });
  };
  EXPECT_EQ(withRule("[1]"), "field 'rule' is not an object of flags");
  EXPECT_EQ(withRule("{"), "field 'rule' is not an object of flags");
  EXPECT_EQ(withRule("{\"--lr\": 1}"), "field 'rule': '--lr' is not a text");
  auto withSchedule = [&](const char *value) {
    return faultAfter([&](Metadata &metadata, std::vector<TensorView> &) {
      metadata["schedule"] = value;
    });
  };
  EXPECT_EQ(withSchedule("[1]"), "field 'schedule' is not an object of flags");
}

TEST_F(CheckpointTest, ASecondWriterIsRefusedUntilTheFirstDies) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    CheckpointFolder folder = open();
    char byte = 1;
    if (::write(ready[1], &byte, 1) == 1)
      ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  auto second = CheckpointFolder::open(path_, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), StatusCode::Environment);
  EXPECT_TRUE(second.status().message().starts_with(
      fmt::format("{}: in use by process {} on host ", path_, child)))
      << second.status().message();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(CheckpointFolder::open(path_, {}).ok());
}

TEST_F(CheckpointTest, OddFolders) {
  auto fault = [](const std::string &path) {
    auto folder = CheckpointFolder::open(path, {});
    EXPECT_EQ(folder.status().code(), StatusCode::Environment);
    return folder.status().message();
  };
  writeText(temp_.path("file"), "");
  EXPECT_EQ(fault(temp_.path("file")),
            temp_.path("file") + ": is not a folder");
  EXPECT_EQ(fault(temp_.path("a/b")),
            temp_.path("a/b") +
                ": cannot create the folder: No such file or directory");
}

} // namespace
} // namespace mpc::rt
