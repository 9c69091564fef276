// RUN: mpc-opt %s --split-input-file --verify-diagnostics
// What a kernel states of itself must be true of its body.

#i = affine_map<(i) -> (i)>
// expected-error @+1 {{states the kind 'rows', but its body is of kind 'map'}}
kernel.func rows @map(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  kernel.return %r : tensor<8xf32>
}

// -----

// A select combines in the order of the loop: neither rows nor columns.
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
// expected-error @+1 {{states the kind 'rows', but its body is of kind 'loops'}}
kernel.func rows @first_above(%x: tensor<8x8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%d : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.cmpf ogt, %a, %s : f32
    %1 = arith.select %0, %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  kernel.return %r : tensor<8xf32>
}

// -----

// The last axis is kept.
#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
// expected-error @+1 {{states the kind 'rows', but its body is of kind 'columns'}}
kernel.func rows @columns(%x: tensor<8x8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#mn, #n], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%d : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  kernel.return %r : tensor<8xf32>
}

// -----

// A sum that does not start from zero is no contraction.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @+1 {{states the kind 'contraction', but its body is of kind 'rows'}}
kernel.func contraction @from_destination(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<4x4xf32>
  kernel.return %r : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{states the kind 'scatter', but its body is of kind 'loops'}}
kernel.func scatter @nothing(%d: tensor<4xf32>) -> tensor<4xf32> {
  kernel.return %d : tensor<4xf32>
}

// -----

func.func @short_integers(%u: tensor<1x6x5xi32>, %i: tensor<6xi64>, %d: tensor<1x7x5xi64>) -> tensor<1x7x5xi64> {
  // expected-error @+1 {{integers are joined to integers of their type}}
  %r = kernel.scatter ins(%u, %i : tensor<1x6x5xi32>, tensor<6xi64>) outs(%d : tensor<1x7x5xi64>)
  return %r : tensor<1x7x5xi64>
}

// -----

// Element i is read where element 7 - i is written.
#i = affine_map<(i) -> (i)>
#back = affine_map<(i) -> (7 - i)>
// expected-error @+1 {{argument #0 cannot lie in the memory of result #0: it is read where, or after, other elements are written}}
kernel.func map @reverse(%x: tensor<8xf32> {kernel.may_alias = array<i64: 0>}, %y: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#back, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%d : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  kernel.return %r : tensor<8xf32>
}

// -----

