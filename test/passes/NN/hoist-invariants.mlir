// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-hoist-invariants)' | FileCheck %s

// A cast of a weight, and what follows from it and a constant, is computed
// before the loop. What depends on a turn stays, and so does the constant.
// CHECK-LABEL: func.func private @turn(
// CHECK-SAME:    %[[H:.*]]: tensor<4x8xf32>, %{{.*}}: tensor<8x8xf32>, %[[T:.*]]: tensor<8x8xf16>)
// CHECK-NEXT:    %[[K:.*]] = nn.constant dense<2.0
// CHECK-NEXT:    %[[N:.*]] = nn.cast %[[H]]
// CHECK-NEXT:    %[[P:.*]] = nn.linear %[[N]], %[[T]]
// CHECK-NEXT:    nn.cast %[[P]]
// CHECK-LABEL: func.func @model(
// CHECK-SAME:    %{{.*}}: {{.*}}, %[[W:.*]]: tensor<8x8xf32>)
// CHECK-DAG:     %[[C:.*]] = nn.cast %[[W]]
// CHECK-DAG:     %[[K:.*]] = nn.constant dense<2.0
// CHECK:         %[[M:.*]] = nn.mul %[[C]], %[[K]]
// CHECK:         nn.scan @turn turns(5) inits(%{{[^)]*}}) constants(%[[W]], %[[M]])
func.func private @turn(%h: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %c = nn.cast %w : tensor<8x8xf32> -> tensor<8x8xf16>
  %k = nn.constant dense<2.0> : tensor<8x8xf16>
  %m = nn.mul %c, %k : tensor<8x8xf16>
  %n = nn.cast %h : tensor<4x8xf32> -> tensor<4x8xf16>
  %p = nn.linear %n, %m : tensor<4x8xf16>, tensor<8x8xf16> -> tensor<4x8xf16>
  %r = nn.cast %p : tensor<4x8xf16> -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
func.func @model(%h: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %l = nn.scan @turn turns(5) inits(%h) constants(%w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %l : tensor<4x8xf32>
}

// A body of two loops stays as it is.
// CHECK-LABEL: func.func private @shared(
// CHECK:         nn.cast
// CHECK-LABEL: func.func @twice(
// CHECK-NOT:     nn.cast
func.func private @shared(%h: tensor<4xf32>, %w: tensor<4xf16>) -> tensor<4xf32> {
  %c = nn.cast %w : tensor<4xf16> -> tensor<4xf32>
  %r = nn.add %h, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @twice(%h: tensor<4xf32>, %w: tensor<4xf16>) -> tensor<4xf32> {
  %a = nn.scan @shared turns(5) inits(%h) constants(%w) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  %b = nn.scan @shared turns(3) inits(%a) constants(%w) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// What leaves the inner one of two loops leaves the outer one with it.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[H:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>)
// CHECK:         %[[E:.*]] = nn.exp %[[W]]
// CHECK:         nn.scan @outer turns(3) inits(%[[H]]) constants(%[[W]], %[[E]])
// CHECK-LABEL: func.func private @outer(
// CHECK-NOT:     nn.exp
// CHECK:         nn.scan @inner turns(2)
// CHECK-LABEL: func.func private @inner(
// CHECK-NOT:     nn.exp
// CHECK:         return
func.func @nested(%h: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %r = nn.scan @outer turns(3) inits(%h) constants(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @outer(%h: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %r = nn.scan @inner turns(2) inits(%h) constants(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @inner(%h: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %e = nn.exp %w : tensor<4xf32>
  %r = nn.mul %h, %e : tensor<4xf32>
  return %r : tensor<4xf32>
}
