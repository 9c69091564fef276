// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-differentiate,symbol-dce)' | FileCheck %s

// The gradient of a loop runs the other way. What is carried is kept of each
// turn, and so is the hyperbolic tangent, which is what is carried. The
// gradients of the weight and of the bias are taken once, of all turns: a
// product with what was carried before each turn, and a sum.
// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[H:arg0]]: {{.*}}, %[[X:arg1]]: {{.*}}, %[[W:arg2]]: {{.*}}, %[[B:arg3]]: {{.*}}, %[[DL:arg4]]: {{.*}}, %[[DA:arg5]]:
// CHECK:         %[[F:.*]]:2 = nn.scan @turn_forward turns(5) inits(%[[H]]) stacks(%[[X]]) constants(%[[W]], %[[B]]) :
// CHECK-SAME:      -> (tensor<5x4x8xf32>, tensor<5x4x8xf32>)
// CHECK:         %[[S:.*]] = nn.slice %[[F]]#0 [4, 0, 0] to [5, 4, 8]
// CHECK:         %[[L:.*]] = nn.reshape %[[S]]
// CHECK:         %[[G:.*]]:3 = nn.scan @turn_backward turns(5) reversed inits(%[[DL]]) stacks(%[[DA]], %[[F]]#0, %[[X]]) constants(%[[W]]) :
// CHECK-SAME:      -> (tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<5x4x8xf32>)
// CHECK:         %[[DZ:.*]] = nn.reshape %[[G]]#2
// CHECK:         %[[FIRST:.*]] = nn.reshape %[[H]]
// CHECK:         %[[REST:.*]] = nn.slice %[[F]]#0 [0, 0, 0] to [4, 4, 8]
// CHECK:         %[[BEFORE:.*]] = nn.concat %[[FIRST]], %[[REST]] axis(0)
// CHECK:         %[[HS:.*]] = nn.reshape %[[BEFORE]]
// CHECK:         %[[DW:.*]] = nn.matmul %[[DZ]], %[[HS]] transpose_lhs : tensor<20x8xf32>, tensor<20x8xf32> -> tensor<8x8xf32>
// CHECK:         %[[DB:.*]] = nn.reduce_sum %[[G]]#2 axes [0, 1]
// CHECK:         return %[[L]], %[[F]]#1, %[[G]]#0, %[[G]]#1, %[[DW]], %[[DB]]

// CHECK-LABEL: func.func private @turn_forward(
// CHECK:         %[[N:.*]] = nn.tanh
// CHECK:         %[[Y:.*]] = nn.mul %[[N]],
// CHECK:         return %[[N]], %[[Y]] :

// CHECK-LABEL: func.func private @turn_backward(
// CHECK-NOT:     nn.tanh
// CHECK:         %[[Z:.*]] = nn.matmul {{.*}} : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK:         return %[[Z]],
func.func private @turn(%h: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = nn.linear %h, %w bias %b : tensor<8xf32> : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %s = nn.add %a, %x : tensor<4x8xf32>
  %n = nn.tanh %s : tensor<4x8xf32>
  %y = nn.mul %n, %x : tensor<4x8xf32>
  return %n, %y : tensor<4x8xf32>, tensor<4x8xf32>
}
func.func private @model(%h: tensor<4x8xf32>, %x: tensor<5x4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<5x4x8xf32>) {
  %last, %all = nn.scan @turn turns(5) inits(%h) stacks(%x) constants(%w, %b)
      : (tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<5x4x8xf32>)
  return %last, %all : tensor<4x8xf32>, tensor<5x4x8xf32>
}
func.func @step(%h: tensor<4x8xf32>, %x: tensor<5x4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>,
                %dl: tensor<4x8xf32>, %da: tensor<5x4x8xf32>)
    -> (tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %r:6 = nn.vjp @model(%h, %x, %w, %b) seed(%dl, %da) wrt [] args [0, 1, 2, 3]
      : (tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>), (tensor<4x8xf32>, tensor<5x4x8xf32>)
      -> tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5
      : tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}

// -----

