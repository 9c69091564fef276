/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Runners: the state of one training or evaluation, and its steps.
 *
 * A runner is created, its inputs are bound, numbers that are inputs ("lr") are
 * set, and then it steps:
 *
 *   mpcRunnerCreate(program, NULL, &runner);
 *   mpcRunnerBindInput(runner, "x", &x);
 *   mpcRunnerBindInput(runner, "target", &target);
 *   mpcRunnerWriteNumber(runner, "lr", 0.05);
 *   for (...) {
 *     // Fill the memory of x and target.
 *     mpcRunnerStep(runner, &result);
 *   }
 *
 * A step of several batches (MpcProgramInfo.batchesPerStep) is as many calls of
 * mpcRunnerAccumulate and then one of mpcRunnerApply.
 */
#ifndef MPC_C_RUNNER_H
#define MPC_C_RUNNER_H

#include "mpc-c/DLPack.h"
#include "mpc-c/Error.h"
#include "mpc-c/Program.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MpcRunner MpcRunner;
/* Processes that train together: see mpc-c/Ranks.h. */
typedef struct MpcRanks MpcRanks;

typedef enum MpcLogLevel MPC_INT_ENUM {
  MPC_LOG_NOTE = 0,
  MPC_LOG_WARNING = 1
} MpcLogLevel;

/* Receives a message, which is valid until the function returns. It is called
 * on the thread of the call that the message concerns, during that call, so
 * that it must not use the call's handle. */
typedef void (*MpcLogFunction)(void *context, MpcLogLevel level,
                               const char *message);

typedef struct MpcRunnerOptions {
  size_t structSize;
  /* The number of threads in all, including the caller's; 0 for one for each
   * CPU that the process may use. Results do not depend on it. */
  int32_t numThreads;
  /* The seed of random first weights, and of stochastic rounding. */
  uint64_t seed;
  MpcLogFunction log; /* NULL for no messages. */
  void *logContext;
  /* The ranks of a program for several; NULL for one process alone. */
  const MpcRanks *ranks;
} MpcRunnerOptions;

/* Creates a runner with the program's first state. `options` may be NULL. A
 * weight whose values are not in the program file must be written or loaded
 * before the first run. */
MPC_EXPORT MpcError *mpcRunnerCreate(const MpcProgram *program,
                                     const MpcRunnerOptions *options,
                                     MpcRunner **runner);

/* Creates a runner of another program on the state of `runner`: for batches of
 * other shapes, for an evaluation, or for gradients alone. Each tensor of the
 * state that both programs have is there once; what one of them writes the next
 * run of either reads. So are threads, and the memory of values under way,
 * which has the size that the larger program needs. What only `program` has (as
 * another loss scale) begins as mpcRunnerCreate would have it; gradients on
 * their way and the count of steps are each runner's own.
 *
 * The tensors must lie in the same way, slab by slab: an error names the first
 * that does not. Programs of one model, one recipe and one target, for batches
 * of other sizes, do. The numThreads of `options` must be 0.
 *
 * The two, and more that are made of either, are together for one thread at a
 * time. Each may be destroyed before the others. Both programs are for CPUs, or
 * both for GPUs; anything else is MPC_ERROR_USAGE. */
MPC_EXPORT MpcError *mpcRunnerCreateShared(const MpcProgram *program,
                                           MpcRunner *runner,
                                           const MpcRunnerOptions *options,
                                           MpcRunner **other);

/* Also gives back the bound tensors. Shared ones live on. */
MPC_EXPORT void mpcRunnerDestroy(MpcRunner *runner);

/* Sets parameters and buffers by name from a safetensors file, which may be a
 * checkpoint. A tensor of another shape or type is an error, and so is a file
 * without any parameter or buffer. A warning lists tensors that only one of the
 * two has. */
MPC_EXPORT MpcError *mpcRunnerLoadWeights(MpcRunner *runner, const char *path);

/* --- Inputs and outputs ----------------------------------------------------
 */

/*
 * Binds memory, without a copy, to the input or output called `name` in all
 * entries that have it: it is read or written by each run until it is bound
 * anew or unbound. The tensor must have the name's element type and shape, be
 * row-major without gaps, and be aligned as its elements are (64 bytes are
 * fastest). Memory that a run writes overlaps no other that is bound. An output
 * that is not bound is written to memory of the runner.
 *
 * The tensor lies in a CPU's memory (kDLCPU, kDLCUDAHost). Of a program for a
 * GPU it may also lie in the memory of that GPU (kDLCUDA, device 0, through
 * which PyTorch and JAX hand out theirs): then it does not pass through the
 * host. Such memory is read and written in the order of the runner's stream
 * (mpcRunnerSetStream). Integers that must lie within bounds, as labels, are
 * copied to the host for that check. An output in a GPU's memory cannot be read
 * by mpcRunnerReadOutput or mpcRunnerReadScalar unless it is a single number.
 *
 * The memory belongs to the caller, who keeps it until the binding ends;
 * `tensor` itself is read during the call alone.
 */
