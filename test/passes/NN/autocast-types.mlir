// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(nn-autocast{precision=fp16})' | FileCheck %s

// An op without a rule of its own gets what it was written with, though what
// it reads runs low; a cast of the model's own takes what it is given.
func.func private @callee(tensor<4x4xf32>)
// CHECK-LABEL: func.func @without_rule
func.func @without_rule(%a: tensor<4x4xf32>) -> tensor<4x4xf64> {
  // CHECK: %[[M:.*]] = nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK: %[[W:.*]] = nn.cast %[[M]] : tensor<4x4xf16> -> tensor<4x4xf32>
  // CHECK: call @callee(%[[W]])
  // CHECK: nn.cast %[[M]] : tensor<4x4xf16> -> tensor<4x4xf64>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  call @callee(%0) : (tensor<4x4xf32>) -> ()
  %1 = nn.cast %0 : tensor<4x4xf32> -> tensor<4x4xf64>
  return %1 : tensor<4x4xf64>
}

// -----

// Sums by index follow what they are given, as all accumulate in f32.
// CHECK-LABEL: func.func @scatter
func.func @scatter(%a: tensor<4x4xf32>, %i: tensor<4xi64>) -> tensor<4x4xf32> {
  // CHECK: nn.scatter_add {{.*}} tensor<4x4xf16>, tensor<4xi64> -> tensor<4x4xf16>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.scatter_add %0, %i axis(0) : tensor<4x4xf32>, tensor<4xi64> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Two types that have none in common but by a cast, in a region.
func.func @conflict(%a: tensor<4x4xf32>, %d: tensor<4x4xf64>) -> tensor<4x4xf32> {
  %0 = nn.autocast enabled -> tensor<4x4xf32> {
    // expected-error @below {{operands must have one element type}}
    // expected-error @below {{failed to infer returned types}}
    %1 = nn.matmul %a, %d : tensor<4x4xf32>, tensor<4x4xf64> -> tensor<4x4xf32>
    nn.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @bad_low_type(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{dtype must be f16 or bf16, not 'f64'}}
  %0 = nn.autocast enabled dtype(f64) -> tensor<4x4xf32> {
    nn.yield %a : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// Features: C14.
