// RUN: mpc-opt %s --split-input-file --nn-expand-grad --canonicalize --cse | FileCheck %s

// The gradient goes to what reads the variable, and not to what reads the value itself.
// CHECK-LABEL: func.func @variable
// CHECK-SAME:    %[[P:[^:]*]]: tensor<4xf32>, %[[S:[^:]*]]: tensor<4xf32>
// CHECK-NOT:   nn.variable
// CHECK:       %[[Y:.*]] = nn.mul %[[P]], %[[P]]
// CHECK:       %[[G:.*]] = nn.mul %[[S]], %[[P]]
// CHECK:       return %[[Y]], %[[G]]
func.func @variable(%p: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %x = nn.variable %p : tensor<4xf32>
  %y = nn.mul %x, %p : tensor<4xf32>
  %g = nn.grad(%y) seed(%s) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %g : tensor<4xf32>, tensor<4xf32>
}

// -----

// A gradient is a value with a gradient: of x^3 by x twice, 6 x, of which each summand is x.
// CHECK-LABEL: func.func @second
// CHECK-SAME:    %[[P:[^:]*]]: tensor<f32>
// CHECK:       %[[O:.*]] = nn.constant dense<1.0{{.*}}>
// CHECK:       %[[A:.*]] = nn.mul %[[P]], %[[O]]
// CHECK:       %[[A1:.*]] = nn.mul %[[A]], %[[O]]
// CHECK:       %[[B:.*]] = nn.add %[[A]], %[[A]]
// CHECK:       %[[B1:.*]] = nn.mul %[[B]], %[[O]]
// CHECK:       %[[C:.*]] = nn.add %[[A1]], %[[A1]]
// CHECK:       %[[D:.*]] = nn.add %[[C]], %[[B1]]
// CHECK:       %[[E:.*]] = nn.add %[[D]], %[[A]]
// CHECK:       %[[F:.*]] = nn.add %[[E]], %[[A]]
// CHECK:       return %[[F]]
func.func @second(%p: tensor<f32>) -> tensor<f32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %x = nn.variable %p : tensor<f32>
  %0 = nn.mul %x, %x : tensor<f32>
  %1 = nn.mul %0, %x : tensor<f32>
  %2 = nn.grad(%1) seed(%one) wrt(%x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = nn.grad(%2) seed(%one) wrt(%x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// By two variables, of which one follows from the other; both values have a seed.
// CHECK-LABEL: func.func @two
// CHECK-SAME:    %[[P:[^:]*]]: tensor<4xf32>, %[[S:[^:]*]]: tensor<4xf32>
// CHECK-DAG:   %[[E:.*]] = nn.exp %[[P]]
// CHECK-DAG:   %[[N:.*]] = nn.neg %[[S]]
// CHECK:       %[[A:.*]] = nn.add %[[S]], %[[N]]
// CHECK:       %[[D:.*]] = nn.mul %[[A]], %[[E]]
// CHECK:       return %[[D]], %[[A]]
func.func @two(%p: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %x = nn.variable %p : tensor<4xf32>
  %0 = nn.exp %x : tensor<4xf32>
  %e = nn.variable %0 : tensor<4xf32>
  %y = nn.neg %e : tensor<4xf32>
  %g:2 = nn.grad(%e, %y) seed(%s, %s) wrt(%x, %e)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>)
  return %g#0, %g#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What nothing depends on, and what is behind a stop_gradient, has zeros.
// CHECK-LABEL: func.func @none
// CHECK-DAG:   %[[Z:.*]] = nn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG:   %[[Z2:.*]] = nn.constant dense<0.000000e+00> : tensor<2xf16>
// CHECK:       return %[[Z]], %[[Z2]]
func.func @none(%p: tensor<4xf32>, %q: tensor<2xf16>) -> (tensor<4xf32>, tensor<2xf16>) {
  %x = nn.variable %p : tensor<4xf32>
  %u = nn.variable %q : tensor<2xf16>
  %0 = nn.stop_gradient %x : tensor<4xf32>
  %1 = nn.exp %0 : tensor<4xf32>
  %g:2 = nn.grad(%1) seed(%p) wrt(%x, %u) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf16>) -> (tensor<4xf32>, tensor<2xf16>)
  return %g#0, %g#1 : tensor<4xf32>, tensor<2xf16>
}

// -----

// Inside of a loop, and through it: the body has the VJP that nn.vjp of it would have.
func.func private @turn(%h: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  %v = nn.variable %h : tensor<f32>
  %0 = nn.mul %v, %v : tensor<f32>
  %1 = nn.mul %0, %x : tensor<f32>
  %g = nn.grad(%1) seed(%x) wrt(%v) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}
// CHECK-LABEL: func.func @loop
// CHECK:       nn.scan @{{.*}}forward{{.*}} turns(5)
// CHECK:       nn.scan @{{.*}}backward{{.*}} turns(5) reversed
// CHECK-NOT:   nn.grad
func.func @loop(%p: tensor<f32>, %xs: tensor<5xf32>, %s: tensor<f32>) -> tensor<f32> {
  %h = nn.variable %p : tensor<f32>
  %y = nn.scan @turn turns(5) inits(%h) stacks(%xs) : (tensor<f32>, tensor<5xf32>) -> tensor<f32>
  %g = nn.grad(%y) seed(%s) wrt(%h) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}
