// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors that this library gives: handles of libmpc-runtime, so that there is
// one kind of them. What runtime/CAPI/Boundary.h has of errors is defined here.
#include "runtime/CAPI/Boundary.h"

MpcError *mpc::rt::toError(const Status &status) noexcept {
  if (status.ok())
    return nullptr;
  return mpcErrorCreate(static_cast<MpcErrorCode>(status.code()),
                        status.message().c_str());
}

MpcError *mpc::rt::outOfMemory() noexcept {
  return mpcErrorCreate(MPC_ERROR_ENVIRONMENT, "out of memory");
}
