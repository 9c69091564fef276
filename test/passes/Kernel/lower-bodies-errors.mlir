// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(kernel-lower-bodies))'

// State that has no place yet cannot be computed with.
nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
func.func @no_body() -> tensor<4xf32> {
  // expected-error @+1 {{'nn.get' op has no kernel body, and no pass before kernel-lower-bodies has replaced it}}
  %w = nn.get @w : tensor<4xf32>
  return %w : tensor<4xf32>
}
