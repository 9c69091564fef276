// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s
// A loss that the graph computes in 16 bits is scaled as PyTorch scales it: the
// cotangent of an f16 value is an f16, so that a scale of 65536 is infinite
// there, the step is skipped, and the scale falls to one that fits.

// CHECK-LABEL: func.func @step
// CHECK:         %[[SCALE:.*]] = amp.get_scale @scaler : tensor<f32>
// CHECK:         %[[SEED:.*]] = nn.cast %[[SCALE]] : tensor<f32> -> tensor<f16>
// CHECK:         nn.vjp @loss() seed(%[[SEED]])
amp.recipe loss_scale<dynamic>
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
func.func @loss() -> tensor<f16> {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.reduce_sum %w axes [0] : tensor<4xf32> -> tensor<f32>
  %1 = nn.cast %0 : tensor<f32> -> tensor<f16>
  return %1 : tensor<f16>
}

// Features: G4.
