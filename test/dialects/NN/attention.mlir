// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-differentiate,canonicalize,cse)' | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x4x5x8xf16>, %k: tensor<2x4x6x8xf16>, %v: tensor<2x4x6x3xf16>)
    -> (tensor<2x4x5x3xf16>, tensor<2x4x5xf32>) {
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.250000e-01)
  // CHECK-SAME: : tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x3xf16> -> tensor<2x4x5x3xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  %o, %l, %ls = nn.attention %q, %k, %v scale(0.125)
      : tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x3xf16> -> tensor<2x4x5x3xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return %o, %l : tensor<2x4x5x3xf16>, tensor<2x4x5xf32>
}

// Two query heads read each key head, of all keys before it that are near.
// CHECK-LABEL: func.func @grouped_window
func.func @grouped_window(%q: tensor<2x4x5x8xf64>, %k: tensor<2x2x5x8xf64>, %v: tensor<2x2x5x8xf64>)
    -> tensor<2x4x5xf64> {
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} scale(-1.000000e+00) causal window(3)
  %o, %l, %ls = nn.attention %q, %k, %v scale(-1.0) causal window(3)
      : tensor<2x4x5x8xf64>, tensor<2x2x5x8xf64>, tensor<2x2x5x8xf64> -> tensor<2x4x5x8xf64>, tensor<2x4x5xf64>, tensor<2x4x5xf64>
  return %l : tensor<2x4x5xf64>
}

// A mask has a type of its own.
// CHECK-LABEL: func.func @masks
func.func @masks(%q: tensor<2x4x5x8xbf16>, %k: tensor<2x4x6x8xbf16>, %v: tensor<2x4x6x8xbf16>,
                 %m: tensor<2x1x1x6xi1>, %n: tensor<1x4x5x6xf32>) -> (tensor<2x4x5x8xbf16>, tensor<2x4x5x8xbf16>) {
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : tensor<2x1x1x6xi1> scale(1.000000e+00) causal
  %o, %l, %ls = nn.attention %q, %k, %v mask %m : tensor<2x1x1x6xi1> scale(1.0) causal
      : tensor<2x4x5x8xbf16>, tensor<2x4x6x8xbf16>, tensor<2x4x6x8xbf16> -> tensor<2x4x5x8xbf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1x4x5x6xf32> scale(1.000000e+00)
  %p, %s, %ss = nn.attention %q, %k, %v mask %n : tensor<1x4x5x6xf32> scale(1.0)
      : tensor<2x4x5x8xbf16>, tensor<2x4x6x8xbf16>, tensor<2x4x6x8xbf16> -> tensor<2x4x5x8xbf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return %o, %p : tensor<2x4x5x8xbf16>, tensor<2x4x5x8xbf16>
}

// CHECK-LABEL: func.func @gradient
func.func @gradient(%q: tensor<2x4x5x8xf16>, %k: tensor<2x2x6x8xf16>, %v: tensor<2x2x6x3xf16>,
                    %m: tensor<1x1x5x6xi1>, %l: tensor<2x4x5xf32>, %t: tensor<2x4x5xf32>, %s: tensor<2x4x5xf32>, %d: tensor<2x4x5x3xf16>)
    -> tensor<2x2x6x3xf16> {
  // CHECK: nn.attention_gradient %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1x1x5x6xi1> row_max %arg4 row_sum %arg5 delta %{{.*}} d_output %{{.*}} scale(1.250000e-01) causal window(2)
  // CHECK-SAME: : tensor<2x4x5x8xf16>, tensor<2x2x6x8xf16>, tensor<2x2x6x3xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x3xf16>
  // CHECK-SAME: -> tensor<2x4x5x8xf16>, tensor<2x2x6x8xf16>, tensor<2x2x6x3xf16>
  %dq, %dk, %dv = nn.attention_gradient %q, %k, %v mask %m : tensor<1x1x5x6xi1>
      row_max %l row_sum %t delta %s d_output %d scale(0.125) causal window(2)
      : tensor<2x4x5x8xf16>, tensor<2x2x6x8xf16>, tensor<2x2x6x3xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x3xf16>
      -> tensor<2x4x5x8xf16>, tensor<2x2x6x8xf16>, tensor<2x2x6x3xf16>
  return %dv : tensor<2x2x6x3xf16>
}

