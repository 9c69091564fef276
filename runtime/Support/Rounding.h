// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Bit-exact conversions between f64, f32 and the low-precision formats: round
/// to nearest even, no saturation. Only integer operations are used, so that a
/// host that flushes subnormals to zero gets the same bits.
#ifndef MPC_RUNTIME_SUPPORT_ROUNDING_H
#define MPC_RUNTIME_SUPPORT_ROUNDING_H

#include "runtime/Support/FloatFormat.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace mpc::rt {

namespace detail {

/// The unsigned code of `significand` * 2^(exponent - sourceMantissaBits).
/// `significand` < 2^(sourceMantissaBits + 1) includes its leading bit unless
/// the source is subnormal.
constexpr uint64_t roundMagnitude(const FloatFormat &format,
                                  uint64_t significand, int exponent,
                                  int sourceMantissaBits) {
  const int minExponent = 1 - format.bias;
  const int kept = std::max(exponent, minExponent);
  const int dropped =
      sourceMantissaBits - format.mantissaBits + (kept - exponent);
  // Two bits above the significand, everything is below half a unit.
  if (dropped > sourceMantissaBits + 2)
    return 0;
  uint64_t rounded = significand;
  if (dropped > 0) {
    const uint64_t odd = (significand >> dropped) & 1;
    const uint64_t half = (uint64_t{1} << (dropped - 1)) - 1 + odd;
    rounded = (significand + half) >> dropped;
  }
  // The leading bit of a normal number adds one to the exponent field. A carry
  // out of the mantissa does so too.
  const int64_t field = kept - minExponent;
  if (field >= (int64_t{1} << format.exponentBits))
    return format.overflowCode();
  const uint64_t code =
      (static_cast<uint64_t>(field) << format.mantissaBits) + rounded;
  return std::min(code, format.overflowCode());
}

} // namespace detail

/// The code in `format`, of at most 32 bits, for the f32 with pattern `bits`.
/// NaN becomes the canonical NaN with its sign.
constexpr uint32_t roundF32Bits(const FloatFormat &format, uint32_t bits) {
  const uint64_t sign = bits >> 31 != 0 ? format.signBit() : 0;
  const uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U)
    return static_cast<uint32_t>(sign | format.nanCode());
  if (magnitude == 0x7f800000U)
    return static_cast<uint32_t>(sign | format.overflowCode());
  const int field = static_cast<int>(magnitude >> 23);
  const uint32_t leading = field == 0 ? 0 : uint32_t{1} << 23;
  const uint32_t significand = (magnitude & 0x7fffffU) | leading;
  return static_cast<uint32_t>(
      sign | detail::roundMagnitude(format, significand,
                                    std::max(field, 1) - 127, 23));
}

/// The code in `format` for the f64 with pattern `bits`, rounded once. NaN
/// becomes the canonical NaN with its sign.
constexpr uint32_t roundF64Bits(const FloatFormat &format, uint64_t bits) {
  const uint64_t sign = bits >> 63 != 0 ? format.signBit() : 0;
  const uint64_t magnitude = bits & 0x7fffffffffffffffULL;
  const uint64_t infinity = 0x7ff0000000000000ULL;
  if (magnitude > infinity)
    return static_cast<uint32_t>(sign | format.nanCode());
  if (magnitude == infinity)
    return static_cast<uint32_t>(sign | format.overflowCode());
  const int field = static_cast<int>(magnitude >> 52);
  const uint64_t leading = field == 0 ? 0 : uint64_t{1} << 52;
  const uint64_t significand = (magnitude & 0xfffffffffffffULL) | leading;
  return static_cast<uint32_t>(
      sign | detail::roundMagnitude(format, significand,
                                    std::max(field, 1) - 1023, 52));
}

/// The f64 pattern for the f32 with pattern `bits`; exact.
constexpr uint64_t widenF32Bits(uint32_t bits) {
  const uint64_t sign = static_cast<uint64_t>(bits >> 31) << 63;
  const uint32_t magnitude = bits & 0x7fffffffU;
  const uint32_t mantissa = magnitude & 0x7fffffU;
  if (magnitude >= 0x7f800000U) // inf and NaN keep their payload
    return sign | 0x7ff0000000000000ULL | static_cast<uint64_t>(mantissa) << 29;
  if (magnitude == 0)
    return sign;
  int field = static_cast<int>(magnitude >> 23);
  uint64_t fraction = mantissa;
  if (field == 0) { // subnormal: move the leading bit to bit 23
    const int shift = std::countl_zero(mantissa) - 8;
    fraction = (static_cast<uint64_t>(mantissa) << shift) & 0x7fffffU;
    field = 1 - shift;
  }
  return sign | static_cast<uint64_t>(field - 127 + 1023) << 52 |
         fraction << 29;
}

