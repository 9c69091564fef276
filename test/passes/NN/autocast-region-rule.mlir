// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(nn-autocast{precision=fp16})' | FileCheck %s

// All ops of a region run by the rule that it states: the softmax, which keeps
// f32 of itself, in f16.
// CHECK-LABEL: func.func @lower
func.func @lower(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: nn.softmax {{.*}} tensor<4x8xf16>
  %y = nn.autocast enabled -> tensor<4x8xf32> {
    %0 = nn.softmax %x axis(1) : tensor<4x8xf32>
    nn.yield %0 : tensor<4x8xf32>
  } {nn.rule = "lower"}
  return %y : tensor<4x8xf32>
}

// -----

// And the product in f32.
// CHECK-LABEL: func.func @keep
func.func @keep(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf32>
  %y = nn.autocast enabled -> tensor<4x4xf32> {
    %0 = nn.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  } {nn.rule = "keep-f32"}
  return %y : tensor<4x4xf32>
}

// -----

func.func @unknown(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{has the nn.rule "half", which is not a precision rule}}
  %y = nn.autocast enabled -> tensor<4x8xf32> {
    %0 = nn.exp %x : tensor<4x8xf32>
    nn.yield %0 : tensor<4x8xf32>
  } {nn.rule = "half"}
  return %y : tensor<4x8xf32>
}
