// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient on the emulator: against float64, on whole numbers
// to the bit, and the same bits in whatever order blocks and warps run.
#include "test/lib/Codegen/CPU/AttentionProblem.h"
#include "test/lib/Codegen/CUDA/Emulated.h"

#include <cstring>

using namespace mpc;
using namespace mpc::test;

namespace {

/// A case, and the range of queries and keys.
struct NamedCase {
  const char *name;
  AttentionCase attention;
  double range = 2;
};

void PrintTo(const NamedCase &c, std::ostream *out) { *out << c.name; }

class CudaAttention : public testing::TestWithParam<NamedCase> {};

Emitted emitOne(const std::string &text, int arch, Emission emission = {}) {
  std::vector<Emitted> all = emitAll(text, arch, emission);
  EXPECT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().schedule.rfind("#cuda.attention", 0), 0u);
  return all.front();
}

void expectNear(const std::vector<uint8_t> &got, const std::string &element,
                const std::vector<double> &want, double bound,
                const char *name) {
  EXPECT_LT(relativeError(readNumbers(got, element), want), bound)
      << name << " of " << element;
}

void check(const AttentionCase &c, const std::string &element, double range,
           const Run &run, Emission emission = {}) {
  AttentionProblem problem(c, element.c_str(), range);
  // Weights and their gradients are rounded as factors.
  double rounding = element == "f32" ? 0 : element == "f16" ? 5e-4 : 4e-3;
  double bound = 1e-6 * std::max(1.0, range) + rounding;
  AttentionShape queries = {c.batch, c.heads, c.queries, c.depth};
  AttentionShape keys = {c.batch, c.groups, c.keys, c.depth};
  AttentionShape output = queries, values = keys;
  output.elements = values.elements = c.width;
  Buffers forward = runOnGpu(emitOne(problem.forwardText(), run.arch, emission),
                             problem.forwardBuffers(), run);
  expectNear(forward[forward.size() - 3], element,
             joinHeads(problem.output, output), bound, "output");
  expectNear(forward[forward.size() - 2], "f32", problem.rowMax, 2e-6,
             "row_max");
  expectNear(forward.back(), "f32", problem.rowSum, 5e-6 * std::max(1.0, range),
             "row_sum");
  Buffers backward =
      runOnGpu(emitOne(problem.gradientText(), run.arch, emission),
               problem.gradientBuffers(), run);
  size_t first = backward.size() - 3;
  expectNear(backward[first], element, joinHeads(problem.dQuery, queries),
             2 * bound, "d_query");
  expectNear(backward[first + 1], element, joinHeads(problem.dKey, keys),
             2 * bound, "d_key");
  expectNear(backward[first + 2], element, joinHeads(problem.dValue, values),
             2 * bound, "d_value");
}

TEST_P(CudaAttention, IsNearFloat64) {
  const auto &[name, c, range] = GetParam();
  check(c, "f32", range, {.arch = 80});
  check(c, "bf16", range, {.arch = 80}, {.exact = false});
}

// Products in halves, copies that go at once, and less shared memory.
TEST(CudaAttention, OnOlder) {
  check({1, 4, 2, 80, 80, 64, 64, true}, "f16", 2, {.arch = 75, .seed = 3},
        {.wide = true});
  check({1, 1, 1, 20, 40, 256, 256}, "f16", 2, {.arch = 75});
}

// The reference: a row a thread.
TEST(CudaAttention, ByLoops) {
  check({1, 4, 2, 70, 80, 24, 16, true, 0, AttentionMask::Float, false, 0.25,
         1.5},
        "bf16", 2, {.arch = 80}, {.naive = true});
  check({2, 2, 2, 40, 70, 8, 8, false, 0, AttentionMask::Bool}, "f32", 2,
        {.arch = 75}, {.naive = true});
}

TEST(CudaAttention, OfF16) {
  check({1, 2, 2, 150, 170, 40, 40, true}, "f16", 2, {.arch = 90});
}

// Sizes are batch, heads, groups, queries, keys, depth and width.
const NamedCase kCases[] = {
    {"OneBlock", {2, 2, 2, 16, 16, 32, 32}},
    {"OddSizes", {1, 2, 2, 13, 37, 5, 3}},
    {"OneKey", {1, 1, 1, 3, 1, 4, 4}},
    {"SeveralBlocks", {1, 1, 1, 150, 170, 16, 24}},
    {"TwoTilesAWarp", {1, 1, 1, 130, 70, 64, 64, true}},
    {"Causal", {1, 2, 2, 137, 137, 16, 16, true}},
    {"CausalOfFewerKeys", {1, 1, 1, 90, 40, 8, 8, true}},
    // Wide by one less than a block, so that the last query of a block just
    // does not see its first key.
    {"Window", {1, 1, 1, 210, 210, 8, 8, true, 79}},
    {"WindowOfOne", {1, 1, 1, 70, 70, 8, 8, true, 1}},
    {"GroupsOfHeads", {2, 6, 2, 20, 33, 16, 8}},
    {"CausalGroupsOfHeads", {1, 4, 2, 80, 80, 16, 16, true}},
    {"MaskWithRowsWithoutKeys",
     {2, 2, 2, 40, 70, 8, 8, false, 0, AttentionMask::Bool}},
    {"BiasOfLogits", {2, 2, 2, 40, 70, 8, 8, true, 0, AttentionMask::Float}},
    {"BiasThatHidesRows",
     {2, 2, 2, 40, 70, 8, 8, false, 0, AttentionMask::Low}},
    {"PartsOfOneProduct",
     {2, 3, 3, 70, 70, 32, 32, true, 0, AttentionMask::None, true}},
    {"Softcap",
     {1, 2, 2, 70, 90, 16, 8, true, 0, AttentionMask::Float, false, 0.25, 1.5}},
    {"Dropout",
     {2, 2, 2, 70, 150, 16, 8, true, 0, AttentionMask::Bool, false, 0.25}},
    {"DropoutOfGroups",
     {1, 4, 2, 20, 70, 16, 16, false, 0, AttentionMask::None, false, 0.5}},
    {"DropoutOfJoinedRows",
     {2, 2, 2, 9, 13, 8, 8, false, 0, AttentionMask::None, false, 0.5}},
    {"DropoutOfJoinedHeads",
     {3, 5, 5, 4, 6, 8, 8, false, 0, AttentionMask::None, false, 0.5}},
    {"DeepHeads", {1, 1, 1, 20, 40, 256, 256}},
    {"DeepAndWideDiffer", {1, 1, 1, 20, 40, 192, 128, true}},
    {"LargeLogits", {1, 1, 1, 70, 80, 16, 16}, 8},
};

