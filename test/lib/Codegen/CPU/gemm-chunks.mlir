// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,kernel-schedule)' | FileCheck %s

// Tiles are halved until there are 8, as long as each of the halves has 2^21
// operations (a product and a sum count two). Each is cut into pieces, of 2^19
// operations at least, until there are 256 chunks.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// 6 tiles of 90 rows, 11 of 48. Each has 8 micro-tiles of rows, which are cut
// into 3 pieces of three or less, since columns can be cut too: into 8.
// CHECK-LABEL: kernel.func contraction @large(
// CHECK-SAME:    #cpu.gemm<chunks = 264, {{.*}}tile = [48, 512, 256], micro = [6, 16], row_pieces = 3, column_pieces = 8>
kernel.func contraction @large(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>, %c: tensor<512x512xf32>)
    -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%init : tensor<512x512xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<512x512xf32>
  kernel.return %r : tensor<512x512xf32>
}

// Halves of 96 rows by 192 columns would have 1.2 million operations each: two
// tiles of four pieces, which have 2^19 operations each.
// CHECK-LABEL: kernel.func contraction @small(
// CHECK-SAME:    #cpu.gemm<chunks = 8, {{.*}}tile = [96, 192, 64], micro = [6, 16], row_pieces = 4, row_layout = in_place>
kernel.func contraction @small(%a: tensor<192x64xf32>, %b: tensor<192x64xf32>, %c: tensor<192x192xf32>)
    -> tensor<192x192xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<192x192xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<192x192xf32>) -> tensor<192x192xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<192x64xf32>, tensor<192x64xf32>) outs(%init : tensor<192x192xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<192x192xf32>
  kernel.return %r : tensor<192x192xf32>
}

// Rows are few, so that each of 8 tiles packs the columns that only it reads.
// Pieces of three micro-tiles of rows would make less than 64 chunks.
// CHECK-LABEL: kernel.func contraction @deep(
// CHECK-SAME:    #cpu.gemm<chunks = 64, {{.*}}rows = 0, tile = [24, 32, 384], micro = [6, 16], row_pieces = 4, column_pieces = 2, row_layout = in_place>
kernel.func contraction @deep(%a: tensor<24x8192xf32>, %b: tensor<256x8192xf32>, %c: tensor<24x256xf32>)
    -> tensor<24x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<24x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<24x256xf32>) -> tensor<24x256xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<24x8192xf32>, tensor<256x8192xf32>) outs(%init : tensor<24x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<24x256xf32>
  kernel.return %r : tensor<24x256xf32>
}

// There are no 4 tiles of two micro-tiles of columns. Then one is enough.
// CHECK-LABEL: kernel.func contraction @narrow(
// CHECK-SAME:    #cpu.gemm<chunks = 16, {{.*}}tile = [24, 16, 384], micro = [6, 16], row_pieces = 4, row_layout = in_place>
kernel.func contraction @narrow(%a: tensor<24x8192xf32>, %b: tensor<64x8192xf32>, %c: tensor<24x64xf32>)
    -> tensor<24x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<24x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<24x64xf32>) -> tensor<24x64xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<24x8192xf32>, tensor<64x8192xf32>) outs(%init : tensor<24x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<24x64xf32>
  kernel.return %r : tensor<24x64xf32>
}
