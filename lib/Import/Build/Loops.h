// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops of a known number of turns.
#ifndef MPC_LIB_IMPORT_BUILD_LOOPS_H
#define MPC_LIB_IMPORT_BUILD_LOOPS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// A loop over the first axes of tensors.
struct Loop {
  std::string name; ///< Of the function that is its body.
  int64_t turns = 0;
  bool reversed = false; ///< Whether it goes through the axes from their end.
  /// The carried values of the first turn.
  llvm::SmallVector<Operand> inits = {};
  /// Of these a turn takes one entry of the first axis.
  llvm::SmallVector<Operand> stacks = {};
  /// Whether the carried values of all turns are results, or only the last.
  bool keepsEachTurn = false;
};

/// What a turn takes, or returns: the carried values, and entries of stacks.
struct Turn {
  llvm::SmallVector<Operand> carried, entries;
};

/// So many turns are copied: fewer than that are no faster as a loop.
inline constexpr int64_t kMostCopies = 8;

/// Builds `loop`. `body` builds a turn; it may use values from outside. In the
/// result, the carried values have a first axis where each turn is kept. Empty,
/// with nothing built, where turns have to be copied: few of them; those that
/// `body` does not build, since it asks for what a copy knows; those that draw
/// random numbers, keep statistics, or change a carried value's type; and loops
/// in an nn.autocast, whose rule would not reach a function.
std::optional<Turn>
tryBuildLoop(TensorBuilder &b, const Loop &loop,
             llvm::function_ref<std::optional<Turn>(const Turn &)> body);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_LOOPS_H
