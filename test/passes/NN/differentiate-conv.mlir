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

// With strides, the inputs of each phase get the convolution of dY with the taps
// that reach them: of 3 x 3 taps one, two, two and four. No zeros are put
// between elements of dY for it.
// CHECK-LABEL: func.func @strided(
// CHECK:         nn.conv
// CHECK:         nn.slice %{{.*}} [0, 0, 1, 1] to [6, 4, 3, 3] by [1, 1, 2, 2] {{.*}} -> tensor<6x4x1x1xf32>
// CHECK:         nn.conv {{.*}} -> tensor<2x4x5x5xf32>
// CHECK:         nn.slice %{{.*}} [0, 0, 1, 0] to [6, 4, 3, 3] by [1, 1, 2, 2] {{.*}} -> tensor<6x4x1x2xf32>
// CHECK:         nn.conv {{.*}} -> tensor<2x4x5x5xf32>
// CHECK:         nn.slice {{.*}} -> tensor<6x4x2x1xf32>
// CHECK:         nn.slice {{.*}} -> tensor<6x4x2x2xf32>
// CHECK:         nn.concat {{.*}} axis(0) {{.*}} -> tensor<4x2x4x5x5xf32>
// CHECK:         nn.transpose {{.*}} [2, 3, 4, 0, 5, 1]
// CHECK:         nn.slice {{.*}} to [2, 4, 9, 10] {{.*}} -> tensor<2x4x9x10xf32>
func.func private @halves(%x: tensor<2x4x9x10xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<2x6x5x5xf32> {
  %y = nn.conv %x, %w strides [2, 2] low [1, 1] high [1, 1] dilations [1, 1] groups(1)
      : tensor<2x4x9x10xf32>, tensor<6x4x3x3xf32> -> tensor<2x6x5x5xf32>
  return %y : tensor<2x6x5x5xf32>
}
func.func @strided(%x: tensor<2x4x9x10xf32>, %w: tensor<6x4x3x3xf32>, %d: tensor<2x6x5x5xf32>)
    -> (tensor<2x6x5x5xf32>, tensor<2x4x9x10xf32>) {
  %v:2 = nn.vjp @halves(%x, %w) seed(%d) wrt [] args [0]
      : (tensor<2x4x9x10xf32>, tensor<6x4x3x3xf32>), (tensor<2x6x5x5xf32>)
      -> tensor<2x6x5x5xf32>, tensor<2x4x9x10xf32>
  return %v#0, %v#1 : tensor<2x6x5x5xf32>, tensor<2x4x9x10xf32>
}

// A single tap reaches one phase; the others have zeros.
// CHECK-LABEL: func.func @shortcut(
// CHECK-COUNT-2: nn.conv
// CHECK-NOT:     nn.conv
// CHECK:         nn.pad {{.*}} interior [0, 0, 1, 1]
// CHECK:         nn.conv {{.*}} dilations [2, 2] {{.*}} -> tensor<4x6x1x1xf32>
// CHECK-NOT:     nn.conv
// CHECK-NOT:     nn.concat
// CHECK:         return
func.func private @single(%x: tensor<2x4x8x8xf32>, %w: tensor<6x4x1x1xf32>) -> tensor<2x6x4x4xf32> {
  %y = nn.conv %x, %w strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] groups(1)
      : tensor<2x4x8x8xf32>, tensor<6x4x1x1xf32> -> tensor<2x6x4x4xf32>
  return %y : tensor<2x6x4x4xf32>
}
func.func @shortcut(%x: tensor<2x4x8x8xf32>, %w: tensor<6x4x1x1xf32>, %d: tensor<2x6x4x4xf32>)
    -> (tensor<2x6x4x4xf32>, tensor<2x4x8x8xf32>) {
  %v:2 = nn.vjp @single(%x, %w) seed(%d) wrt [] args [0]
      : (tensor<2x4x8x8xf32>, tensor<6x4x1x1xf32>), (tensor<2x6x4x4xf32>)
      -> tensor<2x6x4x4xf32>, tensor<2x4x8x8xf32>
  return %v#0, %v#1 : tensor<2x6x4x4xf32>, tensor<2x4x8x8xf32>
}

// 16 phases would be 16 small convolutions: zeros go between elements of dY.
// CHECK-LABEL: func.func @patches(
// CHECK:         nn.conv
// CHECK:         nn.pad {{.*}} interior [0, 0, 3, 3]
// CHECK:         nn.conv {{.*}} -> tensor<2x4x8x8xf32>
// CHECK:         nn.conv {{.*}} dilations [4, 4] {{.*}} -> tensor<4x6x4x4xf32>
// CHECK-NOT:     nn.conv
// CHECK:         return
func.func private @quarters(%x: tensor<2x4x8x8xf32>, %w: tensor<6x4x4x4xf32>) -> tensor<2x6x2x2xf32> {
  %y = nn.conv %x, %w strides [4, 4] low [0, 0] high [0, 0] dilations [1, 1] groups(1)
      : tensor<2x4x8x8xf32>, tensor<6x4x4x4xf32> -> tensor<2x6x2x2xf32>
  return %y : tensor<2x6x2x2xf32>
}
func.func @patches(%x: tensor<2x4x8x8xf32>, %w: tensor<6x4x4x4xf32>, %d: tensor<2x6x2x2xf32>)
    -> (tensor<2x6x2x2xf32>, tensor<2x4x8x8xf32>) {
  %v:2 = nn.vjp @quarters(%x, %w) seed(%d) wrt [] args [0]
      : (tensor<2x4x8x8xf32>, tensor<6x4x4x4xf32>), (tensor<2x6x2x2xf32>)
      -> tensor<2x6x2x2xf32>, tensor<2x4x8x8xf32>
  return %v#0, %v#1 : tensor<2x6x2x2xf32>, tensor<2x4x8x8xf32>
}
