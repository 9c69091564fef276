// RUN: mpc-opt %s --cuda-attach-target --kernel-schedule | FileCheck %s
// RUN: mpc-opt %s --cuda-attach-target=naive=true --kernel-schedule | FileCheck %s --check-prefix=NAIVE

#i = affine_map<(i) -> (i)>
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// NAIVE: kernel.target = #cuda.target<arch = 80, naive = true>

// A thread does what it moves with one access of the narrowest type.
// CHECK:       @narrow
// CHECK-SAME:  schedule = #cuda.map<chunks = 4, threads = 256, vector = 8>
// NAIVE:       schedule = #cuda.map<chunks = 32, threads = 256, vector = 1>
kernel.func map @narrow(%x: tensor<8192xf32>, %d: tensor<8192xbf16>) -> tensor<8192xbf16> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<8192xf32>) outs(%d : tensor<8192xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<8192xbf16>
  kernel.return %r : tensor<8192xbf16>
}

// An odd number of elements does not make vectors.
// CHECK:       @odd
// CHECK-SAME:  schedule = #cuda.map<chunks = 1, threads = 256, vector = 1>
kernel.func map @odd(%x: tensor<7xf32>, %d: tensor<7xf32>) -> tensor<7xf32> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<7xf32>) outs(%d : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  kernel.return %r : tensor<7xf32>
}

// A row of up to 1024 elements is a warp's, a longer one a block's. A thread
// takes so many neighbours as divide the row and leave no thread without; in
// the reference one.
// CHECK:       @short_rows
// CHECK-SAME:  schedule = #cuda.rows<chunks = 2, threads = 256, lanes = 32, vector = 8>
// NAIVE:       schedule = #cuda.rows<chunks = 9, threads = 256, lanes = 256, vector = 1>
kernel.func rows @short_rows(%x: tensor<9x1024xf32>, %d: tensor<9xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<9x1024xf32>) outs(%first : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  kernel.return %r : tensor<9xf32>
}

// CHECK:       @long_rows
// CHECK-SAME:  schedule = #cuda.rows<chunks = 9, threads = 256, lanes = 256, vector = 1>
// NAIVE:       schedule = #cuda.rows<chunks = 2, threads = 256, lanes = 32, vector = 1>
kernel.func rows @long_rows(%x: tensor<9x1025xf32>, %d: tensor<9xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<9x1025xf32>) outs(%first : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  kernel.return %r : tensor<9xf32>
}

// The number of warps follows from the length of a column alone.
// CHECK:       @columns
// CHECK-SAME:  schedule = #cuda.columns<chunks = 2, threads = 128>
// NAIVE:       schedule = #cuda.columns<chunks = 2, threads = 32>
kernel.func columns @columns(%x: tensor<40x33xf32>, %d: tensor<33xf32>) -> tensor<33xf32> {
  %e = tensor.empty() : tensor<33xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %r = linalg.generic {indexing_maps = [#mn, #n], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<40x33xf32>) outs(%first : tensor<33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<33xf32>
  kernel.return %r : tensor<33xf32>
}

// 128 elements have four for each lane.
// CHECK:       @rows_of_fewer
// CHECK-SAME:  lanes = 32, vector = 4>
kernel.func rows @rows_of_fewer(%x: tensor<9x128xf32>, %d: tensor<9xf32>) -> tensor<9xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<9xf32>) -> tensor<9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<9x128xf32>) outs(%first : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  kernel.return %r : tensor<9xf32>
}

// 1500 is a multiple of 4 and not of 8.
// CHECK:       @rows_of_twelves
// CHECK-SAME:  lanes = 256, vector = 4>
kernel.func rows @rows_of_twelves(%x: tensor<9x1500xf32>, %d: tensor<9xf32>) -> tensor<9xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<9xf32>) -> tensor<9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<9x1500xf32>) outs(%first : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  kernel.return %r : tensor<9xf32>
}

// Some threads have two runs of 8, others three.
// CHECK:       @long_rows_of_eights
// CHECK-SAME:  lanes = 256, vector = 8>
kernel.func rows @long_rows_of_eights(%x: tensor<9x4104xf32>, %d: tensor<9xf32>) -> tensor<9xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<9xf32>) -> tensor<9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<9x4104xf32>) outs(%first : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  kernel.return %r : tensor<9xf32>
}

