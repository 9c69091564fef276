// RUN: mpc-opt %s --canonicalize | FileCheck %s

// A constant of more than 2^20 elements, or of 2^16 where reals are computed,
// is not made while compiling, whichever of its operands or results is large.

// CHECK-LABEL: func @large_result
// CHECK:         nn.scatter_add
// CHECK:         nn.scatter_reduce
// CHECK:         nn.gather
// CHECK:         nn.pad
// CHECK:         nn.concat
// CHECK:         nn.bitcast
// CHECK:         return
func.func @large_result() -> (tensor<1048577xf32>, tensor<65537xf32>,
                              tensor<1048577xf32>, tensor<1048577xf32>,
                              tensor<1048577xf32>, tensor<1048577xi32>) {
  %u = nn.constant dense<1.0> : tensor<1xf32>
  %i = nn.constant dense<0> : tensor<1xi64>
  %large = nn.constant dense<1.0> : tensor<65537xf32>
  %half = nn.constant dense<2.0> : tensor<1048576xf32>
  %whole = nn.constant dense<2.0> : tensor<1048577xf32>
  %0 = nn.scatter_add %u, %i axis(0) : tensor<1xf32>, tensor<1xi64> -> tensor<1048577xf32>
  %1 = nn.scatter_reduce mul %large, %u, %i : tensor<65537xf32>, tensor<1xf32>, tensor<1xi64>
  %places = nn.constant dense<0> : tensor<1048577xi64>
  %2 = nn.gather %u, %places axis(0) : tensor<1xf32>, tensor<1048577xi64> -> tensor<1048577xf32>
  %3 = nn.pad %u low [0] high [1048576] interior [0] value 9.0 : tensor<1xf32> -> tensor<1048577xf32>
  %4 = nn.concat %half, %u axis(0) : tensor<1048576xf32>, tensor<1xf32> -> tensor<1048577xf32>
  %5 = nn.bitcast %whole : tensor<1048577xf32> -> tensor<1048577xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<1048577xf32>, tensor<65537xf32>, tensor<1048577xf32>, tensor<1048577xf32>, tensor<1048577xf32>, tensor<1048577xi32>
}

// CHECK-LABEL: func @large_operand
// CHECK:         nn.scatter_add
// CHECK:         nn.scatter_reduce
// CHECK:         nn.rank
// CHECK:         nn.reduce_sum
// CHECK:         return
func.func @large_operand() -> (tensor<2xf32>, tensor<2xf32>, tensor<65537xi64>,
                               tensor<f32>) {
  %many = nn.constant dense<1.0> : tensor<1048577xf32>
  %places = nn.constant dense<0> : tensor<1048577xi64>
  %0 = nn.scatter_add %many, %places axis(0) : tensor<1048577xf32>, tensor<1048577xi64> -> tensor<2xf32>
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %large = nn.constant dense<1.0> : tensor<65537xf32>
  %rows = nn.constant dense<0> : tensor<65537xi64>
  %1 = nn.scatter_reduce mul %x, %large, %rows : tensor<2xf32>, tensor<65537xf32>, tensor<65537xi64>
  %2 = nn.rank %large : tensor<65537xf32> -> tensor<65537xi64>
  %3 = nn.reduce_sum %large axes [0] : tensor<65537xf32> -> tensor<f32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<65537xi64>, tensor<f32>
}
