// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A check of MLIR text before it is parsed. MLIR's parser recurses for each
/// bracket and for each operator of an affine expression. Later code that reads
/// attributes recurses for each alias in an alias. None of them has a limit.
#ifndef MPC_LIB_DRIVER_NESTING_H
#define MPC_LIB_DRIVER_NESTING_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mpc {

/// The greatest depth of brackets, and of aliases in aliases.
inline constexpr unsigned kMaxNesting = 256;
/// The most operators of an expression.
inline constexpr unsigned kMaxOperators = 1024;
/// The most aliases for which an alias may stand when all are written out.
inline constexpr unsigned kMaxAliases = 1 << 20;

/// "FILE:LINE: error: ..." at the first place at which `text` exceeds a limit;
/// empty where it exceeds none. Strings and comments do not count.
std::optional<std::string> describeDeepNesting(llvm::StringRef file,
                                               llvm::StringRef text);

} // namespace mpc

#endif // MPC_LIB_DRIVER_NESTING_H
