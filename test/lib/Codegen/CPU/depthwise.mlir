// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(cpu-attach-target,kernel-schedule)' | FileCheck %s --check-prefix=SCHEDULE
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(cpu-attach-target,kernel-schedule,kernel-emit)' | FileCheck %s --check-prefix=EMIT

#out = affine_map<(n, g, y, x, h, w) -> (n, g, y, x)>

// Lanes are channels, the last of which are repeated in the second vector; a
// block of 8 positions of a line is summed at once. Nothing is packed before.
// SCHEDULE-NOT:   #cpu.pack
// SCHEDULE-LABEL: kernel.func contraction @forward
// SCHEDULE-SAME:    #cpu.depthwise<chunks = 5, lanes = 8, cut = 0, tile = 1, block = [1, 8]>
// EMIT-LABEL: func.func @forward
// EMIT-SAME:    chunks = 5
// Four positions of each channel are read and transposed.
// EMIT:         arith.minui
// EMIT:         vector.load {{.*}} vector<4xf16>
// EMIT:         vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf16>
// EMIT:         arith.extf {{.*}} vector<8xf16> to vector<8xf32>
// EMIT:         vector.shuffle {{.*}} [0, 8, 1, 9, 4, 12, 5, 13]
// EMIT:         vector.shuffle {{.*}} [0, 1, 8, 9, 4, 5, 12, 13]
// The sums of a block go through the loops over the window.
// EMIT:         scf.for {{.*}} iter_args
// EMIT:           scf.for {{.*}} iter_args
// EMIT-COUNT-8:     math.fma {{.*}} vector<8xf32>
// EMIT-NOT:         math.fma
// The map goes along lines again.
// EMIT:         arith.truncf {{.*}} vector<8xf32> to vector<8xf16>
// EMIT:         vector.store {{.*}} vector<8xf16>
kernel.func contraction @forward(%a: tensor<4x13x18x26xf16>, %b: tensor<13x3x3xf16>, %c: tensor<4x13x16x24xf16>)
    -> tensor<4x13x16x24xf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x13x16x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x13x16x24xf32>) -> tensor<4x13x16x24xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, g, y, x, h, w) -> (n, g, y + h, x + w)>, affine_map<(n, g, y, x, h, w) -> (g, h, w)>, #out],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<4x13x18x26xf16>, tensor<13x3x3xf16>) outs(%init : tensor<4x13x16x24xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %x32 = arith.extf %x : f16 to f32
    %y32 = arith.extf %y : f16 to f32
    %t = math.fma %x32, %y32, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x13x16x24xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(n, g, y, x) -> (n, g, y, x)>, affine_map<(n, g, y, x) -> (n, g, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<4x13x16x24xf32>) outs(%c : tensor<4x13x16x24xf16>) {
  ^bb0(%x: f32, %s: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<4x13x16x24xf16>
  kernel.return %o : tensor<4x13x16x24xf16>
}

// -----

// The gradient of the weight: all 9 sums of 8 channels are in registers while
// positions are summed over, a chunk has all positions of its channels.
// SCHEDULE-LABEL: kernel.func contraction @weight
// SCHEDULE-SAME:    #cpu.depthwise<chunks = 8, lanes = 8, cut = 0, tile = 2, block = [3, 3]>
// EMIT-LABEL: func.func @weight
// EMIT:         scf.for {{.*}} iter_args
// EMIT:           scf.for {{.*}} iter_args
// EMIT-COUNT-9:     math.fma {{.*}} vector<8xf32>
// EMIT-NOT:         math.fma
kernel.func contraction @weight(%a: tensor<16x64x30x30xf32>, %b: tensor<16x64x28x28xf32>, %c: tensor<64x3x3xf32>)
    -> tensor<64x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x3x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x3x3xf32>) -> tensor<64x3x3xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(g, h, w, n, y, x) -> (n, g, y + h, x + w)>, affine_map<(g, h, w, n, y, x) -> (n, g, y, x)>,
        affine_map<(g, h, w, n, y, x) -> (g, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<16x64x30x30xf32>, tensor<16x64x28x28xf32>) outs(%init : tensor<64x3x3xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<64x3x3xf32>
  kernel.return %r : tensor<64x3x3xf32>
}
