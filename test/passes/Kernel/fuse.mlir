// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-lower-bodies,kernel-fuse),kernel-outline)' | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-lower-bodies),kernel-outline)' | FileCheck %s --check-prefix=OFF
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s --check-prefix=GROUP

// Softmax is one kernel: maximum, sum and maps over the same rows.
// CHECK-LABEL: func.func @softmax
// CHECK:         kernel.launch @[[K:.*]] ins
// CHECK-NOT:     kernel.launch
// CHECK:         return
// CHECK:       kernel.func {{[a-z]+}} @[[K]]
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
// CHECK:       kernel.func {{[a-z]+}} @[[K]]
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
// CHECK:       kernel.func {{[a-z]+}} @[[K]]
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

// The product has to be complete before the sum reads it, and needs all of the
// exponentials, which do not join the sum around it.
// CHECK-LABEL: func.func @path_outside
// CHECK:         %[[E:.*]] = kernel.launch @[[EXP:.*]] ins(%arg0
// CHECK:         kernel.launch @[[ADD:.*]] ins(%[[E]], %arg1
// CHECK-NOT:     kernel.launch
// CHECK:         return
// OFF-LABEL:   func.func @path_outside
func.func @path_outside(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = nn.exp %x : tensor<32x32xf32>
  %1 = nn.matmul %0, %w : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %2 = nn.add %0, %1 : tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}

// -----

// The same where what reads the product, the ReLU, has been joined to another
// map before.
// CHECK-LABEL: func.func @path_outside_of_joined
// CHECK-COUNT-2: kernel.launch
// CHECK-NOT:     kernel.launch
// CHECK:         return
// OFF-LABEL:   func.func @path_outside_of_joined
func.func @path_outside_of_joined(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = nn.exp %x : tensor<32x32xf32>
  %1 = nn.matmul %0, %w : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %2 = nn.relu %1 : tensor<32x32xf32>
  %3 = nn.tanh %2 : tensor<32x32xf32>
  %4 = nn.add %0, %3 : tensor<32x32xf32>
  return %4 : tensor<32x32xf32>
}

// -----

