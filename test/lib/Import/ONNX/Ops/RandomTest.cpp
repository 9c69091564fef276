// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nodes that draw random numbers become.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

TEST(Random, DropoutKeepsItsRatioAndHasAStream) {
  EXPECT_TRUE(contains(
      import({"Dropout", {{"x", {2, 3}}}}),
      "nn.dropout %arg0 ratio 5.000000e-01 stream 0 : tensor<2x3xf32>"));
}

TEST(Random, TheMaskOfDropoutIsWhatIsLeftOfOnes) {
  Outcome outcome = import({"Dropout", {{"x", {4}}}, {}, {}, {"y", "mask"}});
  EXPECT_TRUE(contains(outcome, "nn.dropout %0 ratio 5.000000e-01 stream 0"))
      << outcome.module;
  EXPECT_TRUE(contains(outcome, "nn.compare ne"));
}

TEST(Random, DropoutThatTheFileTurnsOffPassesItsInputOn) {
  Outcome outcome =
      import({"Dropout", {{"x", {4}}, {"", {}}}, {}, {{"off", {0}}}});
  EXPECT_FALSE(contains(outcome, "nn.dropout"));
  EXPECT_EQ(outcome.notes,
            std::vector<std::string>{
                "node 'n' (Dropout): passes its input on in training too, as "
                "its input 'training_mode' is false"});
  EXPECT_TRUE(
      contains(import({"Dropout", {{"x", {4}}, {"", {}}}, {}, {{"on", {1}}}}),
               "nn.dropout"));
}

TEST(Random, DropoutMustBeKnownToDrop) {
  EXPECT_EQ(errorOf({"Dropout", {{"x", {4}}, {"r", {}}}}),
            "the ratio must be one known number");
  EXPECT_EQ(errorOf({"Dropout", {{"x", {4}}, {"", {}}, {"t", {}, kBool}}}),
            "whether it drops must be known when the model is compiled: give "
            "its input 'training_mode' by --input-value");
  EXPECT_EQ(errorOf({"Dropout", {{"x", {4}}}, {}, {{"r", {2}}}}),
            "the ratio is 2.000000, expected 0 to 1");
}

TEST(Random, UniformNumbersAreScaled) {
  Outcome outcome = import({"RandomUniformLike",
                            {{"x", {4}}},
                            {A::real("low", -1.0), A::real("high", 3.0)}});
  EXPECT_TRUE(contains(outcome, "nn.random_bits stream 0 : tensor<4xi32>"));
  EXPECT_TRUE(contains(outcome, "dense<4.000000e+00>"));
  EXPECT_TRUE(contains(outcome, "dense<-1.000000e+00>"));
}

TEST(Random, NormalNumbersAreMadeOfTwoWords) {
  Outcome outcome =
      import({"RandomNormal", {}, {A::integers("shape", {2, 3})}});
  EXPECT_TRUE(contains(outcome, "nn.random_bits stream 0 : tensor<2x3xi32>"));
  EXPECT_TRUE(
      contains(outcome, "nn.random_bits stream 0 draw 1 : tensor<2x3xi32>"));
  EXPECT_TRUE(contains(outcome, "nn.cos"));
}

TEST(Random, BernoulliIsAComparison) {
  EXPECT_TRUE(contains(import({"Bernoulli", {{"p", {4}}}}),
                       "nn.compare lt %1, %arg0 : tensor<4xf32>"));
}

TEST(Random, TypesAndShapesAreChecked) {
  EXPECT_EQ(errorOf({"RandomUniform", {}}), "attribute 'shape' is missing");
  EXPECT_EQ(errorOf({"RandomUniform", {}, {A::integers("shape", {-1})}}),
            "attribute 'shape' has the size -1");
  EXPECT_EQ(errorOf({"RandomUniformLike", {{"x", {4}, kI64}}}),
            "attribute 'dtype' is int64, expected a floating type");
  EXPECT_EQ(errorOf({"Bernoulli", {{"p", {4}}}, {A::integer("dtype", 8)}}),
            "numbers of type string are not supported");
}

} // namespace
