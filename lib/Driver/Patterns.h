// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Regular expressions on names, and checks of the flags that take them.
#ifndef MPC_LIB_DRIVER_PATTERNS_H
#define MPC_LIB_DRIVER_PATTERNS_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Support/Status.h"

#include <string>
#include <vector>

namespace mpc {

/// An ECMAScript expression that matches `name` alone.
std::string exactPattern(const std::string &name);

/// The expressions given to one flag, as "--no-decay".
struct PatternFlag {
  const char *flag;
  const std::vector<std::string> &expressions;
};

/// A usage error where an expression is malformed.
rt::Status checkPatterns(const std::vector<PatternFlag> &flags);

/// Adds a warning for each expression that matches no parameter of `module`.
void warnOfUnmatchedParameters(mlir::ModuleOp module,
                               const std::vector<PatternFlag> &flags,
                               std::vector<std::string> &warnings);

/// A usage error where an expression of a group matches no parameter of
/// `module` that an earlier one does not match.
rt::Status checkGroupMembers(mlir::ModuleOp module,
                             const std::vector<std::string> &expressions);

/// Adds a warning for each expression that matches no node and no op.
void warnOfUnmatchedNodes(mlir::ModuleOp module,
                          const std::vector<PatternFlag> &flags,
                          std::vector<std::string> &warnings);

} // namespace mpc

#endif // MPC_LIB_DRIVER_PATTERNS_H
