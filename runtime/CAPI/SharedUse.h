// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The facts that all sessions of one state share.
#ifndef MPC_RUNTIME_CAPI_SHAREDUSE_H
#define MPC_RUNTIME_CAPI_SHAREDUSE_H

#include <atomic>
#include <cstdint>

namespace mpc::rt {

struct SharedUse {
  /// Whether a call of any session is running.
  std::atomic_flag isInUse = {};
  /// How often parameters were written. A copy is up to date where it was made
  /// at the same count.
  uint64_t numWrites = 0;
  /// Whether a caller has memory of the state that it may write at any time
  /// between two runs.
  bool isHandedOut = false;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_SHAREDUSE_H
