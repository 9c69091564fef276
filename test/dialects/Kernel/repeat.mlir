// RUN: mpc-opt %s | mpc-opt | FileCheck %s

func.func private @turn(%n: tensor<2xi64>, %x: tensor<3xf16>, %w: tensor<4xf32>) -> (tensor<2xi64>, tensor<4xf32>) {
  return %n, %w : tensor<2xi64>, tensor<4xf32>
}

// CHECK-LABEL: func.func @loops(
// CHECK:         kernel.repeat @turn turns(9) reversed inits(%{{[^)]*}}) stacks(%{{[^)]*}}) constants(%{{[^)]*}}) :
// CHECK-SAME:      -> (tensor<2x2xi64>, tensor<9x4xf32>)
func.func @loops(%n: tensor<2xi64>, %x: tensor<9x3xf16>, %w: tensor<4xf32>) -> (tensor<2x2xi64>, tensor<9x4xf32>) {
  %a:2 = kernel.repeat @turn turns(9) reversed inits(%n) stacks(%x) constants(%w)
      : (tensor<2xi64>, tensor<9x3xf16>, tensor<4xf32>) -> (tensor<2x2xi64>, tensor<9x4xf32>)
  return %a#0, %a#1 : tensor<2x2xi64>, tensor<9x4xf32>
}
