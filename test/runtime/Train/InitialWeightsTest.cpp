// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights by name from a file, and drawn ones.
#include "runtime/Train/InitialWeights.h"

#include "runtime/Support/File.h"
#include "test/runtime/MappedMemory.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/TestProgram.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

TEST(InitialWeights, AParameterMayStandUnderEachOfItsNames) {
  TempFolder folder;
  std::shared_ptr<Program> program = test::makeTestProgram();
  program->tied = {{"head.w", "w"}};
  auto runner = Runner::create(program, {1});
  float weights[] = {1, 2, 3}, others[] = {1, 2, 4};
  std::vector<TensorView> tensors = {{{"w", DType::F32, {3}}, weights},
                                     {{"head.w", DType::F32, {3}}, weights}};
  std::string path = folder.path("init");
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  EXPECT_TRUE(loadInitialWeights(**runner, path)->unused.empty());
  tensors[1].data = others;
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  EXPECT_EQ(loadInitialWeights(**runner, path)->unused,
            std::vector<std::string>{"head.w"});
  // The same bytes in another shape are another tensor.
  tensors[1] = {{"head.w", DType::F32, {3, 1}}, weights};
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  EXPECT_EQ(loadInitialWeights(**runner, path)->unused,
            std::vector<std::string>{"head.w"});
  tensors[1] = {{"head.w", DType::I32, {3}}, weights};
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  EXPECT_EQ(loadInitialWeights(**runner, path)->unused,
            std::vector<std::string>{"head.w"});
  // Without the one that it repeats it is unknown, and so is a name of none.
  tensors[1] = {{"w/f16", DType::F32, {3}}, weights};
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  EXPECT_EQ(loadInitialWeights(**runner, path)->unused,
            std::vector<std::string>{"w/f16"});
}

TEST(InitialWeights, SetsWeightsAndTheirCopies) {
  TempFolder folder;
  auto runner = Runner::create(test::makeTestProgram(), {1});
  uint16_t halves[] = {0x3c00, 0x4000, 0x4200}; // 1, 2, 3
  float other[] = {5};
  int64_t batches[] = {7};
  std::vector<TensorView> tensors = {
      {{"w", DType::F16, {3}}, halves},
      {{"optimizer", DType::F32, {1}}, other},
      {{"bn1.num_batches_tracked", DType::I64, {}}, batches}};
  std::string path = folder.path("init");
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  auto report = loadInitialWeights(**runner, path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->unused, std::vector<std::string>{"optimizer"});
  EXPECT_TRUE(report->missing.empty());
  auto weight = (*runner)->readState("w"), copy = (*runner)->readState("w/f16");
  EXPECT_EQ(static_cast<const float *>(weight->data)[2], 3);
  EXPECT_EQ(static_cast<const uint16_t *>(copy->data)[2], 0x4200);

  tensors[0].desc.shape = {3, 1};
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  EXPECT_EQ(loadInitialWeights(**runner, path).status().message(),
            path + ": tensor 'w': expected f32[3], found f16[3x1]");
  ASSERT_TRUE(writeSafetensors(path, std::span(tensors).subspan(1, 1)).ok());
  EXPECT_EQ(loadInitialWeights(**runner, path).status().message(),
            path + ": holds none of the model's weights: the file has "
                   "'optimizer' f32[1]; the model has 'w'");
}

TEST(InitialWeights, ABufferIsAWeight) {
  TempFolder folder;
  std::shared_ptr<Program> program = test::makeTestProgram();
  program->state[1].role = StateRole::Buffer; // in place of a slot
  auto runner = Runner::create(program, {1});
  float values[] = {4, 5, 6};
  std::vector<TensorView> tensors = {{{"w/momentum", DType::F32, {3}}, values}};
  std::string path = folder.path("init");
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  auto report = loadInitialWeights(**runner, path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->loaded, std::vector<std::string>{"w/momentum"});
  // A buffer that the file lacks is none of those that are missing.
  EXPECT_EQ(report->missing, std::vector<std::string>{"w"});
  EXPECT_EQ(
      static_cast<const float *>((*runner)->readState("w/momentum")->data)[2],
      6);
  tensors[0].desc.name = "w";
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  EXPECT_TRUE(loadInitialWeights(**runner, path)->missing.empty());
}

constexpr int64_t kDrawn = 1'000'000;

/// A runner of a program that is no more than two tensors of so many elements
/// and a seed.
std::unique_ptr<Runner> makeDrawing(InitialKind kind, double argument) {
  auto program = std::make_shared<Program>();
  program->slabs = {{"weights", kDrawn * 8}, {"seed", 64}};
  program->state = {
      {{"a", DType::F32, {kDrawn}}, StateRole::Parameter, 0, 0},
      {{"b", DType::F32, {kDrawn}}, StateRole::Parameter, 0, kDrawn * 4},
      {{"seed", DType::F64, {}}, StateRole::Optimizer, 1, 0}};
  program->initialValues = {{{"a", DType::F32, {kDrawn}}, kind, argument, 0},
                            {{"b", DType::F32, {kDrawn}}, kind, argument, 1},
                            {{"seed", DType::F64, {}}, InitialKind::Seed}};
  auto runner = Runner::create(program, {1});
  EXPECT_TRUE(runner.ok()) << runner.status().message();
  return std::move(*runner);
}