// The gradient of a constant that is neither is added up from turn to turn, in
// f32. A stack of which no gradient is wanted gets none, and of a result that
// nothing depends on no cotangent is passed.
// CHECK-LABEL: func.func @scaled(
// CHECK:         nn.scan @scale_forward turns(3) reversed
// CHECK-SAME:      -> (tensor<3x4xf16>, tensor<3x4xf16>)
// CHECK:         %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK:         %[[BEFORE:.*]] = nn.concat
// CHECK:         %[[G:.*]]:2 = nn.scan @scale_backward turns(3) inits(%{{[^,]*}}, %[[ZERO]]) stacks(%[[BEFORE]]) constants(
// CHECK-SAME:      -> (tensor<4xf16>, tensor<4xf32>)
// CHECK:         nn.cast %[[G]]#1 : tensor<4xf32> -> tensor<4xf16>
func.func private @scale(%h: tensor<4xf16>, %x: tensor<4xf16>, %w: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %n = nn.mul %h, %w : tensor<4xf16>
  %y = nn.mul %n, %x : tensor<4xf16>
  return %n, %y : tensor<4xf16>, tensor<4xf16>
}
func.func private @scales(%h: tensor<4xf16>, %x: tensor<3x4xf16>, %w: tensor<4xf16>) -> tensor<4xf16> {
  %last, %all = nn.scan @scale turns(3) reversed inits(%h) stacks(%x) constants(%w)
      : (tensor<4xf16>, tensor<3x4xf16>, tensor<4xf16>) -> (tensor<4xf16>, tensor<3x4xf16>)
  return %last : tensor<4xf16>
}
func.func @scaled(%h: tensor<4xf16>, %x: tensor<3x4xf16>, %w: tensor<4xf16>, %d: tensor<4xf16>)
    -> (tensor<4xf16>, tensor<4xf16>) {
  %r:3 = nn.vjp @scales(%h, %x, %w) seed(%d) wrt [] args [0, 2]
      : (tensor<4xf16>, tensor<3x4xf16>, tensor<4xf16>), (tensor<4xf16>) -> tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
  return %r#1, %r#2 : tensor<4xf16>, tensor<4xf16>
}

// -----

// What is the same in all turns is computed by the backward loop again, and
// kept of none.
// CHECK-LABEL: func.func @rated(
// CHECK:         nn.scan @rate_forward turns(3) inits(%{{[^)]*}}) stacks(%{{[^)]*}}) constants(%{{[^)]*}}) :
// CHECK-SAME:      -> tensor<4xf32>
// CHECK:         nn.scan @rate_backward turns(3) reversed inits(%{{[^)]*}}) constants(%{{[^)]*}}) :
// CHECK-LABEL: func.func private @rate_forward(
// CHECK:         nn.exp
// CHECK:         return %{{[^,]*}} : tensor<4xf32>
// CHECK-LABEL: func.func private @rate_backward(
// CHECK:         nn.exp
func.func private @rate(%h: tensor<4xf32>, %x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %half = nn.constant dense<0.5> : tensor<4xf32>
  %z = nn.mul %w, %half : tensor<4xf32>
  %e = nn.exp %z : tensor<4xf32>
  %m = nn.mul %h, %e : tensor<4xf32>
  %n = nn.add %m, %x : tensor<4xf32>
  return %n : tensor<4xf32>
}
func.func private @rates(%h: tensor<4xf32>, %x: tensor<3x4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %last = nn.scan @rate turns(3) inits(%h) stacks(%x) constants(%w)
      : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %last : tensor<4xf32>
}
func.func @rated(%h: tensor<4xf32>, %x: tensor<3x4xf32>, %w: tensor<4xf32>, %d: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = nn.vjp @rates(%h, %x, %w) seed(%d) wrt [] args [0]
      : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The gradient of what is carried is needed for that of a stack, though nobody
// wants it of the first.
// CHECK-LABEL: func.func @shifted(
// CHECK:         nn.scan @shift_forward turns(3) inits(
// CHECK:         %[[G:.*]]:2 = nn.scan @shift_backward turns(3) reversed inits(%arg3) constants(%arg2) :
// CHECK-SAME:      -> (tensor<4xf32>, tensor<3x4xf32>)
// CHECK:         return %{{.*}}, %[[G]]#1
// CHECK-LABEL: func.func private @shift_backward(
// CHECK-SAME:    %[[D:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>)
// CHECK:         %[[N:.*]] = nn.mul %[[D]], %[[W]]
// CHECK:         return %[[N]], %[[D]]
func.func private @shift(%h: tensor<4xf32>, %x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %m = nn.mul %h, %w : tensor<4xf32>
  %n = nn.add %m, %x : tensor<4xf32>
  return %n : tensor<4xf32>
}
func.func private @shifts(%h: tensor<4xf32>, %x: tensor<3x4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %last = nn.scan @shift turns(3) inits(%h) stacks(%x) constants(%w)
      : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %last : tensor<4xf32>
}
func.func @shifted(%h: tensor<4xf32>, %x: tensor<3x4xf32>, %w: tensor<4xf32>, %d: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<3x4xf32>) {
  %r:2 = nn.vjp @shifts(%h, %x, %w) seed(%d) wrt [] args [1]
      : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<3x4xf32>
  return %r#0, %r#1 : tensor<4xf32>, tensor<3x4xf32>
}
