// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16})' | FileCheck %s
// Where a step is written out, the functions that it differentiates are models.

nn.parameter @w : tensor<8x4xf32> = #nn.init<zeros>
// CHECK-LABEL: func.func private @loss
// CHECK:         nn.matmul {{.*}} -> tensor<2x4xf16>
func.func private @loss(%x: tensor<2x8xf32>) -> tensor<f32> {
  %w = nn.get @w : tensor<8x4xf32>
  %y = nn.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  %loss = nn.reduce_sum %y axes [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<2x8xf32>, %one: tensor<f32>) -> tensor<8x8xf32> {
  %loss, %g = nn.vjp @loss(%x) seed(%one) wrt [@w]
      : (tensor<2x8xf32>), (tensor<f32>) -> tensor<f32>, tensor<8x4xf32>
  // CHECK: nn.matmul {{.*}} : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x8xf32>
  %s = nn.matmul %g, %g transpose_rhs
      : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x8xf32>
  // CHECK: nn.matmul {{.*}} -> tensor<8x8xf16>
  %low = nn.autocast enabled dtype(f16) -> tensor<8x8xf32> {
    %t = nn.matmul %g, %g transpose_rhs
        : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x8xf32>
    nn.yield %t : tensor<8x8xf32>
  }
  %sum = nn.add %s, %low : tensor<8x8xf32>
  return %sum : tensor<8x8xf32>
}
