// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient: against float64, and blocks against scalar loops
// to the bit, for vectors of 8 and 16 lanes and for every multiply unit.
#include "AttentionProblem.h"
#include "lib/Codegen/CPU/Processor.h"
#include "test/support/Philox.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mpc;
using namespace mpc::test;

namespace {

Buffers runOn(const std::string &text, const Config &config, Buffers buffers) {
  std::vector<void *> pointers;
  Kernels kernels(text, config);
  for (std::vector<uint8_t> &buffer : buffers)
    pointers.push_back(buffer.data());
  kernels.run(pointers);
  return buffers;
}

/// Runs one kernel by blocks, in one call and in several, and by scalar loops.
/// Returns the buffers, whose bits must be equal.
Buffers runBothWays(const std::string &text, Config config,
                    const Buffers &buffers) {
  config.naive = true;
  Buffers want = runOn(text, config, buffers);
  config.naive = false;
  for (config.pieces = 1; config.pieces <= 3; config.pieces += 2) {
    Buffers got = runOn(text, config, buffers);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(got[i] == want[i]) << "buffer " << i << "\n" << text;
  }
  return want;
}

void expectNear(const std::vector<uint8_t> &got, const std::string &element,
                const std::vector<double> &want, double bound,
                const char *name) {
  EXPECT_LT(relativeError(readNumbers(got, element), want), bound)
      << name << " of " << element;
}

void check(const AttentionCase &c, const char *element, Config config,
           double range) {
  AttentionProblem problem(c, element, range);
  // Weights are rounded to bf16 by its unit alone.
  bool isRounded = config.bf16 != cpu::Unit::FMA;
  std::string type = element;
  double rounding = type == "f32" ? 0 : type == "f16" ? 3e-4 : 2.4e-3;
  double bound = 6e-7 * std::max(1.0, range) + rounding * (isRounded ? 1.6 : 1);
  AttentionShape queries = {c.batch, c.heads, c.queries, c.depth},
                 output = queries;
  AttentionShape keys = {c.batch, c.groups, c.keys, c.depth}, values = keys;
  output.elements = values.elements = c.width;
  Buffers forward =
      runBothWays(problem.forwardText(), config, problem.forwardBuffers());
  expectNear(forward[forward.size() - 3], element,
             joinHeads(problem.output, output), bound, "output");
  expectNear(forward[forward.size() - 2], "f32", problem.rowMax, 1e-6,
             "row_max");
  expectNear(forward.back(), "f32", problem.rowSum, 3e-6 * std::max(1.0, range),
             "row_sum");
  Buffers backward =
      runBothWays(problem.gradientText(), config, problem.gradientBuffers());
  size_t first = backward.size() - 3;
  expectNear(backward[first], element, joinHeads(problem.dQuery, queries),
             2 * bound, "d_query");
  expectNear(backward[first + 1], element, joinHeads(problem.dKey, keys),
             2 * bound, "d_key");
  expectNear(backward[first + 2], element, joinHeads(problem.dValue, values),
             2 * bound, "d_value");
}

/// A case, and the range of queries and keys.
struct NamedCase {
  const char *name;
  AttentionCase attention;
  double range = 2;
};

void PrintTo(const NamedCase &c, std::ostream *out) { *out << c.name; }

class AttentionCases : public testing::TestWithParam<NamedCase> {};

TEST_P(AttentionCases, BlocksAndLoopsAreTheSameAndNearFloat64) {
  const auto &[name, c, range] = GetParam();
  auto host = cpu::getProcessor("host");
  for (int64_t lanes = 8; lanes <= host->lanes; lanes *= 2)
    for (const char *element : {"f32", "bf16", "f16"})
      check(c, element, {.lanes = lanes}, range);
  // By name, since the host takes it only where it is fast.
  bool lacksUnit =
      llvm::errorToBool(cpu::checkRunsHere(*cpu::getProcessor("znver4")));
  if (!lacksUnit)
    check(c, "bf16", {.lanes = 16, .bf16 = cpu::Unit::AVX512BF16}, range);
}

// Sizes are batch, heads, groups, queries, keys, depth and width.
const NamedCase kCases[] = {
    {"OneBlock", {2, 2, 2, 16, 16, 32, 32}},
    {"OddSizes", {1, 2, 2, 13, 37, 5, 3}},
    {"OneKey", {1, 1, 1, 3, 1, 4, 4}},
    {"SeveralBlocks", {1, 1, 1, 150, 300, 16, 24}},
    {"Causal", {1, 2, 2, 201, 201, 16, 16, true}},
    {"CausalOfFewerKeys", {1, 1, 1, 90, 40, 8, 8, true}},
    {"Window", {1, 1, 1, 310, 310, 8, 8, true, 100}},
    {"GroupsOfHeads", {2, 6, 2, 20, 33, 16, 8}},
    {"MaskWithRowsWithoutKeys",
     {2, 2, 2, 40, 70, 8, 8, false, 0, AttentionMask::Bool}},
    {"BiasOfLogits", {2, 2, 2, 40, 70, 8, 8, true, 0, AttentionMask::Float}},
    {"BiasThatHidesRows",
     {2, 2, 2, 40, 70, 8, 8, false, 0, AttentionMask::Low}},
    {"PartsOfOneProduct",
     {2, 3, 3, 70, 70, 32, 32, true, 0, AttentionMask::None, true}},
    {"Softcap",
     {1, 2, 2, 70, 150, 16, 8, true, 0, AttentionMask::Float, false, 0.25,
      1.5}},
    {"Dropout",
     {2, 4, 2, 70, 150, 16, 8, true, 0, AttentionMask::Bool, false, 0.25}},
    {"DropoutOfJoinedRows",
     {2, 2, 2, 9, 13, 8, 8, false, 0, AttentionMask::None, false, 0.5}},
    {"DropoutOfJoinedHeads",
     {3, 5, 5, 4, 6, 8, 8, false, 0, AttentionMask::None, false, 0.5}},
    {"DeepHeads", {1, 1, 1, 20, 40, 256, 256}},
    {"LargeLogits", {1, 1, 1, 70, 140, 16, 16}, 8},
};

INSTANTIATE_TEST_SUITE_P(AttentionTest, AttentionCases,
                         testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

/// The first and the last known answer of Random123.
TEST(AttentionTest, PhiloxHasKnownAnswers) {
  using Block = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

/// The weight of a key far below the greatest is exp of the difference down to
/// the least normal number, and 0 below.
TEST(AttentionTest, WeightsOfFarKeys) {
  AttentionCase c = {1, 1, 1, 1, 2, 1, 1};
  AttentionProblem problem(c, "f32");
  for (float distance : {1.0f, 40.0f, 70.0f, 87.25f, 87.5f, 200.0f}) {
    Buffers buffers = problem.forwardBuffers();
    buffers[0] = bytes(std::vector<float>{1});
    buffers[1] = bytes(std::vector<float>{0, -distance});
    buffers[2] = bytes(std::vector<float>{0, 1e37f});
    buffers = runBothWays(problem.forwardText(), {.lanes = 8}, buffers);
    double weight = distance < 87.3 ? std::exp(-distance) : 0;
    double want = weight * 1e37 / (1 + weight);
    EXPECT_NEAR(values<float>(buffers[3])[0], want, 1e-6 * want) << distance;
  }
}

/// An overflow or NaN anywhere in what is read reaches a result, so that the
/// finite check of the gradients sees it.
TEST(AttentionTest, NonFiniteNumbersReachTheGradients) {
  AttentionCase c = {1, 1, 1, 70, 70, 8, 8, true};
  AttentionProblem problem(c, "f32");
  auto hasNonFinite = [](const Buffers &buffers, size_t count) {
    for (size_t i = buffers.size() - count; i < buffers.size(); ++i)
      for (float number : values<float>(buffers[i]))
        if (!std::isfinite(number))
          return true;
    return false;
  };
  auto spoiled = [](Buffers buffers, size_t operand, float number) {
    std::memcpy(buffers[operand].data() + 4 * 8 * 3, &number, 4);
    return buffers;
  };
  for (float number : {INFINITY, -INFINITY, NAN}) {
    for (size_t operand : {0, 1, 2})
      EXPECT_TRUE(hasNonFinite(
          runOn(problem.forwardText(), {.lanes = 8},
                spoiled(problem.forwardBuffers(), operand, number)),
          3))
          << operand << " " << number;
    for (size_t operand : {0, 1, 2, 6})
      EXPECT_TRUE(hasNonFinite(
          runOn(problem.gradientText(), {.lanes = 8},
                spoiled(problem.gradientBuffers(), operand, number)),
          3))
          << operand << " " << number;
  }
}

} // namespace
