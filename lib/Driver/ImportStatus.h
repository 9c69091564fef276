// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Errors of importers as the runtime has them.
#ifndef MPC_LIB_DRIVER_IMPORTSTATUS_H
#define MPC_LIB_DRIVER_IMPORTSTATUS_H

#include "runtime/Support/Status.h"
#include "llvm/Support/Error.h"

namespace mpc {

/// The message of `error` with the code of its fault; consumes it.
rt::Status statusOf(llvm::Error error);

} // namespace mpc

#endif // MPC_LIB_DRIVER_IMPORTSTATUS_H
