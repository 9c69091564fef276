// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of element types.
#include "runtime/Support/DType.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mpc::rt {
namespace {

struct DTypeRow {
  DType dtype;
  size_t bytes;
  bool isFloat;
  std::string_view name;
  std::string_view safetensorsName;
};

constexpr std::array<DTypeRow, 10> kRows = {{
    {DType::F64, 8, true, "f64", "F64"},
    {DType::F32, 4, true, "f32", "F32"},
    {DType::F16, 2, true, "f16", "F16"},
    {DType::BF16, 2, true, "bf16", "BF16"},
    {DType::I64, 8, false, "i64", "I64"},
    {DType::I32, 4, false, "i32", "I32"},
    {DType::I16, 2, false, "i16", "I16"},
    {DType::I8, 1, false, "i8", "I8"},
    {DType::U8, 1, false, "u8", "U8"},
    {DType::Bool, 1, false, "bool", "BOOL"},
}};

const DTypeRow &row(DType dtype) { return kRows[static_cast<size_t>(dtype)]; }

} // namespace

size_t byteSize(DType dtype) { return row(dtype).bytes; }
bool isFloat(DType dtype) { return row(dtype).isFloat; }
std::string_view name(DType dtype) { return row(dtype).name; }
std::string_view safetensorsName(DType dtype) {
  return row(dtype).safetensorsName;
}

std::optional<DType> dtypeFromSafetensors(std::string_view name) {
  for (const DTypeRow &candidate : kRows)
    if (candidate.safetensorsName == name)
      return candidate.dtype;
  return std::nullopt;
}

int64_t TensorDesc::numElements() const {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

size_t TensorDesc::numBytes() const {
  return static_cast<size_t>(numElements()) * byteSize(dtype);
}

std::string toString(const TensorDesc &desc) {
  return fmt::format("{}[{}]", name(desc.dtype), fmt::join(desc.shape, "x"));
}

} // namespace mpc::rt
