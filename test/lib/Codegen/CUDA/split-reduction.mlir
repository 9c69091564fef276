// RUN: mpc-opt %s --cuda-attach-target=arch=90 --cuda-schedule | FileCheck %s
// RUN: mpc-opt %s --cuda-attach-target=naive=true --cuda-schedule | FileCheck %s --check-prefix=NAIVE

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
