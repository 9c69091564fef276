// RUN: mpc-opt %s --amp-build-step --split-input-file | FileCheck %s

// The gradients that the optimizer would be given are results, clipped, beside
// the metrics; the apply counts the step.
amp.recipe loss_scale<torch> optimizer<callback> clip<global = 1.0>
nn.parameter @w : tensor<4x8xf32> = #nn.init<zeros>
nn.parameter @b : tensor<4xf16> = #nn.init<zeros>
func.func private @loss(%x: tensor<4x8xf32>) -> tensor<f32> {
  %w = nn.get @w : tensor<4x8xf32>
  %b = nn.get @b : tensor<4xf16>
  %wide = nn.cast %b : tensor<4xf16> -> tensor<4xf32>
  %p = nn.mul %x, %w : tensor<4x8xf32>
  %s = nn.reduce_sum %p axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %t = nn.reduce_sum %wide axes [0] : tensor<4xf32> -> tensor<f32>
  %loss = nn.add %s, %t : tensor<f32>
  return %loss : tensor<f32>
}
// CHECK:       amp.optimizer @optimizer kind("callback")
// CHECK-LABEL: func.func @step
// CHECK-SAME:    tensor<4x8xf32> {nn.name = "grad.w"}, tensor<4xf32> {nn.name = "grad.b"})
// CHECK:         %[[CLIPPED:.*]] = amp.clip %
// CHECK:         amp.apply %[[CLIPPED]]
// CHECK:         %[[PARTS:.*]]:2 = amp.split %[[CLIPPED]]
// CHECK:         return {{.*}}, %[[PARTS]]#0, %[[PARTS]]#1 :

// -----

// Of a window they are those of the sum.
amp.recipe loss_scale<torch> optimizer<callback> accumulate(2)
nn.parameter @w : tensor<4x8xf32> = #nn.init<zeros>
func.func private @loss(%x: tensor<4x8xf32>) -> tensor<f32> {
  %w = nn.get @w : tensor<4x8xf32>
  %p = nn.mul %x, %w : tensor<4x8xf32>
  %s = nn.reduce_sum %p axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  return %s : tensor<f32>
}
// CHECK-LABEL: func.func @accumulate
// CHECK-NOT:     grad.w
// CHECK-LABEL: func.func @apply
// CHECK-SAME:    {nn.name = "grad.w"}
