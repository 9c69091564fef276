// RUN: sed '/^amp.recipe/d' %s | not mpc-opt --amp-build-step 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/^amp.recipe/& freeze(["("])/' %s | not mpc-opt --amp-build-step 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: sed 's/^amp.recipe/& freeze(["w"])/' %s | not mpc-opt --amp-build-step 2>&1 | FileCheck %s --check-prefix=FROZEN
// RUN: not mpc-opt %s --amp-build-step 2>&1 | FileCheck %s --check-prefix=F64
// RUN: sed 's/^amp.recipe/& freeze(["wide"])/' %s | not mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-build-step)' 2>&1 | FileCheck %s --check-prefix=TWICE
// What amp-build-step refuses.

// NONE:   error: has no amp.recipe, which says what its step is
// REGEX:  error: {{.*}}'('
// FROZEN: error: has no parameter to train
// F64:    error: can only train parameters of f32, f16 and bf16, but 'wide' is 'tensor<f64>': export the model in f32 (PyTorch: model.float()), or freeze it
// TWICE:  error: already has a symbol @step, a name that a training gives: rename that parameter or function
amp.recipe
nn.parameter @w : tensor<f32> = #nn.init<ones>
nn.parameter @wide : tensor<f64> = #nn.init<ones>
func.func @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<f32>
  %wide = nn.get @wide : tensor<f64>
  %narrow = nn.cast %wide : tensor<f64> -> tensor<f32>
  %sum = nn.add %w, %narrow : tensor<f32>
  return %sum : tensor<f32>
}
