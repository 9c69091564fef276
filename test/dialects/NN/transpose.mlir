// RUN: mpc-opt %s | mpc-opt | FileCheck %s --check-prefix=TRIP
// RUN: mpc-opt %s --canonicalize | FileCheck %s

// TRIP-LABEL: func.func @combine
// TRIP: nn.transpose %{{.*}} [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>

// Two permutations are one: axis i of the result is axis p[q[i]].
// CHECK-LABEL: func.func @combine
// CHECK-SAME:    %[[X:.*]]: tensor
func.func @combine(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  // CHECK-NEXT: nn.transpose %[[X]] [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
  %0 = nn.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = nn.transpose %0 [1, 0, 2] : tensor<3x4x2xf32> -> tensor<4x3x2xf32>
  return %1 : tensor<4x3x2xf32>
}

// A permutation and its inverse are nothing.
// CHECK-LABEL: func.func @inverse
// CHECK-SAME:    %[[X:.*]]: tensor
func.func @inverse(%x: tensor<2x3x4xi1>) -> tensor<2x3x4xi1> {
  // CHECK-NEXT: return %[[X]]
  %0 = nn.transpose %x [1, 2, 0] : tensor<2x3x4xi1> -> tensor<3x4x2xi1>
  %1 = nn.transpose %0 [2, 0, 1] : tensor<3x4x2xi1> -> tensor<2x3x4xi1>
  return %1 : tensor<2x3x4xi1>
}
