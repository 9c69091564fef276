// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(kernel-lower-bodies))' | FileCheck %s --check-prefix=LOWER

func.func private @turn(%n: tensor<2xi64>, %h: tensor<4xf32>, %x: tensor<3xf16>, %w: tensor<4xf32>)
    -> (tensor<2xi64>, tensor<4xf32>, tensor<3xf16>) {
  return %n, %w, %x : tensor<2xi64>, tensor<4xf32>, tensor<3xf16>
}

// What is carried is the last value, or that of each turn.
// CHECK-LABEL: func.func @model(
// CHECK:         nn.scan @turn turns(9) inits(%{{[^)]*}}) stacks(%{{[^)]*}}) constants(%{{[^)]*}}) :
// CHECK-SAME:      -> (tensor<2xi64>, tensor<9x4xf32>, tensor<9x3xf16>)
// CHECK:         nn.scan @turn turns(9) reversed inits(
// CHECK-SAME:      -> (tensor<9x2xi64>, tensor<4xf32>, tensor<9x3xf16>)

// Of a last value two entries are kept: the ninth turn writes the first one.
// LOWER-LABEL: func.func @model(
// LOWER:         %[[R:.*]]:3 = kernel.repeat @turn turns(9) inits(
// LOWER-SAME:      -> (tensor<2x2xi64>, tensor<9x4xf32>, tensor<9x3xf16>)
// LOWER:         %[[V:.*]] = kernel.view %[[R]]#0[0] : tensor<2x2xi64> -> tensor<2xi64>
// LOWER:         %[[S:.*]]:3 = kernel.repeat @turn turns(9) reversed inits(
// LOWER-SAME:      -> (tensor<9x2xi64>, tensor<2x4xf32>, tensor<9x3xf16>)
// LOWER:         kernel.view %[[S]]#1[0] : tensor<2x4xf32> -> tensor<4xf32>
// LOWER:         %[[T:.*]] = kernel.repeat @even turns(2) reversed
// LOWER-SAME:      -> tensor<2x4xf32>
// LOWER:         kernel.view %[[T]][0] : tensor<2x4xf32> -> tensor<4xf32>
// LOWER:         %[[F:.*]] = kernel.repeat @four turns(4)
// LOWER-SAME:      -> tensor<2x4xf32>
// LOWER:         kernel.view %[[F]][4] : tensor<2x4xf32> -> tensor<4xf32>
func.func private @even(%h: tensor<4xf32>) -> tensor<4xf32> {
  return %h : tensor<4xf32>
}
func.func private @four(%h: tensor<4xf32>) -> tensor<4xf32> {
  return %h : tensor<4xf32>
}
func.func @model(%n: tensor<2xi64>, %h: tensor<4xf32>, %x: tensor<9x3xf16>, %w: tensor<4xf32>)
    -> (tensor<2xi64>, tensor<9x4xf32>, tensor<9x2xi64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a:3 = nn.scan @turn turns(9) inits(%n, %h) stacks(%x) constants(%w)
      : (tensor<2xi64>, tensor<4xf32>, tensor<9x3xf16>, tensor<4xf32>) -> (tensor<2xi64>, tensor<9x4xf32>, tensor<9x3xf16>)
  %b:3 = nn.scan @turn turns(9) reversed inits(%n, %h) stacks(%x) constants(%w)
      : (tensor<2xi64>, tensor<4xf32>, tensor<9x3xf16>, tensor<4xf32>) -> (tensor<9x2xi64>, tensor<4xf32>, tensor<9x3xf16>)
  %c = nn.scan @even turns(2) reversed inits(%h) : (tensor<4xf32>) -> tensor<4xf32>
  %d = nn.scan @four turns(4) inits(%h) : (tensor<4xf32>) -> tensor<4xf32>
  return %a#0, %a#1, %b#0, %b#1, %c, %d
      : tensor<2xi64>, tensor<9x4xf32>, tensor<9x2xi64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
