// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s
// Kernels hand each other 16 bits, and each reader makes the wider copy again.

// CHECK-LABEL: func.func @two
// CHECK: %[[KEPT:.*]]:2 = kernel.group -> tensor<32x32xbf16>, tensor<32x32xf32> {
// CHECK: math.tanh
// CHECK: kernel.return
// CHECK: kernel.group -> tensor<32x32xf32> {
// CHECK: linalg.generic {{.*}} "reduction"]} ins(%[[KEPT]]#0, %[[KEPT]]#0 :
// CHECK: linalg.generic {{.*}} ins(%[[KEPT]]#0 : tensor<32x32xbf16>)
// CHECK: arith.extf
// CHECK: kernel.return
// CHECK-NOT: kernel.group
func.func @two(%x: tensor<32x32xf32>, %y: tensor<32x8xbf16>, %z: tensor<8x32xbf16>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %tanh = nn.tanh %x : tensor<32x32xf32>
  %low = nn.cast %tanh : tensor<32x32xf32> -> tensor<32x32xbf16>
  %wide = nn.cast %low : tensor<32x32xbf16> -> tensor<32x32xf32>
  %first = nn.matmul %y, %z : tensor<32x8xbf16>, tensor<8x32xbf16> -> tensor<32x32xbf16>
  %other = nn.cast %first : tensor<32x32xbf16> -> tensor<32x32xf32>
  %sum = nn.add %wide, %other : tensor<32x32xf32>
  %second = nn.matmul %low, %low : tensor<32x32xbf16>, tensor<32x32xbf16> -> tensor<32x32xbf16>
  %more = nn.cast %second : tensor<32x32xbf16> -> tensor<32x32xf32>
  %product = nn.mul %wide, %more : tensor<32x32xf32>
  return %sum, %product : tensor<32x32xf32>, tensor<32x32xf32>
}

// A reader that cannot make the copy, here since it reads it elsewhere, reads the copy itself: then all do.
// CHECK-LABEL: func.func @turned
// CHECK: kernel.group -> {{.*}}tensor<32x16xf32>
// CHECK: arith.extf
// CHECK-NOT: arith.extf
// CHECK: return
func.func @turned(%x: tensor<32x16xf32>, %y: tensor<16x8xf32>, %z: tensor<8x32xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %tanh = nn.tanh %x : tensor<32x16xf32>
  %low = nn.cast %tanh : tensor<32x16xf32> -> tensor<32x16xbf16>
  %wide = nn.cast %low : tensor<32x16xbf16> -> tensor<32x16xf32>
  %first = nn.matmul %y, %z : tensor<16x8xf32>, tensor<8x32xf32> -> tensor<16x32xf32>
  %turned = nn.transpose %wide [1, 0] : tensor<32x16xf32> -> tensor<16x32xf32>
  %sum = nn.add %turned, %first : tensor<16x32xf32>
  %exp = nn.exp %turned : tensor<16x32xf32>
  return %sum, %exp : tensor<16x32xf32>, tensor<16x32xf32>
}
