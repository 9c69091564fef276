// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-ups in the table of element formats.
#include "runtime/Support/ElementFormat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mpc::rt {

size_t byteSize(DType dtype) {
  return static_cast<size_t>(elementFormatOf(dtype).bits) / 8;
}
bool isFloat(DType dtype) { return formatOf(dtype) != nullptr; }
bool isSigned(DType dtype) {
  return elementFormatOf(dtype).kind == NumberKind::Signed;
}
const FloatFormat *formatOf(DType dtype) {
  return elementFormatOf(dtype).format;
}
int precisionBits(DType dtype) {
  return elementFormatOf(dtype).precisionBits();
}
std::string_view name(DType dtype) { return elementFormatOf(dtype).name; }
std::string_view safetensorsName(DType dtype) {
  return elementFormatOf(dtype).safetensorsName;
}

std::optional<DType> dtypeFromSafetensors(std::string_view name) {
  for (const ElementFormat &candidate : kElementFormats)
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
