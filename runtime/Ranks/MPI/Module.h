// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions of an MPI library, in C. Handles are addresses in one library
/// and integers in another, so that there is a module for each library, built
/// against its header, and loaded at run time. All of a module's functions must
/// be called by one thread at a time.
#ifndef MPC_RUNTIME_RANKS_MPI_MODULE_H
#define MPC_RUNTIME_RANKS_MPI_MODULE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPC_MPI_MODULE_VERSION 1

/// Bytes to or from another rank.
typedef struct MpcMpiMessage {
  uint32_t peer;
  void *data; ///< Sent data are not changed.
  uint64_t bytes;
} MpcMpiMessage;

/// Functions return 0 on success, and else an error of the library.
typedef struct MpcMpiModule {
  uint32_t version;
  const char *library; ///< "Open MPI 4.1.4"

  /// Starts the library in this process. `hasThreads`: whether another thread
  /// may call functions too.
  int (*open)(uint32_t *rank, uint32_t *size, int *hasThreads);
  void (*close)(void);
  /// Describes an error; at most `bytes` with the zero at the end.
  void (*describe)(int error, char *text, size_t bytes);

  /// Begins to send and receive. There are no others under way.
  int (*begin)(const MpcMpiMessage *sends, size_t numSends,
               const MpcMpiMessage *receives, size_t numReceives);
  /// Lets messages move, and tells whether all are done.
  int (*test)(int *isDone);
  /// Whether any message of those under way is to or from that rank.
  int (*isWaitingFor)(uint32_t peer);

  /// Sends and takes short notes, which have a channel of their own. `found` is
  /// 0 where none has come.
  int (*sendNote)(uint32_t peer, const void *note, size_t bytes);
  int (*takeNote)(uint32_t *peer, void *note, size_t bytes, int *found);
} MpcMpiModule;

/// The only symbol of a module.
__attribute__((visibility("default"))) const MpcMpiModule *mpcMpiModule(void);

#ifdef __cplusplus
}
#endif

#endif // MPC_RUNTIME_RANKS_MPI_MODULE_H
