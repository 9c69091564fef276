// RUN: split-file %s %t
// RUN: mpc-compile %t/planes.mlir --cpu=x86-64-v3 --precision=fp32 --emit=mlir -o - | FileCheck %s
// RUN: mpc-compile %t/last.mlir --cpu=x86-64-v3 --precision=fp32 --emit=mlir -o - | FileCheck %s --check-prefix=LAST

// A depthwise convolution and the gradient of its weight read maps where they
// are: their borders of zeros and exchanged axes have no memory, with a stride
// and a last column that no window reads too.

// CHECK-LABEL: func.func @step(
// CHECK:         kernel.launch @[[FORWARD:.*]] ins(%{{.*}}, %{{.*}} : memref<2x16x12x12xf32>, memref<16x1x1x3x3xf32>) outs(%{{.*}} : memref<2x16x1x6x6xf32>)
// CHECK-NOT:     kernel.launch
// CHECK:         kernel.launch @[[GRADIENT:.*]] ins(%{{.*}}, %{{.*}} : memref<2x16x12x12xf32>, memref<2x16x6x6xf32>) outs(%{{.*}} : memref<16x1x3x3xf32>)
// CHECK-NOT:     kernel.launch
// CHECK:         return
//--- planes.mlir
func.func private @convolve(%x: tensor<2x16x12x12xf32>, %w: tensor<16x1x3x3xf32>) -> tensor<2x16x6x6xf32> {
  %y = nn.conv %x, %w strides [2, 2] low [1, 1] high [1, 1] dilations [1, 1] groups(16)
      : tensor<2x16x12x12xf32>, tensor<16x1x3x3xf32> -> tensor<2x16x6x6xf32>
  return %y : tensor<2x16x6x6xf32>
}
func.func @step(%x: tensor<2x16x12x12xf32> {nn.name = "x"}, %w: tensor<16x1x3x3xf32> {nn.name = "w"}, %seed: tensor<2x16x6x6xf32> {nn.name = "seed"})
    -> (tensor<2x16x6x6xf32> {nn.name = "y"}, tensor<16x1x3x3xf32> {nn.name = "dw"}) {
  %r:2 = nn.vjp @convolve(%x, %w) seed(%seed) wrt [] args [1]
      : (tensor<2x16x12x12xf32>, tensor<16x1x3x3xf32>), (tensor<2x16x6x6xf32>) -> tensor<2x16x6x6xf32>, tensor<16x1x3x3xf32>
  return %r#0, %r#1 : tensor<2x16x6x6xf32>, tensor<16x1x3x3xf32>
}

// Channels that are innermost in memory are no planes: the map is transposed
// first.

// LAST-LABEL: func.func @step(
// LAST:         kernel.launch @{{.*}} ins(%{{.*}} : memref<2x12x12x16xf32>) outs(%{{.*}} : memref<2x16x12x12xf32>)
// LAST:         kernel.launch @{{.*}} ins(%{{.*}}, %{{.*}} : memref<2x16x12x12xf32>, memref<16x1x1x3x3xf32>)

//--- last.mlir
func.func @step(%x: tensor<2x12x12x16xf32> {nn.name = "x"}, %w: tensor<16x1x3x3xf32> {nn.name = "w"}) -> (tensor<2x16x12x12xf32> {nn.name = "y"}) {
  %t = nn.transpose %x [0, 3, 1, 2] : tensor<2x12x12x16xf32> -> tensor<2x16x12x12xf32>
  %y = nn.conv %t, %w strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups(16)
      : tensor<2x16x12x12xf32>, tensor<16x1x3x3xf32> -> tensor<2x16x12x12xf32>
  return %y : tensor<2x16x12x12xf32>
}
