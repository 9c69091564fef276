/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Learning rates over a training, as mpc-run has them: what it writes to "lr"
 * before each step (mpcRunnerWriteNumber).
 */
#ifndef MPC_C_SCHEDULE_H
#define MPC_C_SCHEDULE_H

#include "mpc-c/Error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rate of the step behind `appliedSteps` that changed the weights, of a
 * training of `totalSteps`. `flags` are those of mpc-run, one in each string:
 * "--lr=0.1", "--lr-schedule=one-cycle", "--warmup-steps=10",
 * "--lr-pct-start=0.2"; but that the value of --lr-points is what the file
 * would hold. */
MPC_EXPORT MpcError *mpcLearningRate(const char *const *flags, size_t numFlags,
                                     int64_t totalSteps, int64_t appliedSteps,
                                     double *rate);

#ifdef __cplusplus
}
#endif

#endif /* MPC_C_SCHEDULE_H */
