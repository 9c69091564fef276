// RUN: mpc-opt %s --split-input-file --verify-diagnostics --cpu-attach-target --kernel-emit

// expected-error @+1 {{has no schedule; run kernel-schedule first}}
kernel.func @unscheduled(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{cannot be cut into 2 chunks}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #cpu.loops<chunks = 2>} {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{has no axis that vectors can go along}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #cpu.lanes<chunks = 1, lanes = 8>} {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{is of kind 'loops', which does not run by #cpu.map<chunks = 1, lanes = 8>}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #cpu.map<chunks = 1, lanes = 8>} {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{is of kind 'loops', which does not run by #cpu.rows<chunks = 1, lanes = 8>}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #cpu.rows<chunks = 1, lanes = 8>} {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{is of kind 'loops', which does not run by #cpu.columns<chunks = 1, lanes = 8>}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #cpu.columns<chunks = 1, lanes = 8>} {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{is of kind 'loops', which does not run by #cpu.gemm<chunks = 1, lanes = 8, rows = 0, tile = [24, 32, 64], micro = [6, 16]>}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, tile = [24, 32, 64], micro = [6, 16]>} {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{is not a packing of one factor}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #cpu.pack<chunks = 1, lanes = 8, batch = 0, outer = 1, tile = 4, block = 4, panel = 0>} {
  kernel.return %x : tensor<4xf32>
}

// -----

// A row that is packed lies in five dimensions.
// expected-error @+1 {{packs into 'tensor<4xf32>', but #cpu.pack<chunks = 1, lanes = 8, batch = 0, outer = 1, tile = 4, block = 4, panel = 0> has 5 dimensions}}
kernel.func @flat(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #cpu.pack<chunks = 1, lanes = 8, batch = 0, outer = 1, tile = 4, block = 4, panel = 0>} {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  kernel.return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{attribute 'schedule' failed to satisfy constraint}}
kernel.func @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = "fast"} {
  kernel.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{chunks, lanes and sizes must be positive}}
func.func private @f() attributes {schedule = #cpu.loops<chunks = 0>}

// -----

// expected-error @+1 {{lanes must be a power of two}}
func.func private @f() attributes {schedule = #cpu.map<chunks = 1, lanes = 12>}

// -----

// expected-error @+1 {{a contraction has the factors 0 and 1}}
func.func private @f() attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 2, tile = [24, 32, 64], micro = [6, 16]>}

// -----

// expected-error @+1 {{a tile is rows, columns and k, a micro-tile rows and columns}}
func.func private @f() attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, tile = [24, 32], micro = [6, 16]>}

// -----

// expected-error @+1 {{12 columns of a micro-tile are not a multiple of 8 lanes}}
func.func private @f() attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, tile = [24, 32, 64], micro = [6, 12]>}

// -----

