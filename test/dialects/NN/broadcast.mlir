// RUN: mpc-opt %s | mpc-opt | FileCheck %s --check-prefix=TRIP
// RUN: mpc-opt %s --canonicalize | FileCheck %s

// TRIP-LABEL: func.func @repeat
// TRIP: nn.broadcast %{{.*}} axes [1] : tensor<8xf32> -> tensor<4x8xf32>
// TRIP: nn.broadcast %{{.*}} axes [0, 2] : tensor<1x8xf32> -> tensor<4x3x8xf32>
// TRIP: nn.broadcast %{{.*}} axes [] : tensor<f32> -> tensor<4xf32>

// Repetition of values stays.
// CHECK-LABEL: func.func @repeat
func.func @repeat(%x: tensor<8xf32>, %y: tensor<1x8xf32>, %z: tensor<f32>)
    -> (tensor<4x8xf32>, tensor<4x3x8xf32>, tensor<4xf32>) {
  // CHECK-COUNT-3: nn.broadcast
  %0 = nn.broadcast %x axes [1] : tensor<8xf32> -> tensor<4x8xf32>
  %1 = nn.broadcast %y axes [0, 2] : tensor<1x8xf32> -> tensor<4x3x8xf32>
  %2 = nn.broadcast %z axes [] : tensor<f32> -> tensor<4xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x3x8xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @same_shape
// CHECK-SAME:    %[[X:.*]]: tensor
func.func @same_shape(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = nn.broadcast %x axes [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @of_splat
func.func @of_splat() -> tensor<4x8xi32> {
  // CHECK-NEXT: nn.constant dense<3> : tensor<4x8xi32>
  %c = nn.constant dense<3> : tensor<8xi32>
  %0 = nn.broadcast %c axes [1] : tensor<8xi32> -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}
