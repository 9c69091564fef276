// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors of this library. They are handles of libmpc-runtime, so that there
// is one kind of error. The functions on errors that runtime/CAPI/Boundary.h
// declares are defined here.
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
