// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The place where the ranks of a training find each other, before anything
/// else connects them: a file that all see, or a port of rank 0's machine.
#ifndef MPC_RUNTIME_RANKS_NCCL_RENDEZVOUS_H
#define MPC_RUNTIME_RANKS_NCCL_RENDEZVOUS_H

#include "runtime/Ranks/NCCL/Api.h"
#include "runtime/Support/Status.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace mpc::rt::nccl {

/// Of the communicators that a training has: for messages between memories of
/// hosts, and of GPUs.
struct Ids {
  UniqueId host, device;
};

/// One rank at the place. The place is free again when rank 0's object is
/// destroyed, by when the others must have been served.
class Rendezvous {
public:
  using Seconds = std::chrono::duration<double>;

  virtual ~Rendezvous() = default;
  Rendezvous(const Rendezvous &) = delete;
  Rendezvous &operator=(const Rendezvous &) = delete;

  /// Gives the ids of rank 0 to all. `make` makes them, on rank 0. An error
  /// where another training is at the place, where a number of a rank is there
  /// twice, or where somebody is missing after `limit`.
  virtual Result<Ids> share(const std::function<Result<Ids>()> &make,
                            Seconds limit) = 0;

protected:
  Rendezvous() = default;
};

/// `place` is HOST:PORT, or else the path of a file.
Result<std::unique_ptr<Rendezvous>>
openRendezvous(const std::string &place, uint32_t rank, uint32_t size);

} // namespace mpc::rt::nccl

#endif // MPC_RUNTIME_RANKS_NCCL_RENDEZVOUS_H
