// RUN: mpc-opt %s --split-input-file --verify-diagnostics --cuda-attach-target --kernel-emit

#i = affine_map<(i) -> (i)>

// expected-error @below {{has no schedule; run kernel-schedule first}}
kernel.func map @unscheduled(%x: tensor<7xf32>, %d: tensor<7xf32>) -> tensor<7xf32> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<7xf32>) outs(%d : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  kernel.return %r : tensor<7xf32>
}

// -----

#i = affine_map<(i) -> (i)>

// expected-error @below {{has the schedule of another target: #cpu.map<chunks = 1, lanes = 8>}}
kernel.func map @foreign(%x: tensor<7xf32>, %d: tensor<7xf32>) -> tensor<7xf32>
    attributes {schedule = #cpu.map<chunks = 1, lanes = 8>} {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<7xf32>) outs(%d : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  kernel.return %r : tensor<7xf32>
}

// -----

#i = affine_map<(i) -> (i)>

kernel.func map @unknown(%x: tensor<7xf32>, %d: tensor<7xf32>) -> tensor<7xf32>
    attributes {schedule = #cuda.map<chunks = 1, threads = 256, vector = 1>} {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<7xf32>) outs(%d : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    // expected-error @below {{has no spelling in CUDA C++}}
    %0 = math.cbrt %a : f32
    linalg.yield %0 : f32
  } -> tensor<7xf32>
  kernel.return %r : tensor<7xf32>
}

// -----

#i = affine_map<(i) -> (i)>

// expected-error @below {{has 2 statements, of which #cuda.loops runs one}}
kernel.func @two(%x: tensor<7xf32>, %d: tensor<7xf32>) -> tensor<7xf32>
    attributes {schedule = #cuda.loops<chunks = 1, threads = 256>} {
  %e = tensor.empty() : tensor<7xf32>
  %0 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<7xf32>) outs(%e : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 6)>, #i], iterator_types = ["parallel"]}
      ins(%0 : tensor<7xf32>) outs(%d : tensor<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  kernel.return %r : tensor<7xf32>
}

// -----

// expected-error @below {{33 threads are not a block: expected warps of 32, at most 1024 threads}}
#a = #cuda.loops<chunks = 1, threads = 33>

// -----

// expected-error @below {{0 chunks are not a grid}}
#a = #cuda.dot<chunks = 0, threads = 32>

// -----

// expected-error @below {{a vector of 3 elements: expected a power of two up to 16}}
#a = #cuda.map<chunks = 1, threads = 32, vector = 3>

// -----

// expected-error @below {{64 lanes a row: expected a warp or the block}}
#a = #cuda.rows<chunks = 1, threads = 256, lanes = 64, vector = 1>

// -----

// expected-error @below {{a vector of 6 elements: expected a power of two up to 16}}
#a = #cuda.rows<chunks = 1, threads = 256, lanes = 32, vector = 6>

// -----

// expected-error @below {{has rows whose last axis of 12 elements is no multiple of vectors of 8}}
kernel.func rows @crossing(%x: tensor<9x12xf32>, %d: tensor<9xf32>) -> tensor<9xf32>
    attributes {schedule = #cuda.rows<chunks = 2, threads = 256, lanes = 32, vector = 8>} {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<9xf32>) -> tensor<9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<9x12xf32>) outs(%first : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  kernel.return %r : tensor<9xf32>
}

// -----

// expected-error @below {{a tile is [64, 32] of 128 threads or [128, 32] of 256}}
#a = #cuda.mma<chunks = 1, threads = 256, rows = 0, tile = [64, 32], stages = 3>

// -----

// expected-error @below {{5 stages: expected 2 to 4}}
#a = #cuda.mma<chunks = 1, threads = 128, rows = 0, tile = [64, 32], stages = 5>

// -----

// expected-error @below {{a contraction has the factors 0 and 1}}
#a = #cuda.mma<chunks = 1, threads = 128, rows = 2, tile = [64, 32], stages = 3>

// -----

// expected-error @below {{an architecture has the letter a or f, not "b"}}
#a = #cuda.target<arch = 90, letter = "b">

