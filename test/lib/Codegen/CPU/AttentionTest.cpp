// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient: against float64, and blocks against scalar loops
// to the bit, for vectors of 8 and 16 lanes and for every multiply unit.
#include "Attentions.h"
#include "Harness.h"
#include "lib/Codegen/CPU/Processor.h"
#include "test/support/Philox.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mpc;
using namespace mpc::test;

namespace {

/// The tensors of a case, and what float64 makes of them.
class Problem {
public:
  /// Queries and keys have elements from -range to range.
  Problem(const AttentionCase &c, const char *element, double range = 2)
      : c_(c), element_(element), range_(range) {
    fill();
    computeForward();
    computeBackward();
  }

  std::string forwardText() const { return getForwardText(c_, element_); }
  std::string gradientText() const { return getGradientText(c_, element_); }
  Buffers forwardBuffers() const;
  Buffers gradientBuffers() const;

  std::vector<double> output, rowMax, rowSum, delta, dQuery, dKey, dValue;

private:
  void fill();
  void computeForward();
  void computeBackward();
  double read(int part, int64_t b, int64_t h, int64_t row, int64_t e) const;
  double score(int64_t b, int64_t h, int64_t i, int64_t j) const;
  double logit(int64_t b, int64_t h, int64_t i, int64_t j) const;
  bool seen(int64_t b, int64_t h, int64_t i, int64_t j) const;
  double kept(int64_t b, int64_t h, int64_t i, int64_t j) const;
  std::vector<uint8_t> store(const std::vector<double> &values) const;
  double round(double value) const;
  void addInputs(Buffers &buffers) const;
  void addRandom(Buffers &buffers) const;
  size_t rows() const { return c_.batch * c_.heads * c_.queries; }

