// RUN: mpc-opt %s --split-input-file --nn-differentiate --canonicalize | FileCheck %s

// The gradient of what an activation gives has its axes, also through a cast, so that one kernel can be the product and the
// activation's derivative.
func.func private @activation(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf16>) -> tensor<2x3x5xf16> {
  %0 = nn.gelu %x tanh : tensor<2x3x4xf32>
  %1 = nn.cast %0 : tensor<2x3x4xf32> -> tensor<2x3x4xf16>
  %2 = nn.linear %1, %w : tensor<2x3x4xf16>, tensor<5x4xf16> -> tensor<2x3x5xf16>
  return %2 : tensor<2x3x5xf16>
}
// CHECK-LABEL: func.func @of_activation
// CHECK-SAME:    %[[S:[^:]*]]: tensor<2x3x5xf16>
// CHECK:       %[[T:.*]] = nn.transpose %{{.*}} [1, 0] : tensor<5x4xf16> -> tensor<4x5xf16>
// CHECK:       nn.linear %[[S]], %[[T]] : tensor<2x3x5xf16>, tensor<4x5xf16> -> tensor<2x3x4xf16>
func.func @of_activation(%s: tensor<2x3x5xf16>, %x: tensor<2x3x4xf32>, %w: tensor<5x4xf16>) -> tensor<2x3x4xf32> {
  %0:2 = nn.vjp @activation(%x, %w) seed(%s) wrt [] args [0]
      : (tensor<2x3x4xf32>, tensor<5x4xf16>), (tensor<2x3x5xf16>) -> tensor<2x3x5xf16>, tensor<2x3x4xf32>
  return %0#1 : tensor<2x3x4xf32>
}

// -----

// What a reduction reads next, as a normalization's gradient has, is a product of its own.
func.func private @sum(%x: tensor<2x3x4xf32>, %y: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x5xf32> {
  %0 = nn.mul %x, %y : tensor<2x3x4xf32>
  %1 = nn.linear %0, %w : tensor<2x3x4xf32>, tensor<5x4xf32> -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}
// CHECK-LABEL: func.func @of_others
// CHECK-NOT:   nn.linear %{{.*}} -> tensor<2x3x4xf32>
// CHECK:       nn.matmul %{{.*}} -> tensor<6x4xf32>
func.func @of_others(%s: tensor<2x3x5xf32>, %x: tensor<2x3x4xf32>, %y: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x4xf32> {
  %0:2 = nn.vjp @sum(%x, %y, %w) seed(%s) wrt [] args [0]
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<5x4xf32>), (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>, tensor<2x3x4xf32>
  return %0#1 : tensor<2x3x4xf32>
}
