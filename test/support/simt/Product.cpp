// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fixed-point addition of aligned products.
#include "test/support/simt/Product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace simt {
namespace {

constexpr int kMinExponent = -126;

/// `value` * 2^-scale without what is below 1.
int64_t alignTo(double value, int scale) {
  return static_cast<int64_t>(std::trunc(std::ldexp(value, -scale)));
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
  double value = std::ldexp(static_cast<double>(magnitude), scale);
  if (value > 0x1.fffffep127)
    value = HUGE_VAL;
  return static_cast<float>(sum < 0 ? -value : value);
}

/// The sum of `terms`, none of which is inf or NaN.
float addAligned(std::span<const double> terms, int extraBits) {
  int largest = kMinExponent;
  for (double term : terms)
    if (term != 0)
      largest = std::max(largest, std::ilogb(term));
  int scale = largest - 23 - extraBits;
  int64_t sum = 0;
  for (double term : terms)
    sum += alignTo(term, scale);
  return truncateToF32(sum, scale);
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
  std::vector<double> terms;
  for (size_t begin = 0; begin < a.size(); begin += width) {
    terms.assign(1, sum);
    for (size_t i = begin; i < std::min(a.size(), begin + width); ++i)
      terms.push_back(static_cast<double>(a[i]) * b[i]);
    bool finite = std::all_of(terms.begin(), terms.end(),
                              [](double term) { return std::isfinite(term); });
    sum = finite ? addAligned(terms, model.extraBits) : addSpecial(terms);
  }
  return sum;
}

} // namespace simt
