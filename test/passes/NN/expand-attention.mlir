// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-expand-attention))' | FileCheck %s

// Scores are f32 and weights are rounded once, as a factor.
// CHECK-LABEL: func.func @half(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x4x5x8xf16>, %[[K:.*]]: tensor<2x4x6x8xf16>, %[[V:.*]]: tensor<2x4x6x3xf16>)
// CHECK-DAG:   %[[WQ:.*]] = nn.cast %[[Q]] : tensor<2x4x5x8xf16> -> tensor<2x4x5x8xf32>
// CHECK-DAG:   %[[WK:.*]] = nn.cast %[[K]] : tensor<2x4x6x8xf16> -> tensor<2x4x6x8xf32>
// CHECK:       %[[S:.*]] = nn.matmul %[[WQ]], %[[WK]] transpose_rhs : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x6xf32>
// CHECK:       %[[SCALE:.*]] = nn.constant dense<1.250000e-01>
// CHECK:       %[[L:.*]] = nn.mul %[[S]], %[[SCALE]]
// CHECK:       %[[M:.*]] = nn.reduce_max %[[L]] axes [3]
// CHECK:       %[[E:.*]] = nn.exp {{.*}} tensor<2x4x5x6xf32>
// CHECK:       %[[SUM:.*]] = nn.reduce_sum %[[E]] axes [3]
// CHECK:       %[[P:.*]] = nn.div {{.*}} tensor<2x4x5x6xf32>
// CHECK:       %[[P16:.*]] = nn.cast %[[P]] : tensor<2x4x5x6xf32> -> tensor<2x4x5x6xf16>
// CHECK:       %[[O:.*]] = nn.matmul %[[P16]], %[[V]] : tensor<2x4x5x6xf16>, tensor<2x4x6x3xf16> -> tensor<2x4x5x3xf16>
// CHECK:       return %[[O]], %[[M]], %[[SUM]]
func.func @half(%q: tensor<2x4x5x8xf16>, %k: tensor<2x4x6x8xf16>, %v: tensor<2x4x6x3xf16>)
    -> (tensor<2x4x5x3xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) {
  %o, %l, %ls = nn.attention %q, %k, %v scale(0.125)
      : tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x3xf16> -> tensor<2x4x5x3xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return %o, %l, %ls : tensor<2x4x5x3xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
}

// The queries of all heads of a key head are one matrix, so that no key is
// repeated.
// CHECK-LABEL: func.func @grouped(
// CHECK:       nn.reshape %arg0 : tensor<2x4x5x8xf32> -> tensor<2x2x10x8xf32>
// CHECK:       nn.matmul {{.*}} transpose_rhs : tensor<2x2x10x8xf32>, tensor<2x2x6x8xf32> -> tensor<2x2x10x6xf32>
// CHECK:       nn.reshape {{.*}} -> tensor<2x4x5x6xf32>
// CHECK:       %[[I:.*]] = nn.iota axis(0) : tensor<5x6xi32>
// CHECK:       %[[J:.*]] = nn.iota axis(1) : tensor<5x6xi32>
// CHECK:       nn.compare le %[[J]], %[[I]]
// CHECK:       nn.select
// CHECK:       %[[D:.*]] = nn.sub %[[I]], %[[J]]
// CHECK:       %[[N:.*]] = nn.constant dense<3> : tensor<5x6xi32>
// CHECK:       nn.compare lt %[[D]], %[[N]]
// CHECK:       nn.select
// CHECK-NOT:   nn.attention
func.func @grouped(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf32>) -> tensor<2x4x5x8xf32> {
  %o, %l, %ls = nn.attention %q, %k, %k scale(1.0) causal window(3)
      : tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return %o : tensor<2x4x5x8xf32>
}

// A mask of i1 chooses, a mask of numbers is added in f32.
// CHECK-LABEL: func.func @masks(
// CHECK:       %[[M:.*]] = nn.broadcast %arg2 axes [0, 1, 2, 3] : tensor<2x1x1x6xi1> -> tensor<2x4x5x6xi1>
// CHECK:       nn.select %[[M]], %{{.*}}, %{{.*}} : tensor<2x4x5x6xi1>, tensor<2x4x5x6xf32>
// CHECK:       %[[W:.*]] = nn.cast %arg3 : tensor<1x4x5x6xbf16> -> tensor<1x4x5x6xf32>
// CHECK:       %[[B:.*]] = nn.broadcast %[[W]] axes [0, 1, 2, 3] : tensor<1x4x5x6xf32> -> tensor<2x4x5x6xf32>
// CHECK:       nn.add %{{.*}}, %[[B]] : tensor<2x4x5x6xf32>
func.func @masks(%q: tensor<2x4x5x8xbf16>, %k: tensor<2x4x6x8xbf16>,
                 %m: tensor<2x1x1x6xi1>, %n: tensor<1x4x5x6xbf16>) -> (tensor<2x4x5x8xbf16>, tensor<2x4x5x8xbf16>) {
  %o, %l, %ls = nn.attention %q, %k, %k mask %m : tensor<2x1x1x6xi1> scale(1.0)
      : tensor<2x4x5x8xbf16>, tensor<2x4x6x8xbf16>, tensor<2x4x6x8xbf16> -> tensor<2x4x5x8xbf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  %p, %s, %ss = nn.attention %q, %k, %k mask %n : tensor<1x4x5x6xbf16> scale(1.0)
      : tensor<2x4x5x8xbf16>, tensor<2x4x6x8xbf16>, tensor<2x4x6x8xbf16> -> tensor<2x4x5x8xbf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return %o, %p : tensor<2x4x5x8xbf16>, tensor<2x4x5x8xbf16>
}

