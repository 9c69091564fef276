// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{policy=magic})' 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{settings=speed=1})' 2>&1 | FileCheck %s --check-prefix=SETTING
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{settings=growth_factor=fast})' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{settings=growth_factor=0.5})' 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{optimizer=adamq})' 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{hyper=momentum=1})' 2>&1 | FileCheck %s --check-prefix=HYPER
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{flags=nesterov})' 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{optimizer=sgd flags=nesterov})' 2>&1 | FileCheck %s --check-prefix=NESTEROV
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{clip-norm=1 clip-value=1})' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{clip-norm=-1})' 2>&1 | FileCheck %s --check-prefix=CLIP
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{accumulate=0})' 2>&1 | FileCheck %s --check-prefix=BATCHES
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{gradient-type=f64})' 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{freeze=(})' 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{freeze=w})' 2>&1 | FileCheck %s --check-prefix=FROZEN
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step)' 2>&1 | FileCheck %s --check-prefix=F64
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(amp-build-step{freeze=wide},amp-build-step)' 2>&1 | FileCheck %s --check-prefix=TWICE
// What amp-build-step refuses.

// POLICY:    error: {{.*}}magic
// SETTING:   error: policy 'dynamic' has no setting 'speed'
// NUMBER:    error: 'growth_factor=fast' is not of the form NAME=VALUE with a number
// VALUE:     error: --growth-factor
// OPTIMIZER: error: unknown optimizer 'adamq'; known are sgd, adam, adamw,
// HYPER:     error: optimizer 'adamw' has no hyper-parameter 'momentum'
// FLAG:      error: optimizer 'adamw' has no flag 'nesterov'
// NESTEROV:  error: nesterov needs momentum and no dampening
// BOTH:      error: gradients are clipped by 'clip_norm' or by 'clip_value', not by both
// CLIP:      error: 'clip_norm' must be positive and finite, not -1
// BATCHES:   error: 'accumulate' must be 1 or more, not 0
// TYPE:      error: 'gradient-type' must be f16, bf16 or f32, not 'f64'
// REGEX:     error: {{.*}}'('
// FROZEN:    error: has no parameter to train
// F64:       error: can only train parameters of f32, f16 and bf16, but 'wide' is 'tensor<f64>'; freeze it
// TWICE:     error: already has a symbol @step
nn.parameter @w : tensor<f32> = #nn.init<ones>
nn.parameter @wide : tensor<f64> = #nn.init<ones>
func.func @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<f32>
  %wide = nn.get @wide : tensor<f64>
  %narrow = nn.cast %wide : tensor<f64> -> tensor<f32>
  %sum = nn.add %w, %narrow : tensor<f32>
  return %sum : tensor<f32>
}