std::vector<float> drawn(Runner &runner, const char *name) {
  auto *data = static_cast<const float *>(runner.readState(name)->data);
  return {data, data + kDrawn};
}

/// The mean of a function of the values, and the error of one that is such a
/// mean of independent values, six times over.
template <typename Function>
double meanOf(const std::vector<float> &values, Function function) {
  double sum = 0;
  for (float value : values)
    sum += function(static_cast<double>(value));
  return sum / static_cast<double>(values.size());
}

double sixErrors(double variance) {
  return 6 * std::sqrt(variance / static_cast<double>(kDrawn));
}

TEST(DrawnWeights, AreUniformBetweenBounds) {
  auto runner = makeDrawing(InitialKind::Uniform, 0.5);
  ASSERT_TRUE(initializeState(*runner, "", 3).ok());
  std::vector<float> values = drawn(*runner, "a");
  auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, -0.5f);
  EXPECT_LE(*most, 0.5f);
  EXPECT_LT(*least, -0.4999f);
  EXPECT_GT(*most, 0.4999f);
  // Moments of the uniform distribution over [-a, a): x^n over n + 1.
  EXPECT_NEAR(meanOf(values, [](double x) { return x; }), 0,
              sixErrors(0.25 / 3));
  EXPECT_NEAR(meanOf(values, [](double x) { return x * x; }), 0.25 / 3,
              sixErrors(0.0625 / 5));
  EXPECT_NEAR(meanOf(values, [](double x) { return double(x < -0.25); }), 0.25,
              sixErrors(0.25));
}

TEST(DrawnWeights, AreNormalWithADeviation) {
  auto runner = makeDrawing(InitialKind::Normal, 2);
  ASSERT_TRUE(initializeState(*runner, "", 3).ok());
  std::vector<float> values = drawn(*runner, "a");
  // E[x^2n] of deviation s is (2n - 1)!! s^2n.
  EXPECT_NEAR(meanOf(values, [](double x) { return x; }), 0, sixErrors(4));
  EXPECT_NEAR(meanOf(values, [](double x) { return x * x; }), 4,
              sixErrors(2 * 16));
  EXPECT_NEAR(meanOf(values, [](double x) { return x * x * x; }), 0,
              sixErrors(15 * 64));
  EXPECT_NEAR(meanOf(values, [](double x) { return x * x * x * x; }), 3 * 16,
              sixErrors(96 * 256));
  // Beyond three deviations lie 2 (1 - Phi(3)) of them.
  EXPECT_NEAR(meanOf(values, [](double x) { return double(std::fabs(x) > 6); }),
              0.0026998, sixErrors(0.0027));
}

TEST(DrawnWeights, AreOnesAndZeros) {
  for (auto [kind, value] :
       {std::pair(InitialKind::Ones, 1.0f), {InitialKind::Zeros, 0.0f}}) {
    auto runner = makeDrawing(kind, 7);
    ASSERT_TRUE(initializeState(*runner, "", 3).ok());
    EXPECT_EQ(drawn(*runner, "a"), std::vector<float>(kDrawn, value));
  }
}

TEST(DrawnWeights, HangOnTheSeedAndTheStreamAlone) {
  auto runner = makeDrawing(InitialKind::Uniform, 1);
  ASSERT_TRUE(initializeState(*runner, "", 3).ok());
  std::vector<float> a = drawn(*runner, "a"), b = drawn(*runner, "b");
  ASSERT_TRUE(initializeState(*runner, "", 4).ok());
  std::vector<float> other = drawn(*runner, "a");
  auto sameIn = [](const std::vector<float> &x, const std::vector<float> &y) {
    int64_t count = 0;
    for (size_t i = 0; i < x.size(); ++i)
      count += x[i] == y[i];
    return count;
  };
  EXPECT_LT(sameIn(a, b), 10);
  EXPECT_LT(sameIn(a, other), 10);
  EXPECT_TRUE(drawState(*runner, 3)->empty());
  EXPECT_EQ(drawn(*runner, "a"), a);
  EXPECT_EQ(drawn(*runner, "b"), b);
}

TEST(DrawnWeights, TheSeedIsANumberOf53Bits) {
  auto runner = makeDrawing(InitialKind::Zeros, 0);
  for (auto [seed, kept] : {std::pair(uint64_t(5), 5.0),
                            {(uint64_t(1) << 53) - 1, 0x1p53 - 1},
                            {uint64_t(1) << 53, 1.0},
                            // Bit 60 falls on bit 7, the highest on bit 10.
                            {(uint64_t(1) << 60) + 5, 133.0},
                            {(uint64_t(1) << 63) + 1024, 0.0}}) {
    ASSERT_TRUE(initializeState(*runner, "", seed).ok());
    EXPECT_EQ(runner->readState("seed")->desc.dtype, DType::F64);
    EXPECT_EQ(*static_cast<const double *>(runner->readState("seed")->data),
              kept);
  }
}