MPC_EXPORT MpcError *mpcRunnerBindInput(MpcRunner *runner, const char *name,
                                        const DLTensor *tensor);
MPC_EXPORT MpcError *mpcRunnerBindOutput(MpcRunner *runner, const char *name,
                                         const DLTensor *tensor);

/* Sets the CUstream (PyTorch: `torch.cuda.current_stream().cuda_stream`) in
 * whose order the caller uses memory of the GPU that it shares with the runner:
 * a run begins behind the work that the stream has when the run is called, and
 * is done when the call returns. NULL, as at first, is CUDA's
 * default stream. The stream must live until another is set or the runner and
 * those that share its state are destroyed; they have one stream together. For
 * programs for a GPU. */
MPC_EXPORT MpcError *mpcRunnerSetStream(MpcRunner *runner, void *stream);

/* Binds a tensor that the runner takes over if the call succeeds. The runner
 * gives it back by its deleter when the binding ends, on the thread of the call
 * that ends it. A read-only tensor cannot be an output. */
MPC_EXPORT MpcError *
mpcRunnerBindInputManaged(MpcRunner *runner, const char *name,
                          DLManagedTensorVersioned *tensor);
MPC_EXPORT MpcError *
mpcRunnerBindOutputManaged(MpcRunner *runner, const char *name,
                           DLManagedTensorVersioned *tensor);

/* Binds a tensor in the form before DLPack 1.0. */
MPC_EXPORT MpcError *mpcRunnerBindInputUnversioned(MpcRunner *runner,
                                                   const char *name,
                                                   DLManagedTensor *tensor);
MPC_EXPORT MpcError *mpcRunnerBindOutputUnversioned(MpcRunner *runner,
                                                    const char *name,
                                                    DLManagedTensor *tensor);

/* Ends a binding. */
MPC_EXPORT MpcError *mpcRunnerUnbindInput(MpcRunner *runner, const char *name);
MPC_EXPORT MpcError *mpcRunnerUnbindOutput(MpcRunner *runner, const char *name);

/* --- Runs ------------------------------------------------------------------
 */

/* The results of a step. A field for which the program has no output is NaN, or
 * 0 where it is an integer. */
typedef struct MpcStepResult {
  size_t structSize;
  int64_t step;       /* Steps done before this one, skipped ones too. */
  double loss;        /* Unscaled, before the update; mean over the batches. */
  double scale;       /* The loss scale during the step. */
  double gradNorm;    /* The norm of the unscaled gradients, before clipping. */
  double goodSteps;   /* The policy's counter, after the step. */
  int32_t foundInf;   /* 1 if a gradient was infinite or NaN. */
  int32_t skipped;    /* 1 if the weights stayed unchanged. */
  int32_t scaleError; /* 1 if the loss-scale policy has given up. */
} MpcStepResult;

/* Runs a whole step of one batch. `result` may be NULL. */
MPC_EXPORT MpcError *mpcRunnerStep(MpcRunner *runner, MpcStepResult *result);

/* Runs the next batch of a step. `loss` may be NULL. */
MPC_EXPORT MpcError *mpcRunnerAccumulate(MpcRunner *runner, double *loss);

/* Ends a step that has all its batches. `result` may be NULL. */
MPC_EXPORT MpcError *mpcRunnerApply(MpcRunner *runner, MpcStepResult *result);

/* Runs entry "eval", which leaves the state unchanged. */
MPC_EXPORT MpcError *mpcRunnerEvaluate(MpcRunner *runner);

/* Runs entry "measure" of a program with --with-eval, which leaves the state
 * unchanged too. In the bound batch the first `numRows` rows count; 0 means
 * all. The results are added to the metrics of all samples so far, in which
 * each sample counts once. The last batch of a data set may therefore be filled
 * up with any rows. */
MPC_EXPORT MpcError *mpcRunnerMeasure(MpcRunner *runner, int64_t numRows);

/* The metrics since the last reset: "loss", "accuracy", "perplexity" and
 * results of the model, over all samples. A result of a whole batch is the mean
 * over the whole batches. NaN where nothing counted. A name lives as long as
 * the runner; both may be NULL. */
