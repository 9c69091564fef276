// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches and evaluations out of files, over C and C++.
#include "mpc/Data.h"

#include "runtime/Support/Safetensors.h"
#include "test/capi/MeasuredProgram.h"
#include "test/runtime/TempFolder.h"

#include <cmath>

namespace mpc::test {
namespace {

class CAPIData : public testing::Test {
protected:
  CAPIData() {
    writeSamples(path_, 10);
    std::string file = fileOf(makeMeasuredProgram());
    auto loaded = Program::loadBytes(file.data(), file.size());
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    program_.emplace(*std::move(loaded));
  }

  Data open(const DataOptions &options) {
    auto data = Data::open(*program_, {path_}, options);
    EXPECT_TRUE(data.ok()) << data.status().message();
    return *std::move(data);
  }

  /// The samples of the next batch.
  static std::vector<float> next(Data &data) {
    Status status = data.next();
    EXPECT_TRUE(status.ok()) << status.message();
    Tensor x = *data.memory(0), target = *data.memory(1);
    auto *values = static_cast<const float *>(target.get()->data);
    auto *rows = static_cast<const float *>(x.get()->data);
    for (int64_t b = 0; b < kBatch; ++b)
      EXPECT_EQ(rows[b * kFeatures + 1], values[b]);
    return {values, values + kBatch};
  }

  std::string fault(const Expected<Data> &data) {
    return data.ok() ? "" : data.status().message();
  }

