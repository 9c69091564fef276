// RUN: mpc-opt %s --canonicalize | FileCheck %s

// A product of transposes reads the operands as they are stored.
// CHECK-LABEL: func.func @of_transposes
// CHECK-SAME:    %[[A:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<6x8xf32>
func.func @of_transposes(%a: tensor<8x4xf32>, %b: tensor<6x8xf32>) -> tensor<4x6xf32> {
  // CHECK-NEXT: nn.matmul %[[A]], %[[B]] transpose_lhs transpose_rhs
  %0 = nn.transpose %a [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %1 = nn.transpose %b [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
  %2 = nn.matmul %0, %1 : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// A flag and a transpose cancel.
// CHECK-LABEL: func.func @flag_cancels
// CHECK-SAME:    %[[A:.*]]: tensor<2x4x8xf32>, %[[B:.*]]: tensor<2x8x6xf32>
func.func @flag_cancels(%a: tensor<2x4x8xf32>, %b: tensor<2x8x6xf32>) -> tensor<2x4x6xf32> {
  // CHECK-NEXT: nn.matmul %[[A]], %[[B]] : tensor
  %0 = nn.transpose %a [0, 2, 1] : tensor<2x4x8xf32> -> tensor<2x8x4xf32>
  %1 = nn.matmul %0, %b transpose_lhs : tensor<2x8x4xf32>, tensor<2x8x6xf32> -> tensor<2x4x6xf32>
  return %1 : tensor<2x4x6xf32>
}

// A transpose that moves a batch axis is none of the product's.
// CHECK-LABEL: func.func @batch_axis_moves
func.func @batch_axis_moves(%a: tensor<4x2x8xf32>, %b: tensor<2x8x6xf32>) -> tensor<2x4x6xf32> {
  // CHECK: nn.transpose
  // CHECK: nn.matmul %{{.*}}, %{{.*}} : tensor
  %0 = nn.transpose %a [1, 0, 2] : tensor<4x2x8xf32> -> tensor<2x4x8xf32>
  %1 = nn.matmul %0, %b : tensor<2x4x8xf32>, tensor<2x8x6xf32> -> tensor<2x4x6xf32>
  return %1 : tensor<2x4x6xf32>
}

// The bias stays.
// CHECK-LABEL: func.func @with_bias
// CHECK-SAME:    %[[A:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<8x6xf32>, %[[C:.*]]: tensor<6xf32>
func.func @with_bias(%a: tensor<8x4xf32>, %b: tensor<8x6xf32>, %c: tensor<6xf32>) -> tensor<4x6xf32> {
  // CHECK-NEXT: nn.matmul %[[A]], %[[B]] transpose_lhs bias %[[C]]
  %0 = nn.transpose %a [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %1 = nn.matmul %0, %b bias %c : tensor<6xf32> : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