/// The f32 pattern for `code` in `format`; exact. `code` has no bit above the
/// format's width.
constexpr uint32_t widenToF32Bits(const FloatFormat &format, uint32_t code) {
  const uint32_t sign = (code & format.signBit()) != 0 ? 0x80000000U : 0;
  const auto magnitude = static_cast<uint32_t>(code & (format.signBit() - 1));
  const uint32_t mantissaMask = (uint32_t{1} << format.mantissaBits) - 1;
  const uint32_t mantissa = magnitude & mantissaMask;
  const int toF32 = 23 - format.mantissaBits;
  if (magnitude >= format.overflowCode()) // inf and NaN keep their payload
    return sign | 0x7f800000U |
           (format.hasInfinity ? mantissa << toF32 : uint32_t{1} << 22);
  int field = static_cast<int>(magnitude >> format.mantissaBits);
  if (format.bias == 127 || magnitude == 0) // f32's own exponents
    return sign | magnitude << toF32;
  uint32_t fraction = mantissa;
  if (field == 0) { // subnormal: move the leading bit above the mantissa
    const int shift = std::countl_zero(mantissa) - (31 - format.mantissaBits);
    fraction = (mantissa << shift) & mantissaMask;
    field = 1 - shift;
  }
  return sign | static_cast<uint32_t>(field - format.bias + 127) << 23 |
         fraction << toF32;
}

[[nodiscard]] constexpr uint16_t roundToF16(float value) {
  return static_cast<uint16_t>(
      roundF32Bits(kFormatF16, std::bit_cast<uint32_t>(value)));
}
[[nodiscard]] constexpr uint16_t roundToF16(double value) {
  return static_cast<uint16_t>(
      roundF64Bits(kFormatF16, std::bit_cast<uint64_t>(value)));
}
[[nodiscard]] constexpr uint16_t roundToBF16(double value) {
  return static_cast<uint16_t>(
      roundF64Bits(kFormatBF16, std::bit_cast<uint64_t>(value)));
}
[[nodiscard]] constexpr uint16_t roundToBF16(float value) {
  return static_cast<uint16_t>(
      roundF32Bits(kFormatBF16, std::bit_cast<uint32_t>(value)));
}
[[nodiscard]] constexpr uint8_t roundToE4M3FN(float value) {
  return static_cast<uint8_t>(
      roundF32Bits(kFormatE4M3FN, std::bit_cast<uint32_t>(value)));
}
[[nodiscard]] constexpr uint8_t roundToE5M2(float value) {
  return static_cast<uint8_t>(
      roundF32Bits(kFormatE5M2, std::bit_cast<uint32_t>(value)));
}
[[nodiscard]] constexpr float valueOfF16(uint16_t code) {
  return std::bit_cast<float>(widenToF32Bits(kFormatF16, code));
}
[[nodiscard]] constexpr float valueOfBF16(uint16_t code) {
  return std::bit_cast<float>(widenToF32Bits(kFormatBF16, code));
}
[[nodiscard]] constexpr float valueOfE4M3FN(uint8_t code) {
  return std::bit_cast<float>(widenToF32Bits(kFormatE4M3FN, code));
}
[[nodiscard]] constexpr float valueOfE5M2(uint8_t code) {
  return std::bit_cast<float>(widenToF32Bits(kFormatE5M2, code));
}

/// Stochastic rounding to bf16: the upper half of (pattern + `random16`). The
/// probability of rounding up is the distance from the lower neighbour. The sum
/// may carry the largest values to inf; inf and NaN stay.
[[nodiscard]] constexpr uint16_t roundToBF16Stochastic(float value,
                                                       uint16_t random16) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000U) == 0x7f800000U)
    return roundToBF16(value);
  return static_cast<uint16_t>((bits + random16) >> 16);
}

/// `value` rounded once to f32, held in an f64.
[[nodiscard]] constexpr double roundToF32(double value) {
  const uint32_t bits =
      roundF64Bits(kFormatF32, std::bit_cast<uint64_t>(value));
  return std::bit_cast<double>(widenF32Bits(bits));
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_ROUNDING_H
