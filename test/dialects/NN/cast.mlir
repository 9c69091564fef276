// RUN: mpc-opt %s | mpc-opt | FileCheck %s --check-prefix=TRIP
// RUN: mpc-opt %s --canonicalize | FileCheck %s

// TRIP-LABEL: func.func @same
// TRIP: nn.cast %{{.*}} : tensor<4x8xf32> -> tensor<4x8xf32>

// A cast to its own type is nothing.
// CHECK-LABEL: func.func @same
// CHECK-SAME:    %[[X:.*]]: tensor
func.func @same(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: return %[[X]]
  %y = nn.cast %x : tensor<4x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Widening is exact: a cast back gives the value that was there.
// CHECK-LABEL: func.func @widen_and_back
// CHECK-SAME:    %[[H:.*]]: tensor<4xf16>, %[[B:.*]]: tensor<4xbf16>, %[[F:.*]]: tensor<4xf32>
func.func @widen_and_back(%h: tensor<4xf16>, %b: tensor<4xbf16>,
                          %f: tensor<4xf32>)
    -> (tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf16>) {
  // CHECK-NEXT: return %[[H]], %[[B]], %[[F]], %[[H]]
  %0 = nn.cast %h : tensor<4xf16> -> tensor<4xf32>
  %1 = nn.cast %0 : tensor<4xf32> -> tensor<4xf16>
  %2 = nn.cast %b : tensor<4xbf16> -> tensor<4xf32>
  %3 = nn.cast %2 : tensor<4xf32> -> tensor<4xbf16>
  %4 = nn.cast %f : tensor<4xf32> -> tensor<4xf64>
  %5 = nn.cast %4 : tensor<4xf64> -> tensor<4xf32>
  %6 = nn.cast %0 : tensor<4xf32> -> tensor<4xf64>
  %7 = nn.cast %6 : tensor<4xf64> -> tensor<4xf16>
  return %1, %3, %5, %7 : tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf16>
}

// What follows an exact widening reads its source and still rounds once.
// CHECK-LABEL: func.func @widen_and_narrow
// CHECK-SAME:    %[[H:.*]]: tensor<4xf16>, %[[F:.*]]: tensor<4xf32>
func.func @widen_and_narrow(%h: tensor<4xf16>, %f: tensor<4xf32>)
    -> (tensor<4xbf16>, tensor<4xf16>) {
  // CHECK: nn.cast %[[H]] : tensor<4xf16> -> tensor<4xbf16>
  %0 = nn.cast %h : tensor<4xf16> -> tensor<4xf32>
  %1 = nn.cast %0 : tensor<4xf32> -> tensor<4xbf16>
  // CHECK: nn.cast %[[F]] : tensor<4xf32> -> tensor<4xf16>
  %2 = nn.cast %f : tensor<4xf32> -> tensor<4xf64>
  %3 = nn.cast %2 : tensor<4xf64> -> tensor<4xf16>
  return %1, %3 : tensor<4xbf16>, tensor<4xf16>
}

// A cast that may round stays, whatever follows.
// CHECK-LABEL: func.func @rounding
func.func @rounding(%f: tensor<4xf32>, %h: tensor<4xf16>, %d: tensor<4xf64>)
    -> (tensor<4xf32>, tensor<4xf16>, tensor<4xf64>) {
  // CHECK: nn.cast %{{.*}} : tensor<4xf32> -> tensor<4xf16>
  // CHECK: nn.cast %{{.*}} : tensor<4xf16> -> tensor<4xf32>
  %0 = nn.cast %f : tensor<4xf32> -> tensor<4xf16>
  %1 = nn.cast %0 : tensor<4xf16> -> tensor<4xf32>
  // f16 has values that bf16 lacks.
  // CHECK: nn.cast %{{.*}} : tensor<4xf16> -> tensor<4xbf16>
  // CHECK: nn.cast %{{.*}} : tensor<4xbf16> -> tensor<4xf16>
  %2 = nn.cast %h : tensor<4xf16> -> tensor<4xbf16>
  %3 = nn.cast %2 : tensor<4xbf16> -> tensor<4xf16>
  // CHECK: nn.cast %{{.*}} : tensor<4xf64> -> tensor<4xf32>
  // CHECK: nn.cast %{{.*}} : tensor<4xf32> -> tensor<4xf64>
  %4 = nn.cast %d : tensor<4xf64> -> tensor<4xf32>
  %5 = nn.cast %4 : tensor<4xf32> -> tensor<4xf64>
  return %1, %3, %5 : tensor<4xf32>, tensor<4xf16>, tensor<4xf64>
}

// Two roundings are not one: f64 to f32 to f16 stays as written.
// CHECK-LABEL: func.func @two_roundings
func.func @two_roundings(%d: tensor<4xf64>) -> tensor<4xf16> {
  // CHECK: nn.cast %{{.*}} : tensor<4xf64> -> tensor<4xf32>
  // CHECK: nn.cast %{{.*}} : tensor<4xf32> -> tensor<4xf16>
  %0 = nn.cast %d : tensor<4xf64> -> tensor<4xf32>
  %1 = nn.cast %0 : tensor<4xf32> -> tensor<4xf16>
  return %1 : tensor<4xf16>
}

// Integers wrap, truncate and lose bits: no cast through them folds, but of those
// that the float between holds.
// CHECK-LABEL: func.func @integers
func.func @integers(%i: tensor<4xi32>, %h: tensor<4xf16>, %m: tensor<4xi1>)
    -> (tensor<4xi32>, tensor<4xf16>, tensor<4xi1>) {
  // CHECK-COUNT-4: nn.cast
  // CHECK-NOT: nn.cast
  %0 = nn.cast %i : tensor<4xi32> -> tensor<4xf32>
  %1 = nn.cast %0 : tensor<4xf32> -> tensor<4xi32>
  %2 = nn.cast %h : tensor<4xf16> -> tensor<4xi64>
  %3 = nn.cast %2 : tensor<4xi64> -> tensor<4xf16>
  %4 = nn.cast %m : tensor<4xi1> -> tensor<4xf32>
  %5 = nn.cast %4 : tensor<4xf32> -> tensor<4xi1>
  return %1, %3, %5 : tensor<4xi32>, tensor<4xf16>, tensor<4xi1>
}
