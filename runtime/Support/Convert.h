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
  None,     ///< Not offered: a float to an integer.
  Exact,    ///< Each value of the source is one of the target.
  Checked,  ///< From integers; a value that the target lacks is an error.
  Rounding, ///< To a narrower float, to nearest even.
};

[[nodiscard]] Conversion conversion(DType from, DType to);

/// Converts `count` elements; neither side need be aligned. Returns the index
/// of the first element that does not fit, else nothing. `conversion(from, to)`
/// must not be None.
[[nodiscard]] std::optional<int64_t>
convert(const void *source, DType from, void *target, DType to, int64_t count);

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_CONVERT_H
