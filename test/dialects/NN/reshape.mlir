// RUN: mpc-opt %s | mpc-opt | FileCheck %s --check-prefix=TRIP
// RUN: mpc-opt %s --canonicalize | FileCheck %s

// TRIP-LABEL: func.func @chain
// TRIP: nn.reshape %{{.*}} : tensor<4x6xf32> -> tensor<24xf32>

// A chain reads its first source.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    %[[X:.*]]: tensor
func.func @chain(%x: tensor<4x6xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: nn.reshape %[[X]] : tensor<4x6xf32> -> tensor<2x3x4xf32>
  %0 = nn.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  %1 = nn.reshape %0 : tensor<24xf32> -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// There and back is nothing.
// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME:    %[[X:.*]]: tensor
func.func @there_and_back(%x: tensor<4x6xi64>) -> tensor<4x6xi64> {
  // CHECK-NEXT: return %[[X]]
  %0 = nn.reshape %x : tensor<4x6xi64> -> tensor<24xi64>
  %1 = nn.reshape %0 : tensor<24xi64> -> tensor<4x6xi64>
  return %1 : tensor<4x6xi64>
}

// CHECK-LABEL: func.func @of_splat
func.func @of_splat() -> tensor<2x3xf32> {
  // CHECK-NEXT: nn.constant dense<2.000000e+00> : tensor<2x3xf32>
  %c = nn.constant dense<2.0> : tensor<6xf32>
  %0 = nn.reshape %c : tensor<6xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
