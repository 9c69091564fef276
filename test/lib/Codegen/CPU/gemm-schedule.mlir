// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(cpu-attach-target,kernel-schedule)' | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// The smaller factor, here the weight, is packed by a kernel of its own, as
// panels of 16 columns in f32, before each launch.
// CHECK-LABEL: kernel.func loops @linear_pack
// CHECK-SAME:    %{{.*}}: tensor<30x64xf16>, %[[D:.*]]: tensor<1x2x64x16xf32>
// CHECK-SAME:    #cpu.pack<{{.*}}panel = 16>
// CHECK:         %[[ZERO:.*]] = linalg.fill {{.*}} outs(%[[D]]
// CHECK:         linalg.generic {{.*}} outs(%[[ZERO]]
// CHECK:           arith.extf
// CHECK-LABEL: kernel.func contraction @linear
// CHECK-SAME:    %[[A:.*]]: tensor<500x64xf16>, %[[B:.*]]: tensor<1x2x64x16xf32>
// CHECK-SAME:    #cpu.gemm<{{.*}}rows = 0, packed = 1, {{.*}}micro = [6, 16]>
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[B]]
// CHECK:           arith.extf %{{.*}} : f16 to f32
// CHECK-NOT:       arith.extf
// CHECK:           math.fma
kernel.func contraction @linear(%a: tensor<500x64xf16>, %b: tensor<30x64xf16>, %c: tensor<500x30xf16>)
    -> tensor<500x30xf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<500x30xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<500x30xf32>) -> tensor<500x30xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<500x64xf16>, tensor<30x64xf16>) outs(%init : tensor<500x30xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %x32 = arith.extf %x : f16 to f32
    %y32 = arith.extf %y : f16 to f32
    %t = math.fma %x32, %y32, %s : f32
    linalg.yield %t : f32
  } -> tensor<500x30xf32>
  %o = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<500x30xf32>) outs(%c : tensor<500x30xf16>) {
  ^bb0(%x: f32, %s: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<500x30xf16>
  kernel.return %o : tensor<500x30xf16>
}

// CHECK-LABEL: func.func @step
// CHECK-SAME:    (%[[X:.*]]: tensor<500x64xf16>, %[[W:.*]]: tensor<30x64xf16>
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<1x2x64x16xf32>
// CHECK:         %[[P:.*]] = kernel.launch @linear_pack ins(%[[W]] {{.*}} outs(%[[E]]
// CHECK:         kernel.launch @linear ins(%[[X]], %[[P]]
func.func @step(%x: tensor<500x64xf16>, %w: tensor<30x64xf16>) -> tensor<500x30xf16> {
  %d = tensor.empty() : tensor<500x30xf16>
  %y = kernel.launch @linear ins(%x, %w : tensor<500x64xf16>, tensor<30x64xf16>)
                             outs(%d : tensor<500x30xf16>) -> tensor<500x30xf16>
  return %y : tensor<500x30xf16>
}

// -----

// A convolution writes x contiguously, so that pixels are the columns; the
// weight gives the rows, k contiguous, converted while they are packed.
// CHECK-LABEL: kernel.func loops @conv_pack
// CHECK-SAME:    tensor<8x3x3x3xf16>, %{{.*}}: tensor<1x1x2x4x40xf32>
// CHECK-SAME:    #cpu.pack<{{.*}}panel = 0>
// CHECK-LABEL: kernel.func contraction @conv
// CHECK-SAME:    #cpu.gemm<{{.*}}rows = 1, packed = 1,
kernel.func contraction @conv(%a: tensor<4x3x18x18xf32>, %b: tensor<8x3x3x3xf16>, %c: tensor<4x8x16x16xf32>)
    -> tensor<4x8x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x8x16x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, o, y, x, c, h, w) -> (n, c, y + h, x + w)>,
        affine_map<(n, o, y, x, c, h, w) -> (o, c, h, w)>,
        affine_map<(n, o, y, x, c, h, w) -> (n, o, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<4x3x18x18xf32>, tensor<8x3x3x3xf16>) outs(%init : tensor<4x8x16x16xf32>) {
  ^bb0(%x: f32, %y: f16, %s: f32):
    %y32 = arith.extf %y : f16 to f32
    %t = math.fma %x, %y32, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x8x16x16xf32>
  kernel.return %r : tensor<4x8x16x16xf32>
}

