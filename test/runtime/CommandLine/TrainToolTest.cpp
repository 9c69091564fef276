// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A training as a tool runs it, from flags to exit code.
#include "runtime/CommandLine/TrainTool.h"

#include "test/runtime/TempFolder.h"
#include "test/runtime/TestProgram.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

class TrainToolTest : public testing::Test {
protected:
  TrainToolTest() {
    std::vector<float> x(24, 1), target(8, 6), weights = {1, 2, 3};
    std::vector<TensorView> data = {
        {{"x", DType::F32, {8, 3}}, x.data()},
        {{"target", DType::F32, {8}}, target.data()}};
    EXPECT_TRUE(writeSafetensors(folder_.path("data"), data).ok());
    std::vector<TensorView> init = {
        {{"w", DType::F32, {3}}, weights.data()},
        {{"mask", DType::F32, {3}}, weights.data()}};
    EXPECT_TRUE(writeSafetensors(folder_.path("init"), init).ok());
    tool_.name = "mpc-run";
    tool_.data.data.files = {folder_.path("data")};
    tool_.data.steps = 2;
    tool_.output.json = true;
    double scale[16] = {8, 0};
    program_->slabs[2].initial =
        SharedBytes::of(std::vector<double>(scale, scale + 16));
  }

  Result<int> run() {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Result<int> result = trainProgram(program_, tool_);
    output_ = testing::internal::GetCapturedStdout();
    error_ = testing::internal::GetCapturedStderr();
    return result;
  }

  TempFolder folder_;
  std::shared_ptr<Program> program_ = test::makeTestProgram();
  TrainTool tool_;
  std::string output_, error_;
};

TEST_F(TrainToolTest, StartsFromTheWeightsOfAFile) {
  tool_.data.init = folder_.path("init");
  Result<int> result = run();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(*result, 0);
  // 1 + 2 + 3 is the target, so that the loss is 0 from the first step on.
  EXPECT_NE(output_.find("\"loss_first\":0.0"), std::string::npos) << output_;
  EXPECT_EQ(error_.find("mpc-run: warning: " + tool_.data.init +
                        ": no parameter of that name: 'mask'\n"),
            0u)
      << error_;
}

TEST_F(TrainToolTest, StartsFromTheProgramsStateWithoutOne) {
  ASSERT_TRUE(run().ok());
  EXPECT_NE(output_.find("\"loss_first\":36.0"), std::string::npos) << output_;
  EXPECT_NE(error_.find("step 2/2"), std::string::npos) << error_;
}

TEST_F(TrainToolTest, AnotherBatchSizeIsAUsageError) {
  tool_.data.batchSize = 8;
  Result<int> result = run();
  EXPECT_EQ(result.status().code(), StatusCode::Usage);
  EXPECT_EQ(result.status().message(), "--batch-size=8: the program's is 4");
}

} // namespace
} // namespace mpc::rt
