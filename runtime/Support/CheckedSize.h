// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sizes computed from untrusted shapes without overflow.
#ifndef MPC_RUNTIME_SUPPORT_CHECKEDSIZE_H
#define MPC_RUNTIME_SUPPORT_CHECKEDSIZE_H

#include "runtime/Support/DType.h"

#include <cstdint>
#include <optional>
#include <span>

namespace mpc::rt {

/// The bytes of a tensor of this shape; empty where a dimension is negative or
/// a product exceeds an int64.
[[nodiscard]] inline std::optional<int64_t>
checkedBytes(std::span<const int64_t> shape, DType dtype) {
  int64_t bytes = static_cast<int64_t>(byteSize(dtype));
  for (int64_t dim : shape)
    if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes))
      return std::nullopt;
  return bytes;
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_CHECKEDSIZE_H
