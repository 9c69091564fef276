/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Microseconds of a step over the C ABI: the median of what each takes, with
 * its batch bound anew:
 *
 *   step_cost STEP.mpc STEPS THREADS
 *
 * The program's inputs are x, f32 of two dimensions, target, i64 of one, and
 * lr.
 */
#include <mpc-c/Program.h>
#include <mpc-c/Runner.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void check(MpcError *error) {
  if (!error)
    return;
  fprintf(stderr, "step_cost: error: %s\n", mpcErrorGetMessage(error));
  exit(mpcErrorGetCode(error));
}

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Zeros as a tensor of an input of the program's first step. */
static DLTensor zerosOf(const MpcProgram *program, size_t entry, size_t input) {
  MpcTensorInfo info = {.structSize = sizeof info};
  check(mpcProgramGetInput(program, entry, input, &info));
  DLTensor tensor = {0};
  tensor.data = aligned_alloc(64, (info.bytes + 63) / 64 * 64);
  for (uint64_t i = 0; i < info.bytes; ++i)
    ((char *)tensor.data)[i] = 0;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = info.rank;
  tensor.shape = (int64_t *)info.shape;
  tensor.dtype.code = info.dtype == MPC_DTYPE_F32 ? kDLFloat : kDLInt;
  tensor.dtype.bits = info.dtype == MPC_DTYPE_F32 ? 32 : 64;
  tensor.dtype.lanes = 1;
  return tensor;
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: step_cost STEP.mpc STEPS THREADS\n");
    return MPC_ERROR_USAGE;
  }
  int steps = atoi(arguments[2]);
  MpcProgram *program = NULL;
  MpcRunner *runner = NULL;
  check(mpcProgramLoad(arguments[1], NULL, &program));
  MpcRunnerOptions options = {.structSize = sizeof options};
  options.numThreads = atoi(arguments[3]);
  check(mpcRunnerCreate(program, &options, &runner));
  size_t entry = 0;
  check(mpcProgramFindEntry(program, "step", &entry));
  DLTensor x = zerosOf(program, entry, 0), target = zerosOf(program, entry, 1);
  check(mpcRunnerWriteNumber(runner, "lr", 0.01));
  double *times = malloc(sizeof *times * (size_t)steps);
  for (int i = 0; i < steps; ++i) {
    double start = microseconds();
    MpcStepResult result = {.structSize = sizeof result};
    check(mpcRunnerBindInput(runner, "x", &x));
    check(mpcRunnerBindInput(runner, "target", &target));
    check(mpcRunnerStep(runner, &result));
    times[i] = microseconds() - start;
  }
  qsort(times, (size_t)steps, sizeof *times, compare);
  printf("%.3f\n", times[steps / 2]);
  free(times);
  free(x.data);
  free(target.data);
  mpcRunnerDestroy(runner);
  mpcProgramDestroy(program);
  return 0;
}
