/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checkpoints, as mpc-train and mpc-run write and resume them. */
#ifndef MPC_C_CHECKPOINTS_H
#define MPC_C_CHECKPOINTS_H

#include "mpc-c/Data.h"
#include "mpc-c/Error.h"
#include "mpc-c/Program.h"
#include "mpc-c/Runner.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A folder with the two newest checkpoints of a training, locked against other
 * writers while it is open. */
typedef struct MpcCheckpoints MpcCheckpoints;

typedef struct MpcCheckpointsOptions {
  size_t structSize;
  MpcLogFunction log; /* NULL for no messages. */
  void *logContext;
} MpcCheckpointsOptions;

/* Opens the folder, which is made where only its last component is missing.
 * `options` may be NULL. */
MPC_EXPORT MpcError *mpcCheckpointsOpen(const char *path,
                                        const MpcCheckpointsOptions *options,
                                        MpcCheckpoints **checkpoints);
MPC_EXPORT void mpcCheckpointsDestroy(MpcCheckpoints *checkpoints);

/* Writes all state of the runner, its progress and `position`, which may be
 * NULL, and then removes all but the two newest checkpoints. The checkpoint is
 * on disk when the call returns. A runner inside of a step is an error.
 *
 * Of several ranks rank 0 saves. Where the state is divided among them all must
 * call it, the others with NULL for `checkpoints`: the folder is that of rank
 * 0, which collects their parts. */
MPC_EXPORT MpcError *mpcCheckpointsSave(MpcCheckpoints *checkpoints,
                                        MpcRunner *runner,
                                        const MpcDataPosition *position);

/* As mpcCheckpointsSave, to a folder with a file of each rank, so that no rank
 * collects the state: see mpcCheckpointJoin. All ranks must call it, the others
 * than rank 0 with NULL for `checkpoints`, and all see one file system. Where
 * one rank cannot write its part the call fails on all. */
MPC_EXPORT MpcError *mpcCheckpointsSaveInParts(MpcCheckpoints *checkpoints,
                                               MpcRunner *runner,
                                               const MpcDataPosition *position);

/* Loads the newest whole checkpoint. The runner then continues from it with the
 * same bits. Damaged checkpoints are skipped with a warning. A checkpoint that
 * does not fit the program is an error, and so is a runner in the middle of a
 * step. `*found` is 0 where the folder has none. `position` may be NULL. */
MPC_EXPORT MpcError *mpcCheckpointsLoadNewest(MpcCheckpoints *checkpoints,
                                              MpcRunner *runner,
                                              MpcDataPosition *position,
                                              int *found);

/* Writes the checkpoint in parts at `folder`, which several ranks wrote, to
 * `file`: the checkpoint that a process alone would have written, byte for
 * byte. mpcCheckpointsLoadNewest takes either. */
MPC_EXPORT MpcError *mpcCheckpointJoin(const char *folder, const char *file);

/* Receives the name and the record of one tensor. The record lives until the
 * function returns. */
typedef void (*MpcStateRecordFunction)(void *context,
                                       const MpcStateRecord *record);

/* Calls `function` with each tensor of a checkpoint and its record. For a file
 * written before checkpoints had records, they are derived from the names. */
MPC_EXPORT MpcError *mpcCheckpointReadRecords(const char *path,
                                              MpcStateRecordFunction function,
                                              void *context);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_CHECKPOINTS_H */
