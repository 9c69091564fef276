// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Integers of the caller's that only some values have a meaning for.
#ifndef MPC_LIB_IMPORT_BUILD_RANGES_H
#define MPC_LIB_IMPORT_BUILD_RANGES_H

#include "lib/Import/Build/TensorBuilder.h"

#include <cstdint>
#include <optional>

namespace mpc::build {

/// States that the model has a meaning only for integers from `low` to below
/// `high`, and for `except`. Where `indices` are an argument of the model,
/// whatever its shape, a run refuses any other. Others, such as a part of an
/// argument, are not checked.
void stateRange(const Operand &indices, int64_t low, int64_t high,
                std::optional<int64_t> except = std::nullopt);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_RANGES_H
