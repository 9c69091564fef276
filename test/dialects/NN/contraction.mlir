// RUN: mpc-opt %s | mpc-opt | FileCheck %s

// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<4x8xf16>, %b: tensor<6x8xf16>,
                  %c: tensor<2x8x4xf64>, %d: tensor<2x8x6xf64>, %e: tensor<6xf64>) {
  // CHECK: nn.matmul %{{.*}}, %{{.*}} transpose_rhs : tensor<4x8xf16>, tensor<6x8xf16> -> tensor<4x6xf16>
  %0 = nn.matmul %a, %b transpose_rhs : tensor<4x8xf16>, tensor<6x8xf16> -> tensor<4x6xf16>
  // CHECK: nn.matmul %{{.*}}, %{{.*}} transpose_lhs : tensor<2x8x4xf64>, tensor<2x8x6xf64> -> tensor<2x4x6xf64>
  %1 = nn.matmul %c, %d transpose_lhs : tensor<2x8x4xf64>, tensor<2x8x6xf64> -> tensor<2x4x6xf64>
  // CHECK: nn.matmul %{{.*}}, %{{.*}} transpose_lhs bias %{{.*}} : tensor<6xf64> : tensor<2x8x4xf64>, tensor<2x8x6xf64> -> tensor<2x4x6xf64>
  %2 = nn.matmul %c, %d transpose_lhs bias %e : tensor<6xf64> : tensor<2x8x4xf64>, tensor<2x8x6xf64> -> tensor<2x4x6xf64>
  return
}

// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<2x4x8xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf32>) {
  // CHECK: nn.linear %{{.*}}, %{{.*}} : tensor<2x4x8xf32>, tensor<6x8xf32> -> tensor<2x4x6xf32>
  %0 = nn.linear %x, %w : tensor<2x4x8xf32>, tensor<6x8xf32> -> tensor<2x4x6xf32>
  // CHECK: nn.linear %{{.*}}, %{{.*}} bias %{{.*}} : tensor<6xf32> : tensor<2x4x8xf32>, tensor<6x8xf32> -> tensor<2x4x6xf32>
  %1 = nn.linear %x, %w bias %b : tensor<6xf32> : tensor<2x4x8xf32>, tensor<6x8xf32> -> tensor<2x4x6xf32>
  return
}

// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<2x4x9x7xbf16>, %w: tensor<6x2x3x3xbf16>,
                %b: tensor<6xbf16>, %s: tensor<1x1x5xf32>, %v: tensor<1x1x2xf32>) {
  // CHECK: nn.conv %{{.*}}, %{{.*}} bias %{{.*}} : tensor<6xbf16> strides [2, 1] low [1, 1] high [0, 1] dilations [1, 2] groups(2)
  // CHECK-SAME: : tensor<2x4x9x7xbf16>, tensor<6x2x3x3xbf16> -> tensor<2x6x4x5xbf16>
  %0 = nn.conv %x, %w bias %b : tensor<6xbf16> strides [2, 1] low [1, 1] high [0, 1] dilations [1, 2] groups(2)
      : tensor<2x4x9x7xbf16>, tensor<6x2x3x3xbf16> -> tensor<2x6x4x5xbf16>
  // CHECK: nn.conv %{{.*}}, %{{.*}} strides [1] low [0] high [0] dilations [1] groups(1)
  %1 = nn.conv %s, %v strides [1] low [0] high [0] dilations [1] groups(1)
      : tensor<1x1x5xf32>, tensor<1x1x2xf32> -> tensor<1x1x4xf32>
  return
}
