// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls of the C ABI on a runner.
#ifndef MPC_RUNTIME_CAPI_ONRUNNER_H
#define MPC_RUNTIME_CAPI_ONRUNNER_H

#include "runtime/CAPI/Boundary.h"
#include "runtime/CAPI/Session.h"

#include <memory>

namespace mpc::rt {

/// Runs `body` on the runner of a handle.
template <typename Body>
MpcError *onRunner(MpcRunner *handle, Body body) {
  return guarded([&]() -> Status {
    MPC_ASSIGN_OR_RETURN(Session * session, objectOf(handle));
    // A callback may destroy the handle.
    std::shared_ptr<Session> lives = session->shared_from_this();
    return session->use([&] { return body(*session); });
  });
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_ONRUNNER_H
