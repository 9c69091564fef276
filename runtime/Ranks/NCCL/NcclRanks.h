// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ranks whose memory lies on GPUs.
#ifndef MPC_RUNTIME_RANKS_NCCL_NCCLRANKS_H
#define MPC_RUNTIME_RANKS_NCCL_NCCLRANKS_H

#include "runtime/Ranks/Ranks.h"
#include "runtime/Ranks/RollCall.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace mpc::rt {

struct NcclOptions {
  uint32_t rank = 0, size = 1;
  /// The number of the GPU on this machine.
  int device = 0;
  /// Where the ranks find each other: HOST:PORT, or a file that all see.
  std::string rendezvous;
  /// NCCL answers no questions, so that a rank is waited for as long as for one
  /// that says that it does something else. That all come together at the
  /// start takes no longer than `silence`.
  RankPatience patience;
  /// Whether this process was asked to end.
  std::function<bool()> isToEnd;
};

/// Opens the driver, NCCL and the GPU, and returns when all ranks are there.
Result<std::unique_ptr<Ranks>> openNccl(const NcclOptions &options);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RANKS_NCCL_NCCLRANKS_H
