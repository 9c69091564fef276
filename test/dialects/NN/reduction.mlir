// RUN: mpc-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @reduce
func.func @reduce(%x: tensor<2x3x4xf16>) {
  // CHECK: nn.reduce_sum %{{.*}} axes [0, 2] : tensor<2x3x4xf16> -> tensor<3xf16>
  %0 = nn.reduce_sum %x axes [0, 2] : tensor<2x3x4xf16> -> tensor<3xf16>
  // CHECK: nn.reduce_max %{{.*}} axes [1] : tensor<2x3x4xf16> -> tensor<2x4xf16>
  %1 = nn.reduce_max %x axes [1] : tensor<2x3x4xf16> -> tensor<2x4xf16>
  return
}

// -----

// CHECK-LABEL: func.func @cumsum
func.func @cumsum(%x: tensor<2x3xf16>) {
  // CHECK: nn.cumsum %{{.*}} axis(1) : tensor<2x3xf16>
  %0 = nn.cumsum %x axis(1) : tensor<2x3xf16>
  // CHECK: nn.cumsum %{{.*}} axis(0) reverse : tensor<2x3xf16>
  %1 = nn.cumsum %x axis(0) reverse : tensor<2x3xf16>
  return
}

// -----

func.func @cumsum_over_no_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{axis 2 is not one of the input's 2 axes}}
  %0 = nn.cumsum %x axis(2) : tensor<2x3xf32>
  return
}

// -----

func.func @sum_over_no_axis(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{axes must be distinct axes of the input}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reduce_sum %x axes [2] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @max_over_one_axis_twice(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{axes must be distinct axes of the input}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.reduce_max %x axes [1, 1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}
