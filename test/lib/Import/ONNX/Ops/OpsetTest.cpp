// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms that ops had in older files: attributes that are inputs today, and
// other defaults.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

Outcome old(const std::string &op, const std::vector<int64_t> &shape,
            const std::vector<TestAttribute> &attributes, int64_t opset) {
  return import({op, {{"x", shape}}, attributes, {}, {"y"}, opset});
}

TEST(Opset, AttributesThatBecameInputsMeanTheSame) {
  EXPECT_TRUE(
      contains(old("Slice", {5, 7},
                   {A::integers("starts", {1}), A::integers("ends", {-1}),
                    A::integers("axes", {1})},
                   9),
               "nn.slice %arg0 [0, 1] to [5, 6] by [1, 1]"));
  EXPECT_TRUE(
      contains(old("Squeeze", {1, 3, 1}, {A::integers("axes", {2})}, 11),
               "tensor<1x3x1xf32> -> tensor<1x3xf32>"));
  EXPECT_TRUE(contains(old("Squeeze", {1, 3, 1}, {}, 11),
                       "tensor<1x3x1xf32> -> tensor<3xf32>"));
  EXPECT_TRUE(contains(old("Unsqueeze", {3}, {A::integers("axes", {0})}, 11),
                       "tensor<3xf32> -> tensor<1x3xf32>"));
  EXPECT_TRUE(contains(
      old("Pad", {3}, {A::integers("pads", {1, 2}), A::real("value", 0.5)}, 10),
      "low [1] high [2] interior [0] value 5.000000e-01"));
  EXPECT_TRUE(
      contains(old("Clip", {3}, {A::real("max", 6)}, 10), "nn.minimum %arg0"));
  EXPECT_TRUE(contains(old("ReduceSum", {3, 4}, {A::integers("axes", {1})}, 11),
                       "nn.reduce_sum %arg0 axes [1]"));
}

TEST(Opset, SettingsOfOldOpsAreTheirConstants) {
  EXPECT_TRUE(contains(old("TopK", {3, 4}, {A::integer("k", 2)}, 9),
                       "nn.rank %arg0 descending"));
  EXPECT_TRUE(contains(
      old("Upsample", {1, 1, 2, 2}, {A::reals("scales", {1, 1, 2, 3})}, 8),
      "-> (tensor<1x1x4x6xf32>"));
  EXPECT_EQ(errorOf({"Upsample", {{"x", {1, 1, 2, 2}}}, {}, {}, {"y"}, 8}),
            "attribute 'scales' is missing");
}

TEST(Opset, AnAttributeThatIsNeededIsAskedFor) {
  EXPECT_EQ(errorOf({"Unsqueeze", {{"x", {3}}}, {}, {}, {"y"}, 11}),
            "attribute 'axes' is missing");
  EXPECT_EQ(
      errorOf(
          {"Slice", {{"x", {3}}}, {A::integers("starts", {1})}, {}, {"y"}, 9}),
      "attribute 'ends' is missing");
}

TEST(Opset, SoftmaxJoinedAxesBefore13) {
  EXPECT_TRUE(contains(old("Softmax", {2, 3, 4}, {}, 12),
                       "nn.softmax %0 axis(1) : tensor<2x12xf32>"));
  EXPECT_TRUE(contains(old("Softmax", {2, 3, 4}, {}, 13),
                       "nn.softmax %arg0 axis(2) : tensor<2x3x4xf32>"));
}

TEST(Opset, HardmaxJoinedAxesBefore13) {
  EXPECT_TRUE(
      contains(old("Hardmax", {2, 3, 4}, {}, 12), "nn.reduce_max %0 axes [1]"));
  EXPECT_TRUE(contains(old("Hardmax", {2, 3, 4}, {}, 13),
                       "nn.reduce_max %arg0 axes [2]"));
  EXPECT_EQ(errorOf({"Hardmax", {{"x", {2, 0, 4}}}, {}, {}, {"y"}, 11}),
            "axis 1 has 0 elements, expected 1 to 2^24");
}

TEST(Opset, AFormThatIsNotKnownIsNamed) {
  EXPECT_EQ(errorOf({"Add", {{"a", {3}}, {"b", {3}}}, {}, {}, {"y"}, 6}),
            "this op is imported from opset 7 on");
  EXPECT_EQ(
      errorOf({"BatchNormalization",
               {{"x", {2, 3}}, {"s", {3}}, {"b", {3}}, {"m", {3}}, {"v", {3}}},
               {A::integer("spatial", 0)},
               {},
               {"y"},
               7}),
      "attribute 'spatial' is 0: statistics of each place are not "
      "supported");
}

} // namespace