// expected-error @+1 {{4 columns of a micro-tile are not a multiple of 8 lanes}}
func.func private @f() attributes {schedule = #cpu.pack<chunks = 1, lanes = 8, batch = 1, outer = 1, tile = 4, block = 4, panel = 4>}

// -----

// expected-error @+1 {{counts of dimensions cannot be negative}}
func.func private @f() attributes {schedule = #cpu.pack<chunks = 1, lanes = 8, batch = -1, outer = 1, tile = 4, block = 4, panel = 0>}

// -----

kernel.func @table(%d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #cpu.loops<chunks = 1>} {
  // expected-error @+1 {{in a kernel needs equal elements; pass a tensor of different ones as an argument}}
  %0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  kernel.return %0 : tensor<4xf32>
}

// -----

kernel.func @call(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #cpu.loops<chunks = 1>} {
  // expected-error @+1 {{cannot stand in a kernel}}
  %0 = tensor.cast %x : tensor<4xf32> to tensor<4xf32>
  kernel.return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{lanes must be a power of two}}
module attributes {kernel.target = #cpu.target<lanes = 12>} {
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// A factor that is packed lies as the schedule's panels say.
// expected-error @+1 {{has factor 1 of type 'tensor<16x8xf32>', but packed for #cpu.gemm<chunks = 1, lanes = 8, rows = 0, packed = 1, tile = [6, 16, 8], micro = [6, 16]> it is 'tensor<1x1x8x16xf32>'}}
kernel.func contraction @unpacked(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>, %d: tensor<4x16xf32>) -> tensor<4x16xf32>
    attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, packed = 1, tile = [6, 16, 8], micro = [6, 16]>} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%d : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<16x8xf32>) outs(%init : tensor<4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  kernel.return %r : tensor<4x16xf32>
}

// -----

// expected-error @+1 {{has no tile of 9 in dimension 1}}
kernel.func contraction @k(%a: tensor<16x4x10xf32>, %b: tensor<4x3xf32>, %c: tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
    attributes {schedule = #cpu.depthwise<chunks = 1, lanes = 4, cut = 1, tile = 9, block = [1, 8]>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, g, x, w) -> (n, g, x + w)>, affine_map<(n, g, x, w) -> (g, w)>,
        affine_map<(n, g, x, w) -> (n, g, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x4x10xf32>, tensor<4x3xf32>) outs(%init : tensor<16x4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<16x4x8xf32>
  kernel.return %r : tensor<16x4x8xf32>
}

// -----

// expected-error @+1 {{has no tile of 1 in dimension 2}}
kernel.func contraction @k(%a: tensor<16x4x10xf32>, %b: tensor<4x3xf32>, %c: tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
    attributes {schedule = #cpu.depthwise<chunks = 1, lanes = 4, cut = 2, tile = 1, block = [1, 8]>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, g, x, w) -> (n, g, x + w)>, affine_map<(n, g, x, w) -> (g, w)>,
        affine_map<(n, g, x, w) -> (n, g, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x4x10xf32>, tensor<4x3xf32>) outs(%init : tensor<16x4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<16x4x8xf32>
  kernel.return %r : tensor<16x4x8xf32>
}

// -----

// expected-error @+1 {{cannot be cut into 3 chunks}}
kernel.func contraction @k(%a: tensor<16x4x10xf32>, %b: tensor<4x3xf32>, %c: tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
    attributes {schedule = #cpu.depthwise<chunks = 3, lanes = 4, cut = 0, tile = 8, block = [1, 8]>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, g, x, w) -> (n, g, x + w)>, affine_map<(n, g, x, w) -> (g, w)>,
        affine_map<(n, g, x, w) -> (n, g, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x4x10xf32>, tensor<4x3xf32>) outs(%init : tensor<16x4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<16x4x8xf32>
  kernel.return %r : tensor<16x4x8xf32>
}

// -----

// Nothing slides.
// expected-error @+1 {{is not a depthwise contraction}}
kernel.func contraction @k(%a: tensor<16x4x3xf32>, %b: tensor<4x8x3xf32>, %c: tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
    attributes {schedule = #cpu.depthwise<chunks = 1, lanes = 4, cut = 0, tile = 1, block = [1, 8]>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, g, x, w) -> (n, g, w)>, affine_map<(n, g, x, w) -> (g, x, w)>,
        affine_map<(n, g, x, w) -> (n, g, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x4x3xf32>, tensor<4x8x3xf32>) outs(%init : tensor<16x4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<16x4x8xf32>
  kernel.return %r : tensor<16x4x8xf32>
}

// -----

// expected-error @+1 {{a block is rows and columns}}
func.func private @f() attributes {schedule = #cpu.depthwise<chunks = 1, lanes = 8, cut = 0, tile = 1, block = [8]>}

// -----

// expected-error @+1 {{counts of dimensions cannot be negative}}
func.func private @f() attributes {schedule = #cpu.depthwise<chunks = 1, lanes = 8, cut = -1, tile = 1, block = [1, 8]>}

// -----

// expected-error @+1 {{channels are transposed by fours, not by 2}}
func.func private @f() attributes {schedule = #cpu.depthwise<chunks = 1, lanes = 2, cut = 0, tile = 1, block = [1, 8]>}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// 300 k are three chains, of 128, 128 and 44.
// expected-error @+1 {{has blocks of 192 k, which are not whole chains of 128}}
kernel.func contraction @cut_chain(%a: tensor<4x300xf32>, %b: tensor<16x300xf32>, %d: tensor<4x16xf32>) -> tensor<4x16xf32>
    attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, tile = [6, 16, 192], micro = [6, 16]>} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%d : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x300xf32>, tensor<16x300xf32>) outs(%init : tensor<4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  kernel.return %r : tensor<4x16xf32>
}

// -----

// A chain has 16 lines of 12.
// expected-error @+1 {{has a tile of 4, which is not whole chains of 16}}
kernel.func contraction @k(%a: tensor<16x4x14xf32>, %b: tensor<16x4x12xf32>, %c: tensor<4x3xf32>) -> tensor<4x3xf32>
    attributes {schedule = #cpu.depthwise<chunks = 1, lanes = 4, cut = 0, tile = 4, block = [1, 3]>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x3xf32>) -> tensor<4x3xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(g, w, n, x) -> (n, g, x + w)>, affine_map<(g, w, n, x) -> (n, g, x)>,
        affine_map<(g, w, n, x) -> (g, w)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<16x4x14xf32>, tensor<16x4x12xf32>) outs(%init : tensor<4x3xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x3xf32>
  kernel.return %r : tensor<4x3xf32>
}

// -----

// expected-error @+1 {{the unit avx512_bf16 has vectors of 16 lanes, not 8}}
module attributes {kernel.target = #cpu.target<lanes = 8, bf16 = avx512_bf16>} {}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// expected-error @+1 {{has factors that avx512_bf16 does not multiply}}
kernel.func contraction @f32(%a: tensor<8x64xf32>, %b: tensor<64x32xf32>, %c: tensor<8x32xf32>) -> tensor<8x32xf32>
    attributes {schedule = #cpu.gemm<chunks = 1, lanes = 16, rows = 0, tile = [8, 32, 64], micro = [8, 32], unit = avx512_bf16>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x64xf32>, tensor<64x32xf32>) outs(%init : tensor<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x32xf32>
  kernel.return %r : tensor<8x32xf32>
}

// -----

// expected-error @+1 {{a step of a unit takes 1 or 2 k, not 3}}
#pack = #cpu.pack<chunks = 1, lanes = 16, batch = 0, outer = 1, tile = 4, block = 4, panel = 32, depth = 3>

// -----

// expected-error @+1 {{a run of 24 k is no whole blocks of 16}}
#runs = #cpu.pack<chunks = 1, lanes = 16, batch = 0, outer = 1, tile = 32, block = 64, panel = 32, depth = 2, run = 24>

// -----

// expected-error @+1 {{must be positive}}
#pieces = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, tile = [8, 32, 64], micro = [8, 32], column_pieces = 0>

// -----

// expected-error @+1 {{rows that are read in place are not packed}}
#both = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, packed = 0, tile = [8, 32, 64], micro = [8, 32], row_layout = in_place>

// -----

#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// expected-error @+1 {{has rows that cannot be read in place}}
kernel.func contraction @transposed(%a: tensor<64x8xf32>, %b: tensor<64x32xf32>, %c: tensor<8x32xf32>) -> tensor<8x32xf32>
    attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, tile = [8, 32, 64], micro = [8, 32], row_layout = in_place>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = linalg.generic {indexing_maps = [#km, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x8xf32>, tensor<64x32xf32>) outs(%init : tensor<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x32xf32>
  kernel.return %r : tensor<8x32xf32>
}

// -----

// A plain product has no image over which a window slides.
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @+1 {{has no windows on factor 0}}
kernel.func contraction @no_window(%a: tensor<4x300xf32>, %b: tensor<1x1x300x16xf32>, %d: tensor<4x16xf32>) -> tensor<4x16xf32>
    attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, packed = 1, tile = [6, 16, 300], micro = [6, 16], row_layout = windows>} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%d : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.generic {indexing_maps = [#mk, affine_map<(m, n, k) -> (0, 0, k, n)>, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x300xf32>, tensor<1x1x300x16xf32>) outs(%init : tensor<4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  kernel.return %r : tensor<4x16xf32>
}

// -----

// A line has 6 positions, a tap of the first axis 3 x 16 k.
// expected-error @+1 {{has tiles of 8 rows and 144 k, which are not whole lines of 6 positions and taps of 48 k}}
kernel.func contraction @half_a_line(%a: tensor<2x16x8x8xf32>, %b: tensor<16x16x3x3xf32>, %d: tensor<2x16x6x6xf32>) -> tensor<2x16x6x6xf32>
    attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, packed = 1, tile = [8, 16, 144], micro = [6, 16], row_layout = windows>} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%d : tensor<2x16x6x6xf32>) -> tensor<2x16x6x6xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, o, y, x, h, w, c) -> (n, c, y + h, x + w)>,
        affine_map<(n, o, y, x, h, w, c) -> (o, c, h, w)>,
        affine_map<(n, o, y, x, h, w, c) -> (n, o, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<2x16x8x8xf32>, tensor<16x16x3x3xf32>) outs(%init : tensor<2x16x6x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<2x16x6x6xf32>
  kernel.return %r : tensor<2x16x6x6xf32>
}

// -----

// expected-error @+2 {{columns beside rows in windows are packed}}
kernel.func contraction @columns(%a: tensor<4x300xf32>, %d: tensor<4x16xf32>) -> tensor<4x16xf32>
    attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, tile = [6, 16, 300], micro = [6, 16], row_layout = windows>} {
  kernel.return %d : tensor<4x16xf32>
}

// -----

// expected-error @+1 {{is not one scatter to one destination}}
kernel.func scatter @twice(%u: tensor<1x4x8xf32>, %at: tensor<4xi64>, %d: tensor<1x3x8xf32>, %e: tensor<1x3x8xf32>) -> (tensor<1x3x8xf32>, tensor<1x3x8xf32>) attributes {schedule = #cpu.scatter<chunks = 1, lanes = 8, block = 8>} {
  %r = kernel.scatter ins(%u, %at : tensor<1x4x8xf32>, tensor<4xi64>) outs(%d : tensor<1x3x8xf32>)
  kernel.return %r, %r : tensor<1x3x8xf32>, tensor<1x3x8xf32>
}

// -----

// expected-error @+1 {{cannot be cut into 2 chunks}}
kernel.func scatter @cut(%u: tensor<1x4x8xf32>, %at: tensor<4xi64>, %d: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> attributes {schedule = #cpu.scatter<chunks = 2, lanes = 8, block = 8>} {
  %r = kernel.scatter ins(%u, %at : tensor<1x4x8xf32>, tensor<4xi64>) outs(%d : tensor<1x3x8xf32>)
  kernel.return %r : tensor<1x3x8xf32>
}

// -----

// expected-error @+1 {{a block of 12 columns is not whole vectors of 8}}
#unit = #cpu.scatter<chunks = 1, lanes = 8, block = 12>
