// RUN: mpc-opt %s --nn-differentiate | FileCheck %s

// However many groups, each gradient is one convolution.
// CHECK-LABEL: func.func @depthwise(
// CHECK-COUNT-3: nn.conv {{.*}} groups(1152)
// CHECK-NOT:     nn.conv
// CHECK-NOT:     nn.concat
// CHECK:         return
func.func private @model(%x: tensor<4x1152x2x2xf32>, %w: tensor<1152x1x3x3xf32>) -> tensor<4x1152x2x2xf32> {
  %y = nn.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups(1152)
      : tensor<4x1152x2x2xf32>, tensor<1152x1x3x3xf32> -> tensor<4x1152x2x2xf32>
  return %y : tensor<4x1152x2x2xf32>
}
func.func @depthwise(%x: tensor<4x1152x2x2xf32>, %w: tensor<1152x1x3x3xf32>, %d: tensor<4x1152x2x2xf32>)
    -> (tensor<4x1152x2x2xf32>, tensor<4x1152x2x2xf32>, tensor<1152x1x3x3xf32>) {
  %v:3 = nn.vjp @model(%x, %w) seed(%d) wrt [] args [0, 1]
      : (tensor<4x1152x2x2xf32>, tensor<1152x1x3x3xf32>), (tensor<4x1152x2x2xf32>)
      -> tensor<4x1152x2x2xf32>, tensor<4x1152x2x2xf32>, tensor<1152x1x3x3xf32>
  return %v#0, %v#1, %v#2 : tensor<4x1152x2x2xf32>, tensor<4x1152x2x2xf32>, tensor<1152x1x3x3xf32>
}