// -----

// With one tile a batch both factors are packed by the chunk.
// CHECK-NOT:   @batched_pack
// CHECK-LABEL: kernel.func contraction @batched
// CHECK-SAME:    #cpu.gemm<chunks = 48, lanes = 8, rows = 0, tile = [66, 32, 64], micro = [6, 16]>
kernel.func contraction @batched(%a: tensor<48x64x64xf32>, %b: tensor<48x64x32xf32>, %c: tensor<48x64x32xf32>)
    -> tensor<48x64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<48x64x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<48x64x32xf32>) -> tensor<48x64x32xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
        affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<48x64x64xf32>, tensor<48x64x32xf32>) outs(%init : tensor<48x64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<48x64x32xf32>
  kernel.return %r : tensor<48x64x32xf32>
}

// -----

// A sum that does not start from zero, and one in f64, run otherwise.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: kernel.func rows @from_one
// CHECK-SAME:    #cpu.{{loops|columns|rows}}
kernel.func rows @from_one(%a: tensor<20x30xf32>, %b: tensor<30x40xf32>, %c: tensor<20x40xf32>)
    -> tensor<20x40xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<20x40xf32>
  %init = linalg.fill ins(%one : f32) outs(%empty : tensor<20x40xf32>) -> tensor<20x40xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<20x30xf32>, tensor<30x40xf32>) outs(%init : tensor<20x40xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<20x40xf32>
  kernel.return %r : tensor<20x40xf32>
}

// CHECK-LABEL: kernel.func rows @in_f64
// CHECK-SAME:    #cpu.{{loops|columns|rows}}
kernel.func rows @in_f64(%a: tensor<20x30xf64>, %b: tensor<30x40xf64>, %c: tensor<20x40xf64>)
    -> tensor<20x40xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<20x40xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<20x40xf64>) -> tensor<20x40xf64>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<20x30xf64>, tensor<30x40xf64>) outs(%init : tensor<20x40xf64>) {
  ^bb0(%x: f64, %y: f64, %s: f64):
    %t = math.fma %x, %y, %s : f64
    linalg.yield %t : f64
  } -> tensor<20x40xf64>
  kernel.return %r : tensor<20x40xf64>
}

// -----

