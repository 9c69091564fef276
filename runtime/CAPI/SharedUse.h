// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the sessions of one state know together.
#ifndef MPC_RUNTIME_CAPI_SHAREDUSE_H
#define MPC_RUNTIME_CAPI_SHAREDUSE_H

#include <atomic>
#include <cstdint>

namespace mpc::rt {

struct SharedUse {
  /// One call at a time, of all sessions.
  std::atomic_flag isInUse = {};
  /// How often parameters were written: what follows from them is up to date
  /// where it was derived as often.
  uint64_t numWrites = 0;
  /// A caller has memory of the state that may be written at any time between
  /// two runs.
  bool isHandedOut = false;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_SHAREDUSE_H
