// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Element types of tensors in programs, files and checkpoints.
#ifndef MPC_RUNTIME_SUPPORT_DTYPE_H
#define MPC_RUNTIME_SUPPORT_DTYPE_H

#include "runtime/Support/FloatFormat.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

enum class DType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  I64,
  I32,
  I16,
  I8,
  U8,
  Bool,
  U16,
  U32,
  U64
};

/// Bytes of one element.
[[nodiscard]] size_t byteSize(DType dtype);
[[nodiscard]] bool isFloat(DType dtype);
/// True of signed integers; false for bool.
[[nodiscard]] bool isSigned(DType dtype);
/// The format of a float; null for integers and bool.
[[nodiscard]] const FloatFormat *formatOf(DType dtype);
/// Bits of a float's significand, or of an integer's magnitude.
[[nodiscard]] int precisionBits(DType dtype);
/// The name users see: "f32", "i64", "bool".
[[nodiscard]] std::string_view name(DType dtype);
/// The name in a safetensors header: "F32", "I64", "BOOL".
[[nodiscard]] std::string_view safetensorsName(DType dtype);
[[nodiscard]] std::optional<DType> dtypeFromSafetensors(std::string_view name);

/// Name, element type and static shape of a tensor.
struct TensorDesc {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;

  /// Product of the shape; 1 for a scalar.
  [[nodiscard]] int64_t numElements() const;
  [[nodiscard]] size_t numBytes() const;
};

/// "f32[32x64]"; a scalar is "f32[]".
[[nodiscard]] std::string toString(const TensorDesc &desc);

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_DTYPE_H
