// RUN: mpc-opt %s --cuda-attach-target=arch=90 --kernel-schedule | FileCheck %s
// RUN: mpc-opt %s --cuda-attach-target=naive=true --kernel-schedule | FileCheck %s --check-prefix=NAIVE

// A weight's gradient: one tile, and a sum of 4096 terms. 15 slices do not
// divide it, 8 do. The map on the result follows the sum.
// CHECK:       kernel.func contraction @gradient_slices(
// CHECK-SAME:    %{{.*}}: tensor<4096x64xf16>, %{{.*}}: tensor<4096x48xf16>, %{{.*}}: tensor<8x64x48xf32>)
// CHECK-SAME:    schedule = #cuda.mma<chunks = 8,
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK:       kernel.func columns @gradient(
// CHECK-SAME:    %[[SCALE:.*]]: tensor<48xf32>, %[[SLICES:.*]]: tensor<8x64x48xf32>, %{{.*}}: tensor<64x48xf16>)
// CHECK-SAME:    schedule = #cuda.columns
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[SLICES]]
// CHECK:         arith.addf
// CHECK:         linalg.generic {{.*}} ins({{.*}}, %[[SCALE]]
// NAIVE-NOT:   gradient_slices
kernel.func contraction @gradient(%x: tensor<4096x64xf16>, %dy: tensor<4096x48xf16>, %scale: tensor<48xf32>, %d: tensor<64x48xf16>) -> tensor<64x48xf16> {
  %e = tensor.empty() : tensor<64x48xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %dy : tensor<4096x64xf16>, tensor<4096x48xf16>) outs(%first : tensor<64x48xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x48xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %scale : tensor<64x48xf32>, tensor<48xf32>) outs(%d : tensor<64x48xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<64x48xf16>
  kernel.return %r : tensor<64x48xf16>
}

// Every launch gets one of the slices in front of it.
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[X:.*]]: tensor<4096x64xf16>, %[[DY:.*]]: tensor<4096x48xf16>, %[[S:.*]]: tensor<48xf32>
// CHECK:         %[[PARTS:.*]] = kernel.launch @gradient_slices ins(%[[X]], %[[DY]] :
// CHECK:         kernel.launch @gradient ins(%[[S]], %[[PARTS]] :
func.func @step(%x: tensor<4096x64xf16>, %dy: tensor<4096x48xf16>, %scale: tensor<48xf32>, %d: tensor<64x48xf16>) -> tensor<64x48xf16> {
  %r = kernel.launch @gradient ins(%x, %dy, %scale : tensor<4096x64xf16>, tensor<4096x48xf16>, tensor<48xf32>) outs(%d : tensor<64x48xf16>) -> tensor<64x48xf16>
  return %r : tensor<64x48xf16>
}

// A sum of too few terms to be worth a second kernel stays whole.
// CHECK:       kernel.func contraction @short(
// CHECK-SAME:    schedule = #cuda.mma<chunks = 1,
kernel.func contraction @short(%x: tensor<511x64xf16>, %dy: tensor<511x48xf16>, %d: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %dy : tensor<511x64xf16>, tensor<511x48xf16>) outs(%first : tensor<64x48xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x48xf32>
  kernel.return %r : tensor<64x48xf32>
}

// A bias's gradient: 24 blocks of 32 columns, in 8 parts of the batch, and then
// their sum. What reads it in the kernel goes on reading it.
// CHECK:       kernel.func columns @bias_slices(
// CHECK-SAME:    %{{.*}}: tensor<64x1024x768xbf16>, %{{.*}}: tensor<8x768xf32>)
// CHECK-SAME:    schedule = #cuda.columns<chunks = 192, threads = 256>
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction", "reduction", "parallel"]
// CHECK:       kernel.func columns @bias(
// CHECK-SAME:    %[[PARTS:.*]]: tensor<8x768xf32>, %{{.*}}: tensor<768xf32>)
// CHECK-SAME:    schedule = #cuda.columns<chunks = 24, threads = 32>
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[PARTS]]
// NAIVE-NOT:   bias_slices
kernel.func columns @bias(%dy: tensor<64x1024x768xbf16>, %d: tensor<768xf32>) -> tensor<768xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<768xf32>) -> tensor<768xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (c)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%dy : tensor<64x1024x768xbf16>) outs(%first : tensor<768xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<768xf32>
  kernel.return %r : tensor<768xf32>
}

// Every block of a large GPU has columns of its own.
// CHECK-NOT:   wide_slices
// CHECK:       kernel.func columns @wide(
kernel.func columns @wide(%x: tensor<4096x8448xf32>, %d: tensor<8448xf32>) -> tensor<8448xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<8448xf32>) -> tensor<8448xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<4096x8448xf32>) outs(%first : tensor<8448xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8448xf32>
  kernel.return %r : tensor<8448xf32>
}

// The slices compute what is summed; what is computed before a sum and stored as well keeps it whole.
// CHECK:       kernel.func columns @products_slices(
// CHECK-SAME:    %{{.*}}: tensor<4095x64xf16>, %{{.*}}: tensor<4095x64xf32>, %{{.*}}: tensor<15x64xf32>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<15x273x64xf32>)
// CHECK:         arith.mulf
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK:       kernel.func columns @products(%{{.*}}: tensor<15x64xf32>, %{{.*}}: tensor<64xf32>)
// CHECK-NOT:   kernel.func columns @stored_slices
#all = affine_map<(r, c) -> (r, c)>
#columns = affine_map<(r, c) -> (c)>
kernel.func columns @products(%x: tensor<4095x64xf16>, %y: tensor<4095x64xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4095x64xf32>
  %product = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4095x64xf16>, tensor<4095x64xf32>) outs(%e : tensor<4095x64xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4095x64xf32>
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#all, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%product : tensor<4095x64xf32>) outs(%first : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}

kernel.func columns @stored(%x: tensor<4095x64xf32>, %p: tensor<4095x64xf32>, %d: tensor<64xf32>) -> (tensor<4095x64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %square = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4095x64xf32>) outs(%p : tensor<4095x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4095x64xf32>
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#all, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%square : tensor<4095x64xf32>) outs(%first : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  kernel.return %square, %r : tensor<4095x64xf32>, tensor<64xf32>
}

// 144 tiles of 128 rows and columns are one for each multiprocessor and a few,
// which all wait for: four slices of a long sum are more even.
// CHECK:       kernel.func contraction @uneven_slices(
// CHECK-SAME:    schedule = #cuda.mma<chunks = 576,
kernel.func contraction @uneven(%x: tensor<65536x768xf16>, %dy: tensor<65536x3072xf16>, %d: tensor<768x3072xf32>) -> tensor<768x3072xf32> {
  %e = tensor.empty() : tensor<768x3072xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<768x3072xf32>) -> tensor<768x3072xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %dy : tensor<65536x768xf16>, tensor<65536x3072xf16>) outs(%first : tensor<768x3072xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.extf %b : f16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<768x3072xf32>
  kernel.return %r : tensor<768x3072xf32>
}