// The gradient keeps no tensor of scores, and no mask's gradient is computed.
// VJP-LABEL: func.func @step
// VJP:       %[[O:.*]], %[[M:.*]], %[[S:.*]] = nn.attention
// VJP-NOT:   5x6x
// VJP:       %[[D:.*]] = nn.cast %arg3 : tensor<2x4x5x3xf16> -> tensor<2x4x5x3xf32>
// VJP:       %[[P:.*]] = nn.mul %[[D]]
// VJP:       %[[DELTA:.*]] = nn.reduce_sum %[[P]] axes [3]
// VJP:       %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = nn.attention_gradient %arg0, %arg1, %arg2 row_max %[[M]] row_sum %[[S]] delta %[[DELTA]] d_output %arg3 scale(1.250000e-01)
// VJP-NOT:   5x6x
// VJP:       return %[[O]], %[[DQ]], %[[DK]], %[[DV]]
func.func @step(%q: tensor<2x4x5x8xf16>, %k: tensor<2x4x6x8xf16>, %v: tensor<2x4x6x3xf16>,
                %d: tensor<2x4x5x3xf16>)
    -> (tensor<2x4x5x3xf16>, tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x3xf16>) {
  %0:4 = nn.vjp @output(%q, %k, %v) seed(%d) wrt [] args [0, 1, 2]
      : (tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x3xf16>), (tensor<2x4x5x3xf16>)
      -> tensor<2x4x5x3xf16>, tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x3xf16>
  return %0#0, %0#1, %0#2, %0#3 : tensor<2x4x5x3xf16>, tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x3xf16>
}
func.func @output(%q: tensor<2x4x5x8xf16>, %k: tensor<2x4x6x8xf16>, %v: tensor<2x4x6x3xf16>) -> tensor<2x4x5x3xf16> {
  %o, %l, %ls = nn.attention %q, %k, %v scale(0.125)
      : tensor<2x4x5x8xf16>, tensor<2x4x6x8xf16>, tensor<2x4x6x3xf16> -> tensor<2x4x5x3xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return %o : tensor<2x4x5x3xf16>
}

// The gradient draws again, by the same key.
// CHECK-LABEL: func.func @dropped_output
// CHECK:       nn.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.250000e-01) dropout(1.000000e-01) stream 1 key(%{{.*}}, %{{.*}}, %{{.*}} : tensor<i64>, tensor<2xi64>, tensor<i64>) :
// VJP-LABEL: func.func @dropped_step
// VJP:       nn.attention %arg0, %arg0, %arg0 scale(1.250000e-01) dropout(1.000000e-01) stream 1 key(%arg1, %arg2, %arg1
// VJP:       nn.attention_gradient %arg0, %arg0, %arg0 {{.*}} scale(1.250000e-01) dropout(1.000000e-01) stream 1 key(%arg1, %arg2, %arg1
func.func @dropped_step(%q: tensor<2x4x5x8xf32>, %n: tensor<i64>, %c: tensor<2xi64>, %d: tensor<2x4x5x8xf32>)
    -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) {
  %0:2 = nn.vjp @dropped_output(%q, %n, %c) seed(%d) wrt [] args [0]
      : (tensor<2x4x5x8xf32>, tensor<i64>, tensor<2xi64>), (tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>
  return %0#0, %0#1 : tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>
}
func.func @dropped_output(%q: tensor<2x4x5x8xf32>, %n: tensor<i64>, %c: tensor<2xi64>) -> tensor<2x4x5x8xf32> {
  %o, %l, %s = nn.attention %q, %q, %q scale(0.125) dropout(0.1) stream 1 key(%n, %c, %n : tensor<i64>, tensor<2xi64>, tensor<i64>)
      : tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return %o : tensor<2x4x5x8xf32>
}
