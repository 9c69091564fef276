// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Handles of ranks in the C ABI.
#ifndef MPC_RUNTIME_CAPI_RANKS_H
#define MPC_RUNTIME_CAPI_RANKS_H

#include "mpc-c/Ranks.h"
#include "runtime/CAPI/Handles.h"
#include "runtime/Ranks/Ranks.h"

#include <memory>

namespace mpc::rt {

/// Ranks that runners share with the caller.
struct OpenRanks {
  std::shared_ptr<Ranks> ranks;
};

template <>
struct HandleTraits<MpcRanks> {
  using Object = OpenRanks;
  static constexpr HandleKind kKind = HandleKind::Ranks;
  static constexpr const char *kName = "group of ranks";
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_RANKS_H
