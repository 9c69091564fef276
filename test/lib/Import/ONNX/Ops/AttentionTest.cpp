// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an Attention node becomes, and what is wrong with one that is refused.
// Its numbers are those of the node suite.
#include "test/lib/Import/ONNX/OneNode.h"

using namespace mpc;
using namespace mpc::onnx;

namespace {

OneNode attention(std::vector<In> inputs, std::vector<A> attributes = {}) {
  return {"Attention", std::move(inputs), std::move(attributes), {}, {"y"}, 25};
}

const std::vector<In> kHeads = {
    {"q", {2, 4, 3, 8}}, {"k", {2, 2, 5, 8}}, {"v", {2, 2, 5, 6}}};

std::vector<In> with(std::vector<In> more) {
  std::vector<In> inputs = kHeads;
  inputs.insert(inputs.end(), more.begin(), more.end());
  return inputs;
}

TEST(Attention, RepeatsHeadsOfKeys) {
  Outcome outcome = import(attention(kHeads));
  EXPECT_TRUE(
      contains(outcome, "tensor<2x2x5x8xf32> -> tensor<2x2x2x5x8xf32>"));
  EXPECT_TRUE(contains(outcome, "nn.softmax %"));
  // Nothing is masked, so that no row can be empty.
  EXPECT_FALSE(contains(outcome, "nn.select"));
}

TEST(Attention, CausalIsAMaskThatIsKnown) {
  Outcome outcome = import(attention(kHeads, {A::integer("is_causal", 1)}));
  EXPECT_TRUE(contains(outcome, "nn.select"));
  EXPECT_FALSE(contains(outcome, "nn.compare"));
  EXPECT_FALSE(contains(outcome, "nn.reduce_max"));
}

TEST(Attention, SaysWhatDoesNotGoTogether) {
  EXPECT_EQ(
      errorOf(attention(
          {{"q", {2, 4, 3, 8}}, {"k", {2, 4, 5, 7}}, {"v", {2, 4, 5, 6}}})),
      "queries 2x4x3x8, keys 2x4x5x7 and values 2x4x5x6 do not go "
      "together");
  EXPECT_EQ(
      errorOf(attention(
          {{"q", {2, 3, 3, 8}}, {"k", {2, 2, 5, 8}}, {"v", {2, 2, 5, 6}}})),
      "there are 3 heads of queries and 2 of keys");
  EXPECT_EQ(
      errorOf(attention({{"q", {2, 3, 8}}, {"k", {2, 5, 8}}, {"v", {2, 5, 8}}},
                        {A::integer("q_num_heads", 3)})),
      "input 0 is 2x3x8, attribute 'q_num_heads' 3");
  EXPECT_EQ(errorOf(attention(with({{"", {}}, {"p", {2, 2, 1, 8}}}))),
            "past_key and past_value come together or not at all");
  EXPECT_EQ(errorOf(attention(
                with({{"", {}}, {"p", {2, 1, 1, 8}}, {"r", {2, 2, 1, 6}}}))),
            "a cache is 2x1x1x8, what it goes before 2x2x5x8");
  EXPECT_EQ(
      errorOf(
          attention(with({{"", {}}, {"", {}}, {"", {}}, {"n", {3}, kI64}}))),
      "nonpad_kv_seqlen is int64[3], expected int64[2] and no cache beside it");
}

TEST(Attention, AMaskHasAxes) {
  EXPECT_EQ(errorOf(attention(with({{"m", {}}}))), "the mask is a scalar");
  EXPECT_EQ(errorOf(attention(with({{"m", {3, 4, 5}}}))),
            "the mask has shape 3x4x5, which does not broadcast to 2x4x3x5");
}

TEST(Attention, SettingsHaveBounds) {
  EXPECT_EQ(
      errorOf(attention(kHeads, {A::integer("qk_matmul_output_mode", 4)})),
      "attribute 'qk_matmul_output_mode' is 4");
  EXPECT_EQ(errorOf(attention(kHeads, {A::integer("left_window_size", -2)})),
            "a window is -2 to -1");
  EXPECT_EQ(errorOf({"SwiGLU", {{"a", {2}}, {"b", {3}}}, {}, {}, {"y"}, 28}),
            "the inputs are 2 and 3");
}

TEST(Attention, HardmaxAndEyeLikeAreCompared) {
  EXPECT_TRUE(contains(import({"Hardmax", {{"x", {2, 3}}}}), "nn.compare eq"));
  EXPECT_TRUE(contains(import({"EyeLike", {{"x", {2, 3}}}}),
                       "[1.000000e+00, 0.000000e+00, 0.000000e+00]"));
  EXPECT_EQ(errorOf({"EyeLike", {{"x", {2}}}}),
            "the input is 2, expected two axes and a type that is supported");
}

} // namespace
