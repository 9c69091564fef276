// RUN: mpc-opt %s --split-input-file --nn-differentiate | FileCheck %s

// The call becomes the function's body and the VJPs of its ops, backwards.
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.exp %x : tensor<4xf32>
  %1 = nn.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @backwards
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<4xf32>
func.func @backwards(%x: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: nn.vjp
  // CHECK: %[[E:.*]] = nn.exp %[[X]]
  // CHECK: %[[Y:.*]] = nn.neg %[[E]]
  // CHECK: %[[DE:.*]] = nn.neg %[[S]]
  // CHECK: %[[DX:.*]] = nn.mul %[[DE]], %[[E]]
  // CHECK: return %[[Y]], %[[DX]]
  %0:2 = nn.vjp @f(%x) seed(%s) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A value with three uses gets their cotangents added in f32 and rounded once.
func.func private @three_uses(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) {
  %0 = nn.neg %x : tensor<4xf16>
  return %0, %0, %0 : tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
}
// CHECK-LABEL: func.func @accumulate
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4xf16>, %[[B:[^:]*]]: tensor<4xf16>, %[[C:[^:]*]]: tensor<4xf16>, %[[X:[^:]*]]: tensor
func.func @accumulate(%a: tensor<4xf16>, %b: tensor<4xf16>, %c: tensor<4xf16>, %x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: nn.neg
  // CHECK: %[[A32:.*]] = nn.cast %[[A]] : tensor<4xf16> -> tensor<4xf32>
  // CHECK: %[[B32:.*]] = nn.cast %[[B]] : tensor<4xf16> -> tensor<4xf32>
  // CHECK: %[[AB:.*]] = nn.add %[[A32]], %[[B32]] : tensor<4xf32>
  // CHECK: %[[C32:.*]] = nn.cast %[[C]] : tensor<4xf16> -> tensor<4xf32>
  // CHECK: %[[ABC:.*]] = nn.add %[[AB]], %[[C32]] : tensor<4xf32>
  // CHECK: nn.cast %[[ABC]] : tensor<4xf32> -> tensor<4xf16>
  // CHECK: nn.neg
  %0:4 = nn.vjp @three_uses(%x) seed(%a, %b, %c) wrt [] args [0]
      : (tensor<4xf16>), (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>)
      -> tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
  return %0#3 : tensor<4xf16>
}

// -----

// A parameter that is read twice has one gradient; one that is not read, zero.
nn.parameter @w : tensor<4xf32> = <zeros>
nn.parameter @unused : tensor<2x3xf32> = <zeros>
func.func private @tied(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.get @w : tensor<4xf32>
  %1 = nn.mul %x, %0 : tensor<4xf32>
  %2 = nn.get @w : tensor<4xf32>
  %3 = nn.add %1, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
// CHECK-LABEL: func.func @parameters
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[S:[^:]*]]: tensor
func.func @parameters(%x: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x3xf32>) {
  // CHECK: nn.get @w
  // CHECK: nn.get @w
  // CHECK: %[[M:.*]] = nn.mul %[[S]], %[[X]]
  // CHECK: %[[DW:.*]] = nn.add %[[M]], %[[S]]
  // CHECK: %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<2x3xf32>
  // CHECK: return %[[DW]], %[[ZERO]]
  %0:3 = nn.vjp @tied(%x) seed(%s) wrt [@w, @unused]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>, tensor<2x3xf32>
  return %0#1, %0#2 : tensor<4xf32>, tensor<2x3xf32>
}

// -----

// Nothing is built for what no gradient is asked of.
func.func private @product(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = nn.exp %y : tensor<4x4xf32>
  %1 = nn.add %x, %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
// CHECK-LABEL: func.func @inactive
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x4xf32>, %[[S:[^:]*]]: tensor
func.func @inactive(%x: tensor<4x4xf32>, %s: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: nn.exp
  // CHECK-NEXT: nn.add
  // CHECK-NEXT: return %[[S]]
  %0:2 = nn.vjp @product(%x, %x) seed(%s) wrt [] args [0]
      : (tensor<4x4xf32>, tensor<4x4xf32>), (tensor<4x4xf32>) -> tensor<4x4xf32>, tensor<4x4xf32>
  return %0#1 : tensor<4x4xf32>
}

// -----

// One value passed for two arguments has a gradient for each of them.
func.func private @two_arguments(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.neg %y : tensor<4xf32>
  %1 = nn.add %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @one_value_twice
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[S:[^:]*]]: tensor
func.func @one_value_twice(%x: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: nn.add
  // CHECK: %[[DY:.*]] = nn.neg %[[S]]
  // CHECK-NEXT: return %[[S]], %[[DY]]
  %0:3 = nn.vjp @two_arguments(%x, %x) seed(%s) wrt [] args [0, 1]
      : (tensor<4xf32>, tensor<4xf32>), (tensor<4xf32>)
      -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// An argument that is a result as well gets the seed itself.
func.func private @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// CHECK-LABEL: func.func @of_identity
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[S:[^:]*]]: tensor
func.func @of_identity(%x: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: return %[[X]], %[[S]]
  %0:2 = nn.vjp @identity(%x) seed(%s) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The inner vjp is expanded first, so that the outer one sees plain ops.
func.func private @sin(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.sin %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @slope(%x: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = nn.vjp @sin(%x) seed(%s) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}
// CHECK-LABEL: func.func private @slope
// CHECK-NOT: nn.vjp
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[S:[^:]*]]: tensor<4xf32>, %[[T:[^:]*]]: tensor
func.func @nested(%x: tensor<4xf32>, %s: tensor<4xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: nn.vjp
  // CHECK: nn.cos %[[X]]
  // CHECK: %[[D:.*]] = nn.mul %[[T]], %[[S]]
  // CHECK: %[[SIN:.*]] = nn.sin %[[X]]
  // CHECK: %[[P:.*]] = nn.mul %[[D]], %[[SIN]]
  // CHECK: %[[N:.*]] = nn.neg %[[P]]
  // CHECK: return %[[N]]
  %0:2 = nn.vjp @slope(%x, %s) seed(%t) wrt [] args [0]
      : (tensor<4xf32>, tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}

// -----

// The cotangent of a cast is cast back, and integers have none.
func.func private @cast(%x: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xf16> {
  %0 = nn.cast %x : tensor<4xf32> -> tensor<4xf16>
  %1 = nn.cast %i : tensor<4xi32> -> tensor<4xf16>
  %2 = nn.add %0, %1 : tensor<4xf16>
  return %2 : tensor<4xf16>
}
// CHECK-LABEL: func.func @of_cast
// CHECK-SAME:    %[[S:[^:]*]]: tensor<4xf16>
func.func @of_cast(%s: tensor<4xf16>, %x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK: %[[DX:.*]] = nn.cast %[[S]] : tensor<4xf16> -> tensor<4xf32>
  // CHECK: %[[DI:.*]] = nn.constant dense<0> : tensor<4xi32>
  // CHECK: return %[[DX]], %[[DI]]
  %0:3 = nn.vjp @cast(%x, %i) seed(%s) wrt [] args [0, 1]
      : (tensor<4xf32>, tensor<4xi32>), (tensor<4xf16>) -> tensor<4xf16>, tensor<4xf32>, tensor<4xi32>
  return %0#1, %0#2 : tensor<4xf32>, tensor<4xi32>
}

// Features: B24, G2.

// -----

// y = x * stop(exp x): the gradient is exp x alone, and what stopped it is
// gone.
func.func private @stopped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.exp %x : tensor<4xf32>
  %1 = nn.stop_gradient %0 : tensor<4xf32>
  %2 = nn.mul %x, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
// CHECK-NOT:   nn.stop_gradient
// CHECK-LABEL: func.func @stop
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<4xf32>
func.func @stop(%x: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[E:.*]] = nn.exp %[[X]]
  // CHECK: %[[D:.*]] = nn.mul %[[S]], %[[E]]
  // CHECK: return %[[D]]
  %0:2 = nn.vjp @stopped(%x) seed(%s) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}

// -----

// The gradient of a ReLU asks its result, which the product keeps anyway, and so does that of a leaky one.
func.func private @activations(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.relu %x : tensor<4xf32>
  %1 = nn.leaky_relu %0 alpha 1.000000e-01 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @results
func.func @results(%x: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = nn.relu
  // CHECK: %[[L:.*]] = nn.leaky_relu %[[R]]
  // CHECK: nn.compare gt %[[L]]
  // CHECK: nn.compare gt %[[R]]
  %0:2 = nn.vjp @activations(%x) seed(%s) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}
