/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled programs: a training step or an evaluation, as mpc-compile writes
 * it. */
#ifndef MPC_C_PROGRAM_H
#define MPC_C_PROGRAM_H

#include "mpc-c/Error.h"
#include "mpc-c/Tensor.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program, which never changes. Runners keep the parts that they need, so
 * that it may be destroyed before them. */
typedef struct MpcProgram MpcProgram;

typedef struct MpcProgramOptions {
  size_t structSize;
  /* The variant of the program to load: "host", "x86-64-v3", "x86-64-v4",
   * "znver4", ..., or "cuda" for the best one that this machine's GPU runs.
   * NULL for the best one that this processor runs, or in a file for GPUs alone
   * as "cuda". */
  const char *cpu;
} MpcProgramOptions;

/* Loads the program file at `path`, which is mapped: nothing may truncate it
 * while the program or a runner of it lives. A program file is code. Load those
 * that you trust. `options` may be NULL. */
MPC_EXPORT MpcError *mpcProgramLoad(const char *path,
                                    const MpcProgramOptions *options,
                                    MpcProgram **program);

/* Loads a program from the `size` bytes of such a file, which are copied. */
MPC_EXPORT MpcError *mpcProgramLoadBytes(const void *bytes, size_t size,
                                         const MpcProgramOptions *options,
                                         MpcProgram **program);

MPC_EXPORT void mpcProgramDestroy(MpcProgram *program);

typedef struct MpcProgramInfo {
  size_t structSize;
  const char *cpu; /* The target of its code: "x86-64-v3", "cuda:sm_90". */
  /* The amp.recipe by which it was compiled, as MLIR text. */
  const char *recipe;
  size_t numEntries; /* Entries are numbered from 0, like everything here. */
  size_t numStateTensors;
  size_t numBounds;
  size_t numWarnings; /* Warnings of the compilation. */
  /* The batches of one optimizer step; 0 where the program has no step. */
  int64_t batchesPerStep;
  size_t numTied;     /* Additional names of shared parameters. */
  int needsOptimizer; /* Whether mpcRunnerSetOptimizer must be called. */
} MpcProgramInfo;

MPC_EXPORT MpcError *mpcProgramGetInfo(const MpcProgram *program,
                                       MpcProgramInfo *info);

/* Warning number `index` of the compilation. This and the functions below
 * return MPC_ERROR_USAGE for an index that is too large. */
MPC_EXPORT MpcError *mpcProgramGetWarning(const MpcProgram *program,
                                          size_t index, const char **text);

/* Further name number `index` of a parameter that modules of the model share,
 * and its name in the state. An example is an embedding's weight that is also a
 * head's. */
MPC_EXPORT MpcError *mpcProgramGetTied(const MpcProgram *program, size_t index,
                                       const char **name,
                                       const char **parameter);

/* The program without the initial values of these parameters and buffers. A
 * program keeps its values in memory for runners that are made later; a caller
 * who has them writes them into each runner before its first step, and lets
 * this program's memory go by destroying `program`. */
MPC_EXPORT MpcError *mpcProgramWithoutValues(const MpcProgram *program,
                                             size_t numNames,
                                             const char *const *names,
                                             MpcProgram **other);

/* The purpose of an entry. */
typedef enum MpcEntryRole MPC_INT_ENUM {
  MPC_ENTRY_OTHER = 0,
  MPC_ENTRY_INIT = 1, /* Computes the state that follows from parameters. */
  MPC_ENTRY_EVAL = 2, /* Evaluates, and leaves the state unchanged. */
  MPC_ENTRY_STEP = 3, /* An optimizer step on one batch. */
  MPC_ENTRY_ACCUMULATE = 4, /* Adds up the gradients of one batch. */
  MPC_ENTRY_APPLY = 5,      /* The optimizer step of added-up gradients. */
  MPC_ENTRY_MEASURE = 6     /* Evaluates a batch for the sums of metrics. */
} MpcEntryRole;

/* A function from state and inputs to state and outputs. */
typedef struct MpcEntryInfo {
  size_t structSize;
  const char *name;
  MpcEntryRole role;
  size_t numInputs;
  size_t numOutputs;
} MpcEntryInfo;