TEST(DrawnWeights, AFileTakesTheirPlaceButNotThatOfTheSeed) {
  TempFolder folder;
  auto runner = makeDrawing(InitialKind::Ones, 0);
  std::vector<float> twos(kDrawn, 2);
  double seed = 9;
  std::vector<TensorView> tensors = {{{"b", DType::F32, {kDrawn}}, twos.data()},
                                     {{"seed", DType::F64, {}}, &seed}};
  ASSERT_TRUE(writeSafetensors(folder.path("init"), tensors).ok());
  ASSERT_TRUE(initializeState(*runner, folder.path("init"), 4).ok());
  EXPECT_EQ(drawn(*runner, "a"), std::vector<float>(kDrawn, 1));
  EXPECT_EQ(drawn(*runner, "b"), twos);
  EXPECT_EQ(*static_cast<const double *>(runner->readState("seed")->data), 4);
}

TEST(InitialWeights, AveragesTakeThePlaceOfWeights) {
  TempFolder folder;
  auto runner = makeDrawing(InitialKind::Ones, 0);
  EXPECT_EQ(initializeAverages(*runner, "").message(),
            "--ema needs a checkpoint: --init=FILE");
  ASSERT_TRUE(initializeState(*runner, "", 4).ok());
  std::vector<float> twos(kDrawn, 2);
  std::vector<TensorView> tensors = {
      {{"b", DType::F32, {kDrawn}}, twos.data()}};
  std::string path = folder.path("init");
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  EXPECT_EQ(initializeAverages(*runner, path).message(),
            path + ": holds no average of a parameter; --ema is for "
                   "checkpoints of a training with --ema");
  tensors[0].desc.name = "b/ema";
  ASSERT_TRUE(writeSafetensors(path, tensors).ok());
  ASSERT_TRUE(initializeAverages(*runner, path).ok());
  EXPECT_EQ(drawn(*runner, "a"), std::vector<float>(kDrawn, 1));
  EXPECT_EQ(drawn(*runner, "b"), twos);
}

TEST(InitialWeights, CopiesFollowWhatWeightsBeginWith) {
  TempFolder folder;
  std::shared_ptr<Program> program = test::makeTestProgram();
  program->initialValues = {{{"w", DType::F32, {3}}, InitialKind::Ones}};
  float twos[] = {2, 2, 2};
  std::vector<TensorView> averages = {{{"w/ema", DType::F32, {3}}, twos}};
  ASSERT_TRUE(writeSafetensors(folder.path("ema"), averages).ok());
  auto copyOf = [](Runner &runner) {
    return *static_cast<const uint16_t *>(runner.readState("w/f16")->data);
  };
  auto one = Runner::create(program, {1}), other = Runner::create(program, {1});
  ASSERT_TRUE(drawState(**one, 0).ok());
  EXPECT_EQ(copyOf(**one), 0x3c00); // 1
  ASSERT_TRUE(initializeState(**other, "", 0).ok());
  EXPECT_EQ(copyOf(**other), 0x3c00);
  ASSERT_TRUE(initializeAverages(**other, folder.path("ema")).ok());
  EXPECT_EQ(copyOf(**other), 0x4000); // 2
}

TEST(InitialWeights, AFileOfValuesLeavesMemoryOnceTheyAreInTheState) {
  constexpr int64_t kElements = 1 << 21;
  constexpr size_t kBytes = kElements * sizeof(float);
  TempFolder folder;
  writeText(folder.path("values"), std::string(kBytes, '?'));
  auto file =
      std::make_shared<MappedFile>(*MappedFile::open(folder.path("values")));
  TensorDesc desc = {"big", DType::F32, {kElements}};
  std::shared_ptr<Program> program = test::makeTestProgram();
  program->state.push_back(
      {desc, StateRole::Buffer, uint32_t(program->slabs.size()), 0});
  program->slabs.push_back({"big", kBytes});
  program->initialValues = {{desc, InitialKind::Values}};
  program->initialValues[0].values = {file, file->bytes()};
  auto drawn = Runner::create(program, {1}),
       begun = Runner::create(program, {1});
  size_t before = mappedInMemory();
  ASSERT_TRUE(drawState(**drawn, 0).ok());
  ASSERT_TRUE(initializeState(**begun, "", 0).ok());
  EXPECT_LT(mappedInMemory(), before + kBytes / 2);
  for (auto *runner : {drawn->get(), begun->get()})
    EXPECT_EQ(std::memcmp(runner->readState("big")->data, file->bytes().data(),
                          kBytes),
              0);
}

TEST(InitialWeights, AValueThatIsNowhereIsAskedFor) {
  std::shared_ptr<Program> program = test::makeTestProgram();
  program->initialValues = {{{"w", DType::F32, {3}}, InitialKind::External}};
  auto runner = Runner::create(program, {1});
  EXPECT_EQ(initializeState(**runner, "", 0).message(),
            "parameter 'w' has no value: give one with --init=FILE");
  EXPECT_EQ(*drawState(**runner, 0), std::vector<std::string>{"w"});
}

} // namespace
} // namespace mpc::rt
