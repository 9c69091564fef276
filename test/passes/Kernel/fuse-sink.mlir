// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s
// The last maps of a kernel move to the kernel that alone reads them, where the two move and keep fewer bytes then.

// What is summed and then used again is computed by the kernel that does both, not stored by that of the matrix product.
// CHECK-LABEL: func.func @gradient
// CHECK: kernel.group -> tensor<64x32xf32> {
// CHECK: ["parallel", "parallel", "reduction"]
// CHECK: math.exp
// CHECK-NOT: arith.mulf
// CHECK: kernel.return
// CHECK: kernel.group -> tensor<64x32xf32> {
// CHECK: arith.mulf
// CHECK: ["reduction", "parallel"]
// CHECK: ["reduction", "parallel"]
// CHECK: kernel.return
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @gradient(%x: tensor<64x16xf32>, %w: tensor<16x32xf32>, %y: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %product = nn.matmul %x, %w : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %exp = nn.exp %product : tensor<64x32xf32>
  %scaled = nn.mul %exp, %y : tensor<64x32xf32>
  %first = nn.reduce_sum %exp axes [0] : tensor<64x32xf32> -> tensor<32xf32>
  %second = nn.reduce_sum %scaled axes [0] : tensor<64x32xf32> -> tensor<32xf32>
  %sum = nn.add %first, %second : tensor<32xf32>
  %all = nn.broadcast %sum axes [1] : tensor<32xf32> -> tensor<64x32xf32>
  %a = nn.sub %exp, %all : tensor<64x32xf32>
  %b = nn.sub %a, %scaled : tensor<64x32xf32>
  return %b : tensor<64x32xf32>
}

// What is stored for a third kernel stays, and what follows from it moves.
// CHECK-LABEL: func.func @stored
// CHECK: kernel.group -> tensor<64x32xf32> {
// CHECK: ["parallel", "parallel", "reduction"]
// CHECK: arith.subf
// CHECK-NOT: arith.mulf
// CHECK: kernel.return
// CHECK: kernel.group -> tensor<32xf32> {
// CHECK: arith.mulf
// CHECK: return
func.func @stored(%x: tensor<64x16xf32>, %w: tensor<16x32xf32>, %y: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<32xf32>) {
  %product = nn.matmul %x, %w : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %difference = nn.sub %product, %y : tensor<64x32xf32>
  %square = nn.mul %difference, %difference : tensor<64x32xf32>
  %sum = nn.reduce_sum %square axes [0] : tensor<64x32xf32> -> tensor<32xf32>
  return %difference, %sum : tensor<64x32xf32>, tensor<32xf32>
}

// A sum of 16 bits takes less than its wider source, and one map less does not pay for two more tensors.
// CHECK-LABEL: func.func @narrow
// CHECK: kernel.group -> tensor<64x32xbf16> {
// CHECK: ["parallel", "parallel", "reduction"]
// CHECK: arith.truncf
// CHECK: kernel.return
// CHECK: kernel.group -> tensor<32xf32> {
// CHECK: arith.extf
// CHECK: ["reduction", "parallel"]
// CHECK: return
func.func @narrow(%x: tensor<64x16xf32>, %w: tensor<16x32xf32>, %y: tensor<64x32xf32>) -> tensor<32xf32> {
  %product = nn.matmul %x, %w : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %sum = nn.add %product, %y : tensor<64x32xf32>
  %low = nn.cast %sum : tensor<64x32xf32> -> tensor<64x32xbf16>
  %wide = nn.cast %low : tensor<64x32xbf16> -> tensor<64x32xf32>
  %first = nn.reduce_sum %wide axes [0] : tensor<64x32xf32> -> tensor<32xf32>
  return %first : tensor<32xf32>
}