INSTANTIATE_TEST_SUITE_P(Cases, CudaAttention, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

// One key of each query has all of the weight, so that its value is the result.
TEST(CudaAttention, OneHotRowsAreExact) {
  constexpr int kRows = 80, kDepth = 80;
  AttentionCase c = {1, 1, 1, kRows, kRows, kDepth, kDepth};
  for (const char *element : {"f32", "bf16", "f16"}) {
    AttentionProblem problem(c, element);
    Buffers buffers = problem.forwardBuffers();
    const std::string type = element;
    std::vector<double> values = readNumbers(buffers[2], type);
    auto number = [&](double x) {
      return type == "bf16" ? toBFloat(x) : toHalf(x);
    };
    for (size_t operand : {0, 1})
      for (int i = 0; i < kRows; ++i)
        for (int d = 0; d < kDepth; ++d) {
          // Query i is key (i * 7) % rows, times what hides all others.
          bool isOne = operand == 0 ? (i * 7) % kRows == d : i == d;
          float x = isOne ? (operand == 0 ? 4096.0f : 1.0f) : 0.0f;
          size_t place = size_t(i) * kDepth + d;
          if (type == "f32")
            std::memcpy(buffers[operand].data() + 4 * place, &x, 4);
          else {
            uint16_t bits = number(x);
            std::memcpy(buffers[operand].data() + 2 * place, &bits, 2);
          }
        }
    Buffers after =
        runOnGpu(emitOne(problem.forwardText(), 80, {.exact = false}), buffers,
                 {.arch = 80});
    std::vector<double> output = readNumbers(after[3], type);
    for (int i = 0; i < kRows; ++i)
      for (int e = 0; e < kDepth; ++e)
        ASSERT_EQ(output[i * kDepth + e], values[(i * 7) % kRows * kDepth + e])
            << type << " " << i << " " << e;
  }
}

// Whatever order blocks and warps run in, and however memory is aligned.
TEST(CudaAttention, HasTheSameBitsInAnyOrder) {
  AttentionCase c = {1, 4, 2, 90, 90, 24, 24, true};
  for (const char *element : {"f32", "bf16"}) {
    AttentionProblem problem(c, element);
    for (bool isForward : {true, false}) {
      std::string text =
          isForward ? problem.forwardText() : problem.gradientText();
      Buffers buffers =
          isForward ? problem.forwardBuffers() : problem.gradientBuffers();
      Buffers want = runOnGpu(emitOne(text, 80), buffers, {.arch = 80});
      for (uint32_t seed : {2, 3})
        EXPECT_EQ(
            runOnGpu(emitOne(text, 80), buffers, {.arch = 80, .seed = seed}),
            want);
      EXPECT_EQ(runOnGpu(emitOne(text, 80, {.alignment = 4}), buffers,
                         {.arch = 80, .offset = 4}),
                want);
    }
  }
}

/// An overflow or NaN anywhere in what is read reaches a result, so that the
/// finite check of the gradients sees it.
TEST(CudaAttention, NonFiniteNumbersReachTheGradients) {
  AttentionCase c = {1, 1, 1, 70, 70, 8, 8, true};
  auto hasNonFinite = [](const Buffers &buffers, const std::string &element) {
    for (size_t i = buffers.size() - 3; i < buffers.size(); ++i)
      for (double number : readNumbers(buffers[i], element))
        if (!std::isfinite(number))
          return true;
    return false;
  };
  for (const char *element : {"f32", "f16"}) {
    AttentionProblem problem(c, element);
    size_t bytes = std::string(element) == "f32" ? 4 : 2;
    for (double number : {double(INFINITY), -double(INFINITY), double(NAN)})
      for (size_t operand : {0, 1, 2, 6}) {
        Buffers buffers = problem.gradientBuffers();
        float single = static_cast<float>(number);
        uint16_t half = toHalf(number);
        std::memcpy(buffers[operand].data() + bytes * 8 * 3,
                    bytes == 4 ? static_cast<void *>(&single) : &half, bytes);
        EXPECT_TRUE(hasNonFinite(runOnGpu(emitOne(problem.gradientText(), 80),
                                          buffers, {.arch = 80}),
                                 element))
            << element << " " << operand << " " << number;
      }
  }
}

} // namespace
