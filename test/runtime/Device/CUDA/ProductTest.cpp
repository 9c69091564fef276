// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emulator's product of a Tensor Core, which is written for speed, against
// its definition.
#include "test/support/simt/Product.h"
#include "runtime/Support/Rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace simt;

namespace {

/// `value` without what is below a bit of 2^scale.
double cut(double value, int scale) {
  return std::ldexp(std::trunc(std::ldexp(value, -scale)), scale);
}

/// One addition as Product.h defines it, by functions of the C library. Sums
/// of aligned terms are exact in f64.
float addTerms(const std::vector<double> &terms, int extraBits) {
  int largest = -126;
  double plain = 0;
  for (double term : terms) {
    plain += term;
    if (term != 0 && std::isfinite(term))
      largest = std::max(largest, std::ilogb(term));
  }
  if (!std::ranges::all_of(terms, [](double x) { return std::isfinite(x); }))
    return std::isnan(plain) ? std::bit_cast<float>(0x7fffffffU)
                             : static_cast<float>(plain);
  double sum = 0;
  for (double term : terms)
    sum += cut(term, largest - 23 - extraBits);
  if (sum == 0)
    return 0.0F;
  double result = cut(sum, std::max(std::ilogb(sum), -126) - 23);
  bool isOver = std::abs(result) > 0x1.fffffep127;
  return static_cast<float>(isOver ? std::copysign(HUGE_VAL, sum) : result);
}

float define(const ProductModel &model, const Tile &tile, size_t row,
             size_t column) {
  float sum = tile.sums[row][column];
  for (int begin = 0; begin < tile.terms; begin += model.width) {
    std::vector<double> terms = {sum};
    for (int i = begin; i < std::min(tile.terms, begin + model.width); ++i)
      terms.push_back(static_cast<double>(tile.a[row][i]) * tile.b[column][i]);
    sum = addTerms(terms, model.extraBits);
  }
  return sum;
}

/// What the bits of operands are restricted to: any, numbers around 1 that
/// cancel, mostly zeros, finite ones, large ones whose sums overflow.
enum class Kind { Any, NearOne, Sparse, Finite, Large, Count };

class Source {
public:
  Source(Kind kind, bool isBf16) : kind_(kind), isBf16_(isBf16) {}
  float factor() {
    auto code = static_cast<uint16_t>(engine_());
    if (kind_ == Kind::NearOne)
      code = isBf16_ ? (code & 0x807f) | 0x3f80 : (code & 0x83ff) | 0x3c00;
    if (kind_ == Kind::Sparse && engine_() % 4 != 0)
      code &= 0x8000;
    if (kind_ == Kind::Finite)
      code &= 0xbfff;
    if (kind_ == Kind::Large)
      code = (code & 0x8fff) | 0x6000;
    return isBf16_ ? mpc::rt::valueOfBF16(code) : mpc::rt::valueOfF16(code);
  }
  float sum() {
    if (kind_ == Kind::NearOne)
      return static_cast<float>(engine_() % 2000) * 0.37F - 370;
    return kind_ == Kind::Large
               ? 3.4e38F
               : std::bit_cast<float>(static_cast<uint32_t>(engine_()));
  }
  Tile tile(int terms) {
    Tile tile;
    tile.terms = terms;
    auto fill = [&](auto &line) {
      std::generate_n(line.begin(), terms, [&] { return factor(); });
    };
    std::ranges::for_each(tile.a, fill);
    std::ranges::for_each(tile.b, fill);
    for (auto &line : tile.sums)
      std::ranges::generate(line, [&] { return sum(); });
    return tile;
  }

private:
  Kind kind_;
  bool isBf16_;
  static inline std::mt19937 engine_;
};

void expectDefined(const ProductModel &model, const Tile &tile) {
  Tile found = tile;
  multiplyTile(model, found);
  for (size_t row = 0; row < Tile::kRows; ++row)
    for (size_t column = 0; column < Tile::kColumns; ++column) {
      auto expected = std::bit_cast<uint32_t>(define(model, tile, row, column));
      std::span a(tile.a[row].data(), static_cast<size_t>(tile.terms));
      std::span b(tile.b[column].data(), static_cast<size_t>(tile.terms));
      float one = multiplyAdd(model, tile.sums[row][column], a, b);
      ASSERT_EQ(std::bit_cast<uint32_t>(one), expected);
      ASSERT_EQ(std::bit_cast<uint32_t>(found.sums[row][column]), expected);
    }
}

TEST(Product, IsAsItIsDefined) {
  for (int arch : {75, 80, 90})
    for (int kind = 0; kind < static_cast<int>(Kind::Count); ++kind)
      for (bool isBf16 : {false, true})
        for (int terms : {8, 16}) {
          Source source(static_cast<Kind>(kind), isBf16);
          for (int i = 0; i < 20; ++i)
            expectDefined(productModelOf(arch), source.tile(terms));
        }
}

} // namespace