// The first result is written before the second one reads.
#i = affine_map<(i) -> (i)>
// expected-error @+1 {{argument #0 cannot lie in the memory of result #0}}
kernel.func map @twice(%x: tensor<8xf32> {kernel.may_alias = array<i64: 1, 0>}, %d: tensor<8xf32>, %e: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  kernel.return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// -----

// Row m of the result is written over later elements of x, not yet read.
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#r = affine_map<(m) -> (m)>
// expected-error @+1 {{argument #0 cannot lie in the memory of result #0}}
kernel.func @sizes(%x: tensor<4xf32> {kernel.may_alias = array<i64: 0>}, %d: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<4xf32>) outs(%d : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  kernel.return %r : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{argument #0 aliases result #1, which does not exist}}
kernel.func @results(%x: tensor<8xf32> {kernel.may_alias = array<i64: 1>}, %d: tensor<8xf32>) -> tensor<8xf32> {
  kernel.return %d : tensor<8xf32>
}

// -----

// expected-error @+1 {{argument #1 is a destination, which aliases no other}}
kernel.func @destination(%x: tensor<8xf32>, %d: tensor<8xf32> {kernel.may_alias = array<i64: 0>}) -> tensor<8xf32> {
  kernel.return %d : tensor<8xf32>
}

// -----

// expected-error @+1 {{argument #0 cannot have 'kernel.may_alias' = array<i64: 0>}}
func.func @function(%x: tensor<8xf32> {kernel.may_alias = array<i64: 0>}) {
  return
}

// -----

func.func @group(%x: tensor<8xf32>) -> tensor<4xf32> {
  %g = kernel.group -> tensor<4xf32> {
    // expected-error @+1 {{returns other types than its group has}}
    kernel.return %x : tensor<8xf32>
  }
  return %g : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument #0 cannot have 'kernel.fast'}}
func.func @unknown(%x: memref<8xi8> {kernel.fast}) {
  return
}

// -----

// expected-error @+1 {{argument #0 cannot have 'kernel.buffer' = #kernel.buffer<input>}}
func.func @input_of_no_type(%x: memref<8xi8> {kernel.buffer = #kernel.buffer<input>}) {
  return
}

// -----

// expected-error @+1 {{argument #0 cannot have 'kernel.buffer' = #kernel.buffer<output, tensor<2xf32>>}}
func.func @no_memory(%x: tensor<2xf32> {kernel.buffer = #kernel.buffer<output, tensor<2xf32>>}) {
  return
}

// -----

func.func @rank_of_floats(%x: tensor<2x8xf32>, %d: tensor<2x8xi64>) -> tensor<2x8xi64> {
  // expected-error @+1 {{keys must be [row, key] of i8, i16, i32 or i64}}
  %r = kernel.rank ins(%x : tensor<2x8xf32>) outs(%d : tensor<2x8xi64>)
  return %r : tensor<2x8xi64>
}

// -----

func.func @rank_elsewhere(%x: tensor<2x8xi32>, %d: tensor<2x8xi32>) -> tensor<2x8xi32> {
  // expected-error @+1 {{init must be i64 of the shape of keys}}
  %r = kernel.rank ins(%x : tensor<2x8xi32>) outs(%d : tensor<2x8xi32>)
  return %r : tensor<2x8xi32>
}

// -----

// Ranks are written where keys are still to be read.
// expected-error @+1 {{argument #0 cannot lie in the memory of result #0: it is read where, or after, other elements are written}}
kernel.func @rank_over_its_keys(%x: tensor<2x8xi64> {kernel.may_alias = array<i64: 0>}, %d: tensor<2x8xi64>) -> tensor<2x8xi64> {
  %r = kernel.rank ins(%x : tensor<2x8xi64>) outs(%d : tensor<2x8xi64>)
  kernel.return %r : tensor<2x8xi64>
}

// -----

func.func @cumsum_of_rows(%x: tensor<2x8xf32>, %d: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @+1 {{input must be [outer, size, inner]}}
  %r = kernel.cumsum ins(%x : tensor<2x8xf32>) outs(%d : tensor<2x8xf32>)
  return %r : tensor<2x8xf32>
}

// -----

// The sums of a kernel's runs are of runs of one length.
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#all = affine_map<(b, i, n) -> (b, i, n)>
#sums = affine_map<(b, i, n) -> (b, n)>
// expected-error @+1 {{states the kind 'rows', but its body is of kind 'loops'}}
kernel.func rows @two_runs(%x: tensor<32x24xf32>, %d: tensor<32xf32>, %p: tensor<2x24xf32>, %q: tensor<4x24xf32>)
    -> (tensor<32xf32>, tensor<2x24xf32>, tensor<4x24xf32>) {
  %zero = arith.constant 0.0 : f32
  %zd = linalg.fill ins(%zero : f32) outs(%d : tensor<32xf32>) -> tensor<32xf32>
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<32x24xf32>) outs(%zd : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<32xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%p : tensor<2x24xf32>) -> tensor<2x24xf32>
  %bp = tensor.empty() : tensor<2x16x24xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, n) -> (b * 16 + i, n)>, #all, #sums],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x, %bp : tensor<32x24xf32>, tensor<2x16x24xf32>) outs(%zp : tensor<2x24xf32>) {
  ^bb0(%a: f32, %u: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<2x24xf32>
  %zq = linalg.fill ins(%zero : f32) outs(%q : tensor<4x24xf32>) -> tensor<4x24xf32>
  %bq = tensor.empty() : tensor<4x8x24xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, i, n) -> (b * 8 + i, n)>, #all, #sums],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x, %bq : tensor<32x24xf32>, tensor<4x8x24xf32>) outs(%zq : tensor<4x24xf32>) {
  ^bb0(%a: f32, %u: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<4x24xf32>
  kernel.return %s, %r, %t : tensor<32xf32>, tensor<2x24xf32>, tensor<4x24xf32>
}
