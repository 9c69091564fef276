// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{lanes=16 bf16=avx512_bf16},kernel-schedule)' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{lanes=16 bf16=avx512_bf16 naive},kernel-schedule)' | FileCheck %s --check-prefix=NAIVE
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{lanes=16},kernel-schedule)' | FileCheck %s --check-prefix=EXACT
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{lanes=16 bf16=avx512_bf16},kernel-schedule,kernel-emit)' | FileCheck %s --check-prefix=CODE
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{lanes=16 bf16=avx512_bf16 naive},kernel-schedule,kernel-emit)' | FileCheck %s --check-prefix=MODEL

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// The micro-kernel takes pairs of k: two elements of a row are one word.
// CODE-LABEL:    func.func private @mpc_gemm_8x32_16_avx512_bf16(%arg0: index, %arg1: memref<1099511627776xbf16>
// CODE:            scf.for
// CODE-COUNT-2:      vector.load {{.*}} vector<32xbf16>
// CODE:              vector.load {{.*}} vector<2xbf16>
// CODE:              %[[WORD:.*]] = vector.broadcast {{.*}} : i32 to vector<16xi32>
// CODE:              %[[ROW:.*]] = vector.bitcast %[[WORD]] : vector<16xi32> to vector<32xbf16>
// CODE:              x86vector.avx512.dot %{{.*}}, %{{.*}}, %[[ROW]] : vector<32xbf16> -> vector<16xf32>
// CODE-NOT:        math.fma
// CODE:            return
// CODE:          func.func @pairs({{.*}}kernel.work = #kernel.work<contraction, flops = 2600000, unit = "vdpbf16ps">

// The target says what multiplies bf16. A factor is packed as bf16, in pairs;
// the last pair of 65 k ends with a zero.
// CHECK:         #cpu.target<lanes = 16, bf16 = avx512_bf16>
// CHECK-LABEL:   kernel.func loops @pairs_pack
// CHECK-SAME:      -> tensor<1x2x33x32x2xbf16>
// CHECK-SAME:      #cpu.pack<{{.*}}panel = 32, depth = 2>
// CHECK-NOT:       arith.extf
// CHECK-LABEL:   kernel.func contraction @pairs
// CHECK-SAME:      unit = avx512_bf16>
// CHECK:           arith.extf {{.*}} : bf16 to f32
// CHECK:           arith.extf {{.*}} : bf16 to f32
// CHECK:           math.fma
// NAIVE-LABEL:   kernel.func contraction @pairs
// NAIVE-SAME:      #cpu.loops<chunks = {{.*}}, bf16 = avx512_bf16>
// EXACT-NOT:     avx512_bf16
// EXACT-LABEL:   kernel.func loops @pairs_pack
// EXACT-SAME:      -> tensor<1x2x65x32xf32>

// Scalar loops take two k a step; the upper one of a pair comes first.
// MODEL-LABEL:   func.func @pairs
// MODEL:           scf.for {{.*}} step %c2
// MODEL-COUNT-4:     memref.load {{.*}} : memref<{{.*}}xbf16>
// MODEL:             math.fma
kernel.func contraction @pairs(%a: tensor<500x65xbf16>, %b: tensor<40x65xbf16>, %c: tensor<500x40xf32>) -> tensor<500x40xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<500x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<500x40xf32>) -> tensor<500x40xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<500x65xbf16>, tensor<40x65xbf16>) outs(%init : tensor<500x40xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %x32 = arith.extf %x : bf16 to f32
    %y32 = arith.extf %y : bf16 to f32
    %t = math.fma %x32, %y32, %s : f32
    linalg.yield %t : f32
  } -> tensor<500x40xf32>
  kernel.return %r : tensor<500x40xf32>
}

// A factor of f32 makes it a product of f32.
// CHECK-LABEL:   kernel.func contraction @mixed
// CHECK-SAME:      #cpu.gemm
// CHECK-NOT:       unit
// CHECK:           linalg.generic
kernel.func contraction @mixed(%a: tensor<500x64xf32>, %b: tensor<40x64xbf16>, %c: tensor<500x40xf32>) -> tensor<500x40xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<500x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<500x40xf32>) -> tensor<500x40xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<500x64xf32>, tensor<40x64xbf16>) outs(%init : tensor<500x40xf32>) {
  ^bb0(%x: f32, %y: bf16, %s: f32):
    %y32 = arith.extf %y : bf16 to f32
    %t = math.fma %x, %y32, %s : f32
    linalg.yield %t : f32
  } -> tensor<500x40xf32>
  kernel.return %r : tensor<500x40xf32>
}

// A factor that is rounded to bf16 while it is packed is one of bf16.
// CHECK-LABEL:   kernel.func contraction @rounded
// CHECK-SAME:      unit = avx512_bf16>
kernel.func contraction @rounded(%a: tensor<500x64xf32>, %b: tensor<40x64xbf16>, %c: tensor<500x40xf32>) -> tensor<500x40xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<500x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<500x40xf32>) -> tensor<500x40xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<500x64xf32>, tensor<40x64xbf16>) outs(%init : tensor<500x40xf32>) {
  ^bb0(%x: f32, %y: bf16, %s: f32):
    %x16 = arith.truncf %x : f32 to bf16
    %x32 = arith.extf %x16 : bf16 to f32
    %y32 = arith.extf %y : bf16 to f32
    %t = math.fma %x32, %y32, %s : f32
    linalg.yield %t : f32
  } -> tensor<500x40xf32>
  kernel.return %r : tensor<500x40xf32>
}

// Rows whose k lie side by side are read where they lie. Rows that lie side by
// side themselves are packed in panels, as columns are.
// CHECK-LABEL:   kernel.func contraction @in_place
// CHECK-SAME:      packed = 1, {{.*}}unit = avx512_bf16, row_layout = in_place>
kernel.func contraction @in_place(%a: tensor<512x64xbf16>, %b: tensor<40x64xbf16>, %c: tensor<512x40xf32>) -> tensor<512x40xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x40xf32>) -> tensor<512x40xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<512x64xbf16>, tensor<40x64xbf16>) outs(%init : tensor<512x40xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %x32 = arith.extf %x : bf16 to f32
    %y32 = arith.extf %y : bf16 to f32
    %t = math.fma %x32, %y32, %s : f32
    linalg.yield %t : f32
  } -> tensor<512x40xf32>
  kernel.return %r : tensor<512x40xf32>
}

// CHECK-LABEL:   kernel.func contraction @panels
// CHECK-SAME:      #cpu.gemm<{{.*}}micro = [8, 32], row_layout = panels>
kernel.func contraction @panels(%a: tensor<64x512xf32>, %b: tensor<40x64xf32>, %c: tensor<512x40xf32>) -> tensor<512x40xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x40xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x40xf32>) -> tensor<512x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x512xf32>, tensor<40x64xf32>) outs(%init : tensor<512x40xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<512x40xf32>
  kernel.return %r : tensor<512x40xf32>
}
