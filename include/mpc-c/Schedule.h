/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Learning rates over a training, as mpc-run computes them: the numbers that it
 * writes to "lr" before each step (mpcRunnerWriteNumber). */
#ifndef MPC_C_SCHEDULE_H
#define MPC_C_SCHEDULE_H

#include "mpc-c/Error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rate of the step after `appliedSteps` steps that changed the weights, in
 * a training of `totalSteps`. `flags` are those of mpc-run, one in each string:
 * "--lr=0.1", "--lr-schedule=one-cycle", "--warmup-steps=10",
 * "--lr-pct-start=0.2". The value of --lr-points is the content that its file
 * would have. */
MPC_EXPORT MpcError *mpcLearningRate(const char *const *flags, size_t numFlags,
                                     int64_t totalSteps, int64_t appliedSteps,
                                     double *rate);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_SCHEDULE_H */