// -----

// expected-error @below {{sm_70 is not a target: the lowest is sm_75}}
#a = #cuda.target<arch = 70>

// -----

// expected-error @below {{a scatter has 256 threads, a power of two of columns, and rows for each 256 / columns of them}}
#a = #cuda.scatter<chunks = 1, threads = 256, rows = 3, columns = 128>

// -----

// expected-error @below {{a scatter has 256 threads, a power of two of columns, and rows for each 256 / columns of them}}
#a = #cuda.scatter<chunks = 1, threads = 128, rows = 2, columns = 128>

// -----

// expected-error @below {{a scatter has 256 threads, a power of two of columns, and rows for each 256 / columns of them}}
#a = #cuda.scatter<chunks = 1, threads = 256, rows = 1, columns = 0>

// -----

// expected-error @below {{a scatter has 256 threads, a power of two of columns, and rows for each 256 / columns of them}}
#a = #cuda.scatter<chunks = 1, threads = 256, rows = 1, columns = 512>

// -----

// expected-error @below {{a scatter has 256 threads, a power of two of columns, and rows for each 256 / columns of them}}
#a = #cuda.scatter<chunks = 1, threads = 256, rows = 85, columns = 3>

// -----

// expected-error @below {{a scatter has 256 threads, a power of two of columns, and rows for each 256 / columns of them}}
#a = #cuda.scatter<chunks = 1, threads = 256, rows = 0, columns = 256>

// -----

// expected-error @below {{is a scatter, which #cuda.scatter runs}}
kernel.func scatter @looped(%u: tensor<1x6x5xf32>, %i: tensor<6xi64>, %d: tensor<1x7x5xf32>) -> tensor<1x7x5xf32>
    attributes {schedule = #cuda.loops<chunks = 1, threads = 32>} {
  %one = arith.constant 1.0 : f32
  %first = linalg.fill ins(%one : f32) outs(%d : tensor<1x7x5xf32>) -> tensor<1x7x5xf32>
  %r = kernel.scatter ins(%u, %i : tensor<1x6x5xf32>, tensor<6xi64>) outs(%first : tensor<1x7x5xf32>) by sum
  kernel.return %r : tensor<1x7x5xf32>
}

// -----

// Tensor Cores take 16 bits: what sm_75 has takes f16, and nothing f32.
// expected-error @below {{has factors that no multiply unit of the target takes}}
kernel.func contraction @wide(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %d: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {schedule = #cuda.mma<chunks = 1, threads = 128, rows = 0, tile = [64, 32], stages = 3>} {
  %zero = arith.constant 0.0 : f32
  %none = linalg.fill ins(%zero : f32) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%none : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %2 = math.fma %x, %y, %o : f32
    linalg.yield %2 : f32
  } -> tensor<64x64xf32>
  kernel.return %r : tensor<64x64xf32>
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>

// expected-error @below {{has rows of 2056 elements, too many to sum runs of them by 32 threads}}
kernel.func rows @long_runs(%x: tensor<32x2056xf32>, %d: tensor<32xf32>, %p: tensor<2x2056xf32>) -> (tensor<32xf32>, tensor<2x2056xf32>)
    attributes {schedule = #cuda.rows<chunks = 1, threads = 256, lanes = 32, vector = 8>} {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<32xf32>) -> tensor<32xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<32x2056xf32>) outs(%z : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<32xf32>
  %q = linalg.fill ins(%zero : f32) outs(%p : tensor<2x2056xf32>) -> tensor<2x2056xf32>
  %bound = tensor.empty() : tensor<2x16x2056xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, n) -> (b * 16 + i, n)>, affine_map<(b, i, n) -> (b, i, n)>,
                                        affine_map<(b, i, n) -> (b, n)>],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x, %bound : tensor<32x2056xf32>, tensor<2x16x2056xf32>) outs(%q : tensor<2x2056xf32>) {
  ^bb0(%a: f32, %u: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<2x2056xf32>
  kernel.return %s, %r : tensor<32xf32>, tensor<2x2056xf32>
}
