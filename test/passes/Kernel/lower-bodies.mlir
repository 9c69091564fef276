// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-lower-bodies))' | FileCheck %s

// An elementwise op computes in f32 and rounds once.
// CHECK-LABEL: func.func @elementwise
// CHECK-NOT:     nn.
// CHECK:         linalg.generic
// CHECK:         %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:         %[[Y:.*]] = math.exp %[[X]] : f32
// CHECK:         %[[Z:.*]] = arith.truncf %[[Y]] : f32 to f16
// CHECK:         linalg.yield %[[Z]]
func.func @elementwise(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = nn.exp %x : tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// -----

// f64 computes in f64 and is never rounded on the way.
// CHECK-LABEL: func.func @wide
// CHECK-NOT:     arith.truncf
// CHECK:         math.exp %{{.*}} : f64
// CHECK-NOT:     arith.truncf
func.func @wide(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %0 = nn.exp %x : tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// -----

// A sum accumulates in f32 and rounds after its last element.
// CHECK-LABEL: func.func @sum
// CHECK:         %[[S:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:         arith.addf %{{.*}} : f32
// CHECK:         -> tensor<4xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[S]] : tensor<4xf32>)
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @sum(%x: tensor<4x8xbf16>) -> tensor<4xbf16> {
  %0 = nn.reduce_sum %x axes [1] : tensor<4x8xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// A contraction is a chain of fma in f32.
// CHECK-LABEL: func.func @matmul
// CHECK:         %[[C:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:         math.fma %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func @matmul(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>) -> tensor<4x6xf16> {
  %0 = nn.matmul %a, %b : tensor<4x8xf16>, tensor<8x6xf16> -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

// -----

// A reshape, and a slice of one range, move nothing.
// CHECK-LABEL: func.func @views
// CHECK-SAME:    %[[X:.*]]: tensor
// CHECK-NOT:     linalg.generic
// CHECK:         kernel.view %[[X]][0] : tensor<4x6xf32> -> tensor<24xf32>
// CHECK:         kernel.view %[[X]][6] : tensor<4x6xf32> -> tensor<2x6xf32>
// CHECK-NOT:     linalg.generic
func.func @views(%x: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<2x6xf32>) {
  %0 = nn.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  %1 = nn.slice %x [1, 0] to [3, 6] by [1, 1] : tensor<4x6xf32> -> tensor<2x6xf32>
  return %0, %1 : tensor<24xf32>, tensor<2x6xf32>
}

// -----

// There is nothing inside of an empty tensor to read.
// CHECK-LABEL: func.func @pad_of_nothing
// CHECK-NOT:     tensor.extract
// CHECK:         linalg.yield
func.func @pad_of_nothing(%x: tensor<0xf32>) -> tensor<3xf32> {
  %0 = nn.pad %x low [1] high [2] interior [0] value 0.5 : tensor<0xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Kernels have integers without a sign: their ops say what is meant, and between
// them nothing is viewed.
// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xui8>
// CHECK:         %[[A:.*]] = kernel.view %[[X]][0] : tensor<8xui8> -> tensor<8xi8>
// CHECK:         %[[Q:.*]] = linalg.generic {{.*}} ins(%[[A]]
// CHECK:         arith.divui %{{.*}} : i8
// CHECK:         %[[M:.*]] = linalg.generic {{.*}} ins(%[[Q]]
// CHECK:         arith.maxui %{{.*}} : i8
// CHECK:         %[[R:.*]] = kernel.view %[[M]][0] : tensor<8xi8> -> tensor<8xui8>
// CHECK:         return %[[R]]
func.func @unsigned(%x: tensor<8xui8>, %y: tensor<8xui8>) -> tensor<8xui8> {
  %0 = nn.div %x, %y : tensor<8xui8>
  %1 = nn.maximum %0, %y : tensor<8xui8>
  return %1 : tensor<8xui8>
}

// -----

// A pool whose positions nobody uses does not compute them.
// CHECK-LABEL: func.func @pool_of_values
// CHECK:         %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK-NOT:     linalg.index
// CHECK:       } -> tensor<1x2x4xf32>
// CHECK:         return %[[MAX]]
func.func @pool_of_values(%x: tensor<1x2x8xf32>) -> tensor<1x2x4xf32> {
  %value, %place = nn.max_pool %x window [2] strides [2] low [0] high [0] dilations [1] : tensor<1x2x8xf32> -> tensor<1x2x4xf32>, tensor<1x2x4xi64>
  return %value : tensor<1x2x4xf32>
}

// -----

// Whole parts lie behind one another, where the planner gives each its place; a part without elements takes none.
// CHECK-LABEL: func.func @concat_of_wholes
// CHECK-SAME:    %[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<4x3xf32>, %[[NONE:.*]]: tensor<0x3xf32>
// CHECK:         %[[ALL:.*]] = kernel.pack %[[A]], %[[B]], %[[A]] at [0, 6, 18]
// CHECK-SAME:    -> tensor<8x3xf32>
// CHECK:         return %[[ALL]]
func.func @concat_of_wholes(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>, %none: tensor<0x3xf32>) -> tensor<8x3xf32> {
  %0 = nn.concat %a, %none, %b, %a axis(0)
      : tensor<2x3xf32>, tensor<0x3xf32>, tensor<4x3xf32>, tensor<2x3xf32> -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// -----

// The same behind axes of one element.
// CHECK-LABEL: func.func @concat_of_one_sample
// CHECK:         kernel.pack %{{.*}}, %{{.*}} at [0, 6]
// CHECK-SAME:    -> tensor<1x6x3xf32>
func.func @concat_of_one_sample(%a: tensor<1x2x3xf32>, %b: tensor<1x4x3xf32>) -> tensor<1x6x3xf32> {
  %0 = nn.concat %a, %b axis(1) : tensor<1x2x3xf32>, tensor<1x4x3xf32> -> tensor<1x6x3xf32>
  return %0 : tensor<1x6x3xf32>
}

// -----

// Other parts are written to their places.
// CHECK-LABEL: func.func @concat_of_rows
// CHECK-NOT:     kernel.pack
// CHECK-COUNT-2: linalg.generic
func.func @concat_of_rows(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %0 = nn.concat %a, %b axis(1) : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}
