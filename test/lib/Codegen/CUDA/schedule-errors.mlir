// RUN: mpc-opt %s --split-input-file --verify-diagnostics --cuda-attach-target --kernel-schedule

#i = affine_map<(i) -> (i)>

// A grid's first dimension has 31 bits, whatever a tensor of a petabyte asks for.
// expected-error @below {{is too large for one launch: 4294967296 chunks are not a grid}}
kernel.func map @map(%x: tensor<4398046511104xf32>, %d: tensor<4398046511104xf32>) -> tensor<4398046511104xf32> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<4398046511104xf32>) outs(%d : tensor<4398046511104xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4398046511104xf32>
  kernel.return %r : tensor<4398046511104xf32>
}

// -----

// expected-error @below {{is too large for one launch: 17179869184 chunks are not a grid}}
kernel.func contraction @product(%a: tensor<16777216x32xf32>, %b: tensor<32x16777216xf32>, %d: tensor<16777216x16777216xf32>) -> tensor<16777216x16777216xf32> {
  %zero = arith.constant 0.0 : f32
  %none = linalg.fill ins(%zero : f32) outs(%d : tensor<16777216x16777216xf32>) -> tensor<16777216x16777216xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16777216x32xf32>, tensor<32x16777216xf32>) outs(%none : tensor<16777216x16777216xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %2 = math.fma %x, %y, %o : f32
    linalg.yield %2 : f32
  } -> tensor<16777216x16777216xf32>
  kernel.return %r : tensor<16777216x16777216xf32>
}

// -----

// expected-error @below {{is too large for one launch: 4294967296 chunks are not a grid}}
kernel.func rows @rows(%x: tensor<4294967296x2048xf32>, %d: tensor<4294967296xf32>) -> tensor<4294967296xf32> {
  %zero = arith.constant 0.0 : f32
  %none = linalg.fill ins(%zero : f32) outs(%d : tensor<4294967296xf32>) -> tensor<4294967296xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4294967296x2048xf32>) outs(%none : tensor<4294967296xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4294967296xf32>
  kernel.return %r : tensor<4294967296xf32>
}

// -----

kernel.func scatter @scatter(%u: tensor<4294967296x6x5xf16>, %i: tensor<6xi64>, %d: tensor<4294967296x7x5xf32>) -> tensor<4294967296x7x5xf32> {
  %one = arith.constant 1.0 : f32
  %first = linalg.fill ins(%one : f32) outs(%d : tensor<4294967296x7x5xf32>) -> tensor<4294967296x7x5xf32>
  // expected-error @below {{is too large for one launch: 4294967296 chunks are not a grid}}
  %r = kernel.scatter ins(%u, %i : tensor<4294967296x6x5xf16>, tensor<6xi64>) outs(%first : tensor<4294967296x7x5xf32>) by sum
  kernel.return %r : tensor<4294967296x7x5xf32>
}
