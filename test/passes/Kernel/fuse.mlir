// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-lower-bodies),kernel-fuse)' | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-lower-bodies),kernel-fuse{enabled=false})' | FileCheck %s --check-prefix=OFF

// Softmax is one kernel: maximum, sum and maps over the same rows.
// CHECK-LABEL: func.func @softmax
// CHECK:         kernel.launch @[[K:.*]] ins
// CHECK-NOT:     kernel.launch
// CHECK:         return
// CHECK:       kernel.func @[[K]]
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK-NOT:   kernel.func
// OFF-LABEL:   func.func @softmax
// OFF-COUNT-4:   kernel.launch
// OFF-NOT:       kernel.launch
// OFF:           return
func.func @softmax(%x: tensor<64x16xf16>) -> tensor<64x16xf16> {
  %0 = nn.softmax %x axis(1) : tensor<64x16xf16>
  return %0 : tensor<64x16xf16>
}

// -----

// A layer and its activation are one kernel: the contraction, then maps on its
// result.
// CHECK-LABEL: func.func @linear_bias_gelu
// CHECK:         kernel.launch @[[K:.*]] ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<32x64xf32>, tensor<10x64xf32>, tensor<10xf32>)
// CHECK-NOT:     kernel.launch
// CHECK:       kernel.func @[[K]]
// CHECK:         math.fma
// CHECK:         math.erf
// CHECK-NOT:   kernel.func
// OFF-LABEL:   func.func @linear_bias_gelu
// OFF-COUNT-3:   kernel.launch
// OFF-NOT:       kernel.launch
// OFF:           return
func.func @linear_bias_gelu(%x: tensor<32x64xf32>, %w: tensor<10x64xf32>, %b: tensor<10xf32>) -> tensor<32x10xf32> {
  %0 = nn.linear %x, %w bias %b : tensor<10xf32> : tensor<32x64xf32>, tensor<10x64xf32> -> tensor<32x10xf32>
  %1 = nn.gelu %0 : tensor<32x10xf32>
  return %1 : tensor<32x10xf32>
}

// -----

// Readers of a broadcast and a transpose read their sources.
// CHECK-DAG:   #[[ALONG:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG:   #[[SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @movement
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[B:[^:]*]]: tensor<4xf32>
// CHECK:         kernel.launch @{{.*}} ins(%[[B]], %[[X]] :
// CHECK:       kernel.func
// CHECK:         linalg.generic {indexing_maps = [#[[ALONG]], #[[SWAP]],
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.addf
// OFF-LABEL:   func.func @movement
// OFF-COUNT-3:   kernel.launch
func.func @movement(%x: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = nn.broadcast %b axes [1] : tensor<4xf32> -> tensor<8x4xf32>
  %1 = nn.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = nn.add %0, %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// A constant is made where it is read.
// CHECK-LABEL: func.func @constant
// CHECK-SAME:    %[[X:.*]]: tensor
// CHECK:         kernel.launch @{{.*}} ins(%[[X]] : tensor<4xf32>)
// CHECK:       kernel.func
// CHECK:         %[[C:.*]] = arith.constant 2.500000e+00
// CHECK:         arith.mulf %{{.*}}, %[[C]]
// OFF-LABEL:   func.func @constant
func.func @constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = nn.constant dense<2.5> : tensor<4xf32>
  %0 = nn.mul %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Equal kernels are one, whatever nodes they come from.
// CHECK-LABEL: func.func @equal_kernels
// CHECK:         kernel.launch @[[K:.*]] ins
// CHECK:         kernel.launch @[[K]] ins
// CHECK:       kernel.func @[[K]]
// CHECK-NOT:   kernel.func
// OFF-LABEL:   func.func @equal_kernels
// OFF:         kernel.func
// OFF-NOT:     kernel.func
func.func @equal_kernels(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = nn.exp %x : tensor<64xf32> loc("first")
  %1 = nn.exp %y : tensor<64xf32> loc("second")
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// The column sum has to be complete before the sum reads it, and needs all of
// the exponentials: neither end joins the other around it.
// CHECK-LABEL: func.func @path_outside
// CHECK:         %[[E:.*]] = kernel.launch @[[EXP:.*]] ins(%arg0
// CHECK:         %[[S:.*]] = kernel.launch @[[SUM:.*]] ins(%[[E]]
// CHECK:         kernel.launch @[[ADD:.*]] ins(%[[E]], %[[S]]
// CHECK-NOT:     kernel.launch
// CHECK:         return
// OFF-LABEL:   func.func @path_outside
func.func @path_outside(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = nn.exp %x : tensor<16x32xf32>
  %1 = nn.reduce_sum %0 axes [0] : tensor<16x32xf32> -> tensor<32xf32>
  %2 = nn.broadcast %1 axes [1] : tensor<32xf32> -> tensor<16x32xf32>
  %3 = nn.add %0, %2 : tensor<16x32xf32>
  return %3 : tensor<16x32xf32>
}

// -----

// A value that is a result too is written by the kernel that goes on with it.
// CHECK-LABEL: func.func @two_results
// CHECK:         %[[R:.*]]:2 = kernel.launch
// CHECK:         return %[[R]]#0, %[[R]]#1
// OFF-LABEL:   func.func @two_results
func.func @two_results(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = nn.exp %x : tensor<64xf32>
  %1 = nn.neg %0 : tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}
