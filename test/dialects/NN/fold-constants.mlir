// RUN: mpc-opt %s --canonicalize | FileCheck %s

// Arithmetic of constants is the op's scalar body, in the op's types.

// CHECK-LABEL: func @integers
// CHECK-DAG:     nn.constant dense<[-8, 4, -2]> : tensor<3xi8>
// CHECK-DAG:     nn.constant dense<[-1, 0, 1]> : tensor<3xi64>
// CHECK-DAG:     nn.constant dense<[-3, 0, 2]> : tensor<3xi64>
// CHECK-DAG:     nn.constant dense<[true, false, false]> : tensor<3xi1>
func.func @integers() -> (tensor<3xi8>, tensor<3xi64>, tensor<3xi64>,
                          tensor<3xi1>) {
  %a = nn.constant dense<[124, 2, -1]> : tensor<3xi8>
  %b = nn.constant dense<[124, 2, -1]> : tensor<3xi8>
  %sum = nn.add %a, %b : tensor<3xi8>
  %x = nn.constant dense<[-7, 0, 5]> : tensor<3xi64>
  %y = nn.constant dense<2> : tensor<3xi64>
  %rest = nn.rem %x, %y : tensor<3xi64>
  %quotient = nn.div %x, %y : tensor<3xi64>
  %less = nn.compare lt %x, %quotient : tensor<3xi64> -> tensor<3xi1>
  return %sum, %rest, %quotient, %less : tensor<3xi8>, tensor<3xi64>, tensor<3xi64>, tensor<3xi1>
}

// 2049 is no f16: the sum is rounded once, to even.
// CHECK-LABEL: func @floats
// CHECK-DAG:     nn.constant dense<[2.048000e+03, 5.000000e-01]> : tensor<2xf16>
// CHECK-DAG:     nn.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK-DAG:     nn.constant dense<[-2, 1]> : tensor<2xi32>
func.func @floats() -> (tensor<2xf16>, tensor<2xf32>, tensor<2xi32>) {
  %a = nn.constant dense<[2048.0, 0.25]> : tensor<2xf16>
  %b = nn.constant dense<[1.0, 0.25]> : tensor<2xf16>
  %sum = nn.add %a, %b : tensor<2xf16>
  %c = nn.constant dense<[4.0, 9.0]> : tensor<2xf32>
  %root = nn.sqrt %c : tensor<2xf32>
  %d = nn.constant dense<[-2.75, 1.5]> : tensor<2xf32>
  %whole = nn.cast %d : tensor<2xf32> -> tensor<2xi32>
  return %sum, %root, %whole : tensor<2xf16>, tensor<2xf32>, tensor<2xi32>
}

// CHECK-LABEL: func @movement
// CHECK-DAG:     nn.constant dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi64>
// CHECK-DAG:     nn.constant dense<{{\[}}[1, 3], [4, 6]]> : tensor<2x2xi64>
// CHECK-DAG:     nn.constant dense<{{\[}}[6, 5, 4], [3, 2, 1]]> : tensor<2x3xi64>
// CHECK-DAG:     nn.constant dense<{{\[}}[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]> : tensor<2x6xi64>
// CHECK-DAG:     nn.constant dense<{{\[}}[9, 2, 9, 3, 9], [9, 5, 9, 6, 9]]> : tensor<2x5xi64>
// CHECK-DAG:     nn.constant dense<{{\[}}[6, 4], [3, 1]]> : tensor<2x2xi64>
func.func @movement() -> (tensor<3x2xi64>, tensor<2x2xi64>, tensor<2x3xi64>,
                          tensor<2x6xi64>, tensor<2x5xi64>, tensor<2x2xi64>) {
  %a = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %transpose = nn.transpose %a [1, 0] : tensor<2x3xi64> -> tensor<3x2xi64>
  %slice = nn.slice %a [0, 0] to [2, 3] by [1, 2] : tensor<2x3xi64> -> tensor<2x2xi64>
  %reverse = nn.reverse %a axes [0, 1] : tensor<2x3xi64>
  %concat = nn.concat %a, %a axis(1) : tensor<2x3xi64>, tensor<2x3xi64> -> tensor<2x6xi64>
  %pad = nn.pad %a low [0, -1] high [0, 1] interior [0, 1] value 9.0 : tensor<2x3xi64> -> tensor<2x5xi64>
  %i = nn.constant dense<[2, 0]> : tensor<2xi64>
  %gather = nn.gather %reverse, %i axis(1) : tensor<2x3xi64>, tensor<2xi64> -> tensor<2x2xi64>
  %flip = nn.reverse %gather axes [1] : tensor<2x2xi64>
  return %transpose, %slice, %reverse, %concat, %pad, %flip : tensor<3x2xi64>, tensor<2x2xi64>, tensor<2x3xi64>, tensor<2x6xi64>, tensor<2x5xi64>, tensor<2x2xi64>
}

