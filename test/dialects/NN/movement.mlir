// RUN: mpc-opt %s | mpc-opt | FileCheck %s

// CHECK-LABEL: func.func @slice
func.func @slice(%x: tensor<4x9xf32>) {
  // CHECK: nn.slice %{{.*}} [1, 2] to [4, 9] by [2, 3] : tensor<4x9xf32> -> tensor<2x3xf32>
  %0 = nn.slice %x [1, 2] to [4, 9] by [2, 3] : tensor<4x9xf32> -> tensor<2x3xf32>
  // A box may be empty.
  // CHECK: nn.slice %{{.*}} [4, 0] to [4, 9] by [1, 1] : tensor<4x9xf32> -> tensor<0x9xf32>
  %1 = nn.slice %x [4, 0] to [4, 9] by [1, 1] : tensor<4x9xf32> -> tensor<0x9xf32>
  return
}

// CHECK-LABEL: func.func @pad
func.func @pad(%x: tensor<4x9xf16>) {
  // CHECK: nn.pad %{{.*}} low [-1, 2] high [0, 1] interior [1, 0] value 5.000000e-01 : tensor<4x9xf16> -> tensor<6x12xf16>
  %0 = nn.pad %x low [-1, 2] high [0, 1] interior [1, 0] value 0.5
      : tensor<4x9xf16> -> tensor<6x12xf16>
  return
}

// CHECK-LABEL: func.func @concat
func.func @concat(%x: tensor<4x2xi32>, %y: tensor<4x3xi32>) {
  // CHECK: nn.concat %{{.*}}, %{{.*}} axis(1) : tensor<4x2xi32>, tensor<4x3xi32> -> tensor<4x5xi32>
  %0 = nn.concat %x, %y axis(1) : tensor<4x2xi32>, tensor<4x3xi32> -> tensor<4x5xi32>
  return
}

// CHECK-LABEL: func.func @reverse
func.func @reverse(%x: tensor<4x2xi1>) {
  // CHECK: nn.reverse %{{.*}} axes [1, 0] : tensor<4x2xi1>
  %0 = nn.reverse %x axes [1, 0] : tensor<4x2xi1>
  return
}

// CHECK-LABEL: func.func @stop_gradient
func.func @stop_gradient(%x: tensor<4x2xf16>) {
  // CHECK: nn.stop_gradient %{{.*}} : tensor<4x2xf16>
  %0 = nn.stop_gradient %x : tensor<4x2xf16>
  return
}

// CHECK-LABEL: func.func @split
func.func @split(%x: tensor<4x6xi1>) {
  // CHECK: nn.split %{{.*}} axis(1) : tensor<4x6xi1> -> tensor<4x2xi1>, tensor<4x4xi1>
  %0:2 = nn.split %x axis(1) : tensor<4x6xi1> -> tensor<4x2xi1>, tensor<4x4xi1>
  return
}