  AttentionCase c_;
  std::string element_;
  double range_;
  std::vector<double> query_, key_, value_, mask_, dOutput_;
};

double Problem::round(double value) const {
  if (element_ == "bf16")
    return fromBFloat(toBFloat(value));
  if (element_ == "f16")
    return fromHalf(toHalf(value));
  return static_cast<float>(value);
}

std::vector<uint8_t> Problem::store(const std::vector<double> &values) const {
  if (element_ == "f32")
    return bytes(std::vector<float>(values.begin(), values.end()));
  std::vector<uint16_t> bits;
  for (double value : values)
    bits.push_back(element_ == "bf16" ? toBFloat(value) : toHalf(value));
  return bytes(bits);
}

void Problem::fill() {
  auto draw = [&](int64_t count, double range, unsigned seed) {
    std::vector<double> numbers = randoms<double>(count, -range, range, seed);
    for (double &number : numbers)
      number = round(number);
    return numbers;
  };
  int64_t q = c_.batch * c_.heads * c_.queries * c_.depth;
  int64_t k = c_.batch * c_.groups * c_.keys * c_.depth;
  int64_t v = c_.batch * c_.groups * c_.keys * c_.width;
  query_ = draw(c_.packed ? 3 * q : q, range_, 1);
  key_ = draw(k, range_, 2);
  value_ = draw(v, 2, 3);
  dOutput_ = draw(rows() * c_.width, 2, 4);
  // A mask of one head for all.
  mask_ = draw(c_.batch * c_.queries * c_.keys, 3, 5);
  // Both leave some rows without keys.
  for (size_t i = 0; i < mask_.size(); ++i) {
    bool allowed = mask_[i] > -1 && (i / c_.keys) % 7 != 3;
    if (c_.mask == AttentionMask::Bool)
      mask_[i] = allowed;
    if (c_.mask == AttentionMask::Low)
      mask_[i] = allowed ? 0 : std::numeric_limits<float>::lowest();
  }
}

/// An element of the queries (part 0), keys (1) or values (2).
double Problem::read(int part, int64_t b, int64_t h, int64_t row,
                     int64_t e) const {
  if (c_.packed)
    return query_[(((b * c_.queries + row) * 3 + part) * c_.heads + h) *
                      c_.depth +
                  e];
  if (part == 0)
    return query_[((b * c_.heads + h) * c_.queries + row) * c_.depth + e];
  int64_t group = h / (c_.heads / c_.groups);
  int64_t place = (b * c_.groups + group) * c_.keys + row;
  return part == 1 ? key_[place * c_.depth + e] : value_[place * c_.width + e];
}

bool Problem::seen(int64_t b, int64_t /*h*/, int64_t i, int64_t j) const {
  return c_.sees(i, j) && (c_.mask != AttentionMask::Bool ||
                           mask_[(b * c_.queries + i) * c_.keys + j] != 0);
}

/// The product of a query and a key, scaled and bounded.
double Problem::score(int64_t b, int64_t h, int64_t i, int64_t j) const {
  double sum = 0;
  for (int64_t d = 0; d < c_.depth; ++d)
    sum += read(0, b, h, i, d) * read(1, b, h, j, d);
  sum *= static_cast<float>(c_.scale());
  return c_.softcap == 0 ? sum : c_.softcap * std::tanh(sum / c_.softcap);
}

double Problem::logit(int64_t b, int64_t h, int64_t i, int64_t j) const {
  if (!seen(b, h, i, j))
    return -INFINITY;
  double bias = c_.hasBias() ? mask_[(b * c_.queries + i) * c_.keys + j] : 0.0;
  return score(b, h, i, j) + bias;
}

// What the step's dropout follows from: the key's words, the stream and the
// step, and the number of the batch in its window.
constexpr uint32_t kKey[] = {0x12345678, 0x9abcdef0}, kStream = 5, kStep = 77;
constexpr int64_t kBatch = 3;

/// The factor of a weight: rows are the last axes that have 64 elements, and
/// each run of 64 in a row has 16 blocks, whose words are 16 elements apart.
double Problem::kept(int64_t b, int64_t h, int64_t i, int64_t j) const {
  if (c_.dropout == 0)
    return 1;
  int64_t length = c_.keys, count = c_.batch * c_.heads * c_.queries;
  if (length < 64) {
    length *= c_.queries;
    count /= c_.queries;
  }
  if (length < 64) {
    length *= c_.heads;
    count /= c_.heads;
  }
  int64_t flat = ((b * c_.heads + h) * c_.queries + i) * c_.keys + j;
  int64_t row = kBatch * count + flat / length, column = flat % length;
  uint64_t run = row * ((length + 63) / 64) + column / 64;
  uint64_t place = run * 16 + column % 16;
  auto words = philox({static_cast<uint32_t>(place),
                       static_cast<uint32_t>(place >> 32), kStream, kStep},
                      {kKey[0], kKey[1]});
  double number = std::ldexp(words[column % 64 / 16] >> 8, -24);
  return number < 1 - c_.dropout ? 1 / (1 - c_.dropout) : 0;
}

void Problem::computeForward() {
  output.assign(rows() * c_.width, 0);
  for (int64_t b = 0; b < c_.batch; ++b)
    for (int64_t h = 0; h < c_.heads; ++h)
      for (int64_t i = 0; i < c_.queries; ++i) {
        std::vector<double> weights;
        double total = 0, peak = -INFINITY;
        for (int64_t j = 0; j < c_.keys; ++j)
          weights.push_back(logit(b, h, i, j));
        for (double x : weights)
          peak = std::max(peak, x);
        for (double &x : weights)
          total += x = std::isinf(peak) ? 0 : std::exp(x - peak);
        size_t row = rowMax.size();
        rowMax.push_back(peak);
        rowSum.push_back(total);
        for (int64_t j = 0; total != 0 && j < c_.keys; ++j)
          for (int64_t e = 0; e < c_.width; ++e)
            output[row * c_.width + e] +=
                weights[j] / total * kept(b, h, i, j) * read(2, b, h, j, e);
      }
  for (size_t row = 0; row < rows(); ++row) {
    double sum = 0;
    for (int64_t e = 0; e < c_.width; ++e)
      sum += output[row * c_.width + e] * dOutput_[row * c_.width + e];
    delta.push_back(sum);
  }
}

void Problem::computeBackward() {
  dQuery.assign(rows() * c_.depth, 0);
  dKey.assign(c_.batch * c_.groups * c_.keys * c_.depth, 0);
  dValue.assign(c_.batch * c_.groups * c_.keys * c_.width, 0);
  for (int64_t b = 0; b < c_.batch; ++b)
    for (int64_t h = 0; h < c_.heads; ++h)
      for (int64_t i = 0; i < c_.queries; ++i) {
        int64_t row = (b * c_.heads + h) * c_.queries + i;
        int64_t group = h / (c_.heads / c_.groups);
        for (int64_t j = 0; j < c_.keys; ++j) {
          if (!seen(b, h, i, j))
            continue;
          int64_t other = (b * c_.groups + group) * c_.keys + j;
          double p = std::exp(logit(b, h, i, j) - rowMax[row]) / rowSum[row];
          double dp = 0;
          for (int64_t e = 0; e < c_.width; ++e) {
            dp += dOutput_[row * c_.width + e] * read(2, b, h, j, e);
            dValue[other * c_.width + e] +=
                p * kept(b, h, i, j) * dOutput_[row * c_.width + e];
          }
          dp *= kept(b, h, i, j);
          double ds = p * (dp - delta[row]) * c_.scale();
          if (c_.softcap > 0)
            ds *= 1 - std::pow(score(b, h, i, j) / c_.softcap, 2);
          for (int64_t d = 0; d < c_.depth; ++d) {
            dQuery[row * c_.depth + d] += ds * read(1, b, h, j, d);
            dKey[other * c_.depth + d] += ds * read(0, b, h, i, d);
          }
        }
      }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void Problem::addInputs(Buffers &buffers) const {
  buffers.push_back(store(query_));
  if (!c_.packed) {
    buffers.push_back(store(key_));
    buffers.push_back(store(value_));
  }
}

static std::vector<uint8_t> storeMask(const AttentionCase &c,
                                      const std::vector<double> &mask) {
  if (c.hasBias())
    return bytes(std::vector<float>(mask.begin(), mask.end()));
  return {mask.begin(), mask.end()};
}

void Problem::addRandom(Buffers &buffers) const {
  if (c_.dropout == 0)
    return;
  uint64_t numbers[] = {uint64_t{kKey[1]} << 32 | kKey[0],
                        uint64_t{kStream} << 32 | kStep, kBatch};
  for (uint64_t number : numbers)
    buffers.push_back(bytes(std::vector<uint64_t>{number}));
}

Buffers Problem::forwardBuffers() const {
  Buffers buffers;
  addInputs(buffers);
  if (c_.mask != AttentionMask::None)
    buffers.push_back(storeMask(c_, mask_));
  addRandom(buffers);
  buffers.push_back(store(output));
  for (int number = 0; number < 2; ++number)
    buffers.push_back(bytes(std::vector<float>(rows())));
  for (size_t index = buffers.size() - 3; index < buffers.size(); ++index)
    std::fill(buffers[index].begin(), buffers[index].end(), 0xff);
  return buffers;
}

Buffers Problem::gradientBuffers() const {
  Buffers buffers;
  addInputs(buffers);
  for (const std::vector<double> *numbers : {&rowMax, &rowSum, &delta})
    buffers.push_back(
        bytes(std::vector<float>(numbers->begin(), numbers->end())));
  buffers.push_back(store(dOutput_));
  if (c_.mask != AttentionMask::None)
    buffers.push_back(storeMask(c_, mask_));
  addRandom(buffers);
  for (const std::vector<double> *result : {&dQuery, &dKey, &dValue}) {
    buffers.push_back(store(*result));
    std::fill(buffers.back().begin(), buffers.back().end(), 0xff);
  }
  return buffers;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

std::vector<double> read(const std::vector<uint8_t> &buffer,
                         const std::string &element) {
  std::vector<double> numbers;
  if (element == "f32")
    for (float value : values<float>(buffer))
      numbers.push_back(value);
  else
    for (uint16_t bits : values<uint16_t>(buffer))
      numbers.push_back(element == "bf16" ? fromBFloat(bits) : fromHalf(bits));
  return numbers;
}

/// The distance of `got` from `want`, relative in norm.
double relativeError(const std::vector<double> &got,
                     const std::vector<double> &want) {
  double distance = 0, norm = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isinf(want[i])) {
      if (got[i] != want[i])
        return INFINITY;
      continue;
    }
    distance += (got[i] - want[i]) * (got[i] - want[i]);
    norm += want[i] * want[i];
  }
  return norm == 0 ? std::sqrt(distance) : std::sqrt(distance / norm);
}

/// The shape of a tensor, [batch, head, row, element].
struct Shape {
  int64_t batch, heads, rows, elements;
};

/// [batch, row, head, element] of [batch, head, row, element].
std::vector<double> joinHeads(const std::vector<double> &values,
                              const Shape &s) {
  std::vector<double> joined;
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t row = 0; row < s.rows; ++row)
      for (int64_t h = 0; h < s.heads; ++h)
        for (int64_t e = 0; e < s.elements; ++e)
          joined.push_back(
              values[((b * s.heads + h) * s.rows + row) * s.elements + e]);
  return joined;
}

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
  EXPECT_LT(relativeError(read(got, element), want), bound)
      << name << " of " << element;
}

void check(const AttentionCase &c, const char *element, Config config,
           double range) {
  Problem problem(c, element, range);
  // Weights are rounded to bf16 by its unit alone.
  bool isRounded = config.bf16 != cpu::Unit::FMA;
  std::string type = element;
  double rounding = type == "f32" ? 0 : type == "f16" ? 3e-4 : 2.4e-3;
  double bound = 6e-7 * std::max(1.0, range) + rounding * (isRounded ? 1.6 : 1);
  Shape queries = {c.batch, c.heads, c.queries, c.depth}, output = queries;
  Shape keys = {c.batch, c.groups, c.keys, c.depth}, values = keys;
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
  if (host->bf16 == cpu::Unit::AVX512BF16)
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
  Problem problem(c, "f32");
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
  Problem problem(c, "f32");
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
