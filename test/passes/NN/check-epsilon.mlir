// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(nn-autocast{precision=fp16 lower=^div$},nn-check-epsilon)' -o /dev/null
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-autocast{precision=bf16 lower=^div$},nn-check-epsilon)' 2>&1 -o /dev/null | FileCheck %s
// A constant that its type does not hold is named at the op that takes it.

func.func @model(%x: tensor<4x4xf16>, %w: tensor<4x4xf32>) -> tensor<4x4xf16> {
  %eps = nn.constant dense<1.0e-8> : tensor<4x4xf32>
  %low = nn.cast %eps : tensor<4x4xf32> -> tensor<4x4xf16>
  // expected-warning @+1 {{constant 1e-08 is 0 in f16, in which nn.add takes it; --keep-fp32 keeps nodes in f32}}
  %0 = nn.add %x, %low : tensor<4x4xf16>
  %small = nn.constant dense<1.0e-6> : tensor<4x4xf32>
  %narrow = nn.cast %small : tensor<4x4xf32> -> tensor<4x4xf16>
  // expected-warning @+1 {{constant 1e-06 is subnormal in f16, in which nn.add takes it}}
  %1 = nn.add %0, %narrow : tensor<4x4xf16>
  // What is held, 0 itself, and what f32 holds are no matter.
  %zero = nn.constant dense<0.0> : tensor<4x4xf16>
  %2 = nn.add %1, %zero : tensor<4x4xf16>
  %tenth = nn.constant dense<0.1> : tensor<4x4xf16>
  %3 = nn.add %2, %tenth : tensor<4x4xf16>
  %4 = nn.add %w, %eps : tensor<4x4xf32>
  // Nor is a table, some of whose values may well be small.
  %table = nn.constant dense<[[1.0e-7, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf16>
  %5 = nn.add %3, %table : tensor<4x4xf16>
  return %5 : tensor<4x4xf16>
}

func.func @norm(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  // Added in f32, whatever the type of the input.
  %0 = nn.layer_norm %x axis(1) epsilon(1.0e-8) : tensor<4x8xf16>
  // expected-warning @+1 {{epsilon 1e-50 is 0 in f32, in which nn.layer_norm takes it}}
  %1 = nn.layer_norm %0 axis(1) epsilon(1.0e-50) : tensor<4x8xf16>
  return %1 : tensor<4x8xf16>
}

// A bound beside 1 that is 1 keeps nothing from a pole; a factor is no bound.
func.func @bounds(%x: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %below = nn.constant dense<0.9999999> : tensor<4x4xf32>
  %low = nn.cast %below : tensor<4x4xf32> -> tensor<4x4xf16>
  // expected-warning @+1 {{bound 0.9999999 is 1 in f16, in which nn.minimum takes it; --keep-fp32 keeps nodes in f32}}
  %0 = nn.minimum %x, %low : tensor<4x4xf16>
  %1 = nn.mul %0, %low : tensor<4x4xf16>
  %far = nn.constant dense<0.99> : tensor<4x4xf32>
  %narrow = nn.cast %far : tensor<4x4xf32> -> tensor<4x4xf16>
  %2 = nn.minimum %1, %narrow : tensor<4x4xf16>
  return %2 : tensor<4x4xf16>
}

// -----

// Where autocast lowers the op that adds it. bf16 has the range of f32, and the
// model and the loss that is made of it hold one node.
// CHECK-NOT: warning: constant 1e-08 is 0 in bf16
func.func @model(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %eps = nn.constant dense<1.0e-8> : tensor<4x4xf32>
  %0 = nn.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // expected-warning @unknown {{constant 1e-08 is 0 in f16, in which nn.div rounds its result}}
  %1 = nn.div %0, %eps : tensor<4x4xf32> loc("quotient")
  return %1 : tensor<4x4xf32>
}
func.func @loss(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %eps = nn.constant dense<1.0e-8> : tensor<4x4xf32>
  %0 = nn.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.div %0, %eps : tensor<4x4xf32> loc("quotient")
  return %1 : tensor<4x4xf32>
}

// Features: X16.