MPC_EXPORT MpcError *mpcRunnerGetNumMetrics(MpcRunner *runner, size_t *count);
MPC_EXPORT MpcError *mpcRunnerGetMetric(MpcRunner *runner, size_t index,
                                        const char **name, double *value);
MPC_EXPORT MpcError *mpcRunnerResetMetrics(MpcRunner *runner);

/* An output that is a single number, from the last run that has it. */
MPC_EXPORT MpcError *mpcRunnerReadScalar(MpcRunner *runner, const char *name,
                                         double *value);

/* Copies an output of any shape into `target`, which must have the output's
 * shape, and its element type or one that represents all its values. */
MPC_EXPORT MpcError *mpcRunnerReadOutput(MpcRunner *runner, const char *name,
                                         const DLTensor *target);

/* The number of steps done. */
typedef struct MpcProgress {
  size_t structSize;
  int64_t steps;        /* Including skipped ones. */
  int64_t applied;      /* The steps that changed the weights. */
  int64_t skippedInRow; /* The steps skipped since the last of these. */
} MpcProgress;

MPC_EXPORT MpcError *mpcRunnerGetProgress(MpcRunner *runner,
                                          MpcProgress *progress);

/* --- An optimizer of the caller's -------------------------------------------
 *
 * A program of --optimizer=callback ends a step in unscaled gradients, clipped
 * or penalized as its flags say, and in found_inf; the loss scale goes on as
 * ever. The parameters are updated by a function of the caller's. What that
 * keeps (momentum, ...) is its own, and is in no checkpoint.
 *
 *   static MpcError *descend(void *context, const MpcUpdate *update) {
 *     for (size_t i = 0; i < update->numParameters; ++i)
 *       ... parameters[i] -= lr * gradients[i] ...
 *     return NULL;
 *   }
 *   MpcOptimizer optimizer = {.structSize = sizeof optimizer,
 *                             .update = descend};
 *   mpcRunnerSetOptimizer(runner, &optimizer);
 */

/* The arguments of an optimizer. They are valid until it returns, except the
 * memory of tensors. That lives as long as the runner and keeps its address (a
 * gradient's only unless it is bound as an output). Tensors are f32, row-major,
 * and have the parameter's shape. */
typedef struct MpcUpdate {
  size_t structSize;
  int64_t step;     /* Steps done before this one, skipped ones too. */
  int64_t applied;  /* The steps among them that were not skipped. */
  double lr;        /* The input "lr". */
  double scale;     /* The loss scale of the gradients. */
  double gradNorm;  /* The norm of the unscaled gradients, before clipping. */
  int32_t foundInf; /* 1 if a gradient was infinite or NaN. */
  int32_t skipped;  /* 1 if the parameters should stay unchanged. */
  size_t numParameters;
  const char *const *names;
  /* To be updated: the next run reads them. They lie in a CPU's memory, or in
   * the GPU's where mpcRunnerEditDeviceState gave them to the caller there. */
  const DLTensor *parameters;
  /* The function may overwrite them, too. They lie in the GPU's memory where
   * they are bound to outputs there. */
  const DLTensor *gradients;
} MpcUpdate;

/* Updates the parameters. It is called during the call that ends a step, on its
 * thread and in the default floating-point mode. It must not use that call's
 * runner, and must not throw. If it returns an error, that call takes the error
 * over and returns it. The step is then done and counts as applied, and the
 * parameters stay as they were written. */
typedef MpcError *(*MpcOptimizerFunction)(void *context,
                                          const MpcUpdate *update);

typedef struct MpcOptimizer {
  size_t structSize;
  MpcOptimizerFunction update;
  void *context;
  int32_t onSkipped; /* Whether it is called in skipped steps, too. */
} MpcOptimizer;

/* Registers the optimizer of all steps from now on; NULL ends the registration.
 * A step without a required optimizer is an error, and so is an optimizer for a
 * program that updates its parameters itself. The struct is copied. */
MPC_EXPORT MpcError *mpcRunnerSetOptimizer(MpcRunner *runner,
                                           const MpcOptimizer *optimizer);

/* --- A profile ---------------------------------------------------------------
 *
 * Where the time of runs goes, launch by launch, beside the peaks of the
 * machine. Runs that are not profiled cost nothing for it; those that are have
 * the same results.
 *
 *   mpcRunnerStartProfile(runner);
 *   for (...)
 *     mpcRunnerStep(runner, &result);
 *   mpcRunnerStopProfile(runner);
 *   mpcRunnerGetProfile(runner, MPC_PROFILE_TABLE, &text);
 *   puts(text);
 */

