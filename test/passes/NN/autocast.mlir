// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-autocast{precision=fp16})' | FileCheck %s

// A contraction runs in f16, softmax keeps f32: each side of the border casts.
// CHECK-LABEL: func.func @lower_and_keep_f32
// CHECK-SAME:    (%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x4xf32>
func.func @lower_and_keep_f32(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  // CHECK:     %[[A16:.*]] = nn.cast %[[A]]
  // CHECK:     %[[B16:.*]] = nn.cast %[[B]]
  // CHECK:     %[[C:.*]] = nn.matmul %[[A16]], %[[B16]] : {{.*}} -> tensor<4x4xf16>
  // CHECK:     %[[C32:.*]] = nn.cast %[[C]]
  // CHECK:     nn.softmax %[[C32]] axis(1) : tensor<4x4xf32>
  %c = nn.matmul %a, %b : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %y = nn.softmax %c axis(1) : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// An infer op follows its operand: f16 behind a contraction, f32 at the input.
// CHECK-LABEL: func.func @infer
// CHECK-SAME:    (%[[A:.*]]: tensor<4x4xf32>
func.func @infer(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK:     nn.relu %[[A]] : tensor<4x4xf32>
  // CHECK:     nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK:     nn.relu {{.*}} : tensor<4x4xf16>
  %0 = nn.relu %a : tensor<4x4xf32>
  %1 = nn.matmul %0, %0 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = nn.relu %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Operands of two types meet in the wider one.
// CHECK-LABEL: func.func @promote
// CHECK-SAME:    (%[[A:.*]]: tensor<4x4xf32>
func.func @promote(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK:     %[[M:.*]] = nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK:     nn.add %[[M]], %[[M]] : tensor<4x4xf16>
  // CHECK:     %[[M32:.*]] = nn.cast %[[M]]
  // CHECK:     nn.add %[[M32]], %[[A]] : tensor<4x4xf32>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.add %0, %0 : tensor<4x4xf32>
  %2 = nn.add %0, %a : tensor<4x4xf32>
  %3 = nn.add %1, %2 : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// Two 16-bit types have no value in common but in f32.
// CHECK-LABEL: func.func @promote_two_low_types
func.func @promote_two_low_types(%a: tensor<4x4xbf16>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK:     %[[M:.*]] = nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK:     nn.concat {{.*}} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x8xf32>
  %0 = nn.matmul %b, %b : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.cast %a : tensor<4x4xbf16> -> tensor<4x4xf32>
  %2 = nn.concat %0, %1 axis(1) : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x8xf32>
  %3 = nn.slice %2 [0, 0] to [4, 4] by [1, 1] : tensor<4x8xf32> -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// Data movement carries what it is given.
// CHECK-LABEL: func.func @clear
func.func @clear(%a: tensor<4x4xf32>) -> tensor<16xf32> {
  // CHECK:     nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK:     nn.transpose {{.*}} : tensor<4x4xf16> -> tensor<4x4xf16>
  // CHECK:     nn.reshape {{.*}} : tensor<4x4xf16> -> tensor<16xf16>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.transpose %0 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = nn.reshape %1 : tensor<4x4xf32> -> tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// f64 is never narrowed, and integers are none of autocast's.
// CHECK-LABEL: func.func @f64_and_integers
func.func @f64_and_integers(%d: tensor<4x4xf64>, %i: tensor<4xi64>, %t: tensor<9x3xf64>)
    -> (tensor<4x4xf64>, tensor<4xi64>, tensor<4x3xf64>) {
  // CHECK-NOT: nn.cast
  // CHECK:     nn.matmul {{.*}} -> tensor<4x4xf64>
  // CHECK:     nn.add {{.*}} : tensor<4xi64>
  // CHECK:     nn.gather {{.*}} -> tensor<4x3xf64>
  // CHECK-NOT: nn.cast
  %0 = nn.matmul %d, %d : tensor<4x4xf64>, tensor<4x4xf64> -> tensor<4x4xf64>
  %1 = nn.add %i, %i : tensor<4xi64>
  %2 = nn.gather %t, %1 axis(0) : tensor<9x3xf64>, tensor<4xi64> -> tensor<4x3xf64>
  return %0, %1, %2 : tensor<4x4xf64>, tensor<4xi64>, tensor<4x3xf64>
}

// -----

// Results keep the types that the function declares.
// CHECK-LABEL: func.func @results_keep_their_types
// CHECK-SAME:    -> tensor<4x4xf32>
func.func @results_keep_their_types(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK:     %[[M:.*]] = nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK:     %[[R:.*]] = nn.cast %[[M]] : tensor<4x4xf16> -> tensor<4x4xf32>
  // CHECK:     return %[[R]]
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Features: A9, A10, B1, B2, B3, B4, B5, B10, B12.
