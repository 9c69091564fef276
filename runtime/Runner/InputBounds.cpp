// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks integers block by block.
#include "runtime/Runner/InputBounds.h"

#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

constexpr int64_t kBlock = 256;

Status outside(const InputBound &bound, int64_t element, int64_t value) {
  return invalidInput(fmt::format("tensor {}, element {}: {} is not in {} to "
                                  "{}",
                                  quote(bound.name), element, value,
                                  bound.lower, bound.upper - 1));
}

Status checkBound(const TensorView &input, const InputBound &bound) {
  int64_t values[kBlock];
  int64_t count = input.desc.numElements();
  auto *data = static_cast<const std::byte *>(input.data);
  size_t size = byteSize(input.desc.dtype);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    int64_t here = std::min(kBlock, count - begin);
    // Every integer fits in an i64 here.
    (void)convert(data + static_cast<size_t>(begin) * size, input.desc.dtype,
                  values, DType::I64, here);
    for (int64_t i = 0; i < here; ++i)
      if (!bound.holds(values[i]) && bound.isRead(input.desc.shape, begin + i))
        return outside(bound, begin + i, values[i]);
  }
  return {};
}

} // namespace

bool hasBounds(const TensorDesc &input, std::span<const InputBound> bounds) {
  return !isFloat(input.dtype) && std::any_of(bounds.begin(), bounds.end(),
                                              [&](const InputBound &bound) {
                                                return bound.name == input.name;
                                              });
}

Status checkBounds(const TensorView &input,
                   std::span<const InputBound> bounds) {
  if (!hasBounds(input.desc, bounds))
    return {};
  for (const InputBound &bound : bounds)
    if (bound.name == input.desc.name)
      MPC_RETURN_IF_ERROR(checkBound(input, bound));
  return {};
}

} // namespace mpc::rt