// The same where the exponentials have been joined to a map behind the product
// before.
// CHECK-LABEL: func.func @path_outside_of_later
// CHECK:         %[[E:.*]]:2 = kernel.launch @[[EXP:.*]] ins(%arg0
// CHECK:         kernel.launch @[[MUL:.*]] ins(%[[E]]#0, %arg1, %[[E]]#1
// CHECK-NOT:     kernel.launch
// CHECK:         return
// OFF-LABEL:   func.func @path_outside_of_later
func.func @path_outside_of_later(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = nn.exp %x : tensor<32x32xf32>
  %1 = nn.matmul %0, %w : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %2 = nn.tanh %0 : tensor<32x32xf32>
  %3 = nn.mul %2, %1 : tensor<32x32xf32>
  return %2, %3 : tensor<32x32xf32>, tensor<32x32xf32>
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

// -----

// A softmax as ONNX writes it out keeps the axis of its reductions: a view with
// an axis of extent 1 is read as its source, and all is one kernel.
// CHECK-LABEL: func.func @written_softmax
// CHECK:         kernel.launch @[[K:.*]] ins(%arg0 : tensor<64x16xf32>)
// CHECK-NOT:     kernel.launch
// CHECK:         return
// CHECK:       kernel.func {{[a-z]+}} @[[K]]
// CHECK-COUNT-5: linalg.generic
// CHECK-NOT:     linalg.generic
// OFF-LABEL:   func.func @written_softmax
// OFF-COUNT-7:   kernel.launch
// OFF-NOT:       kernel.launch
// OFF:           return
func.func @written_softmax(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %0 = nn.reduce_max %x axes [1] : tensor<64x16xf32> -> tensor<64xf32>
  %1 = nn.reshape %0 : tensor<64xf32> -> tensor<64x1xf32>
  %2 = nn.broadcast %1 axes [0, 1] : tensor<64x1xf32> -> tensor<64x16xf32>
  %3 = nn.sub %x, %2 : tensor<64x16xf32>
  %4 = nn.exp %3 : tensor<64x16xf32>
  %5 = nn.reduce_sum %4 axes [1] : tensor<64x16xf32> -> tensor<64xf32>
  %6 = nn.reshape %5 : tensor<64xf32> -> tensor<64x1xf32>
  %7 = nn.broadcast %6 axes [0, 1] : tensor<64x1xf32> -> tensor<64x16xf32>
  %8 = nn.div %4, %7 : tensor<64x16xf32>
  return %8 : tensor<64x16xf32>
}

// -----

// What a kernel returns can be viewed only after it ran: an op that reads a
// value both as it is and through a view stays out of the kernel that makes it.
// CHECK-LABEL: func.func @through_a_view
// CHECK:         %[[E:.*]] = kernel.launch @{{.*}} ins(%arg0
// CHECK:         %[[V:.*]] = kernel.view %[[E]][0]
// CHECK:         %[[M:.*]] = kernel.launch @{{.*}} ins(%[[V]]
// CHECK:         %[[W:.*]] = kernel.view %[[M]][0]
// CHECK:         kernel.launch @{{.*}} ins(%[[E]], %[[W]]
// CHECK:         return
// OFF-LABEL:   func.func @through_a_view
func.func @through_a_view(%x: tensor<64x16xf32>) -> tensor<64xf32> {
  %0 = nn.reduce_sum %x axes [1] : tensor<64x16xf32> -> tensor<64xf32>
  %1 = nn.reshape %0 : tensor<64xf32> -> tensor<8x8xf32>
  %2 = nn.transpose %1 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %3 = nn.neg %2 : tensor<8x8xf32>
  %4 = nn.reshape %3 : tensor<8x8xf32> -> tensor<64xf32>
  %5 = nn.sub %0, %4 : tensor<64xf32>
  return %5 : tensor<64xf32>
}

// -----

// The same without a kernel between: the view is of a value of the group.
// CHECK-LABEL: func.func @view_of_own
// CHECK:         %[[E:.*]] = kernel.launch @{{.*}} ins(%arg0
// CHECK:         %[[V:.*]] = kernel.view %[[E]][0]
// CHECK:         kernel.launch @{{.*}} ins(%[[E]], %[[V]]
// CHECK:         return
// OFF-LABEL:   func.func @view_of_own
func.func @view_of_own(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = nn.exp %x : tensor<4x16xf32>
  %1 = nn.reshape %0 : tensor<4x16xf32> -> tensor<16x4xf32>
  %2 = nn.transpose %1 [1, 0] : tensor<16x4xf32> -> tensor<4x16xf32>
  %3 = nn.sub %0, %2 : tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}

// -----

// A contraction sums in an order of its own, and is one by the loops that its
// factors move along: a factor that is repeated or constant is made first.
// CHECK-LABEL: func.func @repeated_factor
// CHECK:         %[[B:.*]] = kernel.launch
// CHECK:         kernel.launch @{{.*}} ins(%[[B]], %{{.*}} : tensor<16x32xf32>, tensor<8x32xf32>)
// CHECK:         %[[C:.*]] = kernel.launch
// CHECK:         kernel.launch @{{.*}} ins(%{{.*}}, %[[C]] : tensor<8x32xf32>, tensor<8x32xf32>)
// CHECK-NOT:     kernel.launch
// CHECK:         return
// OFF-LABEL:   func.func @repeated_factor
func.func @repeated_factor(%x: tensor<32xf32>, %w: tensor<8x32xf32>) -> (tensor<16x8xf32>, tensor<8x8xf32>) {
  %0 = nn.broadcast %x axes [1] : tensor<32xf32> -> tensor<16x32xf32>
  %1 = nn.linear %0, %w : tensor<16x32xf32>, tensor<8x32xf32> -> tensor<16x8xf32>
  %2 = nn.constant dense<0.5> : tensor<8x32xf32>
  %3 = nn.linear %w, %2 : tensor<8x32xf32>, tensor<8x32xf32> -> tensor<8x8xf32>
  return %1, %3 : tensor<16x8xf32>, tensor<8x8xf32>
}

// -----

// What the map on a contraction's result reads from elsewhere may stand before
// it: the contraction is the first statement all the same.
// CHECK-LABEL: func.func @side_map
// CHECK-COUNT-1: kernel.launch @[[K:.*]] ins
// CHECK-NOT:     kernel.launch
// CHECK:         return
// CHECK:       kernel.func {{[a-z]+}} @[[K]]
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.generic {{.*}}"reduction"]
// CHECK:           math.fma
// CHECK:           math.exp
// CHECK:           arith.addf
// OFF-LABEL:   func.func @side_map
func.func @side_map(%a: tensor<16x32xf32>, %w: tensor<8x32xf32>, %b: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = nn.exp %b : tensor<16x8xf32>
  %1 = nn.linear %a, %w : tensor<16x32xf32>, tensor<8x32xf32> -> tensor<16x8xf32>
  %2 = nn.add %0, %1 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// -----

// A map on a contraction's result knows no positions: what asks for them is a
// kernel of its own.
// CHECK-LABEL: func.func @mask
// CHECK-COUNT-2: kernel.launch
// CHECK-NOT:     kernel.launch
// CHECK:         return
// OFF-LABEL:   func.func @mask
func.func @mask(%a: tensor<16x32xf32>, %w: tensor<16x32xf32>) -> tensor<16x16xf32> {
  %0 = nn.linear %a, %w : tensor<16x32xf32>, tensor<16x32xf32> -> tensor<16x16xf32>
  %1 = nn.iota axis(0) : tensor<16x16xi64>
  %2 = nn.iota axis(1) : tensor<16x16xi64>
  %3 = nn.compare le %2, %1 : tensor<16x16xi64> -> tensor<16x16xi1>
  %4 = nn.neg %0 : tensor<16x16xf32>
  %5 = nn.select %3, %0, %4 : tensor<16x16xi1>, tensor<16x16xf32>
  return %5 : tensor<16x16xf32>
}

// -----

// What is decided stands in the function, before kernels are made of it.
// GROUP-LABEL: func.func @groups
// GROUP:         %[[G:.*]] = kernel.group -> tensor<64xf32> {
// GROUP-COUNT-2:   linalg.generic
// GROUP:           kernel.return
// GROUP:         }
// GROUP:         kernel.view %[[G]][0]
// GROUP-NOT:     kernel.group
// GROUP:         linalg.generic
// GROUP:         return
func.func @groups(%x: tensor<64xf32>) -> tensor<8x8xf32> {
  %0 = nn.exp %x : tensor<64xf32>
  %1 = nn.neg %0 : tensor<64xf32>
  %2 = nn.reshape %1 : tensor<64xf32> -> tensor<8x8xf32>
  %3 = nn.transpose %2 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
