// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Conversion of tensor elements from one type to another.
#ifndef MPC_RUNTIME_SUPPORT_CONVERT_H
#define MPC_RUNTIME_SUPPORT_CONVERT_H

#include "runtime/Support/DType.h"

#include <cstdint>
#include <optional>

namespace mpc::rt {

enum class Conversion : uint8_t {
  None,     ///< Not supported: a float to an integer.
  Exact,    ///< The target has each value of the source.
  Checked,  ///< From integers. A value that the target lacks is an error.
  Rounding, ///< To a narrower float, to nearest even.
};

[[nodiscard]] Conversion conversion(DType from, DType to);

/// Converts `count` elements, which need not be aligned. Returns the index of
/// the first element that does not fit, else nothing. `conversion(from, to)`
/// must not be None.
[[nodiscard]] std::optional<int64_t>
convert(const void *source, DType from, void *target, DType to, int64_t count);

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_CONVERT_H
