// RUN: sed 's/^amp.recipe.*/& accumulate(2)/' %s | not mpc-opt --pass-pipeline='builtin.module(amp-build-step)' 2>&1 | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-build-step)' -o /dev/null
// The name of what waits for the end of a window must be free.

// CHECK: error: 'mean' waits in 'mean/pending' for the end of a window of batches, but the model has a symbol of that name; rename it
amp.recipe loss_scale<dynamic>
nn.parameter frozen @mean : tensor<3xf32> = #nn.init<zeros>
nn.parameter @"mean/pending" : tensor<3xf32> = #nn.init<zeros>
func.func private @loss() -> (tensor<f32>, tensor<3xf32> {nn.buffer = @mean}) {
  %m = nn.get @mean : tensor<3xf32>
  %p = nn.get @"mean/pending" : tensor<3xf32>
  %0 = nn.reduce_sum %p axes [0] : tensor<3xf32> -> tensor<f32>
  return %0, %m : tensor<f32>, tensor<3xf32>
}