  rt::TempFolder folder_;
  std::string path_ = folder_.path("data.safetensors");
  std::optional<Program> program_;
};

TEST_F(CAPIData, BatchesAreOneBehindTheOther) {
  Data data = open({.shuffle = false});
  MpcDataInfo info = *data.info();
  EXPECT_EQ(info.numTensors, 2u);
  EXPECT_EQ(info.numSamples, 10);
  EXPECT_EQ(info.batchSize, kBatch);
  EXPECT_EQ(info.batchesPerEpoch, 2);
  EXPECT_STREQ(data.tensor(0)->name, "x");
  EXPECT_EQ(data.tensor(0)->shape[1], kFeatures);
  EXPECT_EQ(data.tensor(1)->dtype, MPC_DTYPE_F32);
  EXPECT_EQ(next(data), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(data.info()->batchesLeft, 1);
  EXPECT_EQ(next(data), (std::vector<float>{4, 5, 6, 7}));
  EXPECT_EQ(data.info()->batchesLeft, 0);
  EXPECT_EQ(next(data), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(data.position()->epoch, 1);
  EXPECT_EQ(data.position()->position, 4);
  Data wrapped = open({.shuffle = false, .wraps = true});
  EXPECT_EQ(wrapped.info()->batchesPerEpoch, 3);
  next(wrapped);
  next(wrapped);
  EXPECT_EQ(wrapped.info()->batchesLeft, 1);
  EXPECT_EQ(next(wrapped), (std::vector<float>{8, 9, 0, 1}));
  EXPECT_EQ(wrapped.position()->wraps, 1);
}

TEST_F(CAPIData, AnOrderFollowsFromItsSeedAndIsGoneOnWith) {
  Data data = open({.seed = 7}), same = open({.seed = 7});
  std::vector<float> first = next(data), second = next(data);
  EXPECT_EQ(next(same), first);
  MpcDataPosition position = *same.position();
  Data resumed = open({.seed = 7});
  EXPECT_TRUE(resumed.setPosition(position).ok());
  EXPECT_EQ(next(resumed), second);
  EXPECT_NE(next(resumed), first) << "an epoch has an order of its own";
  Data other = open({.seed = 8});
  EXPECT_STREQ(other.setPosition(position).message(),
               "cannot continue with other data: --seed was 7, now 8");
  position.epoch = -1;
  EXPECT_STREQ(resumed.setPosition(position).message(),
               "position: -1 is not a number of samples or epochs");
}

TEST_F(CAPIData, ARunnerReadsThemWhereTheyLie) {
  auto runner = Runner::create(*program_);
  Data data = open({.shuffle = false});
  for (size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(runner->bindInput(data.tensor(i)->name, *data.memory(i)).ok());
  EXPECT_TRUE(runner->writeNumber("lr", 0).ok());
  for (double expected : {(0 + 1 + 4 + 9) / 4.0, (16 + 25 + 36 + 49) / 4.0}) {
    EXPECT_TRUE(data.next().ok());
    EXPECT_EQ(runner->step()->loss, expected); // The weights are 0.
  }
}

TEST_F(CAPIData, PositionsGoThroughCheckpoints) {
  auto runner = Runner::create(*program_);
  Data data = open({.seed = 3, .wraps = true});
  next(data);
  auto checkpoints = Checkpoints::open(folder_.path("run"));
  EXPECT_TRUE(checkpoints->save(*runner, *data.position()).ok());
  std::vector<float> second = next(data);
  auto position = checkpoints->loadNewest(*runner);
  ASSERT_TRUE(position.ok() && position->has_value());
  EXPECT_EQ((*position)->wraps, 1);
  EXPECT_TRUE(data.setPosition(**position).ok());
  EXPECT_EQ(next(data), second);
}

TEST_F(CAPIData, ACheckpointWithNodesInFp32NeedsTheCompiler) {
  auto runner = Runner::create(*program_);
  EXPECT_TRUE(Checkpoints::open(folder_.path("run"))->save(*runner).ok());
  std::string path = folder_.path("run/ckpt-00000000.safetensors");
  auto file = rt::SafetensorsFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  rt::SafetensorsWriteOptions options{.metadata = file->metadata(),
                                      .contentHash = true};
  options.metadata["kept_fp32"] = "[\"fc1\"]";
  options.metadata.erase("content_hash");
  ASSERT_TRUE(rt::writeSafetensors(path, file->tensors(), options).ok());
  auto checkpoints = Checkpoints::open(folder_.path("run"));
  EXPECT_EQ(checkpoints->loadNewest(*runner).status().message(),
            path + ": keeps nodes in fp32, which needs the compiler");
}

TEST_F(CAPIData, TensorsAreWhatTheFilesHave) {
  auto data = Data::openTensors({path_}, 5, {}, {.shuffle = false});
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(data->info()->numTensors, 2u);
  EXPECT_EQ(data->info()->batchesPerEpoch, 2);
  auto named = Data::openTensors({path_}, 3, {"target"}, {.shuffle = false});
  EXPECT_EQ(named->info()->numTensors, 1u);
  EXPECT_TRUE(named->next().ok());
  EXPECT_TRUE(named->next().ok());
  Tensor target = *named->memory(0);
  EXPECT_EQ(static_cast<const float *>(target.get()->data)[2], 5);
  auto shared = Data::openTensors({path_}, 10, {"x", "target"},
                                  {.shuffle = false, .shared = {"target"}});
  EXPECT_EQ(shared->tensor(1)->shape[0], 10);
}

TEST_F(CAPIData, WhatIsWrongIsSaid) {
  auto with = [&](const std::vector<std::string> &files) {
    return fault(Data::open(*program_, files));
  };
  EXPECT_EQ(with({}), "--data: names no file");
  EXPECT_EQ(with({folder_.path("none*")}),
            folder_.path("none*") + ": matches no file");
  EXPECT_EQ(with({"-"}), "./-: cannot open: No such file or directory");
  rt::writeByte(path_, 0, '\x7f');
  EXPECT_EQ(with({path_}).find(path_ + ": "), 0u) << with({path_});
  writeSamples(path_, 3);
  EXPECT_EQ(with({path_}),
            path_ + ": holds 3 samples, fewer than one batch of 4");
  EXPECT_EQ(fault(Data::open(*program_, {path_}, {.shared = {"mask"}})),
            "--shared-input=mask: no input has that name; there are 'x', "
            "'target'");
  EXPECT_EQ(fault(Data::openTensors({path_}, 0)),
            "batchSize is 0, expected at least 1");
  EXPECT_EQ(fault(Data::openTensors({path_}, 1, {"y"})),
            path_ + ": no tensor 'y'; the file has 'target' f32[3], 'x' "
                    "f32[3x3]");
  EXPECT_EQ(fault(Data::openTensors({path_}, INT64_MAX)),
            "a batch of 9223372036854775807 samples of 'target' is larger than "
            "any memory");
  EXPECT_TRUE(rt::writeSafetensors(path_, {}).ok());
  EXPECT_EQ(fault(Data::openTensors({path_}, 1)), path_ + ": has no tensor");
}

TEST_F(CAPIData, PlacesOutsideOfABatchAreErrors) {
  Data data = open({});
  MpcTensorInfo info = sized<MpcTensorInfo>();
  DLTensor memory = {};
  EXPECT_FAILURE(mpcDataGetTensor(data.get(), 2, &info), MPC_ERROR_USAGE,
                 "tensor 2: a batch has 2 tensors");
  EXPECT_FAILURE(mpcDataGetMemory(data.get(), 2, &memory), MPC_ERROR_USAGE,
                 "tensor 2: a batch has 2 tensors");
}

TEST_F(CAPIData, AnEvaluationCountsEachSampleOnce) {
  auto evaluation = Evaluation::open(*program_, {path_});
  ASSERT_TRUE(evaluation.ok()) << evaluation.status().message();
  MpcEvaluationInfo info = *evaluation->info();
  EXPECT_EQ(info.numSamples, 10);
  EXPECT_EQ(info.batchSize, kBatch);
  EXPECT_EQ(info.numLeftOut, 2);
  EXPECT_EQ(info.numMetrics, 2u);
  EXPECT_TRUE(std::isnan(evaluation->metric(0)->value));
  std::vector<std::string> said;
  auto runner = Runner::create(
      *program_, {.log = [&](MpcLogLevel level, const char *text) {
        EXPECT_EQ(level, MPC_LOG_NOTE);
        said.emplace_back(text);
      }});
  std::vector<float> weights = {3, 0, 0};
  EXPECT_TRUE(runner->writeState("w", {weights.data(), {kFeatures}}).ok());
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(evaluation->run(*runner).ok());
  EXPECT_EQ(evaluation->metric(0)->name, "loss");
  EXPECT_EQ(evaluation->metric(0)->value, 9.0); // The mean of 3 i - i.
  EXPECT_FALSE(evaluation->metric(0)->isByBatch);
  EXPECT_EQ(evaluation->metric(1)->name, "largest");
  EXPECT_EQ(evaluation->metric(1)->value, (6 + 14) / 2.0);
  EXPECT_TRUE(evaluation->metric(1)->isByBatch);
  EXPECT_STREQ(evaluation->metric(2).status().message(), "metric 2 of 2");
  EXPECT_EQ(said,
            (std::vector<std::string>{
                "the last 2 of 10 samples do not fill a batch and are left out "
                "of 'largest', which the program has for whole batches only"}));
}

TEST_F(CAPIData, AnEvaluationIsNotUsedWithinItsOwnRun) {
  auto evaluation = Evaluation::open(*program_, {path_});
  std::string said;
  auto runner =
      Runner::create(*program_, {.log = [&](MpcLogLevel, const char *) {
        said = evaluation->info().status().message();
      }});
  EXPECT_TRUE(evaluation->run(*runner).ok());
  EXPECT_EQ(said, "the file evaluation is in use, by another thread or by the "
                  "call from which this one is made");
}

TEST_F(CAPIData, AnEvaluationIsOfItsProgram) {
  auto evaluation = Evaluation::open(*program_, {path_});
  Trained other(makeMeasuredProgram());
  EXPECT_FAILURE(
      mpcEvaluationRun(evaluation->get(), other.runner), MPC_ERROR_USAGE,
      "the evaluation was opened for a program other than the runner's");
  auto none = rt::test::makeTestProgram();
  auto &target = std::get<rt::CpuTarget>(none->target);
  target.cpu = rt::kHostLevel;
  target.machine = rt::cpuIdentity();
  std::string file = fileOf(none);
  auto program = Program::loadBytes(file.data(), file.size());
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_STREQ(Evaluation::open(*program, {path_}).status().message(),
               "the program has no evaluation beside its step");
}

} // namespace
} // namespace mpc::test
