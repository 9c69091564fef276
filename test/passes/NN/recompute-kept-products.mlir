// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{memory=67000},func.func(nn-recompute{min-bytes=64 contractions}))' | FileCheck %s

// A product that is kept anyway is read, not repeated, by what is computed of it
// again; and nothing more is repeated than the budget asks for.
// CHECK-LABEL: func.func @kept
// CHECK: %[[KEPT:.*]] = nn.matmul %[[X:.*]], %[[X]] transpose_rhs : tensor<16x64xf32>
// CHECK: nn.exp
// CHECK-NOT: nn.matmul %[[X]], %[[X]]
// CHECK: nn.matmul %[[KEPT]], %[[KEPT]] transpose_rhs
// CHECK: nn.softmax
// CHECK: nn.matmul %[[KEPT]], %{{.*}} transpose_lhs
func.func @kept(%x: tensor<16x64xf32>, %y: tensor<16x512xf32>) -> (tensor<16x16xf32>, tensor<16x512xf32>, tensor<16x16xf32>) {
  %q = nn.matmul %x, %x transpose_rhs : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x16xf32>
  %scores = nn.matmul %q, %q transpose_rhs : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %soft = nn.softmax %scores axis(1) : tensor<16x16xf32>
  %big = nn.matmul %soft, %y : tensor<16x16xf32>, tensor<16x512xf32> -> tensor<16x512xf32>
  %mid = nn.exp %big : tensor<16x512xf32>
  %product = nn.mul %soft, %soft : tensor<16x16xf32>
  %dq = nn.matmul %q, %product transpose_lhs : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %product, %mid, %dq : tensor<16x16xf32>, tensor<16x512xf32>, tensor<16x16xf32>
}
