// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion of elements through double for floats and through 128 bits for
// integers. Both hold every value of the supported conversions.
#include "runtime/Support/Convert.h"

#include "runtime/Support/Rounding.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace mpc::rt {
namespace {

/// Holds int64 and uint64.
__extension__ using Integer = __int128;

/// A float of 16 bits.
template <const FloatFormat &format>
struct Half {
  uint16_t bits;
};
struct Boolean {
  uint8_t bits;
};

template <const FloatFormat &format>
double toDouble(Half<format> x) {
  return std::bit_cast<float>(widenToF32Bits(format, x.bits));
}
template <typename T>
double toDouble(T x) {
  return static_cast<double>(x);
}

template <const FloatFormat &format>
void fromDouble(double x, Half<format> &out) {
  out.bits =
      static_cast<uint16_t>(roundF64Bits(format, std::bit_cast<uint64_t>(x)));
}
void fromDouble(double x, float &out) { out = static_cast<float>(x); }
void fromDouble(double x, double &out) { out = x; }

Integer toInteger(Boolean x) { return x.bits ? 1 : 0; }
template <typename T>
Integer toInteger(T x) {
  return x;
}

/// False where the target type has no value `x`.
bool fromInteger(Integer x, Boolean &out) {
  out.bits = static_cast<uint8_t>(x);
  return x == 0 || x == 1;
}
template <typename T>
bool fromInteger(Integer x, T &out) {
  out = static_cast<T>(x);
  return x >= std::numeric_limits<T>::min() &&
         x <= std::numeric_limits<T>::max();
}

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <const FloatFormat &format>
constexpr bool kIsFloat<Half<format>> = true;

/// Calls `body` with a value of the C++ type of `dtype`.
template <typename Body>
auto dispatch(DType dtype, Body body) {
  switch (dtype) {
  case DType::F64:
    return body(double());
  case DType::F32:
    return body(float());
  case DType::F16:
    return body(Half<kFormatF16>());
  case DType::BF16:
    return body(Half<kFormatBF16>());
  case DType::I64:
    return body(int64_t());
  case DType::I32:
    return body(int32_t());
  case DType::I16:
    return body(int16_t());
  case DType::I8:
    return body(int8_t());
  case DType::U64:
    return body(uint64_t());
  case DType::U32:
    return body(uint32_t());
  case DType::U16:
    return body(uint16_t());
  case DType::U8:
    return body(uint8_t());
  case DType::Bool:
    break;
  }
  return body(Boolean());
}

/// False where the float type has no value `x`.
template <typename To>
bool exactFromInteger(Integer x, To &out) {
  fromDouble(static_cast<double>(x), out);
  double back = toDouble(out);
  return std::fabs(back) <= 0x1p64 && static_cast<Integer>(back) == x;
}

template <typename From, typename To>
bool convertOne(From from, To &to) {
  if constexpr (std::is_integral_v<From> && sizeof(From) <= 2 &&
                std::is_floating_point_v<To>) {
    // This conversion is always exact. Images use it.
    to = static_cast<To>(from);
    return true;
  } else if constexpr (kIsFloat<To> && !kIsFloat<From>) {
    return exactFromInteger(toInteger(from), to);
  } else if constexpr (kIsFloat<To>) {
    fromDouble(toDouble(from), to);
    return true;
  } else if constexpr (kIsFloat<From>) {
    return false; // conversion() gives None for these types.
  } else {
    return fromInteger(toInteger(from), to);
  }
}

template <typename From, typename To>
std::optional<int64_t> convertAll(const char *source, char *target,
                                  int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    From from;
    To to;
    std::memcpy(&from, source + i * sizeof(From), sizeof(From));
    if (!convertOne(from, to))
      return i;
    std::memcpy(target + i * sizeof(To), &to, sizeof(To));
  }
  return std::nullopt;
}

} // namespace

Conversion conversion(DType from, DType to) {
  if (from == to)
    return Conversion::Exact;
  bool moreBits = precisionBits(from) <= precisionBits(to);
  if (!isFloat(to)) {
    if (isFloat(from))
      return Conversion::None;
    bool losesSign = isSigned(from) && !isSigned(to);
    return moreBits && !losesSign ? Conversion::Exact : Conversion::Checked;
  }
  if (!isFloat(from))
    return moreBits ? Conversion::Exact : Conversion::Checked;
  return formatOf(to)->holds(*formatOf(from)) ? Conversion::Exact
                                              : Conversion::Rounding;
}

std::optional<int64_t> convert(const void *source, DType from, void *target,
                               DType to, int64_t count) {
  assert(conversion(from, to) != Conversion::None && "not offered");
  if (from == to) {
    std::memcpy(target, source, static_cast<size_t>(count) * byteSize(from));
    return std::nullopt;
  }
  return dispatch(from, [&](auto f) {
    return dispatch(to, [&](auto t) {
      return convertAll<decltype(f), decltype(t)>(
          static_cast<const char *>(source), static_cast<char *>(target),
          count);
    });
  });
}

} // namespace mpc::rt
