// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{memory=0},func.func(nn-recompute{min-bytes=64 contractions}))' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{memory=0},func.func(nn-recompute{min-bytes=64}))' | FileCheck %s --check-prefix=KEPT
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{memory=1000000},func.func(nn-recompute{min-bytes=64 contractions}))' | FileCheck %s --check-prefix=FITS
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(nn-recompute{min-bytes=64 contractions}))' | FileCheck %s --check-prefix=FITS
// RUN: not mpc-opt %s --cpu-attach-target=memory=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: cpu-attach-target: a step cannot keep -2 bytes
// A budget of memory is kept to by products that are computed again, too.

// A softmax whose scores would have to be kept in its place is kept without the
// option. With it both are computed again.
// CHECK-LABEL: func.func @scores
// CHECK: nn.softmax
// CHECK: nn.transpose
// CHECK: %[[SCORES:.*]] = nn.matmul {{.*}} transpose_rhs
// CHECK: %[[AGAIN:.*]] = nn.softmax %[[SCORES]]
// CHECK: nn.mul %[[AGAIN]], %[[AGAIN]]
// KEPT-LABEL: func.func @scores
// KEPT-COUNT-1: nn.softmax
// KEPT-NOT: nn.softmax
// FITS-LABEL: func.func @scores
// FITS-COUNT-1: nn.softmax
// FITS-NOT: nn.softmax
func.func @scores(%x: tensor<16x16xf32>, %y: tensor<16x512xf32>) -> (tensor<16x16xf32>, tensor<512x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %q = nn.exp %x : tensor<16x16xf32>
  %k = nn.tanh %x : tensor<16x16xf32>
  %scores = nn.matmul %q, %k transpose_rhs : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %soft = nn.softmax %scores axis(1) : tensor<16x16xf32>
  %big = nn.matmul %soft, %y : tensor<16x16xf32>, tensor<16x512xf32> -> tensor<16x512xf32>
  %turned = nn.transpose %big [1, 0] : tensor<16x512xf32> -> tensor<512x16xf32>
  %product = nn.mul %soft, %soft : tensor<16x16xf32>
  %dq = nn.abs %q : tensor<16x16xf32>
  %dk = nn.abs %k : tensor<16x16xf32>
  return %product, %turned, %dq, %dk : tensor<16x16xf32>, tensor<512x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
