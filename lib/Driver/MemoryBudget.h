// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// --memory-budget: the most memory that a step should take beside its state.
#ifndef MPC_LIB_DRIVER_MEMORYBUDGET_H
#define MPC_LIB_DRIVER_MEMORYBUDGET_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace mpc {

/// The most bytes of an arena: the memory of a step beside state, inputs and
/// outputs.
struct MemoryBudget {
  std::string text; ///< As it was given: "96MiB", "0.6".
  uint64_t bytes = 0;
  /// Instead of bytes: the part of the arena that the step has without a
  /// budget.
  std::optional<double> fraction;
};

/// Reads "100000", "96MiB", "1.5GB" or "0.6"; a usage error on any other text.
rt::Result<MemoryBudget> parseMemoryBudget(const std::string &text);

/// The arena of the largest entry of a module whose memory is planned.
int64_t largestArena(mlir::ModuleOp module);

/// The bytes of the largest arena if the target's `memory` is the argument.
using PlanArena = std::function<rt::Result<int64_t>(std::optional<int64_t>)>;

/// A `memory` of a target with which the arena keeps to `budget`, by trial, the
/// largest first; none where that is so without. A usage error that names the
/// least arena found where none does.
rt::Result<std::optional<int64_t>> fitMemory(const MemoryBudget &budget,
                                             const PlanArena &plan);

} // namespace mpc

#endif // MPC_LIB_DRIVER_MEMORYBUDGET_H
