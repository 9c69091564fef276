// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Train/NanJudge.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mpc::rt;

namespace {

ProbeSite site(const std::string &op, const std::string &node,
               std::vector<int64_t> inputs = {}, DType dtype = DType::F32) {
  ProbeSite made;
  made.op = op;
  made.node = node;
  made.inputs = std::move(inputs);
  made.desc = {"", dtype, {2}};
  return made;
}

ProbeSite used(ProbeSite made) {
  made.isUsed = true;
  return made;
}

TEST(NanJudgeTest, FindsNothingWhereAllIsFinite) {
  std::vector<ProbeSite> sites = {site("input", "x"),
                                  used(site("nn.exp", "e", {0}))};
  EXPECT_FALSE(findFault(sites, std::vector<double>{1, 2}));
}

TEST(NanJudgeTest, TheFirstInProgramOrderIsAtFault) {
  std::vector<ProbeSite> sites = {site("input", "x"), site("nn.exp", "e", {0}),
                                  site("nn.mul", "m", {1}),
                                  used(site("nn.add", "a", {0, 2}))};
  std::vector<double> largest = {90, INFINITY, INFINITY, NAN};
  auto found = findFault(sites, largest);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first.node, "e");
  EXPECT_EQ(found->first.largest, INFINITY);
  EXPECT_EQ(found->largestInput, 90);
}

TEST(NanJudgeTest, WhatTheStepDoesNotUseMayBeAnything) {
  std::vector<ProbeSite> sites = {
      site("input", "x"), site("nn.log", "unused", {0}),
      site("nn.sqrt", "s", {0}), used(site("nn.add", "a", {2}))};
  std::vector<double> largest = {1, NAN, NAN, NAN};
  EXPECT_EQ(findFault(sites, largest)->first.node, "s");
  // Where nothing leads to what is used, the first one is told all the same.
  largest = {1, NAN, 1, 1};
  EXPECT_EQ(findFault(sites, largest)->first.node, "unused");
}

TEST(NanJudgeTest, AMaskIsMeantToBeInfinite) {
  ProbeSite mask = site("nn.add", "mask", {0});
  mask.readsInfinity = true;
  std::vector<ProbeSite> sites = {site("input", "x"), mask,
                                  site("nn.sub", "shifted", {1}),
                                  used(site("nn.exp", "e", {2}))};
  // The infinity goes no further.
  EXPECT_FALSE(findFault(sites, std::vector<double>{1, INFINITY, INFINITY, 1}));
  // A NaN behind it is a fault of its own.
  EXPECT_EQ(
      findFault(sites, std::vector<double>{1, INFINITY, NAN, NAN})->first.node,
      "shifted");
  // Where the infinity alone reaches what is used, the mask is at fault.
  EXPECT_EQ(
      findFault(sites, std::vector<double>{1, INFINITY, INFINITY, INFINITY})
          ->first.node,
      "mask");
}

TEST(NanJudgeTest, NamesTheFirstGradientOfAParameter) {
  ProbeSite gradient = site("nn.matmul", "fc", {0});
  gradient.gradient = true;
  ProbeSite ofW = used(site("nn.cast", "", {1}));
  ofW.parameter = "w";
  std::vector<ProbeSite> sites = {site("input", "x"), gradient, ofW};
  auto found = findFault(sites, std::vector<double>{1, INFINITY, INFINITY});
  ASSERT_TRUE(found && found->parameter);
  EXPECT_EQ(found->parameter->parameter, "w");
  EXPECT_TRUE(found->first.gradient);
}

TEST(NanJudgeTest, Fp32CouldHelpTheFirst16BitTensorThatWasComputed) {
  std::vector<ProbeSite> sites = {site("input", "x", {}, DType::F16),
                                  site("nn.get", "w", {}, DType::F16),
                                  site("nn.matmul", "fc", {0, 1}, DType::F16),
                                  used(site("nn.exp", "e", {2}, DType::F16))};
  auto found = findFault(
      sites, std::vector<double>{INFINITY, INFINITY, INFINITY, INFINITY});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->guilty, std::vector<std::string>{"fc"});
  // Of tensors in f32 none is.
  for (ProbeSite &each : sites)
    each.desc.dtype = DType::F32;
  found = findFault(sites, std::vector<double>{1, 1, INFINITY, INFINITY});
  EXPECT_TRUE(found && found->guilty.empty());
}

TEST(NanJudgeTest, AGradientsCastLeadsToWhatMadeTheCastsOperand) {
  // Forward: node "h" in f16 is widened before node "loss"; backward the
  // gradient is cast down again and overflows there.
  ProbeSite widened = site("nn.cast", "loss", {0});
  ProbeSite narrowed = used(site("nn.cast", "loss", {1}, DType::BF16));
  narrowed.gradient = true;
  std::vector<ProbeSite> sites = {site("nn.matmul", "h", {}, DType::F16),
                                  widened, narrowed};
  auto found = findFault(sites, std::vector<double>{1, 1, INFINITY});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->guilty, (std::vector<std::string>{"h", "loss"}));
}

} // namespace
