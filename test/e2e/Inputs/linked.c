/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Trains a program that is linked in, and the file of the same: the same bytes,
 * and the same losses. */
#include "digits_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float x[256 * 64];
static int64_t target[256];

static void check(MpcError *error) {
  if (!error)
    return;
  fprintf(stderr, "linked: error: %s\n", mpcErrorGetMessage(error));
  exit(mpcErrorGetCode(error));
}

/* The loss of the third step. */
static double train(MpcProgram *program) {
  MpcRunner *runner = NULL;
  MpcStepResult result = {.structSize = sizeof result};
  float loss = 0;
  check(mpcRunnerCreate(program, NULL, &runner));
  check(digits_step_bind_input_x(runner, x));
  check(digits_step_bind_input_target(runner, target));
  check(digits_step_bind_output_loss(runner, &loss));
  check(digits_step_set_lr(runner, 0.05));
  for (int i = 0; i < 3; ++i)
    check(mpcRunnerStep(runner, &result));
  mpcRunnerDestroy(runner);
  mpcProgramDestroy(program);
  return loss == (float)result.loss ? result.loss : -1;
}

int main(int count, char **arguments) {
  if (count != 2)
    return 2;
  for (int i = 0; i < 256 * 64; ++i)
    x[i] = (float)(i % 17) / 17;
  for (int i = 0; i < 256; ++i)
    target[i] = i % 10;
  FILE *file = fopen(arguments[1], "rb");
  char *bytes = malloc(digits_step_program_size + 1);
  size_t size = fread(bytes, 1, digits_step_program_size + 1, file);
  fclose(file);
  printf("bytes %s\n", size == digits_step_program_size &&
                               !memcmp(bytes, digits_step_program, size)
                           ? "same"
                           : "other");
  free(bytes);
  MpcProgram *linked = NULL, *loaded = NULL;
  check(digits_step_load(&linked));
  check(mpcProgramLoad(arguments[1], NULL, &loaded));
  double first = train(linked), second = train(loaded);
  printf("losses %s %.3f\n", first == second ? "same" : "other", first);
  return 0;
}
