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

/* The position of a training in its data, from which mpc-run can continue. A
 * caller that feeds data by another rule passes any numbers, or NULL: mpc-run
 * then starts its data from the beginning. */
typedef struct MpcDataPosition {
  size_t structSize;
  uint64_t seed;     /* The seed of the order of samples. */
  int64_t epoch;     /* Counted from 0. */
  int64_t position;  /* The samples of the epoch that were used. */
  int64_t samples;   /* The number of samples in the data. */
  int64_t batchSize; /* The number of samples in a batch. */
  int32_t shuffled;  /* 1 if each epoch has an order of its own. */
  int32_t wraps;     /* 1 if the last batch of an epoch is filled up, 2 if it is
                        smaller. */
} MpcDataPosition;

/* Files of samples, and a position in them. Used by one thread at a time. */
typedef struct MpcData MpcData;

typedef struct MpcDataOptions {
  size_t structSize;
  uint64_t seed;      /* --seed: of the order of samples. */
  int32_t sequential; /* --order: 1 for the files' order, again and again; 0 for
                         a new order each epoch. */
  int32_t wraps; /* --last-batch, for the samples at the end of an epoch that
                    fill no batch: 1 fills their batch up with the first samples
                    of the epoch's order, 0 leaves them out, 2 makes a smaller
                    batch, for which the program must have a step. */
  /* --shared-input: tensors without a sample axis. Every batch has the whole
   * tensor. */
  const char *const *shared;
  size_t numShared;
  /* --batch-size, for a program with several batch sizes: 0 for the first that
   * the samples fit. */
  int64_t batchSize;
} MpcDataOptions;

/* Opens the tensors that the program's step takes, except its numbers, by their
 * names and in its types. Elements are converted exactly, or from one float
 * type to another. `files` are paths, patterns or NAME=FILE.npy. They are
 * mapped: nothing may truncate them while the handle lives. `options` may be
 * NULL. */
MPC_EXPORT MpcError *mpcDataOpen(const MpcProgram *program,
                                 const char *const *files, size_t numFiles,
                                 const MpcDataOptions *options, MpcData **data);

/* Opens tensors in the files' types, for batches of `batchSize` samples: the
 * tensors with these `names`, or all where `numNames` is 0. */
MPC_EXPORT MpcError *
mpcDataOpenTensors(const char *const *files, size_t numFiles,
                   const char *const *names, size_t numNames, int64_t batchSize,
                   const MpcDataOptions *options, MpcData **data);
MPC_EXPORT void mpcDataDestroy(MpcData *data);

typedef struct MpcDataInfo {
  size_t structSize;
  size_t numTensors;  /* The number of samples in a batch. */
  int64_t numSamples; /* The number of samples in all files. */
  int64_t batchSize;
  int64_t batchesPerEpoch;
  int64_t batchesLeft; /* The batches left in this epoch. */
} MpcDataInfo;

MPC_EXPORT MpcError *mpcDataGetInfo(MpcData *data, MpcDataInfo *info);

/* Name, type and shape of tensor number `index` of a whole batch. */
MPC_EXPORT MpcError *mpcDataGetTensor(MpcData *data, size_t index,
                                      MpcTensorInfo *info);

/* Fetches the next batch; after the last of an epoch, the first of the next. A
 * label or a token outside of the program's range is an error, and so is an
 * integer that its input cannot represent. */
MPC_EXPORT MpcError *mpcDataNext(MpcData *data);

/* The memory of tensor number `index` in the batch that was fetched last. It
 * has the same address for all batches, as long as the handle lives. Its shape
 * is that of a whole batch, or of a smaller one until the next batch is
 * fetched. */
MPC_EXPORT MpcError *mpcDataGetMemory(MpcData *data, size_t index,
                                      DLTensor *memory);

/* The position of the next batch. A position in data with another length, batch
 * size, order or seed is refused. */
MPC_EXPORT MpcError *mpcDataGetPosition(MpcData *data,
                                        MpcDataPosition *position);
MPC_EXPORT MpcError *mpcDataSetPosition(MpcData *data,
                                        const MpcDataPosition *position);

/* Files of samples for evaluations. Used by one thread at a time. */
typedef struct MpcEvaluation MpcEvaluation;

/* Opens the inputs of the program's entry "measure" (mpc-compile --with-eval),
 * or of the function @eval in a module that writes its step out. Of the options
 * only `shared` counts. `options` may be NULL. */
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
  /* The samples that fill no batch, where some metrics are means over whole
   * batches. Those metrics do not count them. */
  int64_t numLeftOut;
  size_t numMetrics;
} MpcEvaluationInfo;

MPC_EXPORT MpcError *mpcEvaluationGetInfo(MpcEvaluation *evaluation,
                                          MpcEvaluationInfo *info);

/* Evaluates the state of a runner of that program on all samples, and counts
 * each once. The state and the runner's inputs stay unchanged. If samples are
 * left out, a note goes to the runner's log, once. */
MPC_EXPORT MpcError *mpcEvaluationRun(MpcEvaluation *evaluation,
                                      MpcRunner *runner);

/* Metric number `index` of the last run: "loss", "accuracy", "perplexity" or a
 * result of the model. NaN where nothing counted. Each of the last three may be
 * NULL. `*isByBatch` is 1 for a metric that the program computes for whole
 * batches only. */
MPC_EXPORT MpcError *mpcEvaluationGetMetric(MpcEvaluation *evaluation,
                                            size_t index, const char **name,
                                            double *value, int *isByBatch);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_DATA_H */
