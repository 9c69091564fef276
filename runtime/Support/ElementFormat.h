// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one table of element formats, for the runtime and the compiler: their
/// widths, the encoding of their numbers, and their names in each system. (The
/// types of MLIR are in dialects/Interfaces/ElementTypes.h, since the runtime
/// does not know MLIR.)
#ifndef MPC_RUNTIME_SUPPORT_ELEMENTFORMAT_H
#define MPC_RUNTIME_SUPPORT_ELEMENTFORMAT_H

#include "runtime/Support/DType.h"

#include <array>

namespace mpc::rt {

enum class NumberKind : uint8_t { Float, Signed, Unsigned, Bool };

struct ElementFormat {
  /// The name that users see.
  std::string_view name;
  NumberKind kind;
  /// The width in memory.
  int bits;
  /// The encoding of floats; null for others.
  const FloatFormat *format;
  /// Empty for a format that no tensor of a program has.
  std::optional<DType> dtype;
  std::string_view safetensorsName;
  /// The code in DLPack, as a number and as C spells it.
  uint8_t dlpackCode;
  std::string_view dlpackName;
  /// The code in .npy; empty where NumPy has none.
  std::string_view npyCode;
  /// The type that holds an element in C.
  std::string_view cName;

  /// Bits of a float's significand, or of an integer's magnitude.
  [[nodiscard]] constexpr int precisionBits() const {
    switch (kind) {
    case NumberKind::Float:
      return format->mantissaBits + 1;
    case NumberKind::Signed:
      return bits - 1;
    case NumberKind::Unsigned:
      return bits;
    case NumberKind::Bool:
      break;
    }
    return 1;
  }
  /// A float below f32 that a model may compute in.
  [[nodiscard]] constexpr bool isLowPrecision() const {
    return dtype && format && bits < kFormatF32.width();
  }
};

/// Formats with a DType come first, in its order.
inline constexpr std::array kElementFormats = {
    ElementFormat{"f64", NumberKind::Float, 64, &kFormatF64, DType::F64, "F64",
                  2, "kDLFloat", "f8", "double"},
    ElementFormat{"f32", NumberKind::Float, 32, &kFormatF32, DType::F32, "F32",
                  2, "kDLFloat", "f4", "float"},
    ElementFormat{"f16", NumberKind::Float, 16, &kFormatF16, DType::F16, "F16",
                  2, "kDLFloat", "f2", "uint16_t"},
    ElementFormat{"bf16", NumberKind::Float, 16, &kFormatBF16, DType::BF16,
                  "BF16", 4, "kDLBfloat", "", "uint16_t"},
    ElementFormat{"i64", NumberKind::Signed, 64, nullptr, DType::I64, "I64", 0,
                  "kDLInt", "i8", "int64_t"},
    ElementFormat{"i32", NumberKind::Signed, 32, nullptr, DType::I32, "I32", 0,
                  "kDLInt", "i4", "int32_t"},
    ElementFormat{"i16", NumberKind::Signed, 16, nullptr, DType::I16, "I16", 0,
                  "kDLInt", "i2", "int16_t"},
    ElementFormat{"i8", NumberKind::Signed, 8, nullptr, DType::I8, "I8", 0,
                  "kDLInt", "i1", "int8_t"},
    ElementFormat{"u8", NumberKind::Unsigned, 8, nullptr, DType::U8, "U8", 1,
                  "kDLUInt", "u1", "uint8_t"},
    ElementFormat{"bool", NumberKind::Bool, 8, nullptr, DType::Bool, "BOOL", 6,
                  "kDLBool", "b1", "uint8_t"},
    ElementFormat{"u16", NumberKind::Unsigned, 16, nullptr, DType::U16, "U16",
                  1, "kDLUInt", "u2", "uint16_t"},
    ElementFormat{"u32", NumberKind::Unsigned, 32, nullptr, DType::U32, "U32",
                  1, "kDLUInt", "u4", "uint32_t"},
    ElementFormat{"u64", NumberKind::Unsigned, 64, nullptr, DType::U64, "U64",
                  1, "kDLUInt", "u8", "uint64_t"},
    ElementFormat{"e4m3fn", NumberKind::Float, 8, &kFormatE4M3FN, std::nullopt,
                  "F8_E4M3", 10, "kDLFloat8_e4m3fn", "", "uint8_t"},
    ElementFormat{"e5m2", NumberKind::Float, 8, &kFormatE5M2, std::nullopt,
                  "F8_E5M2", 12, "kDLFloat8_e5m2", "", "uint8_t"},
};

static_assert([] {
  for (size_t i = 0; i < kElementFormats.size(); ++i) {
    const ElementFormat &row = kElementFormats[i];
    bool isInPlace = !row.dtype || static_cast<size_t>(*row.dtype) == i;
    bool isAsWide = !row.format || row.format->width() == row.bits;
    if (!isInPlace || !isAsWide)
      return false;
  }
  return true;
}());

/// The row of an element type that programs have.
[[nodiscard]] constexpr const ElementFormat &elementFormatOf(DType dtype) {
  return kElementFormats[static_cast<size_t>(dtype)];
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_ELEMENTFORMAT_H
