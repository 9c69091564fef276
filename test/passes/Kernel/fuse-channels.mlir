// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cuda-attach-target,func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s --check-prefix=CUDA
// Sums over all axes but the channels run over one space with the maps around them, as sums along rows do.

// What is only summed is not stored, be it a product: that does not make a contraction of the sum.
// CHECK-LABEL: func.func @product
// CHECK: kernel.group -> tensor<8xf32> {
// CHECK: arith.extf
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "reduction"]
// CHECK: kernel.return
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @product(%x: tensor<4x8x16xf16>, %y: tensor<4x8x16xf32>) -> tensor<8xf32> {
  %wide = nn.cast %x : tensor<4x8x16xf16> -> tensor<4x8x16xf32>
  %product = nn.mul %wide, %y : tensor<4x8x16xf32>
  %sum = nn.reduce_sum %product axes [0, 2] : tensor<4x8x16xf32> -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// A normalization is one kernel: the sums, the numbers of each channel, and the maps behind them.
// CHECK-LABEL: func.func @normalized
// CHECK: kernel.group -> tensor<4x8x16xf32> {
// CHECK: ["reduction", "parallel", "reduction"]
// CHECK: arith.subf
// CHECK: ["reduction", "parallel", "reduction"]
// CHECK: iterator_types = ["parallel"]
// CHECK: math.sqrt
// CHECK: iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: kernel.return
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @normalized(%x: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %sum = nn.reduce_sum %x axes [0, 2] : tensor<4x8x16xf32> -> tensor<8xf32>
  %all = nn.broadcast %sum axes [1] : tensor<8xf32> -> tensor<4x8x16xf32>
  %deviation = nn.sub %x, %all : tensor<4x8x16xf32>
  %square = nn.mul %deviation, %deviation : tensor<4x8x16xf32>
  %squares = nn.reduce_sum %square axes [0, 2] : tensor<4x8x16xf32> -> tensor<8xf32>
  %rate = nn.rsqrt %squares : tensor<8xf32>
  %rates = nn.broadcast %rate axes [1] : tensor<8xf32> -> tensor<4x8x16xf32>
  %result = nn.mul %deviation, %rates : tensor<4x8x16xf32>
  return %result : tensor<4x8x16xf32>
}

// Sums of one tensor over other axes are kernels of their own, and so is what reads both.
// CHECK-LABEL: func.func @axes
// CHECK: kernel.group -> tensor<16x16xf32>, tensor<16xf32> {
// CHECK: ["reduction", "parallel"]
// CHECK: kernel.group -> tensor<16x16xf32> {
// CHECK: ["parallel", "reduction"]
// CHECK: arith.addf
// CHECK: kernel.return
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @axes(%x: tensor<16x16xf32>) -> (tensor<16xf32>, tensor<16x16xf32>) {
  %exp = nn.exp %x : tensor<16x16xf32>
  %columns = nn.reduce_sum %exp axes [0] : tensor<16x16xf32> -> tensor<16xf32>
  %rows = nn.reduce_sum %exp axes [1] : tensor<16x16xf32> -> tensor<16xf32>
  %all = nn.broadcast %rows axes [0] : tensor<16xf32> -> tensor<16x16xf32>
  %result = nn.add %exp, %all : tensor<16x16xf32>
  return %columns, %result : tensor<16xf32>, tensor<16x16xf32>
}

// 64 long rows are enough for a CPU and too few for a GPU, which sums them in parts.
// CHECK-LABEL: func.func @few
// CHECK: kernel.group -> tensor<64x64x128xf32> {
// CUDA-LABEL: func.func @few
// CUDA-NOT: kernel.group
// CUDA: ["reduction", "parallel", "reduction"]
// CUDA-NOT: kernel.group
// CUDA: arith.subf
// CUDA: return
func.func @few(%x: tensor<64x64x128xf32>) -> tensor<64x64x128xf32> {
  %sum = nn.reduce_sum %x axes [0, 2] : tensor<64x64x128xf32> -> tensor<64xf32>
  %all = nn.broadcast %sum axes [1] : tensor<64xf32> -> tensor<64x64x128xf32>
  %result = nn.sub %x, %all : tensor<64x64x128xf32>
  return %result : tensor<64x64x128xf32>
}

// What only makes sums is computed by them on a GPU too: they have no more places than rows anyway.
// CUDA-LABEL: func.func @summed
// CUDA: kernel.group -> tensor<64xf32> {
// CUDA: arith.mulf
// CUDA: ["reduction", "parallel", "reduction"]
func.func @summed(%x: tensor<64x64x128xf32>) -> tensor<64xf32> {
  %square = nn.mul %x, %x : tensor<64x64x128xf32>
  %sum = nn.reduce_sum %square axes [0, 2] : tensor<64x64x128xf32> -> tensor<64xf32>
  return %sum : tensor<64xf32>
}

// A GPU cuts sums over few columns into slices, which a kernel that goes on with the columns could not be.
// CHECK-LABEL: func.func @columns
// CHECK: kernel.group -> tensor<2048x64xf32> {
// CUDA-LABEL: func.func @columns
// CUDA-NOT: kernel.group
// CUDA: ["reduction", "parallel"]
// CUDA-NOT: kernel.group
// CUDA: return
func.func @columns(%x: tensor<2048x64xf32>) -> tensor<2048x64xf32> {
  %sum = nn.reduce_sum %x axes [0] : tensor<2048x64xf32> -> tensor<64xf32>
  %all = nn.broadcast %sum axes [1] : tensor<64xf32> -> tensor<2048x64xf32>
  %result = nn.sub %x, %all : tensor<2048x64xf32>
  return %result : tensor<2048x64xf32>
}

// Fewer than eight long rows keep no machine busy.
// CHECK-LABEL: func.func @long
// CHECK-NOT: kernel.group
// CHECK: return
// CUDA-LABEL: func.func @long
// CUDA-NOT: kernel.group
// CUDA: return
func.func @long(%x: tensor<4x16384xf32>) -> tensor<4xf32> {
  %square = nn.mul %x, %x : tensor<4x16384xf32>
  %sum = nn.reduce_sum %square axes [1] : tensor<4x16384xf32> -> tensor<4xf32>
  return %sum : tensor<4xf32>
}
