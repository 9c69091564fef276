// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Exact scalar conversions between f32, f16 and bf16, as bit patterns.
/// Narrowing rounds to nearest, ties to even; NaN stays NaN, and what is too
/// large becomes infinity.
#ifndef MPC_RUNTIME_SUPPORT_FLOAT16_H
#define MPC_RUNTIME_SUPPORT_FLOAT16_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace mpc::rt {

[[nodiscard]] inline float f16ToF32(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 0x1f;
  uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) {
    float value = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
  uint32_t biased = exponent == 0x1f ? 0xff : exponent + 112;
  return std::bit_cast<float>(sign | biased << 23 | mantissa << 13);
}

[[nodiscard]] inline uint16_t f32ToF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
  if (magnitude >= 0x477ff000) // 65520, halfway to what would be 65536
    return sign | 0x7c00;
  if (magnitude < 0x38800000) { // below 2^-14: one unit is 2^-24
    float units = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign |
                                 (std::bit_cast<uint32_t>(units) - 0x3f000000));
  }
  magnitude += 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | ((magnitude >> 13) - (112 << 10)));
}

[[nodiscard]] inline float bf16ToF32(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

[[nodiscard]] inline uint16_t f32ToBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// Rounds to f32 so that a second rounding, to 16 bits, is that of the f64:
/// what is inexact gets an odd last bit (Boldo and Melquiond, 2008).
[[nodiscard]] inline float f64ToF32Odd(double value) {
  auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value))
    return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  // Truncate, then set the last bit.
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits;
  return std::bit_cast<float>(bits | 1);
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_FLOAT16_H
