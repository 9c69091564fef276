// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient: against float64, and blocks against scalar loops
// to the bit, for vectors of 8 and 16 lanes and for every multiply unit.
#include "Harness.h"
#include "lib/Codegen/CPU/Processor.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mpc;
using namespace mpc::test;

namespace {

enum class Mask { None, Bool, Float };

struct Case {
  int64_t batch, heads, groups, queries, keys, depth, width;
  bool causal = false;
  int64_t window = 0;
  Mask mask = Mask::None;
  /// Whether queries, keys and values are parts of one product,
  /// [batch, query, part, head, element].
  bool packed = false;
  double range = 2; ///< Of queries and keys.

  double scale() const { return 1 / std::sqrt(static_cast<double>(depth)); }
  bool sees(int64_t query, int64_t key) const {
    return (!causal || key <= query) && (window == 0 || query - key < window);
  }
};

std::string shape(const std::vector<int64_t> &extents, const char *element) {
  std::string text = "tensor<";
  for (int64_t extent : extents)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

/// A tensor of a case: a row-major array and what stands in a kernel.
struct Operand {
  std::string type, map;
  std::vector<double> values;
};

/// The elements of [batch, head, row, element] of an operand.
using Reader = std::function<double(int64_t, int64_t, int64_t, int64_t)>;

/// The tensors of a case, and what float64 makes of them.
class Problem {
public:
  Problem(const Case &c, const char *element) : c_(c), element_(element) {
    fill();
    computeForward();
    computeBackward();
  }

  std::string forwardText() const;
  std::string gradientText() const;
  Buffers forwardBuffers() const;
  Buffers gradientBuffers() const;

  const Case &c() const { return c_; }
  std::vector<double> output, logSumExp, delta, dQuery, dKey, dValue;

private:
  void fill();
  void computeForward();
  void computeBackward();
  double read(int part, int64_t b, int64_t h, int64_t row, int64_t e) const;
  double logit(int64_t b, int64_t h, int64_t i, int64_t j) const;
  bool seen(int64_t b, int64_t h, int64_t i, int64_t j) const;
  std::string arguments(bool gradient) const;
  std::string operands() const;
  std::string settings() const;
  std::string maskText() const;
  std::string maps(const std::vector<std::string> &rest) const;
  std::vector<uint8_t> store(const std::vector<double> &values) const;
  double round(double value) const;
  void addInputs(Buffers &buffers) const;
  size_t rows() const { return c_.batch * c_.heads * c_.queries; }

  Case c_;
  std::string element_;
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
  query_ = draw(c_.packed ? 3 * q : q, c_.range, 1);
  key_ = draw(k, c_.range, 2);
  value_ = draw(v, 2, 3);
  dOutput_ = draw(rows() * c_.width, 2, 4);
  // A mask of one head for all.
  mask_ = draw(c_.batch * c_.queries * c_.keys, 3, 5);
  if (c_.mask == Mask::Bool)
    for (size_t i = 0; i < mask_.size(); ++i)
      mask_[i] = mask_[i] > -1 && (i / c_.keys) % 7 != 3;
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
  return c_.sees(i, j) && (c_.mask != Mask::Bool ||
                           mask_[(b * c_.queries + i) * c_.keys + j] != 0);
}

double Problem::logit(int64_t b, int64_t h, int64_t i, int64_t j) const {
  if (!seen(b, h, i, j))
    return -INFINITY;
  double sum = 0;
  for (int64_t d = 0; d < c_.depth; ++d)
    sum += read(0, b, h, i, d) * read(1, b, h, j, d);
  double bias =
      c_.mask == Mask::Float ? mask_[(b * c_.queries + i) * c_.keys + j] : 0.0;
  return sum * static_cast<float>(c_.scale()) + bias;
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
        logSumExp.push_back(total == 0 ? -INFINITY : peak + std::log(total));
        size_t row = logSumExp.size() - 1;
        for (int64_t j = 0; total != 0 && j < c_.keys; ++j)
          for (int64_t e = 0; e < c_.width; ++e)
            output[row * c_.width + e] +=
                weights[j] / total * read(2, b, h, j, e);
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
          double p = std::exp(logit(b, h, i, j) - logSumExp[row]), dp = 0;
          for (int64_t e = 0; e < c_.width; ++e) {
            dp += dOutput_[row * c_.width + e] * read(2, b, h, j, e);
            dValue[other * c_.width + e] += p * dOutput_[row * c_.width + e];
          }
          double ds = p * (dp - delta[row]) * c_.scale();
          for (int64_t d = 0; d < c_.depth; ++d) {
            dQuery[row * c_.depth + d] += ds * read(1, b, h, j, d);
            dKey[other * c_.depth + d] += ds * read(0, b, h, i, d);
          }
        }
      }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string Problem::arguments(bool gradient) const {
  const char *element = element_.c_str();
  std::string text;
  if (c_.packed)
    text =
        "%q: " + shape({c_.batch, c_.queries, 3, c_.heads, c_.depth}, element);
  else
    text = "%q: " + shape({c_.batch, c_.heads, c_.queries, c_.depth}, element) +
           ", %k: " + shape({c_.batch, c_.groups, c_.keys, c_.depth}, element) +
           ", %v: " + shape({c_.batch, c_.groups, c_.keys, c_.width}, element);
  if (gradient) {
    std::string numbers = shape({c_.batch, c_.heads, c_.queries}, "f32");
    text += ", %l: " + numbers + ", %t: " + numbers + ", %g: " +
            shape({c_.batch, c_.heads, c_.queries, c_.width}, element);
  }
  if (c_.mask != Mask::None)
    text += ", %m: " + maskText();
  return text;
}

std::string Problem::maskText() const {
  return shape({c_.batch, 1, c_.queries, c_.keys},
               c_.mask == Mask::Bool ? "i1" : "f32");
}

std::string Problem::settings() const {
  std::string text = " sizes [";
  for (int64_t size :
       {c_.batch, c_.heads, c_.groups, c_.queries, c_.keys, c_.depth, c_.width})
    text += (text.back() == '[' ? "" : ", ") + std::to_string(size);
  char scale[40];
  std::snprintf(scale, sizeof scale, "%.17e", c_.scale());
  text += std::string("] scale ") + scale;
  if (c_.causal)
    text += " causal";
  if (c_.window)
    text += " window " + std::to_string(c_.window);
  return text;
}

/// The maps of queries, keys and values, then `rest`, the mask's where it has
/// its place.
std::string Problem::maps(const std::vector<std::string> &rest) const {
  std::string text = " maps [";
  for (int part = 0; part < 3; ++part)
    text += c_.packed ? "affine_map<(b, h, i, d) -> (b, i, " +
                            std::to_string(part) + ", h, d)>, "
                      : "affine_map<(b, h, i, d) -> (b, h, i, d)>, ";
  for (const std::string &map : rest)
    text += (map.empty() ? std::string() : "affine_map<" + map + ">, ");
  text.resize(text.size() - 2);
  return text + "]";
}

static const char kRows[] = "(b, h, i) -> (b, h, i)";
static const char kWhole[] = "(b, h, i, d) -> (b, h, i, d)";
/// As the next product reads it: heads next to each other.
static const char kJoined[] = "(b, h, i, d) -> (b, i, h, d)";

std::string Problem::forwardText() const {
  std::string output =
      shape({c_.batch, c_.queries, c_.heads, c_.width}, element_.c_str());
  std::string numbers = shape({c_.batch, c_.heads, c_.queries}, "f32");
  std::string types = "(" + output + ", " + numbers + ")";
  std::string mask =
      c_.mask == Mask::None ? "" : "(b, h, i, j) -> (b, 0, i, j)";
  return "kernel.func attention @k(" + arguments(false) + ", %o: " + output +
         ", %n: " + numbers + ") -> " + types +
         " {\n  %r:2 = kernel.attention" + operands() +
         (mask.empty() ? "" : " mask(%m : " + maskText() + ")") +
         " outs(%o, %n : " + output + ", " + numbers + ")" + settings() +
         maps({mask, kJoined, kRows}) + " -> " + output + ", " + numbers +
         "\n  kernel.return %r#0, %r#1 : " + output + ", " + numbers + "\n}";
}

std::string Problem::operands() const {
  const char *element = element_.c_str();
  if (c_.packed) {
    std::string type =
        shape({c_.batch, c_.queries, 3, c_.heads, c_.depth}, element);
    return " ins(%q, %q, %q : " + type + ", " + type + ", " + type + ")";
  }
  return " ins(%q, %k, %v : " +
         shape({c_.batch, c_.heads, c_.queries, c_.depth}, element) + ", " +
         shape({c_.batch, c_.groups, c_.keys, c_.depth}, element) + ", " +
         shape({c_.batch, c_.groups, c_.keys, c_.width}, element) + ")";
}

std::string Problem::gradientText() const {
  const char *element = element_.c_str();
  std::string q = shape({c_.batch, c_.heads, c_.queries, c_.depth}, element);
  std::string k = shape({c_.batch, c_.groups, c_.keys, c_.depth}, element);
  std::string v = shape({c_.batch, c_.groups, c_.keys, c_.width}, element);
  std::string numbers = shape({c_.batch, c_.heads, c_.queries}, "f32");
  std::string given =
      shape({c_.batch, c_.heads, c_.queries, c_.width}, element);
  std::string types = q + ", " + k + ", " + v;
  std::string mask =
      c_.mask == Mask::None ? "" : "(b, h, i, j) -> (b, 0, i, j)";
  std::string read = operands();
  size_t names = read.find(" :");
  read = read.substr(0, names) + ", %l, %t, %g" + read.substr(names);
  read.pop_back();
  read += ", " + numbers + ", " + numbers + ", " + given + ")";
  return "kernel.func attention @k(" + arguments(true) + ", %x: " + q + ", %y: " + k +
         ", %z: " + v + ") -> (" + types +
         ") {\n  %r:3 = kernel.attention_gradient" + read +
         (mask.empty() ? "" : " mask(%m : " + maskText() + ")") +
         " outs(%x, %y, %z : " + types + ")" + settings() +
         maps({mask, kRows, kRows, kWhole, kWhole, kWhole, kWhole}) + " -> " +
         types + "\n  kernel.return %r#0, %r#1, %r#2 : " + types + "\n}";
}

void Problem::addInputs(Buffers &buffers) const {
  buffers.push_back(store(query_));
  if (!c_.packed) {
    buffers.push_back(store(key_));
    buffers.push_back(store(value_));
  }
}

static std::vector<uint8_t> storeMask(Mask kind,
                                      const std::vector<double> &mask) {
  if (kind == Mask::Float)
    return bytes(std::vector<float>(mask.begin(), mask.end()));
  return {mask.begin(), mask.end()};
}

Buffers Problem::forwardBuffers() const {
  Buffers buffers;
  addInputs(buffers);
  if (c_.mask != Mask::None)
    buffers.push_back(storeMask(c_.mask, mask_));
  buffers.push_back(store(output));
  buffers.push_back(bytes(std::vector<float>(rows())));
  for (size_t index = buffers.size() - 2; index < buffers.size(); ++index)
    std::fill(buffers[index].begin(), buffers[index].end(), 0xff);
  return buffers;
}

Buffers Problem::gradientBuffers() const {
  Buffers buffers;
  addInputs(buffers);
  buffers.push_back(
      bytes(std::vector<float>(logSumExp.begin(), logSumExp.end())));
  buffers.push_back(bytes(std::vector<float>(delta.begin(), delta.end())));
  buffers.push_back(store(dOutput_));
  if (c_.mask != Mask::None)
    buffers.push_back(storeMask(c_.mask, mask_));
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

/// [b, i, h, e] of [b, h, i, e].
std::vector<double> joinHeads(const std::vector<double> &values,
                              const Case &c) {
  std::vector<double> joined;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t i = 0; i < c.queries; ++i)
      for (int64_t h = 0; h < c.heads; ++h)
        for (int64_t e = 0; e < c.width; ++e)
          joined.push_back(
              values[((b * c.heads + h) * c.queries + i) * c.width + e]);
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

void check(const Case &c, const char *element, Config config) {
  Problem problem(c, element);
  // Weights are rounded to bf16 by its unit alone.
  bool isRounded = config.bf16 != cpu::Unit::FMA;
  std::string type = element;
  double rounding = type == "f32" ? 0 : type == "f16" ? 3e-4 : 2.4e-3;
  double bound =
      6e-7 * std::max(1.0, c.range) + rounding * (isRounded ? 1.6 : 1);
  Buffers forward =
      runBothWays(problem.forwardText(), config, problem.forwardBuffers());
  expectNear(forward[forward.size() - 2], element, joinHeads(problem.output, c),
             bound, "output");
  expectNear(forward.back(), "f32", problem.logSumExp, 1e-6, "log_sum_exp");
  Buffers backward =
      runBothWays(problem.gradientText(), config, problem.gradientBuffers());
  size_t first = backward.size() - 3;
  expectNear(backward[first], element, problem.dQuery, 2 * bound, "d_query");
  expectNear(backward[first + 1], element, problem.dKey, 2 * bound, "d_key");
  expectNear(backward[first + 2], element, problem.dValue, 2 * bound,
             "d_value");
}

void checkAll(const Case &c) {
  auto host = cpu::getProcessor("host");
  for (int64_t lanes = 8; lanes <= host->lanes; lanes *= 2)
    for (const char *element : {"f32", "bf16", "f16"})
      check(c, element, {.lanes = lanes});
  if (host->bf16 == cpu::Unit::AVX512BF16)
    check(c, "bf16", {.lanes = 16, .bf16 = cpu::Unit::AVX512BF16});
}

TEST(AttentionTest, OneBlock) { checkAll({2, 2, 2, 16, 16, 32, 32}); }

TEST(AttentionTest, OddSizes) { checkAll({1, 2, 2, 13, 37, 5, 3}); }

TEST(AttentionTest, OneKey) { checkAll({1, 1, 1, 3, 1, 4, 4}); }

TEST(AttentionTest, SeveralBlocks) { checkAll({1, 1, 1, 150, 300, 16, 24}); }

TEST(AttentionTest, Causal) {
  checkAll({.batch = 1,
            .heads = 2,
            .groups = 2,
            .queries = 201,
            .keys = 201,
            .depth = 16,
            .width = 16,
            .causal = true});
}

TEST(AttentionTest, CausalOfFewerKeys) {
  checkAll({.batch = 1,
            .heads = 1,
            .groups = 1,
            .queries = 90,
            .keys = 40,
            .depth = 8,
            .width = 8,
            .causal = true});
}

TEST(AttentionTest, Window) {
  checkAll({.batch = 1,
            .heads = 1,
            .groups = 1,
            .queries = 310,
            .keys = 310,
            .depth = 8,
            .width = 8,
            .causal = true,
            .window = 100});
}

TEST(AttentionTest, GroupsOfHeads) {
  checkAll({.batch = 2,
            .heads = 6,
            .groups = 2,
            .queries = 20,
            .keys = 33,
            .depth = 16,
            .width = 8});
}

TEST(AttentionTest, MaskWithRowsWithoutKeys) {
  checkAll({.batch = 2,
            .heads = 2,
            .groups = 2,
            .queries = 40,
            .keys = 70,
            .depth = 8,
            .width = 8,
            .mask = Mask::Bool});
}

TEST(AttentionTest, BiasOfLogits) {
  checkAll({.batch = 2,
            .heads = 2,
            .groups = 2,
            .queries = 40,
            .keys = 70,
            .depth = 8,
            .width = 8,
            .causal = true,
            .mask = Mask::Float});
}

TEST(AttentionTest, PartsOfOneProduct) {
  checkAll({.batch = 2,
            .heads = 3,
            .groups = 3,
            .queries = 70,
            .keys = 70,
            .depth = 32,
            .width = 32,
            .causal = true,
            .packed = true});
}

TEST(AttentionTest, DeepHeads) {
  checkAll({.batch = 1,
            .heads = 1,
            .groups = 1,
            .queries = 20,
            .keys = 40,
            .depth = 256,
            .width = 256});
}

/// The weight of a key far below the greatest is exp of the difference down to
/// the least normal number, and 0 below.
TEST(AttentionTest, WeightsOfFarKeys) {
  Case c = {1, 1, 1, 1, 2, 1, 1};
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

TEST(AttentionTest, LargeLogits) {
  checkAll({.batch = 1,
            .heads = 1,
            .groups = 1,
            .queries = 70,
            .keys = 140,
            .depth = 16,
            .width = 16,
            .range = 8});
}

} // namespace
