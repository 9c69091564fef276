/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Samples out of files, as --data and --eval-data of mpc-train and mpc-run
 * name them: .safetensors, .npz and .npy, whose samples are one behind the
 * other. Batches are those of the tools, in their order.
 *
 *   MpcDataOptions options = {.structSize = sizeof options, .seed = 1};
 *   mpcDataOpen(program, files, 2, &options, &data);
 *   MpcDataInfo info = {.structSize = sizeof info};
 *   mpcDataGetInfo(data, &info);
 *   for (size_t i = 0; i < info.numTensors; ++i) {
 *     mpcDataGetTensor(data, i, &tensor);
 *     mpcDataGetMemory(data, i, &memory);
 *     mpcRunnerBindInput(runner, tensor.name, &memory); // Once for all
 * batches.
 *   }
 *   for (...) {
 *     mpcDataNext(data);
 *     mpcRunnerStep(runner, &result);
 *   }
 */
#ifndef MPC_C_DATA_H
#define MPC_C_DATA_H

#include "mpc-c/DLPack.h"
#include "mpc-c/Error.h"
#include "mpc-c/Program.h"
#include "mpc-c/Runner.h"
#include "mpc-c/Tensor.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a training stands in its data: what mpc-run needs to go on from there.
 * A caller who feeds data by another rule says what it likes, or NULL: mpc-run
 * then begins its data anew. */
typedef struct MpcDataPosition {
  size_t structSize;
  uint64_t seed;     /* That samples were shuffled by. */
  int64_t epoch;     /* From 0. */
  int64_t position;  /* Samples of the epoch that are used up. */
  int64_t samples;   /* Of the data. */
  int64_t batchSize; /* Samples of a batch. */
  int32_t shuffled;  /* 1 where each epoch has an order of its own. */
  int32_t wraps;     /* 1 where the last batch of an epoch is filled up, 2 where
                      * it is smaller. */
} MpcDataPosition;

/* Files of samples, and a place in them. For one thread at a time. */
typedef struct MpcData MpcData;

typedef struct MpcDataOptions {
  size_t structSize;
  uint64_t seed;      /* --seed: of the order of samples. */
  int32_t sequential; /* --order: 1 for that of the files, again and again; 0
                       * for a new one each epoch. */
  int32_t wraps;      /* --last-batch, of the samples that fill no batch at the
                       * end of an epoch: 1 to fill theirs up with the first of
                       * the epoch's order, 0 to leave them out, 2 for a smaller
                       * batch, for which the program must have a step. */
  /* --shared-input: tensors without a sample axis, which each batch has whole.
   */
  const char *const *shared;
  size_t numShared;
  /* --batch-size, where the program has steps for several: 0 for the first that
   * the samples fit. */
  int64_t batchSize;
} MpcDataOptions;

/* Opens the tensors that the program's step takes but for its numbers, by their
 * names and in its types: each element is converted exactly, or from one float
 * to another. `files` are paths, patterns or NAME=FILE.npy. They are mapped:
 * nothing may truncate them while the handle lives. `options` may be NULL. */
MPC_EXPORT MpcError *mpcDataOpen(const MpcProgram *program,
                                 const char *const *files, size_t numFiles,
                                 const MpcDataOptions *options, MpcData **data);

/* Opens tensors as the files have them, for batches of `batchSize` samples:
 * those called `names`, or all where `numNames` is 0. */
MPC_EXPORT MpcError *
mpcDataOpenTensors(const char *const *files, size_t numFiles,
                   const char *const *names, size_t numNames, int64_t batchSize,
                   const MpcDataOptions *options, MpcData **data);
MPC_EXPORT void mpcDataDestroy(MpcData *data);

typedef struct MpcDataInfo {
  size_t structSize;
  size_t numTensors;  /* Of a batch. */
  int64_t numSamples; /* Of all files. */
  int64_t batchSize;
  int64_t batchesPerEpoch;
  int64_t batchesLeft; /* Of this epoch. */
} MpcDataInfo;

MPC_EXPORT MpcError *mpcDataGetInfo(MpcData *data, MpcDataInfo *info);

/* Name, type and shape of tensor number `index` of a whole batch. */
MPC_EXPORT MpcError *mpcDataGetTensor(MpcData *data, size_t index,
                                      MpcTensorInfo *info);

/* Fetches the next batch; behind the last of an epoch, the first of the next.
 * A label or a token that the program has no place for is an error, and so is
 * an integer that its input cannot hold. */
MPC_EXPORT MpcError *mpcDataNext(MpcData *data);

/* Tensor number `index` of the batch that was fetched last, where it lies: at
 * the same place for all batches, as long as the handle lives. Its shape is
 * that of a whole batch, or of a smaller one until the next is fetched. */
MPC_EXPORT MpcError *mpcDataGetMemory(MpcData *data, size_t index,
                                      DLTensor *memory);

/* Where the next batch is. A position of data of another length, batch size,
 * order or seed is refused. */
MPC_EXPORT MpcError *mpcDataGetPosition(MpcData *data,
                                        MpcDataPosition *position);
MPC_EXPORT MpcError *mpcDataSetPosition(MpcData *data,
                                        const MpcDataPosition *position);

/* Files of samples that a model is evaluated on. For one thread at a time. */
typedef struct MpcEvaluation MpcEvaluation;

/* Opens what the program's entry "measure" takes (mpc-compile --with-eval), or
 * the function @eval of a module that writes its step out. Of the options those
 * that are shared count. `options` may be NULL. */
MPC_EXPORT MpcError *mpcEvaluationOpen(const MpcProgram *program,
                                       const char *const *files,
                                       size_t numFiles,
                                       const MpcDataOptions *options,
                                       MpcEvaluation **evaluation);
MPC_EXPORT void mpcEvaluationDestroy(MpcEvaluation *evaluation);

typedef struct MpcEvaluationInfo {
  size_t structSize;
  int64_t numSamples;
  int64_t batchSize;
  /* Samples that fill no batch, where some metrics are of whole batches: those
   * do not count them. */
  int64_t numLeftOut;
  size_t numMetrics;
} MpcEvaluationInfo;

MPC_EXPORT MpcError *mpcEvaluationGetInfo(MpcEvaluation *evaluation,
                                          MpcEvaluationInfo *info);

/* Evaluates the state of a runner of that program on all samples, each of which
 * counts once. The state stays as it is, and so do the runner's inputs. That
 * samples are left out is a note to the runner's log, once. */
MPC_EXPORT MpcError *mpcEvaluationRun(MpcEvaluation *evaluation,
                                      MpcRunner *runner);

/* Metric number `index` of the last run: "loss", "accuracy", "perplexity" or a
 * result of the model. NaN where nothing counted. Each of the last three may be
 * NULL; `*isByBatch` is 1 of one that the program tells of whole batches only.
 */
MPC_EXPORT MpcError *mpcEvaluationGetMetric(MpcEvaluation *evaluation,
                                            size_t index, const char **name,
                                            double *value, int *isByBatch);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_DATA_H */
