// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights by name from a file.
#include "runtime/Train/InitialWeights.h"

#include "test/runtime/TempFolder.h"
#include "test/runtime/TestProgram.h"

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

TEST(InitialWeights, AValueThatIsNowhereIsAskedFor) {
  std::shared_ptr<Program> program = test::makeTestProgram();
  program->initialValues = {{{"w", DType::F32, {3}}, InitialKind::External}};
  auto runner = Runner::create(program, {1});
  EXPECT_EQ(initializeState(**runner, "", 0).message(),
            "parameter 'w' has no value: give one with --init=FILE");
}

} // namespace
} // namespace mpc::rt
