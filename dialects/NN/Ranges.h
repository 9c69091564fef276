// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Integers of the caller's that only some values have a meaning for.
#ifndef MPC_DIALECTS_NN_RANGES_H
#define MPC_DIALECTS_NN_RANGES_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace mpc::nn {

/// States that `indices` have a meaning only from `low` to below `high`, and as
/// `except`. Where they are an argument of the model, or a part of one, in any
/// shape and as any integers, a run refuses others in what is read of it.
/// Nothing is stated of what is computed, and of strided parts.
void addRange(mlir::Value indices, int64_t low, int64_t high,
              std::optional<int64_t> except = std::nullopt);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_RANGES_H
