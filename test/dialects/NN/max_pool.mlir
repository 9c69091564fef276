// RUN: mpc-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @max_pool
func.func @max_pool(%x: tensor<2x3x9x7xf16>) {
  // CHECK: nn.max_pool %{{.*}} window [3, 2] strides [2, 1] low [1, 0] high [1, 1] dilations [1, 2]
  // CHECK-SAME: : tensor<2x3x9x7xf16> -> tensor<2x3x5x6xf16>, tensor<2x3x5x6xi64>
  %0:2 = nn.max_pool %x window [3, 2] strides [2, 1] low [1, 0] high [1, 1] dilations [1, 2]
      : tensor<2x3x9x7xf16> -> tensor<2x3x5x6xf16>, tensor<2x3x5x6xi64>
  return
}

// -----

func.func @without_space(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{input needs a spatial axis}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.max_pool %x window [] strides [] low [] high [] dilations []
      : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @one_number_for_two_axes(%x: tensor<2x3x9x7xf32>) {
  // expected-error @+2 {{window, strides, padding and dilations need one number for each of 2 spatial axes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.max_pool %x window [3] strides [1] low [0] high [0] dilations [1]
      : tensor<2x3x9x7xf32> -> tensor<2x3x7x7xf32>, tensor<2x3x7x7xi64>
  return
}

// -----

func.func @large_window(%x: tensor<1x1x4xf32>) {
  // expected-error @+2 {{window of 7 does not fit the padded input's 6 on spatial axis 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = nn.max_pool %x window [4] strides [1] low [1] high [1] dilations [2]
      : tensor<1x1x4xf32> -> tensor<1x1x1xf32>, tensor<1x1x1xi64>
  return
}