MPC_EXPORT MpcError *mpcProgramGetEntry(const MpcProgram *program, size_t entry,
                                        MpcEntryInfo *info);

/* The number of the entry called `name`. */
MPC_EXPORT MpcError *mpcProgramFindEntry(const MpcProgram *program,
                                         const char *name, size_t *entry);

/* Input and output number `index` of an entry. */
MPC_EXPORT MpcError *mpcProgramGetInput(const MpcProgram *program, size_t entry,
                                        size_t index, MpcTensorInfo *info);
MPC_EXPORT MpcError *mpcProgramGetOutput(const MpcProgram *program,
                                         size_t entry, size_t index,
                                         MpcTensorInfo *info);

/* The valid values of an integer input. Class labels and token numbers index
 * memory, so that a run with others is an error. */
typedef struct MpcBoundInfo {
  size_t structSize;
  const char *input; /* The name of the input, in any entry. */
  int64_t lower;     /* The least valid number. */
  int64_t upper;     /* The first number that is too large. */
  int hasExcept;     /* 1 if `except` is valid too. */
  int64_t except;    /* The label that the loss ignores. */
  /* Where the program reads a part of the input alone: for each of `rank` axes
   * how many of the first and of the last elements it does not read, where any
   * number may stand. NULL and 0 otherwise. They live as long as the program.
   */
  const int64_t *skipFirst;
  const int64_t *skipLast;
  size_t rank;
} MpcBoundInfo;

MPC_EXPORT MpcError *mpcProgramGetBound(const MpcProgram *program, size_t index,
                                        MpcBoundInfo *info);

/* The role of a state tensor in the step. */
typedef enum MpcStateRole MPC_INT_ENUM {
  MPC_STATE_PARAMETER = 0, /* A weight; the f32 master where there is one. */
  MPC_STATE_LOW_PRECISION = 1, /* A parameter's 16-bit copy. */
  MPC_STATE_GRADIENT = 2,      /* Gradients between launches; never saved. */
  MPC_STATE_SLOT = 3,   /* A tensor that an optimizer keeps for a parameter. */
  MPC_STATE_BUFFER = 4, /* Running statistics and the like. */
  MPC_STATE_LOSS_SCALE = 5,      /* The state of a loss scaler: f64. */
  MPC_STATE_OPTIMIZER = 6,       /* The counters of an optimizer: f64. */
  MPC_STATE_HYPER_PARAMETER = 7, /* A number that the user sets: f64. */
  MPC_STATE_SETTING = 8,         /* A setting of a loss-scale policy: f64. */
  MPC_STATE_AVERAGE = 9,         /* The running average of a parameter. */
  /* The change of a buffer by the current window so far. */
  MPC_STATE_PENDING = 10
} MpcStateRole;

/* The name of setting number `index` of loss-scale policies: "growth_interval";
 * NULL after the last. It is the key of a state tensor of role
 * MPC_STATE_SETTING in each program whose policy reads it. */
MPC_EXPORT const char *mpcLossScaleSettingName(size_t index);

/* Tensor number `index` of the state: its role, and whether checkpoints hold
 * it. */
MPC_EXPORT MpcError *mpcProgramGetState(const MpcProgram *program, size_t index,
                                        MpcTensorInfo *info);
MPC_EXPORT MpcError *mpcProgramGetStateRole(const MpcProgram *program,
                                            size_t index, MpcStateRole *role,
                                            int *isSaved);

/* The description of a state tensor in programs and checkpoints. */
typedef struct MpcStateRecord {
  size_t structSize;
  const char *name;
  MpcStateRole role;
  /* The tensor to which it belongs: the parameter of a slot, or the buffer of
   * pending changes. For numbers and loss scalers it is the name of the
   * optimizer or scaler, where a program has several; else "". */
  const char *owner;
  /* Its name among the tensors of its owner: "momentum", "beta1". "" for
   * weights, buffers and loss scalers. */
  const char *key;
} MpcStateRecord;

/* The record of tensor number `index` of the state. */
MPC_EXPORT MpcError *mpcProgramGetStateRecord(const MpcProgram *program,
                                              size_t index,
                                              MpcStateRecord *record);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_PROGRAM_H */
