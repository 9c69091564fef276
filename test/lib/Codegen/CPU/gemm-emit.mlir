// RUN: mpc-opt %s --cpu-attach-target --kernel-emit | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

// One micro-kernel is called by all, and stands before them.
// CHECK-LABEL:   func.func private @mpc_gemm_6x16_8
// CHECK:           scf.for {{.*}} iter_args
// CHECK-COUNT-12:    math.fma {{.*}} : vector<8xf32>
// CHECK-NOT:     func.func private

// A chunk packs what nobody has packed, converting; a panel at a time goes
// through the micro-kernel and then through the map, vectors along the columns.
// CHECK-LABEL: func.func @linear
// CHECK-SAME:    chunks = 2
// CHECK:         vector.load {{.*}} vector<8xf16>
// CHECK:         arith.extf {{.*}} vector<8xf16> to vector<8xf32>
// CHECK:         call @mpc_gemm_6x16_8
// CHECK:         %[[BIAS:.*]] = vector.load
// CHECK:         scf.for
// CHECK:           %[[ACC:.*]] = vector.load
// CHECK:           arith.addf %[[ACC]], %[[BIAS]] : vector<8xf32>
// CHECK:           arith.truncf {{.*}} vector<8xf32> to vector<8xf16>
// CHECK:           vector.store
kernel.func contraction @linear(%a: tensor<48x64xf16>, %b: tensor<64x32xf16>, %bias: tensor<32xf32>, %c: tensor<48x32xf16>)
    -> tensor<48x32xf16>
    attributes {schedule = #cpu.gemm<chunks = 2, lanes = 8, rows = 0, tile = [24, 32, 64], micro = [6, 16]>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<48x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<48x32xf32>) -> tensor<48x32xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<48x64xf16>, tensor<64x32xf16>) outs(%init : tensor<48x32xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %x32 = arith.extf %x : f16 to f32
    %y32 = arith.extf %y : f16 to f32
    %t = math.fma %x32, %y32, %s : f32
    linalg.yield %t : f32
  } -> tensor<48x32xf32>
  %o = linalg.generic {indexing_maps = [#id, #n, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<48x32xf32>, tensor<32xf32>) outs(%c : tensor<48x32xf16>) {
  ^bb0(%x: f32, %y: f32, %s: f16):
    %q = arith.addf %x, %y : f32
    %t = arith.truncf %q : f32 to f16
    linalg.yield %t : f16
  } -> tensor<48x32xf16>
  kernel.return %o : tensor<48x32xf16>
}

// Another kernel of the module calls the same micro-kernel.
// CHECK-LABEL: func.func @other
// CHECK:         call @mpc_gemm_6x16_8
kernel.func contraction @other(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32>
    attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, tile = [12, 16, 8], micro = [6, 16]>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<12x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<12x16xf32>) -> tensor<12x16xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%init : tensor<12x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<12x16xf32>
  kernel.return %r : tensor<12x16xf32>
}

// What is contiguous along k, as the weight of a linear, is packed by transposing
// squares of 8 in registers.
// CHECK-LABEL: func.func @transposed
// CHECK:         vector.shuffle
// CHECK:         call @mpc_gemm_6x16_8
kernel.func contraction @transposed(%a: tensor<12x8xf32>, %b: tensor<16x8xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32>
    attributes {schedule = #cpu.gemm<chunks = 1, lanes = 8, rows = 0, tile = [12, 16, 8], micro = [6, 16]>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<12x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<12x16xf32>) -> tensor<12x16xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<12x8xf32>, tensor<16x8xf32>) outs(%init : tensor<12x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<12x16xf32>
  kernel.return %r : tensor<12x16xf32>
}

// CHECK-NOT: func.func private