// Keys and values get sums over the queries of their group.
// CHECK-LABEL: func.func @gradient(
// CHECK:       %[[E:.*]] = nn.exp {{.*}} tensor<2x4x5x6xf32>
// CHECK:       %[[P:.*]] = nn.div %[[E]], {{.*}} tensor<2x4x5x6xf32>
// CHECK:       %[[DP:.*]] = nn.sub {{.*}} tensor<2x4x5x6xf32>
// CHECK:       %[[DL:.*]] = nn.mul %[[P]], %[[DP]]
// CHECK:       %[[DS:.*]] = nn.mul %[[DL]]
// CHECK:       nn.cast %[[DS]] : tensor<2x4x5x6xf32> -> tensor<2x4x5x6xf16>
// CHECK:       nn.matmul {{.*}} : tensor<2x2x10x6xf16>, tensor<2x2x6x8xf16> -> tensor<2x2x10x8xf16>
// CHECK:       nn.matmul {{.*}} transpose_lhs : tensor<2x2x10x6xf16>, tensor<2x2x10x8xf16> -> tensor<2x2x6x8xf16>
// CHECK:       nn.cast %[[P]] : tensor<2x4x5x6xf32> -> tensor<2x4x5x6xf16>
// CHECK:       nn.matmul {{.*}} transpose_lhs : tensor<2x2x10x6xf16>, tensor<2x2x10x3xf16> -> tensor<2x2x6x3xf16>
// CHECK-NOT:   nn.attention
func.func @gradient(%q: tensor<2x4x5x8xf16>, %k: tensor<2x2x6x8xf16>, %v: tensor<2x2x6x3xf16>,
                    %l: tensor<2x4x5xf32>, %t: tensor<2x4x5xf32>, %s: tensor<2x4x5xf32>, %d: tensor<2x4x5x3xf16>)
    -> (tensor<2x4x5x8xf16>, tensor<2x2x6x8xf16>, tensor<2x2x6x3xf16>) {
  %dq, %dk, %dv = nn.attention_gradient %q, %k, %v row_max %l row_sum %t delta %s d_output %d scale(0.125)
      : tensor<2x4x5x8xf16>, tensor<2x2x6x8xf16>, tensor<2x2x6x3xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x3xf16>
      -> tensor<2x4x5x8xf16>, tensor<2x2x6x8xf16>, tensor<2x2x6x3xf16>
  return %dq, %dk, %dv : tensor<2x4x5x8xf16>, tensor<2x2x6x8xf16>, tensor<2x2x6x3xf16>
}

// Dropout is done to weights in front of their rounding, and to what weighs the
// gradient.
// CHECK-LABEL: func.func @dropped(
// CHECK:       %[[P:.*]] = nn.div
// CHECK:       %[[D:.*]] = nn.dropout %[[P]] ratio 1.000000e-01 stream 1 key(%arg2, %arg3, %arg2 : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<2x4x5x6xf32>
// CHECK:       nn.cast %[[D]] : tensor<2x4x5x6xf32> -> tensor<2x4x5x6xf16>
// CHECK:       %[[DW:.*]] = nn.dropout %{{.*}} ratio 1.000000e-01 stream 1
// CHECK:       nn.sub %[[DW]]
// CHECK:       %[[DP:.*]] = nn.dropout %{{.*}} ratio 1.000000e-01 stream 1
// CHECK:       nn.cast %[[DP]] : tensor<2x4x5x6xf32> -> tensor<2x4x5x6xf16>
func.func @dropped(%q: tensor<2x4x5x8xf16>, %k: tensor<2x4x6x8xf16>, %n: tensor<i64>, %c: tensor<2xi64>)
    -> (tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>) {
  %o, %m, %s = nn.attention %q, %k, %k scale(0.125) dropout(0.1) stream 1 key(%n, %c, %n : tensor<i64>, tensor<2xi64>, tensor<i64>)
      : tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16> -> tensor<2x4x5x8xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  %dq, %dk, %dv = nn.attention_gradient %q, %k, %k row_max %m row_sum %s delta %s d_output %o scale(0.125)
      dropout(0.1) stream 1 key(%n, %c, %n : tensor<i64>, tensor<2xi64>, tensor<i64>)
      : tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x8xf16>
      -> tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x8xf16>
  return %o, %dv : tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>
}
