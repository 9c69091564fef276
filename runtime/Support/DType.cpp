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
  const FloatFormat *format; ///< Null for integers and bool.
  int magnitudeBits;         ///< Of an integer.
  size_t bytes;
  std::string_view name;
  std::string_view safetensorsName;
};

constexpr std::array<DTypeRow, 13> kRows = {{
    {DType::F64, &kFormatF64, 0, 8, kFormatF64.name, "F64"},
    {DType::F32, &kFormatF32, 0, 4, kFormatF32.name, "F32"},
    {DType::F16, &kFormatF16, 0, 2, kFormatF16.name, "F16"},
    {DType::BF16, &kFormatBF16, 0, 2, kFormatBF16.name, "BF16"},
    {DType::I64, nullptr, 63, 8, "i64", "I64"},
    {DType::I32, nullptr, 31, 4, "i32", "I32"},
    {DType::I16, nullptr, 15, 2, "i16", "I16"},
    {DType::I8, nullptr, 7, 1, "i8", "I8"},
    {DType::U8, nullptr, 8, 1, "u8", "U8"},
    {DType::Bool, nullptr, 1, 1, "bool", "BOOL"},
    {DType::U16, nullptr, 16, 2, "u16", "U16"},
    {DType::U32, nullptr, 32, 4, "u32", "U32"},
    {DType::U64, nullptr, 64, 8, "u64", "U64"},
}};

const DTypeRow &row(DType dtype) { return kRows[static_cast<size_t>(dtype)]; }

} // namespace

size_t byteSize(DType dtype) { return row(dtype).bytes; }
bool isFloat(DType dtype) { return formatOf(dtype) != nullptr; }
bool isSigned(DType dtype) {
  const DTypeRow &found = row(dtype);
  size_t bits = found.bytes * 8;
  return !found.format && static_cast<size_t>(found.magnitudeBits) + 1 == bits;
}
const FloatFormat *formatOf(DType dtype) { return row(dtype).format; }
int precisionBits(DType dtype) {
  const DTypeRow &found = row(dtype);
  return found.format ? found.format->mantissaBits + 1 : found.magnitudeBits;
}
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
