// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,kernel-emit)' | FileCheck %s

// Tiles of 5 results of 17, the last of which has 2. With a window of 3 they
// read 4 elements of %a, which are loaded as four, with one of 2 only 3, and a
// vector of four would end beyond the tensor.
// CHECK-LABEL: func.func @four
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<152xf32>
// CHECK-COUNT-8: vector.load %[[A]]{{.*}} vector<4xf32>
kernel.func contraction @four(%a: tensor<1x8x19xf32>, %b: tensor<8x3xf32>, %c: tensor<1x8x17xf32>) -> tensor<1x8x17xf32>
    attributes {schedule = #cpu.depthwise<chunks = 1, lanes = 8, cut = 0, tile = 5, block = [1, 5]>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x8x17xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x8x17xf32>) -> tensor<1x8x17xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, g, x, w) -> (n, g, x + w)>, affine_map<(n, g, x, w) -> (g, w)>,
        affine_map<(n, g, x, w) -> (n, g, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x8x19xf32>, tensor<8x3xf32>) outs(%init : tensor<1x8x17xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<1x8x17xf32>
  kernel.return %r : tensor<1x8x17xf32>
}

// CHECK-LABEL: func.func @three
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<144xf32>
// CHECK-NOT:     vector.load %[[A]]
// CHECK-COUNT-8: memref.load %[[A]]
// CHECK-NOT:     vector.load %[[A]]
// CHECK:         return
kernel.func contraction @three(%a: tensor<1x8x18xf32>, %b: tensor<8x2xf32>, %c: tensor<1x8x17xf32>) -> tensor<1x8x17xf32>
    attributes {schedule = #cpu.depthwise<chunks = 1, lanes = 8, cut = 0, tile = 5, block = [1, 5]>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x8x17xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x8x17xf32>) -> tensor<1x8x17xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, g, x, w) -> (n, g, x + w)>, affine_map<(n, g, x, w) -> (g, w)>,
        affine_map<(n, g, x, w) -> (n, g, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x8x18xf32>, tensor<8x2xf32>) outs(%init : tensor<1x8x17xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<1x8x17xf32>
  kernel.return %r : tensor<1x8x17xf32>
}
