// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Floating-point formats as data. Rounding, conversion and saturation read
/// this table, so that a new format is a new row.
#ifndef MPC_RUNTIME_SUPPORT_FLOATFORMAT_H
#define MPC_RUNTIME_SUPPORT_FLOATFORMAT_H

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace mpc::rt {

/// A binary floating-point format of sign, exponent and mantissa.
struct FloatFormat {
  std::string_view name;
  int exponentBits;
  int mantissaBits;
  int bias;
  /// Whether the largest exponent is for inf and NaN (IEEE). Without it only
  /// the code of all ones is NaN, and overflow gives NaN.
  bool hasInfinity;

  [[nodiscard]] constexpr int width() const {
    return 1 + exponentBits + mantissaBits;
  }
  [[nodiscard]] constexpr uint64_t signBit() const {
    return uint64_t{1} << (width() - 1);
  }
  /// The code for magnitudes above the largest finite one: inf, or NaN.
  [[nodiscard]] constexpr uint64_t overflowCode() const {
    const uint64_t ones = signBit() - 1;
    return hasInfinity ? ones - ((uint64_t{1} << mantissaBits) - 1) : ones;
  }
  /// The canonical quiet NaN, without sign.
  [[nodiscard]] constexpr uint64_t nanCode() const {
    return hasInfinity ? overflowCode() | uint64_t{1} << (mantissaBits - 1)
                       : overflowCode();
  }
  /// The largest finite magnitude.
  [[nodiscard]] constexpr double largest() const {
    return valueOf(overflowCode() - 1);
  }
  /// The smallest magnitude with full precision.
  [[nodiscard]] constexpr double smallestNormal() const {
    return valueOf(uint64_t{1} << mantissaBits);
  }
  /// True where this format has each value of `other`.
  [[nodiscard]] constexpr bool holds(const FloatFormat &other) const {
    return mantissaBits >= other.mantissaBits && bias >= other.bias &&
           largest() >= other.largest();
  }

private:
  /// The value of the code of a normal number. No format is more precise or has
  /// a wider range than f64.
  [[nodiscard]] constexpr double valueOf(uint64_t code) const {
    const uint64_t rebias = static_cast<uint64_t>(1023 - bias) << mantissaBits;
    return std::bit_cast<double>((code + rebias) << (52 - mantissaBits));
  }
};

inline constexpr FloatFormat kFormatF64{"f64", 11, 52, 1023, true};
inline constexpr FloatFormat kFormatF32{"f32", 8, 23, 127, true};
inline constexpr FloatFormat kFormatF16{"f16", 5, 10, 15, true};
inline constexpr FloatFormat kFormatBF16{"bf16", 8, 7, 127, true};
inline constexpr FloatFormat kFormatE4M3FN{"e4m3fn", 4, 3, 7, false};
inline constexpr FloatFormat kFormatE5M2{"e5m2", 5, 2, 15, true};

/// All formats, the widest first.
inline constexpr std::array kFloatFormats = {kFormatF64,    kFormatF32,
                                             kFormatF16,    kFormatBF16,
                                             kFormatE4M3FN, kFormatE5M2};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_FLOATFORMAT_H