// CHECK-LABEL: func @index
// CHECK-DAG:     nn.constant dense<[5.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK-DAG:     nn.constant dense<[6.000000e+00, 1.500000e+01]> : tensor<2xf32>
// CHECK-DAG:     nn.constant dense<6.000000e+00> : tensor<f32>
// CHECK-DAG:     nn.constant dense<[true, false]> : tensor<2xi1>
// CHECK-DAG:     nn.constant dense<[false, true]> : tensor<2xi1>
func.func @index() -> (tensor<3xf32>, tensor<2xf32>, tensor<f32>, tensor<2xi1>,
                       tensor<2xi1>) {
  %u = nn.constant dense<[1.0, 3.0, 4.0]> : tensor<3xf32>
  %i = nn.constant dense<[0, -1, -3]> : tensor<3xi64>
  %scatter = nn.scatter_add %u, %i axis(0) : tensor<3xf32>, tensor<3xi64> -> tensor<3xf32>
  %a = nn.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %sum = nn.reduce_sum %a axes [1] : tensor<2x3xf32> -> tensor<2xf32>
  %max = nn.reduce_max %a axes [0, 1] : tensor<2x3xf32> -> tensor<f32>
  %m = nn.constant dense<[true, false, false, true]> : tensor<4xi1>
  %left, %right = nn.split %m axis(0) : tensor<4xi1> -> tensor<2xi1>, tensor<2xi1>
  return %scatter, %sum, %max, %left, %right : tensor<3xf32>, tensor<2xf32>, tensor<f32>, tensor<2xi1>, tensor<2xi1>
}

// Integers are exact beyond 2^53, have the sign of their type, and wrap.
// CHECK-LABEL: func @integers_at_places
// CHECK-DAG:     nn.constant dense<[4, 0, 254]> : tensor<3xui8>
// CHECK-DAG:     nn.constant dense<[9223372036854775809, 2]> : tensor<2xui64>
// CHECK-DAG:     nn.constant dense<[-9007199254740993, 2]> : tensor<2xi64>
// CHECK-DAG:     nn.constant dense<[27021597764222979, 2]> : tensor<2xi64>
func.func @integers_at_places() -> (tensor<3xui8>, tensor<2xui64>, tensor<2xi64>, tensor<2xi64>) {
  %u = nn.constant dense<[254, 250, 10]> : tensor<3xui8>
  %i = nn.constant dense<[-1, 0, 0]> : tensor<3xi64>
  %sum = nn.scatter_add %u, %i axis(0) : tensor<3xui8>, tensor<3xi64> -> tensor<3xui8>
  %at = nn.constant dense<[0]> : tensor<1xi64>
  %a = nn.constant dense<[3, 2]> : tensor<2xui64>
  %b = nn.constant dense<[9223372036854775809]> : tensor<1xui64>
  %max = nn.scatter_reduce max %a, %b, %at : tensor<2xui64>, tensor<1xui64>, tensor<1xi64>
  %c = nn.constant dense<[3, 2]> : tensor<2xi64>
  %d = nn.constant dense<[-9007199254740993]> : tensor<1xi64>
  %min = nn.scatter_reduce min %c, %d, %at : tensor<2xi64>, tensor<1xi64>, tensor<1xi64>
  %e = nn.constant dense<[9007199254740993]> : tensor<1xi64>
  %product = nn.scatter_reduce mul %c, %e, %at : tensor<2xi64>, tensor<1xi64>, tensor<1xi64>
  return %sum, %max, %min, %product : tensor<3xui8>, tensor<2xui64>, tensor<2xi64>, tensor<2xi64>
}

// A known condition chooses, and what is repeated stays small.
// CHECK-LABEL: func @stays
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK:         %[[B:.*]] = nn.broadcast %{{.*}} axes [1] : tensor<2xi64> -> tensor<4096x2xi64>
// CHECK:         return %[[X]], %[[B]]
func.func @stays(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<4096x2xi64>) {
  %true = nn.constant dense<true> : tensor<8xi1>
  %zero = nn.constant dense<0.0> : tensor<8xf32>
  %r = nn.select %true, %x, %zero : tensor<8xi1>, tensor<8xf32>
  %c = nn.constant dense<[1, 2]> : tensor<2xi64>
  %b = nn.broadcast %c axes [1] : tensor<2xi64> -> tensor<4096x2xi64>
  return %r, %b : tensor<8xf32>, tensor<4096x2xi64>
}

// Small tensors of integers, as the sizes of a one-hot vector.
// CHECK-LABEL: @picked
// CHECK: nn.constant dense<[7, 2, 9]> : tensor<3xi64>
// CHECK-NOT: nn.select
func.func @picked() -> tensor<3xi64> {
  %c = nn.constant dense<[true, false, true]> : tensor<3xi1>
  %a = nn.constant dense<[7, 8, 9]> : tensor<3xi64>
  %b = nn.constant dense<[1, 2, 3]> : tensor<3xi64>
  %r = nn.select %c, %a, %b : tensor<3xi1>, tensor<3xi64>
  return %r : tensor<3xi64>
}
