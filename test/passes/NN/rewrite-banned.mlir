// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-rewrite-banned))' | FileCheck %s

// Binary cross entropy as PyTorch defines it: both logarithms come from the
// logits, and so does nothing else.
// CHECK-LABEL: func.func @bce
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<4xf32>
func.func @bce(%x: tensor<4xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: nn.log
  // CHECK:     %[[NX:.*]] = nn.neg %[[X]]
  // CHECK:     %[[L0:.*]] = nn.softplus %[[NX]]
  // CHECK:     %[[P:.*]] = nn.neg %[[L0]]
  // CHECK:     nn.mul %[[T]], %[[P]]
  // CHECK:     %[[L1:.*]] = nn.softplus %[[X]]
  // CHECK:     %[[Q:.*]] = nn.neg %[[L1]]
  // CHECK:     nn.mul %{{.*}}, %[[Q]]
  // CHECK-NOT: nn.log
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %p = nn.sigmoid %x : tensor<4xf32>
  %logp = nn.log %p : tensor<4xf32>
  %a = nn.mul %t, %logp : tensor<4xf32>
  %q = nn.sub %one, %p : tensor<4xf32>
  %logq = nn.log %q : tensor<4xf32>
  %s = nn.sub %one, %t : tensor<4xf32>
  %b = nn.mul %s, %logq : tensor<4xf32>
  %sum = nn.add %a, %b : tensor<4xf32>
  %y = nn.neg %sum : tensor<4xf32>
  return %y : tensor<4xf32>
}

// log1p(-p) comes as log(-p + 1), a scalar one as a broadcast, and a squeeze
// may stand between.
// CHECK-LABEL: func.func @spellings
// CHECK-SAME:    (%[[X:.*]]: tensor<4x1xf32>
func.func @spellings(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  // CHECK:     %[[L:.*]] = nn.softplus %[[X]] : tensor<4x1xf32>
  // CHECK:     %[[N:.*]] = nn.neg %[[L]]
  // CHECK:     %[[R:.*]] = nn.reshape %[[N]] : tensor<4x1xf32> -> tensor<4xf32>
  // CHECK:     return %[[R]]
  %scalar = nn.constant dense<1.0> : tensor<f32>
  %one = nn.broadcast %scalar axes [] : tensor<f32> -> tensor<4xf32>
  %p = nn.sigmoid %x : tensor<4x1xf32>
  %r = nn.reshape %p : tensor<4x1xf32> -> tensor<4xf32>
  %n = nn.neg %r : tensor<4xf32>
  %q = nn.add %n, %one : tensor<4xf32>
  %y = nn.log %q : tensor<4xf32>
  return %y : tensor<4xf32>
}

// A logarithm that adds the 1 itself is one of 1 - p, of 1 - (1 - p), or of no
// sigmoid.
// CHECK-LABEL: func.func @adds_one
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>
func.func @adds_one(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[L0:.*]] = nn.softplus %[[X]]
  // CHECK-DAG: %[[P:.*]] = nn.neg %[[L0]]
  // CHECK-DAG: %[[NX:.*]] = nn.neg %[[X]]
  // CHECK-DAG: %[[L1:.*]] = nn.softplus %[[NX]]
  // CHECK-DAG: %[[Q:.*]] = nn.neg %[[L1]]
  // CHECK-DAG: %[[K:.*]] = nn.log1p
  // CHECK:     return %[[P]], %[[Q]], %[[K]]
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %p = nn.sigmoid %x : tensor<4xf32>
  %n = nn.neg %p : tensor<4xf32>
  %a = nn.log1p %n : tensor<4xf32>
  %q = nn.sub %one, %p : tensor<4xf32>
  %m = nn.neg %q : tensor<4xf32>
  %b = nn.log1p %m : tensor<4xf32>
  %c = nn.log1p %p : tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Bounds on the probability become bounds on its logarithm; of 1 - p the other
// way round.
// CHECK-LABEL: func.func @clipped
func.func @clipped(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK:     nn.constant dense<-1.38629{{.*}}> : tensor<4xf32>
  // CHECK:     nn.maximum
  // CHECK:     nn.constant dense<-0.287682{{.*}}> : tensor<4xf32>
  // CHECK:     nn.minimum
  %low = nn.constant dense<0.25> : tensor<4xf32>
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %p = nn.sigmoid %x : tensor<4xf32>
  %c = nn.maximum %p, %low : tensor<4xf32>
  %logp = nn.log %c : tensor<4xf32>
  %q = nn.sub %one, %c : tensor<4xf32>
  %logq = nn.log %q : tensor<4xf32>
  return %logp, %logq : tensor<4xf32>, tensor<4xf32>
}

// Ops that move elements may stand between, also several. Where they repeat
// some, or leave some out, the logarithm stays behind them.
// CHECK-LABEL: func.func @moved
// CHECK-SAME:    (%[[X:.*]]: tensor<4x2xf32>
func.func @moved(%x: tensor<4x2xf32>) -> (tensor<2x4xf32>, tensor<3x4x2xf32>, tensor<2x2xf32>) {
  // CHECK:     nn.softplus %{{.*}} : tensor<4x2xf32>
  // CHECK:     nn.transpose {{.*}} -> tensor<2x4xf32>
  // CHECK:     nn.reverse {{.*}} axes [1] : tensor<2x4xf32>
  // CHECK:     nn.log {{.*}} : tensor<3x4x2xf32>
  // CHECK:     nn.log {{.*}} : tensor<2x2xf32>
  %p = nn.sigmoid %x : tensor<4x2xf32>
  %t = nn.transpose %p [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %r = nn.reverse %t axes [1] : tensor<2x4xf32>
  %0 = nn.log %r : tensor<2x4xf32>
  %b = nn.broadcast %p axes [1, 2] : tensor<4x2xf32> -> tensor<3x4x2xf32>
  %1 = nn.log %b : tensor<3x4x2xf32>
  %s = nn.slice %p [0, 0] to [2, 2] by [1, 1] : tensor<4x2xf32> -> tensor<2x2xf32>
  %2 = nn.log %s : tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<3x4x2xf32>, tensor<2x2xf32>
}

// What is no probability of a sigmoid stays: another complement, a bound that
// log does not take, a sum.
// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: nn.softplus
  // CHECK-COUNT-3: nn.log
  // CHECK-NOT: nn.softplus
  %two = nn.constant dense<2.0> : tensor<4xf32>
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %p = nn.sigmoid %x : tensor<4xf32>
  %q = nn.sub %two, %p : tensor<4xf32>
  %0 = nn.log %q : tensor<4xf32>
  %c = nn.maximum %p, %zero : tensor<4xf32>
  %1 = nn.log %c : tensor<4xf32>
  %e = nn.add %p, %two : tensor<4xf32>
  %2 = nn.log %e : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Features: B11, X14.
