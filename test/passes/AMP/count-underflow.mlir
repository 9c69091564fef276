// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-build-step,nn-differentiate,canonicalize,amp-count-underflow)' | FileCheck %s
// RUN: sed 's/^amp.recipe.*/& accumulate(2)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,nn-differentiate,canonicalize,amp-count-underflow)' | FileCheck %s --check-prefix=BATCH
// RUN: sed 's/ count_underflow//' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,nn-differentiate,canonicalize,amp-count-underflow)' | FileCheck %s --check-prefix=NONE

// NONE-NOT: underflow

// Of the two gradients, a's arrives in f16: what is below 2^-14 is counted,
// before the unscale.
// CHECK-LABEL: func.func @step
// CHECK-SAME:    tensor<f64> {nn.name = "underflow"})
// CHECK:         %[[P:.*]] = nn.mul %{{.*}} : tensor<5xf32>
// CHECK:         %[[G:.*]] = nn.cast %[[P]] : tensor<5xf32> -> tensor<5xf16>
// CHECK:         amp.gather %[[G]], %{{.*}} : tensor<5xf16>, tensor<3xf32>
// CHECK:         amp.check
// CHECK:         %[[W:.*]] = nn.cast %[[G]] : tensor<5xf16> -> tensor<5xf32>
// CHECK:         %[[A:.*]] = nn.abs %[[W]]
// CHECK:         %[[L:.*]] = nn.constant dense<6.10351563E-5> : tensor<5xf32>
// CHECK:         %[[T:.*]] = nn.compare lt %[[A]], %[[L]]
// CHECK:         %[[C:.*]] = nn.cast %[[T]] : tensor<5xi1> -> tensor<5xf64>
// CHECK:         nn.reduce_sum %[[C]] axes [0]
// CHECK-NOT:     nn.compare
// CHECK:         return

// With several batches a step, the function that makes gradients counts.
// BATCH-LABEL: func.func @accumulate
// BATCH-SAME:    tensor<f64> {nn.name = "underflow"})
// BATCH-LABEL: func.func @apply
// BATCH-NOT:     underflow
amp.recipe loss_scale<fixed, init_scale = 8.0> count_underflow optimizer<sgd>
nn.parameter @a : tensor<5xf32> = <ones>
nn.parameter @b : tensor<3xf32> = <ones>
func.func private @loss(%x: tensor<5xf16> {nn.name = "x"}) -> (tensor<f32> {nn.name = "loss"}) {
  %a = nn.get @a : tensor<5xf32>
  %b = nn.get @b : tensor<3xf32>
  %c = nn.cast %a : tensor<5xf32> -> tensor<5xf16>
  %m = nn.mul %c, %x : tensor<5xf16>
  %w = nn.cast %m : tensor<5xf16> -> tensor<5xf32>
  %s = nn.reduce_sum %w axes [0] : tensor<5xf32> -> tensor<f32>
  %t = nn.reduce_sum %b axes [0] : tensor<3xf32> -> tensor<f32>
  %l = nn.add %s, %t : tensor<f32>
  return %l : tensor<f32>
}

// Features: X22.
