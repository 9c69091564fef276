// RUN: sed 's/^amp.recipe.*/& optimizer<adamw, eps = 1.0e-50>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' 2>&1 -o /dev/null | FileCheck %s --check-prefix=ZERO
// RUN: sed 's/^amp.recipe.*/& optimizer<adamw, eps = 1.0e-40>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' 2>&1 -o /dev/null | FileCheck %s --check-prefix=SUBNORMAL
// RUN: sed 's/^amp.recipe.*/& optimizer<adamw, eps = 1.0e-30>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' 2>&1 -o /dev/null | FileCheck %s --check-prefix=HELD --allow-empty
// RUN: sed 's/^amp.recipe.*/& optimizer<sgd>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' 2>&1 -o /dev/null | FileCheck %s --check-prefix=HELD --allow-empty
// An optimizer's epsilon must be there in f32, in which it is added.

// ZERO:      warning: 'eps' of optimizer 'adamw', 1e-50, is 0 in f32, in which it is added: weights whose gradients are 0 may become NaN
// SUBNORMAL: warning: 'eps' of optimizer 'adamw', 1e-40, is subnormal in f32
// HELD-NOT:  warning
amp.recipe loss_scale<dynamic>
nn.parameter @w : tensor<f32> = #nn.init<ones>
func.func @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<f32>
  return %w : tensor<f32>
}

// Features: X16.