// A result of extent 1 has no loop that would move its window: the packed
// factor is read over 3 of the input's 4 places, beside an idle loop.
// CHECK-DAG:   #[[PART:.*]] = affine_map<({{.*}}) -> (0, d{{.}}, d{{.}} + [[IDLE:d.]], d{{.}} + d{{.}})>
// CHECK-LABEL: kernel.func loops @narrow_conv_pack
// CHECK:         linalg.generic {indexing_maps = [#[[PART]],
// CHECK-LABEL: kernel.func contraction @narrow_conv
// CHECK-SAME:    #cpu.gemm<{{.*}}packed = 0
kernel.func contraction @narrow_conv(%a: tensor<1x4x4x10xf32>, %b: tensor<200x4x3x3xf32>, %c: tensor<1x200x1x8xf32>)
    -> tensor<1x200x1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x200x1x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x200x1x8xf32>) -> tensor<1x200x1x8xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, o, y, x, c, h, w) -> (n, c, y * 2 + h, x + w)>,
        affine_map<(n, o, y, x, c, h, w) -> (o, c, h, w)>,
        affine_map<(n, o, y, x, c, h, w) -> (n, o, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<1x4x4x10xf32>, tensor<200x4x3x3xf32>) outs(%init : tensor<1x200x1x8xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<1x200x1x8xf32>
  kernel.return %r : tensor<1x200x1x8xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Three rows and more columns than two vectors: panels of four vectors.
// CHECK-LABEL: kernel.func contraction @thin_wide(
// CHECK-SAME:    #cpu.gemm<{{.*}}micro = [3, 32],
kernel.func contraction @thin_wide(%a: tensor<3x64xf32>, %b: tensor<17x64xf32>, %c: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x17xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x17xf32>) -> tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x64xf32>, tensor<17x64xf32>) outs(%init : tensor<3x17xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<3x17xf32>
  kernel.return %r : tensor<3x17xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Two vectors of columns are one panel.
// CHECK-LABEL: kernel.func contraction @thin_two(
// CHECK-SAME:    #cpu.gemm<{{.*}}micro = [3, 16],
kernel.func contraction @thin_two(%a: tensor<3x64xf32>, %b: tensor<16x64xf32>, %c: tensor<3x16xf32>) -> tensor<3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x16xf32>) -> tensor<3x16xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x64xf32>, tensor<16x64xf32>) outs(%init : tensor<3x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<3x16xf32>
  kernel.return %r : tensor<3x16xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Four rows, as more, have two vectors of columns each.
// CHECK-LABEL: kernel.func contraction @thin_four(
// CHECK-SAME:    #cpu.gemm<{{.*}}micro = [4, 16],
kernel.func contraction @thin_four(%a: tensor<4x64xf32>, %b: tensor<17x64xf32>, %c: tensor<4x17xf32>) -> tensor<4x17xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x17xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x17xf32>) -> tensor<4x17xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x64xf32>, tensor<17x64xf32>) outs(%init : tensor<4x17xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x17xf32>
  kernel.return %r : tensor<4x17xf32>
}

// -----

// A pixel's channels, of which no other chunk has need, are packed by the chunk
// of all rows that reads them: 64 channels of 8 images of 256 pixels.
// CHECK-NOT:   #cpu.pack
// CHECK-LABEL: kernel.func contraction @pointwise(
// CHECK-SAME:    #cpu.gemm<chunks = 16, lanes = 8, rows = 1, tile = [48, 128, 64], micro = [6, 16], row_layout = in_place>
kernel.func contraction @pointwise(%a: tensor<8x64x256xf32>, %b: tensor<48x64xf32>, %c: tensor<8x48x256xf32>)
    -> tensor<8x48x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x48x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x48x256xf32>) -> tensor<8x48x256xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, o, p, c) -> (n, c, p)>, affine_map<(n, o, p, c) -> (o, c)>,
        affine_map<(n, o, p, c) -> (n, o, p)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x64x256xf32>, tensor<48x64xf32>) outs(%init : tensor<8x48x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x48x256xf32>
  kernel.return %r : tensor<8x48x256xf32>
}

// -----

// These are too many rows for one chunk: pixels are packed once, for several.
// CHECK-LABEL: kernel.func loops @many_outputs_pack(
// CHECK-LABEL: kernel.func contraction @many_outputs(
// CHECK-SAME:    #cpu.gemm<{{.*}}rows = 1, packed = 0, {{.*}}row_layout = in_place>
kernel.func contraction @many_outputs(%a: tensor<8x64x256xf32>, %b: tensor<516x64xf32>, %c: tensor<8x516x256xf32>)
    -> tensor<8x516x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x516x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x516x256xf32>) -> tensor<8x516x256xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, o, p, c) -> (n, c, p)>, affine_map<(n, o, p, c) -> (o, c)>,
        affine_map<(n, o, p, c) -> (n, o, p)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x64x256xf32>, tensor<516x64xf32>) outs(%init : tensor<8x516x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x516x256xf32>
  kernel.return %r : tensor<8x516x256xf32>
}