// Of a longer row than 16384 few are under way at a time.
// CHECK:       @very_long_rows
// CHECK-SAME:  schedule = #cuda.rows<chunks = 9, threads = 512, lanes = 512, vector = 8>
kernel.func rows @very_long_rows(%x: tensor<9x16392xf32>, %d: tensor<9xf32>) -> tensor<9xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<9xf32>) -> tensor<9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<9x16392xf32>) outs(%first : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  kernel.return %r : tensor<9xf32>
}

// A run lies in the last axis.
// CHECK:       @two_axes
// CHECK-SAME:  lanes = 256, vector = 4>
kernel.func rows @two_axes(%x: tensor<64x3x100xf32>, %d: tensor<3xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(l, m, n) -> (l, m, n)>, affine_map<(l, m, n) -> (m)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<64x3x100xf32>) outs(%first : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  kernel.return %r : tensor<3xf32>
}

// A scatter's columns are the least power of two, and its rows fill the block,
// or are as many as about 1024 blocks leave to each.
// CHECK:       @scatter_narrow
// CHECK-SAME:  schedule = #cuda.scatter<chunks = 30, threads = 256, rows = 64, columns = 4>
kernel.func scatter @scatter_narrow(%u: tensor<2x4x3xf32>, %i: tensor<2x4xi64>, %d: tensor<2x900x3xf32>) -> tensor<2x900x3xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<2x900x3xf32>) -> tensor<2x900x3xf32>
  %r = kernel.scatter ins(%u, %i : tensor<2x4x3xf32>, tensor<2x4xi64>) outs(%first : tensor<2x900x3xf32>) by sum
  kernel.return %r : tensor<2x900x3xf32>
}

// A row wider than a block takes several.
// CHECK:       @scatter_wide
// CHECK-SAME:  schedule = #cuda.scatter<chunks = 1000, threads = 256, rows = 4, columns = 256>
kernel.func scatter @scatter_wide(%u: tensor<2x4x300xf32>, %i: tensor<2x4xi64>, %d: tensor<2x1000x300xf32>) -> tensor<2x1000x300xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<2x1000x300xf32>) -> tensor<2x1000x300xf32>
  %r = kernel.scatter ins(%u, %i : tensor<2x4x300xf32>, tensor<2x4xi64>) outs(%first : tensor<2x1000x300xf32>) by sum
  kernel.return %r : tensor<2x1000x300xf32>
}

// One as wide as a block takes one.
// CHECK:       @scatter_block
// CHECK-SAME:  schedule = #cuda.scatter<chunks = 7, threads = 256, rows = 1, columns = 256>
kernel.func scatter @scatter_block(%u: tensor<1x4x256xf32>, %i: tensor<1x4xi64>, %d: tensor<1x7x256xf32>) -> tensor<1x7x256xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<1x7x256xf32>) -> tensor<1x7x256xf32>
  %r = kernel.scatter ins(%u, %i : tensor<1x4x256xf32>, tensor<1x4xi64>) outs(%first : tensor<1x7x256xf32>) by sum
  kernel.return %r : tensor<1x7x256xf32>
}

// A schedule that is there stays.
// CHECK:       @given
// CHECK-SAME:  schedule = #cuda.loops<chunks = 7, threads = 32>
kernel.func map @given(%x: tensor<7xf32>, %d: tensor<7xf32>) -> tensor<7xf32>
    attributes {schedule = #cuda.loops<chunks = 7, threads = 32>} {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<7xf32>) outs(%d : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  kernel.return %r : tensor<7xf32>
}

// Who asks for the order of the loops gets it from one thread an element.
// CHECK:       @in_order
// CHECK-SAME:  schedule = #cuda.loops
kernel.func columns @in_order(%a: tensor<4096x64xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%d : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#mn, #n], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<4096x64xf32>) outs(%i : tensor<64xf32>) attrs = {kernel.in_order} {
  ^bb0(%e: f32, %s: f32):
    %t = arith.addf %s, %e : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}
