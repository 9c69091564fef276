// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The arithmetic inside of a Tensor Core, as far as it is known.
#ifndef MPC_TEST_SUPPORT_SIMT_PRODUCT_H
#define MPC_TEST_SUPPORT_SIMT_PRODUCT_H

#include <array>
#include <cstddef>
#include <span>

namespace simt {

/// How a Tensor Core adds: `width` products and the sum so far are shifted to
/// the exponent of the largest, keep `extraBits` below the 23 of an f32, lose
/// the rest, and are added exactly; the result is truncated to an f32.
struct ProductModel {
  int width;
  int extraBits;
};

/// The model of an architecture: 90 for sm_90.
[[nodiscard]] ProductModel productModelOf(int arch);

/// c + sum of a[i] * b[i] by `model`. Every a and b is an f16 or a bf16 value.
[[nodiscard]] float multiplyAdd(const ProductModel &model, float c,
                                std::span<const float> a,
                                std::span<const float> b);

/// The operands of a warp's product, and its sums. What lies behind `terms` is
/// 0.
struct Tile {
  static constexpr size_t kRows = 16, kColumns = 8, kTerms = 16;
  int terms = kTerms;
  std::array<std::array<float, kTerms>, kRows> a{};    ///< By row.
  std::array<std::array<float, kTerms>, kColumns> b{}; ///< By column.
  std::array<std::array<float, kColumns>, kRows> sums{};
};

/// Adds the products: each sum gets the bits of multiplyAdd().
void multiplyTile(const ProductModel &model, Tile &tile);

} // namespace simt

#endif // MPC_TEST_SUPPORT_SIMT_PRODUCT_H