/* Begins a profile of later runs of this runner, and drops an earlier one. It
 * measures what this machine's processors and memory can do, on the runner's
 * threads, for about a third of a second. A GPU's times are its own, and its
 * peaks are not measured. Runners that share its state have profiles of their
 * own. */
MPC_EXPORT MpcError *mpcRunnerStartProfile(MpcRunner *runner);

/* Ends it. What was recorded stays until the next profile. */
MPC_EXPORT MpcError *mpcRunnerStopProfile(MpcRunner *runner);

typedef enum MpcProfileForm MPC_INT_ENUM {
  MPC_PROFILE_JSON = 0, /* All of it, of the schema mpc-profile/1. */
  MPC_PROFILE_TABLE = 1 /* For people: the 20 launches with the most time. */
} MpcProfileForm;

/* The profile so far, of one that goes on or has ended. The text lives until
 * the next of these calls, or the end of the runner. */
MPC_EXPORT MpcError *mpcRunnerGetProfile(MpcRunner *runner, MpcProfileForm form,
                                         const char **text);

/* Writes its timeline: when each launch ran and on which threads, as JSON that
 * ui.perfetto.dev and chrome://tracing open. It holds the first runs, up to
 * 262144 events. */
MPC_EXPORT MpcError *mpcRunnerWriteTimeline(MpcRunner *runner,
                                            const char *path);

/* --- State -----------------------------------------------------------------
 */

/* Copies the state tensor `name` into `target`, as mpcRunnerReadOutput. Of a
 * tensor that is divided among ranks (--shard=optimizer) none has all: all
 * ranks must call this together, and each gets the whole. All must write it,
 * too, each the whole. Such a tensor cannot be shared or edited in place. */
MPC_EXPORT MpcError *mpcRunnerReadState(MpcRunner *runner, const char *name,
                                        const DLTensor *target);

/* Sets the state tensor `name`. Shapes must be equal. Elements are converted
 * where that is exact, and an f32 is rounded into a parameter. 16-bit copies of
 * parameters follow by themselves, and cannot be written. Values of scalers and
 * optimizers that no step produces are refused. */
MPC_EXPORT MpcError *mpcRunnerWriteState(MpcRunner *runner, const char *name,
                                         const DLTensor *source);

/* The state tensor `name` in place, read-only, until the caller calls its
 * deleter. Its content changes with each run. The runner's memory lives until
 * then, even if the runner is destroyed. */
MPC_EXPORT MpcError *mpcRunnerShareState(MpcRunner *runner, const char *name,
                                         DLManagedTensorVersioned **tensor);

/* A parameter, a slot or a buffer in place, which the caller may also write
 * between two runs. The next run reads the new values: 16-bit copies are
 * updated before each run from then on. A weight that had no values counts as
 * written. */
MPC_EXPORT MpcError *mpcRunnerEditState(MpcRunner *runner, const char *name,
                                        DLManagedTensorVersioned **tensor);

/* The same two in the memory of the GPU that a program is for (kDLCUDA), so
 * that they never pass through the host; they are used in the order of the
 * runner's stream. From then on mpcRunnerEditState refuses tensors of the same
 * slab; reads, checkpoints and mpcRunnerWriteState see and change what the GPU
 * has.
 */
MPC_EXPORT MpcError *
mpcRunnerShareDeviceState(MpcRunner *runner, const char *name,
                          DLManagedTensorVersioned **tensor);
MPC_EXPORT MpcError *
mpcRunnerEditDeviceState(MpcRunner *runner, const char *name,
                         DLManagedTensorVersioned **tensor);

/* A number by its name: a scalar input that is set by value ("lr"), a
 * hyper-parameter or setting ("beta1", "growth_interval"), or a number of a
 * loss scaler ("scale", "counter", "skipped_total"). Where there are several
 * scalers or optimizers, their name is a prefix: "critic.scale". */
MPC_EXPORT MpcError *mpcRunnerReadNumber(MpcRunner *runner, const char *name,
                                         double *value);

/* Sets a scalar input of floating type, which then counts as bound, or a number
 * of the state, for the next run. */
MPC_EXPORT MpcError *mpcRunnerWriteNumber(MpcRunner *runner, const char *name,
                                          double value);

/* PyTorch's `update(new_scale)`, in place of the last step's own update of the
 * scale. The finding of that step is dropped, and its counter is restored.
 * `scaler` names one of several scalers, and is NULL for the only one. */
MPC_EXPORT MpcError *mpcRunnerUpdateScale(MpcRunner *runner, const char *scaler,
                                          double newScale);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_RUNNER_H */
