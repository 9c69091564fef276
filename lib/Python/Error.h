// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Errors of the C ABI as Python exceptions.
#ifndef MPC_LIB_PYTHON_ERROR_H
#define MPC_LIB_PYTHON_ERROR_H

#include "mpc/Status.h"

#include <utility>

namespace mpc::python {

/// Throws the exception that mpc_compiler._errors makes of a failure.
void check(const Status &status);
inline void check(MpcError *error) { check(Status(error)); }

/// The value; throws like check().
template <typename T>
T valueOf(Expected<T> expected) {
  if (!expected.ok())
    check(expected.status());
  return *std::move(expected);
}

} // namespace mpc::python

#endif // MPC_LIB_PYTHON_ERROR_H
