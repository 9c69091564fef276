// RUN: mpc-opt %s --nn-differentiate --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Backward ops carry their forward op's name, marked as gradient.
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.exp %x : tensor<4xf32> loc("layer.exp")
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func @g
func.func @g(%x: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.exp {{.*}} loc("layer.exp")
  // CHECK: nn.mul {{.*}} loc(fused<"gradient">["layer.exp"])
  %0:2 = nn.vjp @f(%x) seed(%s) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}
