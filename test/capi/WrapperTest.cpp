// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ wrapper, over all that it wraps.
#include "mpc/Runtime.h"

#include "test/capi/CAPITest.h"
#include "test/runtime/TempFolder.h"

namespace mpc::test {
namespace {

Program loadProgram(const std::shared_ptr<rt::Program> &program) {
  std::string file = fileOf(program);
  auto loaded = Program::loadBytes(file.data(), file.size());
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return *std::move(loaded);
}

TEST(CAPIWrapper, Trains) {
  Program program = loadProgram(makeProgram());
  EXPECT_EQ(program.info()->numEntries, 3u);
  size_t step = *program.findEntry("step");
  EXPECT_STREQ(program.entry(step)->name, "step");
  EXPECT_STREQ(program.input(step, 1)->name, "target");
  EXPECT_STREQ(program.output(step, 0)->name, "loss");
  EXPECT_STREQ(program.state(0)->name, "w");
  auto created = Runner::create(program, {.numThreads = 1});
  ASSERT_TRUE(created.ok()) << created.status().message();
  Runner runner = *std::move(created);
  std::vector<float> x(kBatch * kFeatures, 1), target(kBatch, 1);
  float loss = 0;
  EXPECT_TRUE(runner.bindInput("x", {x.data(), {kBatch, kFeatures}}).ok());
  EXPECT_TRUE(runner.bindInput("target", {target.data(), {kBatch}}).ok());
  EXPECT_TRUE(runner.bindOutput("loss", {&loss, {}}).ok());
  EXPECT_TRUE(runner.writeNumber("lr", 0.125).ok());
  auto result = runner.step();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->loss, 1);
  EXPECT_EQ(loss, 1);
  EXPECT_EQ(*runner.readScalar("good_steps"), 1);
  EXPECT_EQ(runner.progress()->applied, 1);
  EXPECT_TRUE(runner.updateScale(32).ok());
  EXPECT_EQ(*runner.readNumber("scale"), 32);
  std::vector<double> weights(kFeatures);
  EXPECT_TRUE(runner.readState("w", {weights.data(), {kFeatures}}).ok());
  EXPECT_EQ(weights[2], 0.25);
  EXPECT_TRUE(runner.unbindOutput("loss").ok());
  EXPECT_TRUE(runner.unbindInput("x").ok());
  EXPECT_STREQ(runner.step().status().message(),
               "entry 'step': input 'x' is not bound");
}

TEST(CAPIWrapper, ATensorIsDLPacksOfTheCaller) {
  std::vector<int16_t> data(6);
  Tensor tensor(data.data(), {2, 3});
  const DLTensor *plain = tensor.get();
  EXPECT_EQ(plain->data, data.data());
  EXPECT_EQ(plain->device.device_type, kDLCPU);
  EXPECT_EQ(plain->device.device_id, 0);
  EXPECT_EQ(plain->dtype.code, kDLInt);
  EXPECT_EQ(plain->dtype.bits, 16);
  EXPECT_EQ(plain->dtype.lanes, 1);
  ASSERT_EQ(plain->ndim, 2);
  EXPECT_EQ(plain->shape[0], 2);
  EXPECT_EQ(plain->shape[1], 3);
  EXPECT_EQ(plain->strides, nullptr);
  EXPECT_EQ(plain->byte_offset, 0u);
  // A copy has a shape of its own.
  auto original =
      std::make_unique<Tensor>(data.data(), std::vector<int64_t>{6});
  Tensor copy = *original;
  original.reset();
  EXPECT_EQ(copy.get()->shape[0], 6);
  EXPECT_EQ(Tensor(data.data(), {}).get()->ndim, 0);
}

TEST(CAPIWrapper, StepsInPartsEvaluatesAndShares) {
  Program program = loadProgram(makeWindowProgram(1));
  auto runner = Runner::create(program);
  ASSERT_TRUE(runner.ok());
  std::vector<float> x(kBatch * kFeatures, 1), target(kBatch, 1);
  std::vector<int64_t> label(kBatch, 0);
  EXPECT_TRUE(runner->bindInput("x", {x.data(), {kBatch, kFeatures}}).ok());
  EXPECT_TRUE(runner->bindInput("target", {target.data(), {kBatch}}).ok());
  EXPECT_TRUE(runner->bindInput("label", {label.data(), {kBatch}}).ok());
  EXPECT_TRUE(runner->writeNumber("lr", 0.125).ok());
  EXPECT_EQ(*runner->accumulate(), 1);
  EXPECT_EQ(runner->apply()->skipped, 0);
  EXPECT_TRUE(runner->evaluate().ok());
  std::vector<float> picked(kBatch);
  EXPECT_TRUE(runner->readOutput("picked", {picked.data(), {kBatch}}).ok());
  EXPECT_EQ(picked[3], 0.25f);
  auto shared = runner->shareState("w");
  ASSERT_TRUE(shared.ok());
  EXPECT_EQ(static_cast<float *>((*shared)->dl_tensor.data)[0], 0.25f);
  // Of one runner into another; then its memory as the other's input.
  auto other = Runner::create(program);
  EXPECT_TRUE(other
                  ->writeState("w", {static_cast<const float *>(
                                         (*shared)->dl_tensor.data),
                                     {kFeatures}})
                  .ok());
  Status refused = other->bindInput("target", *std::move(shared));
  EXPECT_EQ(refused.code(), MPC_ERROR_INVALID_INPUT);
  ASSERT_TRUE(*shared) << "a tensor that is refused stays the caller's";
}

TEST(CAPIWrapper, Profiles) {
  Program program = loadProgram(makeProgram());
  Runner runner = *Runner::create(program, {.numThreads = 1});
  EXPECT_STREQ(runner.profile(MPC_PROFILE_TABLE).status().message(),
               "no profile was started");
  EXPECT_TRUE(runner.startProfile().ok());
  EXPECT_EQ(*runner.profile(MPC_PROFILE_TABLE), "profile: nothing has run\n");
  EXPECT_TRUE(runner.writeTimeline("/dev/null").ok());
  EXPECT_TRUE(runner.stopProfile().ok());
}

TEST(CAPIWrapper, SavesLoadsAndLogs) {
  rt::TempFolder folder;
  Program program = loadProgram(makeProgram());
  std::string seen;
  auto runner = Runner::create(
      program, {.log = [&](MpcLogLevel, const char *text) { seen += text; }});
  auto checkpoints = Checkpoints::open(folder.path("run"));
  ASSERT_TRUE(checkpoints.ok());
  EXPECT_FALSE(checkpoints->loadNewest(*runner)->has_value());
  EXPECT_TRUE(runner->writeNumber("scale", 64).ok());
  EXPECT_TRUE(checkpoints->save(*runner).ok());
  EXPECT_TRUE(runner->writeNumber("scale", 2).ok());
  EXPECT_TRUE(checkpoints->loadNewest(*runner)->has_value());
  EXPECT_EQ(*runner->readNumber("scale"), 64);
  Runner moved = *std::move(runner);
  EXPECT_TRUE(
      moved.loadWeights(folder.path("run/ckpt-00000000.safetensors")).ok());
  EXPECT_NE(seen.find("no parameter of that name"), std::string::npos) << seen;
  EXPECT_EQ(Program::load("/none").status().code(), MPC_ERROR_INVALID_INPUT);
}

} // namespace
} // namespace mpc::test
