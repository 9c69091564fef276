// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Turns errors of importers into statuses of the runtime.
#ifndef MPC_LIB_DRIVER_IMPORTSTATUS_H
#define MPC_LIB_DRIVER_IMPORTSTATUS_H

#include "runtime/Support/Status.h"
#include "llvm/Support/Error.h"

namespace mpc {

/// A status with the message of `error` and the code of its fault; consumes
/// `error`.
rt::Status statusOf(llvm::Error error);

} // namespace mpc

#endif // MPC_LIB_DRIVER_IMPORTSTATUS_H
