/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Trains a compiled step in C, with libmpc-runtime alone:
 *
 *   train-c STEP.mpc DATA STEPS LR CHECKPOINTS
 *
 * STEP.mpc is what mpc-compile wrote, for one batch a step. DATA is a folder
 * with a file NAME.bin for each input but lr: the samples' elements in the
 * input's type, one after the other. They are used in order, again and again,
 * without a copy. CHECKPOINTS is the folder that the end is saved to.
 */
#include <mpc-c/Checkpoints.h>
#include <mpc-c/Program.h>
#include <mpc-c/Runner.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUTS = 8 };

/* An input and all of its samples. */
typedef struct Input {
  MpcTensorInfo info;
  char *data;
  int64_t samples;
} Input;

typedef struct Training {
  MpcProgram *program;
  MpcRunner *runner;
  MpcCheckpoints *checkpoints;
  Input inputs[MAX_INPUTS];
  size_t numInputs;
  int64_t batchSize, samples, epoch, position;
} Training;

/* Tells of an error, which is given back; 0 where there is none. */
static int failed(MpcError *error) {
  int code = (int)mpcErrorGetCode(error);
  if (error)
    fprintf(stderr, "train-c: error: %s\n", mpcErrorGetMessage(error));
  mpcErrorDestroy(error);
  return code;
}

static int fault(const char *path, const char *text) {
  fprintf(stderr, "train-c: error: %s: %s\n", path, text);
  return MPC_ERROR_INVALID_INPUT;
}

/* Reads a whole file into memory of 64-byte alignment. */
static char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *data = NULL;
  long end = -1;
  if (file && fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) > 0) {
    size_t rounded = ((size_t)end + 63) / 64 * 64;
    rewind(file);
    data = aligned_alloc(64, rounded);
    if (data && fread(data, 1, (size_t)end, file) != (size_t)end) {
      free(data);
      data = NULL;
    }
  }
  if (file)
    fclose(file);
  *size = data ? (size_t)end : 0;
  return data;
}

static int openInput(Training *training, const char *folder, Input *input) {
  char path[4096];
  size_t size = 0, row;
  if (input->info.rank == 0)
    return fault(input->info.name, "has no samples");
  row = input->info.bytes / (size_t)input->info.shape[0];
  snprintf(path, sizeof path, "%s/%s.bin", folder, input->info.name);
  input->data = readFile(path, &size);
  if (!input->data)
    return fault(path, "cannot be read");
  input->samples = (int64_t)(size / row);
  if (size % row || input->samples < input->info.shape[0] ||
      (training->samples && training->samples != input->samples))
    return fault(path, "does not hold one row for each sample");
  training->samples = input->samples;
  training->batchSize = input->info.shape[0];
  return 0;
}

static int openInputs(Training *training, const char *folder) {
  MpcEntryInfo entry = {.structSize = sizeof entry};
  size_t step = 0, i;
  int code = failed(mpcProgramFindEntry(training->program, "step", &step));
  if (!code)
    code = failed(mpcProgramGetEntry(training->program, step, &entry));
  for (i = 0; !code && i < entry.numInputs; ++i) {
    Input *input = &training->inputs[training->numInputs];
    input->info.structSize = sizeof input->info;
    code = failed(mpcProgramGetInput(training->program, step, i, &input->info));
    if (code || strcmp(input->info.name, "lr") == 0)
      continue;
    if (++training->numInputs == MAX_INPUTS)
      return fault(input->info.name, "is one input too many");
    code = openInput(training, folder, input);
  }
  return code;
}

static DLDataType typeOf(MpcDType dtype) {
  static const DLDataType kTypes[] = {{kDLFloat, 64, 1}, {kDLFloat, 32, 1},
                                      {kDLFloat, 16, 1}, {kDLBfloat, 16, 1},
                                      {kDLInt, 64, 1},   {kDLInt, 32, 1},
                                      {kDLInt, 16, 1},   {kDLInt, 8, 1},
                                      {kDLUInt, 8, 1},   {kDLBool, 8, 1}};
  return kTypes[dtype];
}

/* Binds the next batch where it lies. */
static int bindBatch(Training *training) {
  size_t i;
  int code = 0;
  if (training->position + training->batchSize > training->samples) {
    ++training->epoch;
    training->position = 0;
  }
  for (i = 0; !code && i < training->numInputs; ++i) {
    const Input *input = &training->inputs[i];
    size_t row = input->info.bytes / (size_t)input->info.shape[0];
    DLTensor tensor = {.data = input->data,
                       .device = {kDLCPU, 0},
                       .ndim = input->info.rank,
                       .dtype = typeOf(input->info.dtype),
                       .shape = (int64_t *)input->info.shape,
                       .byte_offset = (size_t)training->position * row};
    code =
        failed(mpcRunnerBindInput(training->runner, input->info.name, &tensor));
  }
  training->position += training->batchSize;
  return code;
}

static int train(Training *training, long steps) {
  long i;
  int code = 0;
  for (i = 0; !code && i < steps; ++i) {
    MpcStepResult result = {.structSize = sizeof result};
    code = bindBatch(training);
    if (!code)
      code = failed(mpcRunnerStep(training->runner, &result));
    if (!code && (i % 10 == 0 || i + 1 == steps))
      printf("step %ld  loss %.4g  scale %g%s\n", i + 1, result.loss,
             result.scale, result.skipped ? "  skipped" : "");
  }
  return code;
}

static int save(Training *training, const char *folder) {
  MpcDataPosition position = {.structSize = sizeof position,
                              .epoch = training->epoch,
                              .position = training->position,
                              .samples = training->samples,
                              .batchSize = training->batchSize};
  int code = failed(mpcCheckpointsOpen(folder, NULL, &training->checkpoints));
  return code ? code
              : failed(mpcCheckpointsSave(training->checkpoints,
                                          training->runner, &position));
}

static int run(Training *training, char **arguments) {
  int code = failed(mpcProgramLoad(arguments[1], NULL, &training->program));
  if (!code)
    code = openInputs(training, arguments[2]);
  if (!code)
    code = failed(mpcRunnerCreate(training->program, NULL, &training->runner));
  if (!code)
    code = failed(
        mpcRunnerWriteNumber(training->runner, "lr", atof(arguments[4])));
  if (!code)
    code = train(training, atol(arguments[3]));
  return code ? code : save(training, arguments[5]);
}

int main(int count, char **arguments) {
  Training training = {0};
  size_t i;
  int code = MPC_ERROR_USAGE;
  if (count == 6)
    code = run(&training, arguments);
  else
    fprintf(stderr, "usage: train-c STEP.mpc DATA STEPS LR CHECKPOINTS\n");
  mpcCheckpointsDestroy(training.checkpoints);
  mpcRunnerDestroy(training.runner);
  mpcProgramDestroy(training.program);
  for (i = 0; i < training.numInputs; ++i)
    free(training.inputs[i].data);
  return code;
}
