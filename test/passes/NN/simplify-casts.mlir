// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-simplify-casts))' | FileCheck %s

nn.parameter @w : tensor<4x4xf32> = <zeros>

// One value is cast to one type once.
// CHECK-LABEL: func.func @share
// CHECK-SAME:    %[[X:.*]]: tensor
func.func @share(%x: tensor<4x4xf32>) -> (tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xbf16>) {
  // CHECK: %[[H:.*]] = nn.cast %[[X]] : tensor<4x4xf32> -> tensor<4x4xf16>
  // CHECK: %[[B:.*]] = nn.cast %[[X]] : tensor<4x4xf32> -> tensor<4x4xbf16>
  // CHECK-NOT: nn.cast
  // CHECK: return %[[H]], %[[H]], %[[B]]
  %0 = nn.cast %x : tensor<4x4xf32> -> tensor<4x4xf16>
  %1 = nn.cast %x : tensor<4x4xf32> -> tensor<4x4xbf16>
  %2 = nn.cast %x : tensor<4x4xf32> -> tensor<4x4xf16>
  return %0, %2, %1 : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xbf16>
}

// A cast back of an exact widening is the value, and the widening goes.
// CHECK-LABEL: func.func @exact_round_trip
// CHECK-SAME:    %[[X:.*]]: tensor
func.func @exact_round_trip(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK-NEXT: return %[[X]]
  %0 = nn.cast %x : tensor<4xf16> -> tensor<4xf32>
  %1 = nn.cast %0 : tensor<4xf32> -> tensor<4xf16>
  return %1 : tensor<4xf16>
}

// A rounding is never removed.
// CHECK-LABEL: func.func @rounding_stays
func.func @rounding_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.cast %{{.*}} : tensor<4xf32> -> tensor<4xf16>
  // CHECK: nn.cast %{{.*}} : tensor<4xf16> -> tensor<4xf32>
  %0 = nn.cast %x : tensor<4xf32> -> tensor<4xf16>
  %1 = nn.cast %0 : tensor<4xf16> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// An integer that a float holds is rounded once, from itself.
// CHECK-LABEL: func.func @exact_integers
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4xi8>, %[[B:[^:]*]]: tensor<4xi1>
func.func @exact_integers(%a: tensor<4xi8>, %b: tensor<4xi1>) -> (tensor<4xf16>, tensor<4xi8>, tensor<4xbf16>) {
  // CHECK-DAG: %[[H:.*]] = nn.cast %[[A]] : tensor<4xi8> -> tensor<4xf16>
  // CHECK-DAG: %[[T:.*]] = nn.cast %[[B]] : tensor<4xi1> -> tensor<4xbf16>
  // CHECK-NOT: nn.cast
  // CHECK:     return %[[H]], %[[A]], %[[T]]
  %0 = nn.cast %a : tensor<4xi8> -> tensor<4xf32>
  %1 = nn.cast %0 : tensor<4xf32> -> tensor<4xf16>
  %2 = nn.cast %0 : tensor<4xf32> -> tensor<4xi8>
  %3 = nn.cast %b : tensor<4xi1> -> tensor<4xf16>
  %4 = nn.cast %3 : tensor<4xf16> -> tensor<4xbf16>
  return %1, %2, %4 : tensor<4xf16>, tensor<4xi8>, tensor<4xbf16>
}

// One that it does not hold is rounded on the way, and that stays.
// CHECK-LABEL: func.func @inexact_integers
func.func @inexact_integers(%a: tensor<4xi16>, %b: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf16>) {
  // CHECK: nn.cast %{{.*}} : tensor<4xi16> -> tensor<4xf16>
  // CHECK: nn.cast %{{.*}} : tensor<4xf16> -> tensor<4xf32>
  // CHECK: nn.cast %{{.*}} : tensor<4xi64> -> tensor<4xf32>
  // CHECK: nn.cast %{{.*}} : tensor<4xf32> -> tensor<4xf16>
  %0 = nn.cast %a : tensor<4xi16> -> tensor<4xf16>
  %1 = nn.cast %0 : tensor<4xf16> -> tensor<4xf32>
  %2 = nn.cast %b : tensor<4xi64> -> tensor<4xf32>
  %3 = nn.cast %2 : tensor<4xf32> -> tensor<4xf16>
  return %1, %3 : tensor<4xf32>, tensor<4xf16>
}

// Casts that meet by folding are shared as well.
// CHECK-LABEL: func.func @share_after_fold
// CHECK-SAME:    %[[X:.*]]: tensor
func.func @share_after_fold(%x: tensor<4xf16>) -> (tensor<4xf64>, tensor<4xf64>) {
  // CHECK: %[[D:.*]] = nn.cast %[[X]] : tensor<4xf16> -> tensor<4xf64>
  // CHECK-NEXT: return %[[D]], %[[D]]
  %0 = nn.cast %x : tensor<4xf16> -> tensor<4xf64>
  %1 = nn.cast %x : tensor<4xf16> -> tensor<4xf32>
  %2 = nn.cast %1 : tensor<4xf32> -> tensor<4xf64>
  return %0, %2 : tensor<4xf64>, tensor<4xf64>
}

// What nobody reads goes, with the read of its parameter.
// CHECK-LABEL: func.func @unused
func.func @unused() {
  // CHECK-NEXT: return
  %0 = nn.get @w : tensor<4x4xf32>
  %1 = nn.cast %0 : tensor<4x4xf32> -> tensor<4x4xf16>
  %2 = nn.cast %1 : tensor<4x4xf16> -> tensor<4x4xf32>
  return
}

// Features: B21, C17, X12.
