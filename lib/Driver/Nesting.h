// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A check of MLIR text before it is parsed. MLIR's parser calls itself for
/// each bracket and each operator of an affine expression, and what reads
/// attributes later does so for each alias in an alias; none has a limit.
#ifndef MPC_LIB_DRIVER_NESTING_H
#define MPC_LIB_DRIVER_NESTING_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mpc {

/// How deep brackets, and aliases in aliases, may nest.
inline constexpr unsigned kMaxNesting = 256;
/// How many operators an expression may have.
inline constexpr unsigned kMaxOperators = 1024;
/// How many aliases an alias may stand for when all are written out.
inline constexpr unsigned kMaxAliases = 1 << 20;

/// "FILE:LINE: error: ..." where `text` first passes a limit, if it does. What
/// is in strings and comments does not count.
std::optional<std::string> describeDeepNesting(llvm::StringRef file,
                                               llvm::StringRef text);

} // namespace mpc

#endif // MPC_LIB_DRIVER_NESTING_H
