/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ranks: processes that train together, each with batches of its own.
 *
 * A program says for how many ranks it is (mpc-compile --num-ranks=4
 * --sum-order=pairs --accumulate=8 --shard=off). Each rank loads that program,
 * makes a runner with the ranks in its options, and steps with its own batches:
 * rank 1 of 4 with batches 2 and 3 of the 8 of a step. The result, skips and
 * scale included, is the same on all, to the bit, and that of one process with
 * the eight batches.
 *
 *   mpcRanksCreateMPI(NULL, &ranks);            // under mpirun
 *   MpcRunnerOptions options = {sizeof options};
 *   options.ranks = ranks;
 *   mpcRunnerCreate(program, &options, &runner);
 *   mpcRunnerBroadcastState(runner);                // that of rank 0
 *
 * A step, and what is said to be a call of all ranks, returns when all ranks
 * have made the call. Where one is missing the error is MPC_ERROR_PEER, names
 * it, and is final: no call that moves bytes works after it.
 */
#ifndef MPC_C_RANKS_H
#define MPC_C_RANKS_H

#include "mpc-c/Error.h"
#include "mpc-c/Export.h"
#include "mpc-c/Runner.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MpcRanksOptions {
  size_t structSize;
  /* Seconds to wait for a rank that does not answer; 0: 60. */
  double timeout;
  /* Seconds to wait for a rank that answers that it is at work; 0: 600. */
  double patience;
} MpcRanksOptions;

/* Joins the ranks that mpirun or srun has started, by the MPI of that launcher:
 * once in a process. MPI ends with the last user of the ranks. While MPI itself
 * starts or ends nothing of it returns where a rank is missing: then the
 * process ends with 4 after `timeout`. `options` may be NULL. */
MPC_EXPORT MpcError *mpcRanksCreateMPI(const MpcRanksOptions *options,
                                       MpcRanks **ranks);

typedef struct MpcNcclOptions {
  size_t structSize;
  uint32_t rank, size; /* This process is `rank` of `size`. */
  int device;          /* The number of its GPU. */
  /* Where the ranks find each other: a port of rank 0's machine, as
   * "HOST:PORT", or the path of a file that all see and that is not there yet;
   * rank 0 removes it at the end. */
  const char *rendezvous;
  /* Seconds to wait for the ranks at the start; 0: 60. */
  double timeout;
  /* Seconds to wait for a rank later; 0: 600. */
  double patience;
} MpcNcclOptions;

/* Joins ranks that have a GPU each, by NCCL. What a program for a GPU exchanges
 * does not cross the host. Returns when all ranks are there. */
MPC_EXPORT MpcError *mpcRanksCreateNCCL(const MpcNcclOptions *options,
                                        MpcRanks **ranks);

/* Bytes for another rank, or memory for bytes of another rank. */
typedef struct MpcRankMessage {
  uint32_t peer;
  void *data;
  size_t numBytes;
} MpcRankMessage;

/* Sends and receives, and returns when all is done: NULL, or an error of
 * mpcErrorCreate. Messages from one rank to another are in their order on both
 * sides, and the other rank names as many bytes. All ranks call it in the same
 * order, each on one thread at a time. What is sent must not be written. */
typedef MpcError *(*MpcExchangeFunction)(void *context,
                                         const MpcRankMessage *sends,
                                         size_t numSends,
                                         const MpcRankMessage *receives,
                                         size_t numReceives);

/* Ranks of another engine, which `exchange` is. This process is `rank` of
 * `size`. `context` must outlive the ranks and their runners. */
MPC_EXPORT MpcError *mpcRanksCreateCallbacks(uint32_t rank, uint32_t size,
                                             MpcExchangeFunction exchange,
                                             void *context, MpcRanks **ranks);

/* The number of this rank, from 0 on, and how many there are. Either may be
 * NULL. */
MPC_EXPORT MpcError *mpcRanksGetPlace(const MpcRanks *ranks, uint32_t *rank,
                                      uint32_t *size);

/* Gives all ranks the state of the runner of rank 0, and its progress: weights,
 * slots, scale. A call of all ranks, between two steps. */
MPC_EXPORT MpcError *mpcRunnerBroadcastState(MpcRunner *runner);

/* The runners of the ranks live on. */
MPC_EXPORT void mpcRanksDestroy(MpcRanks *ranks);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_RANKS_H */
