// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fixed-point addition of aligned products.
#include "test/support/simt/Product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace simt {
namespace {

constexpr int kMinExponent = -126;
/// Of all models.
constexpr size_t kMaxWidth = 16;
constexpr size_t kColumns = Tile::kColumns;
constexpr uint64_t kMagnitude = ~uint64_t{0} >> 1;
constexpr uint64_t kInfinity = uint64_t{0x7ff} << 52;

/// 2^exponent, which is a normal number.
double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

/// `sum` * 2^scale as an f32, rounded towards zero.
float truncateToF32(int64_t sum, int scale) {
  uint64_t magnitude =
      sum < 0 ? -static_cast<uint64_t>(sum) : static_cast<uint64_t>(sum);
  if (magnitude == 0)
    return 0.0F;
  int top = 63 - std::countl_zero(magnitude);
  int lowest = std::max(top - 23, kMinExponent - 23 - scale);
  if (lowest > 0)
    magnitude = lowest < 64 ? magnitude >> lowest << lowest : 0;
  double value = static_cast<double>(magnitude) * powerOfTwo(scale);
  if (value > 0x1.fffffep127)
    value = HUGE_VAL;
  return static_cast<float>(sum < 0 ? -value : value);
}

/// The sum of `terms`, whose largest magnitude has the finite pattern
/// `largest`. A step of a training on the emulator is mostly here: no library
/// function is called, and a power of two moves a value without a rounding.
float addAligned(std::span<const double> terms, uint64_t largest,
                 int extraBits) {
  int exponent = std::max(static_cast<int>(largest >> 52) - 1023, kMinExponent);
  int scale = exponent - 23 - extraBits;
  double unit = powerOfTwo(-scale);
  int64_t sum = 0;
  for (double term : terms)
    sum += static_cast<int64_t>(term * unit); // What is below 1 is cut.
  return truncateToF32(sum, scale);
}

using Doubles = double __attribute__((vector_size(sizeof(double) * kColumns)));
using Patterns = int64_t __attribute__((vector_size(sizeof(Doubles))));
using Integers = int32_t __attribute__((vector_size(sizeof(Doubles) / 2)));

/// addAligned() of each column.
std::array<float, kColumns> addColumns(std::span<const Doubles> terms,
                                       Doubles largest, int extraBits) {
  Patterns exponent = (reinterpret_cast<Patterns>(largest) >> 52) - 1023;
  exponent = exponent < kMinExponent ? Patterns{} + kMinExponent : exponent;
  Patterns scale = exponent - 23 - extraBits;
  auto unit = reinterpret_cast<Doubles>((1023 - scale) << 52);
  Integers sum{};
  for (const Doubles &term : terms)
    sum += __builtin_convertvector(term * unit, Integers);
  std::array<float, kColumns> result;
  for (size_t column = 0; column < kColumns; ++column)
    result[column] =
        truncateToF32(sum[column], static_cast<int>(scale[column]));
  return result;
}

bool isFinite(const float *begin, size_t count) {
  return std::all_of(begin, begin + count,
                     [](float value) { return std::isfinite(value); });
}

/// One row of multiplyTile(), whose operands are finite; false where a sum is
/// not.
bool multiplyRow(const ProductModel &model, std::span<float, kColumns> sums,
                 std::span<const float> a, std::span<const Doubles> b) {
  auto width = static_cast<size_t>(model.width);
  std::array<float, kColumns> result;
  std::copy(sums.begin(), sums.end(), result.begin());
  std::array<Doubles, kMaxWidth + 1> terms;
  for (size_t begin = 0; begin < a.size(); begin += width) {
    size_t count = 0;
    Doubles largest{};
    auto add = [&](Doubles term) {
      terms[count++] = term;
      auto magnitude = reinterpret_cast<Doubles>(
          reinterpret_cast<Patterns>(term) & static_cast<int64_t>(kMagnitude));
      largest = largest < magnitude ? magnitude : largest;
    };
    Doubles sum{};
    for (size_t column = 0; column < kColumns; ++column)
      sum[column] = result[column];
    add(sum);
    for (size_t i = begin; i < std::min(a.size(), begin + width); ++i)
      add(b[i] * static_cast<double>(a[i]));
    if (!isFinite(result.data(), kColumns))
      return false;
    result = addColumns({terms.data(), count}, largest, model.extraBits);
  }
  std::copy(result.begin(), result.end(), sums.begin());
  return true;
}

float addSpecial(std::span<const double> terms) {
  double sum = 0;
  for (double term : terms)
    sum += term;
  // The hardware's NaN.
  return std::isnan(sum) ? std::bit_cast<float>(0x7fffffffU)
                         : static_cast<float>(sum);
}

} // namespace

// sm_70 and sm_80 by Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of
// NVIDIA tensor cores" (2021), sm_90 by Li and others, "FTTN" (2024). Tests
// marked as needing a device compare these with what it does.
ProductModel productModelOf(int arch) {
  if (arch < 80)
    return {4, 1};
  return arch < 90 ? ProductModel{8, 1} : ProductModel{16, 2};
}

float multiplyAdd(const ProductModel &model, float c, std::span<const float> a,
                  std::span<const float> b) {
  auto width = static_cast<size_t>(model.width);
  float sum = c;
  std::array<double, kMaxWidth + 1> terms;
  for (size_t begin = 0; begin < a.size(); begin += width) {
    size_t count = 0;
    uint64_t largest = 0;
    auto add = [&](double term) {
      terms[count++] = term;
      largest = std::max(largest, std::bit_cast<uint64_t>(term) & kMagnitude);
    };
    add(sum);
    for (size_t i = begin; i < std::min(a.size(), begin + width); ++i)
      add(static_cast<double>(a[i]) * b[i]);
    std::span<const double> all(terms.data(), count);
    sum = largest < kInfinity ? addAligned(all, largest, model.extraBits)
                              : addSpecial(all);
  }
  return sum;
}

// Eight columns at a time, in the registers that any processor has for that.
void multiplyTile(const ProductModel &model, Tile &tile) {
  bool finite = isFinite(tile.a[0].data(), tile.a.size() * Tile::kTerms) &&
                isFinite(tile.b[0].data(), tile.b.size() * Tile::kTerms);
  auto terms = static_cast<size_t>(tile.terms);
  std::array<Doubles, Tile::kTerms> rows{};
  for (size_t i = 0; i < terms; ++i)
    for (size_t column = 0; column < kColumns; ++column)
      rows[i][column] = tile.b[column][i];
  for (size_t row = 0; row < Tile::kRows; ++row) {
    std::array<float, kColumns> &sums = tile.sums[row];
    std::span<const float> a(tile.a[row].data(), terms);
    if (finite && multiplyRow(model, sums, a, {rows.data(), terms}))
      continue;
    for (size_t column = 0; column < kColumns; ++column)
      sums[column] =
          multiplyAdd(model, sums[column], a, {tile.b[column].data(), terms});
  }
}

} // namespace simt
