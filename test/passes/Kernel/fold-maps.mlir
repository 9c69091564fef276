// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s
// A sum over all axes but the channels is a kernel of its own, which computes the elements that it sums where that moves
// fewer bytes.

// A function of two tensors is not stored to be summed, even where it takes some time.
// CHECK-LABEL: func.func @function
// CHECK-NOT: outs({{.*}} : tensor<4x8x16xf32>)
// CHECK: linalg.generic {{.*}} ins(%arg1, %arg0 : tensor<4x8x16xf32>, tensor<4x8x16xf16>) outs({{.*}} : tensor<8xf32>)
// CHECK: arith.addf
// CHECK: math.tanh
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @function(%x: tensor<4x8x16xf16>, %y: tensor<4x8x16xf32>) -> tensor<8xf32> {
  %wide = nn.cast %x : tensor<4x8x16xf16> -> tensor<4x8x16xf32>
  %both = nn.add %wide, %y : tensor<4x8x16xf32>
  %tanh = nn.tanh %both : tensor<4x8x16xf32>
  %sum = nn.reduce_sum %tanh axes [0, 2] : tensor<4x8x16xf32> -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// A product would make a contraction of the sum, which adds in another order.
// CHECK-LABEL: func.func @product
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} ins(%{{[0-9]+}} : tensor<4x8x16xf32>) outs({{.*}} : tensor<8xf32>)
// CHECK: return
func.func @product(%x: tensor<4x8x16xf32>, %y: tensor<4x8x16xf32>) -> tensor<8xf32> {
  %product = nn.mul %x, %y : tensor<4x8x16xf32>
  %sum = nn.reduce_sum %product axes [0, 2] : tensor<4x8x16xf32> -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// Of two readers the sum computes the deviation itself, of as many bytes, and so does the kernel of the other.
// CHECK-LABEL: func.func @deviation
// CHECK: kernel.group -> tensor<4x8x16xf32> {
// CHECK: arith.subf
// CHECK: math.tanh
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4x8x16xf32>, tensor<8xf32>) outs({{.*}} : tensor<8xf32>)
// CHECK: arith.subf
// CHECK: return
func.func @deviation(%x: tensor<4x8x16xf32>, %mean: tensor<8xf32>) -> (tensor<8xf32>, tensor<4x8x16xf32>) {
  %all = nn.broadcast %mean axes [1] : tensor<8xf32> -> tensor<4x8x16xf32>
  %deviation = nn.sub %x, %all : tensor<4x8x16xf32>
  %square = nn.mul %deviation, %deviation : tensor<4x8x16xf32>
  %sum = nn.reduce_sum %square axes [0, 2] : tensor<4x8x16xf32> -> tensor<8xf32>
  %tanh = nn.tanh %deviation : tensor<4x8x16xf32>
  return %sum, %tanh : tensor<8xf32>, tensor<4x8x16xf32>
}

// A function that takes long is not computed twice, and two tensors are not read for one that is stored anyway; nor is
// one that nobody else reads any more, since it would be kept for the sum.
// CHECK-LABEL: func.func @stored
// CHECK: linalg.generic {{.*}} ins(%[[EXP:.*]] : tensor<4x8x16xf32>) outs({{.*}} : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUM:.*]] : tensor<4x8x16xf32>) outs({{.*}} : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[HALF:.*]] : tensor<4x8x16xf32>) outs({{.*}} : tensor<8xf32>)
// CHECK: return %[[EXP]], %[[SUM]], %[[HALF]],
func.func @stored(%x: tensor<4x8x16xf32>, %y: tensor<4x8x16xf32>) -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c = nn.constant dense<0.5> : tensor<4x8x16xf32>
  %exp = nn.exp %x : tensor<4x8x16xf32>
  %first = nn.reduce_sum %exp axes [0, 2] : tensor<4x8x16xf32> -> tensor<8xf32>
  %sum = nn.add %x, %y : tensor<4x8x16xf32>
  %second = nn.reduce_sum %sum axes [0, 2] : tensor<4x8x16xf32> -> tensor<8xf32>
  %log = nn.log %x : tensor<4x8x16xf32>
  %half = nn.sub %log, %c : tensor<4x8x16xf32>
  %third = nn.reduce_sum %half axes [0, 2] : tensor<4x8x16xf32> -> tensor<8xf32>
  return %exp, %sum, %half, %first, %second, %third : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
