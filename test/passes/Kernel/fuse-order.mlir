// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s
// Kernels run in the one of two orders that takes less memory.

// A kernel of ops from far apart runs as soon as it can, where much waits for it: in the place of its last op it would
// come behind the exponentials, which would be kept until the product that reads them.
// CHECK-LABEL: func.func @early
// CHECK: kernel.group -> tensor<8xf32>, tensor<8xf32> {
// CHECK: "reduction"]} ins({{.*}} : tensor<8x256xf32>, tensor<256x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<64x256xf32>)
// CHECK: return
func.func @early(%v: tensor<8xf32>, %w: tensor<64x256xf32>, %u: tensor<256x64xf32>) -> (tensor<8x256xf32>, tensor<8xf32>) {
  %mean = nn.tanh %v : tensor<8xf32>
  %rows = nn.broadcast %mean axes [0] : tensor<8xf32> -> tensor<8x256xf32>
  %product = nn.matmul %rows, %u : tensor<8x256xf32>, tensor<256x64xf32> -> tensor<8x64xf32>
  %exp = nn.exp %w : tensor<64x256xf32>
  %slope = nn.exp %mean : tensor<8xf32>
  %late = nn.matmul %product, %exp : tensor<8x64xf32>, tensor<64x256xf32> -> tensor<8x256xf32>
  return %late, %slope : tensor<8x256xf32>, tensor<8xf32>
}

// It waits for the place of its last op where its result would be kept instead.
// CHECK-LABEL: func.func @late
// CHECK: "reduction"]} ins({{.*}} : tensor<8x256xf32>, tensor<256x64xf32>)
// CHECK: kernel.group -> tensor<64x256xf32> {
// CHECK: return
func.func @late(%x: tensor<8x256xf32>, %w: tensor<64x256xf32>, %u: tensor<256x64xf32>) -> tensor<8x256xf32> {
  %exp = nn.exp %w : tensor<64x256xf32>
  %tanh = nn.tanh %x : tensor<8x256xf32>
  %product = nn.matmul %tanh, %u : tensor<8x256xf32>, tensor<256x64xf32> -> tensor<8x64xf32>
  %log = nn.log %exp : tensor<64x256xf32>
  %last = nn.matmul %product, %log : tensor<8x64xf32>, tensor<64x256xf32> -> tensor<8x256xf32>
  return %last : tensor<8x256xf32>
}
