// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(amp-build-step)'
// What @loss must be.

// expected-error @+1 {{has no function @loss}}
module {
  amp.recipe loss_scale<dynamic>
}

// -----

amp.recipe loss_scale<dynamic>
nn.parameter @w : tensor<2xf32> = #nn.init<ones>
// expected-error @+1 {{must yield one floating scalar}}
func.func @loss() -> tensor<2xf32> {
  %w = nn.get @w : tensor<2xf32>
  return %w : tensor<2xf32>
}
