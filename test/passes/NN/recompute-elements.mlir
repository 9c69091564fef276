// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(nn-recompute{min-bytes=64}))' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{memory=100000000},func.func(nn-recompute{min-bytes=64}))' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(nn-recompute))' | FileCheck %s --check-prefix=SMALL
// Elements that follow from what is kept take no longer to compute than to read, so that a target with all the memory
// in the world computes them again, too. The big product in the middle is the point where most bytes are live.

// Two values of 1 KiB each take more than the value that both follow from; one alone does not.
// CHECK-LABEL: func.func @two
// CHECK: %[[IN:.*]] = nn.matmul
// CHECK: nn.transpose
// CHECK-DAG: %[[TANH:.*]] = nn.tanh %[[IN]]
// CHECK-DAG: %[[EXP:.*]] = nn.exp %[[IN]]
// CHECK: nn.mul %[[TANH]], %[[EXP]]
// SMALL-LABEL: func.func @two
// SMALL-COUNT-1: nn.tanh
// SMALL-NOT: nn.tanh
// SMALL-LABEL: func.func @one
func.func @two(%x: tensor<16x16xf32>, %y: tensor<16x512xf32>) -> (tensor<16x16xf32>, tensor<512x16xf32>) {
  %in = nn.matmul %x, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %tanh = nn.tanh %in : tensor<16x16xf32>
  %exp = nn.exp %in : tensor<16x16xf32>
  %sum = nn.add %tanh, %exp : tensor<16x16xf32>
  %big = nn.matmul %sum, %y : tensor<16x16xf32>, tensor<16x512xf32> -> tensor<16x512xf32>
  %turned = nn.transpose %big [1, 0] : tensor<16x512xf32> -> tensor<512x16xf32>
  %product = nn.mul %tanh, %exp : tensor<16x16xf32>
  return %product, %turned : tensor<16x16xf32>, tensor<512x16xf32>
}

// CHECK-LABEL: func.func @one
// CHECK-COUNT-1: nn.tanh
// CHECK-NOT: nn.tanh
// CHECK: return
func.func @one(%x: tensor<16x16xf32>, %y: tensor<16x512xf32>) -> (tensor<16x16xf32>, tensor<512x16xf32>) {
  %in = nn.matmul %x, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %tanh = nn.tanh %in : tensor<16x16xf32>
  %big = nn.matmul %tanh, %y : tensor<16x16xf32>, tensor<16x512xf32> -> tensor<16x512xf32>
  %turned = nn.transpose %big [1, 0] : tensor<16x512xf32> -> tensor<512x16xf32>
  %product = nn.mul %tanh, %tanh : tensor<16x16xf32>
  return %product, %turned : tensor<16x16xf32>, tensor<512x16xf32>
}

// A contraction behind the point would read the activation from memory, whether it was kept or computed again; also
// where its elements are moved in between.
// CHECK-LABEL: func.func @factor
// CHECK-COUNT-1: nn.gelu
// CHECK-NOT: nn.gelu
// CHECK: return
func.func @factor(%x: tensor<16x16xf32>, %y: tensor<16x512xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<512x16xf32>) {
  %in = nn.matmul %x, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %gelu = nn.gelu %in : tensor<16x16xf32>
  %big = nn.matmul %gelu, %y : tensor<16x16xf32>, tensor<16x512xf32> -> tensor<16x512xf32>
  %turned = nn.transpose %big [1, 0] : tensor<16x512xf32> -> tensor<512x16xf32>
  %moved = nn.transpose %gelu [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  %gradient = nn.matmul %moved, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %product = nn.mul %in, %in : tensor<16x16xf32>
  return %product, %gradient, %turned : tensor<16x16xf32>, tensor<16x16xf32>, tensor<512x16xf32>
}

// Rows take longer: a softmax is repeated only where memory is short.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-1: nn.softmax
// CHECK-NOT: nn.softmax
// CHECK: return
func.func @rows(%x: tensor<16x16xf32>, %y: tensor<16x512xf32>) -> (tensor<16x16xf32>, tensor<512x16xf32>) {
  %in = nn.matmul %x, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %soft = nn.softmax %in axis(1) : tensor<16x16xf32>
  %big = nn.matmul %soft, %y : tensor<16x16xf32>, tensor<16x512xf32> -> tensor<16x512xf32>
  %turned = nn.transpose %big [1, 0] : tensor<16x512xf32> -> tensor<512x16xf32>
  %product = nn.mul %soft, %in : tensor<16x16xf32>
  return %product, %turned : tensor<16x16xf32>, tensor<512x16xf32>
}
