// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions with the values of their arguments and results.
///
/// Each argument of a public function has `values.are`, elements of its type.
/// Each result has `values.are` too: what was computed elsewhere, f64 for a
/// floating result; and, where it need not be that number rounded once,
/// `values.ulps`: how many units in the last place it may be off, at its own
/// magnitude or that of `values.at` if that is larger.
#ifndef MPC_TEST_SUPPORT_VALUES_H
#define MPC_TEST_SUPPORT_VALUES_H

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace mpc::test {

/// Runs every public function of `path` in two forms: fused, and each op by
/// itself with the arguments as constants, which folders see. Prints each
/// element that is off, at its function; returns how many faults there were.
int checkValues(mlir::MLIRContext &context, const std::string &path);

} // namespace mpc::test

#endif // MPC_TEST_SUPPORT_VALUES_H
