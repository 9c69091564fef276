// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient by float64.
#include "test/lib/Codegen/CPU/AttentionProblem.h"

#include "test/support/Philox.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::test;

AttentionProblem::AttentionProblem(const AttentionCase &c, const char *element,
                                   double range)
    : c_(c), element_(element), range_(range) {
  fill();
  computeForward();
  computeBackward();
}

double AttentionProblem::round(double value) const {
  if (element_ == "bf16")
    return fromBFloat(toBFloat(value));
  if (element_ == "f16")
    return fromHalf(toHalf(value));
  return static_cast<float>(value);
}

std::vector<uint8_t>
AttentionProblem::store(const std::vector<double> &values) const {
  if (element_ == "f32")
    return bytes(std::vector<float>(values.begin(), values.end()));
  std::vector<uint16_t> bits;
  for (double value : values)
    bits.push_back(element_ == "bf16" ? toBFloat(value) : toHalf(value));
  return bytes(bits);
}

void AttentionProblem::fill() {
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
double AttentionProblem::read(int part, int64_t b, int64_t h, int64_t row,
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

bool AttentionProblem::seen(int64_t b, int64_t /*h*/, int64_t i,
                            int64_t j) const {
  return c_.sees(i, j) && (c_.mask != AttentionMask::Bool ||
                           mask_[(b * c_.queries + i) * c_.keys + j] != 0);
}

/// The product of a query and a key, scaled and bounded.
double AttentionProblem::score(int64_t b, int64_t h, int64_t i,
                               int64_t j) const {
  double sum = 0;
  for (int64_t d = 0; d < c_.depth; ++d)
    sum += read(0, b, h, i, d) * read(1, b, h, j, d);
  sum *= static_cast<float>(c_.scale());
  return c_.softcap == 0 ? sum : c_.softcap * std::tanh(sum / c_.softcap);
}

double AttentionProblem::logit(int64_t b, int64_t h, int64_t i,
                               int64_t j) const {
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
double AttentionProblem::kept(int64_t b, int64_t h, int64_t i,
                              int64_t j) const {
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

void AttentionProblem::computeForward() {
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

void AttentionProblem::computeBackward() {
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

void AttentionProblem::addInputs(Buffers &buffers) const {
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

void AttentionProblem::addRandom(Buffers &buffers) const {
  if (c_.dropout == 0)
    return;
  uint64_t numbers[] = {uint64_t{kKey[1]} << 32 | kKey[0],
                        uint64_t{kStream} << 32 | kStep, kBatch};
  for (uint64_t number : numbers)
    buffers.push_back(bytes(std::vector<uint64_t>{number}));
}

Buffers AttentionProblem::forwardBuffers() const {
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

Buffers AttentionProblem::gradientBuffers() const {
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

std::vector<double> mpc::test::readNumbers(const std::vector<uint8_t> &buffer,
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

double mpc::test::relativeError(const std::vector<double> &got,
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

std::vector<double> mpc::test::joinHeads(const std::vector<double> &values,
                                         const AttentionShape &s) {
  std::vector<double> joined;
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t row = 0; row < s.rows; ++row)
      for (int64_t h = 0; h < s.heads; ++h)
        for (int64_t e = 0; e < s.elements; ++e)
          joined.push_back(
              values[((b * s.heads + h) * s.rows + row) * s.elements + e]);
  return joined;
}
