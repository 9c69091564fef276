// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The part of NCCL's binary interface that mpc calls, declared here so that no
/// header of NCCL is needed to build. Source: nccl.h of NCCL 2.27, whose
/// functions are the same since 2.14. Where that header is found,
/// NcclHeaderTest.cpp compares every line below with it.
#ifndef MPC_RUNTIME_RANKS_NCCL_API_H
#define MPC_RUNTIME_RANKS_NCCL_API_H

#include "runtime/Device/CUDA/Api.h"

#include <cstddef>

namespace mpc::rt::nccl {

/// An ncclResult_t; 0 is success.
using Code = int;
using CommHandle = struct CommOpaque *;

namespace code {
inline constexpr Code kSuccess = 0;
inline constexpr Code kSystemError = 2;
inline constexpr Code kInvalidUsage = 5;
inline constexpr Code kRemoteError = 6;
inline constexpr Code kInProgress = 7;
} // namespace code

/// ncclInt8: what is moved is bytes.
inline constexpr int kInt8 = 0;

/// An ncclUniqueId.
struct UniqueId {
  char bytes[128] = {};
};

/// The ncclConfig_t of NCCL 2.14. Later versions take it, and have their
/// defaults for what they have added.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking = 0; ///< 0: a call returns kInProgress rather than wait.
};

} // namespace mpc::rt::nccl

// Every entry: the exported symbol, then its parameters.
#define MPC_NCCL_SYMBOLS(X)                                                    \
  X(ncclGetVersion, int *version)                                              \
  X(ncclGetUniqueId, UniqueId *id)                                             \
  X(ncclCommInitRankConfig, CommHandle *comm, int ranks, UniqueId id,          \
    int rank, Config *config)                                                  \
  X(ncclCommGetAsyncError, CommHandle comm, Code *error)                       \
  X(ncclCommFinalize, CommHandle comm)                                         \
  X(ncclCommDestroy, CommHandle comm)                                          \
  X(ncclCommAbort, CommHandle comm)                                            \
  X(ncclGroupStart)                                                            \
  X(ncclGroupEnd)                                                              \
  X(ncclSend, const void *from, size_t count, int type, int peer,              \
    CommHandle comm, cuda::StreamHandle stream)                                \
  X(ncclRecv, void *to, size_t count, int type, int peer, CommHandle comm,     \
    cuda::StreamHandle stream)

#endif // MPC_RUNTIME_RANKS_NCCL_API_H
