// Where a vector is 0, the gradient of its quotient by its norm is beyond f16
// whatever the loss scale: there, and only there, it is bounded.
// RUN: mpc-opt %s --nn-bound-gradients | FileCheck %s
// RUN: mpc-opt %s --nn-differentiate | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @normalize
// CHECK: nn.cast %{{.*}} {nn.bounded_at_zero} : tensor<4x8xf16> -> tensor<4x8xf32>
func.func @normalize(%x: tensor<4x8xf16>) -> tensor<4x8xf32> {
  %eps = nn.constant dense<1.0e-12> : tensor<4xf32>
  %wide = nn.cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %0 = nn.mul %wide, %wide : tensor<4x8xf32>
  %1 = nn.reduce_sum %0 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %2 = nn.sqrt %1 : tensor<4xf32>
  %3 = nn.maximum %2, %eps : tensor<4xf32>
  %4 = nn.broadcast %3 axes [0] : tensor<4xf32> -> tensor<4x8xf32>
  %5 = nn.div %wide, %4 : tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// By way of a product with the reciprocal root, and of a sum of products.
// CHECK-LABEL: func.func @roots
// CHECK: nn.cast %{{.*}} {nn.bounded_at_zero} : tensor<4x8xf16> -> tensor<4x8xf32>
// CHECK: nn.cast %{{.*}} {nn.bounded_at_zero} : tensor<4x8xf16> -> tensor<4x8xf32>
func.func @roots(%x: tensor<4x8xf16>, %y: tensor<4x8xf16>, %s: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %eps = nn.constant dense<1.0e-12> : tensor<4xf32>
  %small = nn.constant dense<1.0e-8> : tensor<4xf32>
  %x1 = nn.cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %0 = nn.add %s, %eps : tensor<4xf32>
  %1 = nn.rsqrt %0 : tensor<4xf32>
  %2 = nn.broadcast %1 axes [0] : tensor<4xf32> -> tensor<4x8xf32>
  %3 = nn.mul %2, %x1 : tensor<4x8xf32>
  %y1 = nn.cast %y : tensor<4x8xf16> -> tensor<4x8xf32>
  %4 = nn.mul %y1, %3 : tensor<4x8xf32>
  %5 = nn.reduce_sum %4 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %6 = nn.maximum %s, %small : tensor<4xf32>
  %7 = nn.mul %6, %6 : tensor<4xf32>
  %8 = nn.div %5, %7 : tensor<4xf32>
  return %3, %8 : tensor<4x8xf32>, tensor<4xf32>
}

// 1 / 1e-3 is no such factor, nor is bf16 too small, nor a divisor that nothing
// keeps from 0.
// CHECK-LABEL: func.func @others
// CHECK-NOT: bounded_at_zero
// CHECK: return
func.func @others(%x: tensor<4x8xf16>, %y: tensor<4x8xbf16>, %s: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %eps = nn.constant dense<1.0e-3> : tensor<4x8xf32>
  %small = nn.constant dense<1.0e-12> : tensor<4x8xf32>
  %x1 = nn.cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %0 = nn.maximum %s, %eps : tensor<4x8xf32>
  %1 = nn.div %x1, %0 : tensor<4x8xf32>
  %y1 = nn.cast %y : tensor<4x8xbf16> -> tensor<4x8xf32>
  %2 = nn.maximum %s, %small : tensor<4x8xf32>
  %3 = nn.div %y1, %2 : tensor<4x8xf32>
  %x2 = nn.cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %4 = nn.div %x2, %s : tensor<4x8xf32>
  %x3 = nn.cast %x : tensor<4x8xf16> -> tensor<4x8xf32>
  %5 = nn.rms_norm %x3 axis(1) epsilon(1.0e-6) : tensor<4x8xf32>
  return %1, %3, %4, %5 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// VJP-LABEL: func.func @backwards
// VJP-SAME:    %[[X:.*]]: tensor<8xf16>, %[[S:.*]]: tensor<8xf32>
// VJP-DAG: %[[MOST:.*]] = nn.constant dense<6.550400e+04> : tensor<8xf32>
// VJP-DAG: %[[LEAST:.*]] = nn.constant dense<-6.550400e+04> : tensor<8xf32>
// VJP-DAG: %[[SIZE:.*]] = nn.abs %[[S]]
// VJP-DAG: %[[FINITE:.*]] = nn.compare lt %[[SIZE]]
// VJP-DAG: %[[HIGH:.*]] = nn.maximum %[[S]], %[[LEAST]]
// VJP-DAG: %[[BOTH:.*]] = nn.minimum %[[HIGH]], %[[MOST]]
// VJP-DAG: %[[WIDE:.*]] = nn.cast %[[X]] : tensor<8xf16> -> tensor<8xf32>
// VJP-DAG: %[[ZERO:.*]] = nn.compare eq %[[WIDE]]
// VJP: %[[BOUNDED:.*]] = nn.select %[[FINITE]], %[[BOTH]], %[[S]]
// VJP: %[[D:.*]] = nn.select %[[ZERO]], %[[BOUNDED]], %[[S]]
// VJP: nn.cast %[[D]] : tensor<8xf32> -> tensor<8xf16>
func.func private @bounded(%x: tensor<8xf16>) -> tensor<8xf32> {
  %0 = nn.cast %x {nn.bounded_at_zero} : tensor<8xf16> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @backwards(%x: tensor<8xf16>, %s: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf16>) {
  %0:2 = nn.vjp @bounded(%x) seed(%s) wrt [] args [0]
      : (tensor<8xf16>), (tensor<8xf32>) -> tensor<8xf32>, tensor<8xf16>
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf16>
}
