// RUN: mpc-opt %s --cuda-attach-target=arch=90 --cuda-schedule | FileCheck %s --check-prefix=SCHEDULE
// RUN: mpc-opt %s --cuda-attach-target=arch=90 --cuda-schedule --cuda-emit --cuda-print-text -o /dev/null | FileCheck %s

// A factor that is contiguous along k is copied by 16 bytes of k, one that is
// contiguous along its columns by 16 bytes of those; the map on the result
// follows in registers.
// SCHEDULE: @product
// SCHEDULE-SAME: schedule = #cuda.mma<chunks = 4, threads = 128, rows = 0, tile = [64, 32], stages = 3>
// CHECK-LABEL: product(
// CHECK:         const int row0 = tile0 / 2 % 2 * 64;
// CHECK:         const int column0 = tile0 % 2 * 64;
// CHECK:         auto load = [&](int step) {
// CHECK:           if (step < 3) {
// CHECK:             const bool inside0 = outer0 < 100 && k0 < 72;
// CHECK:             const int place0 = (outer0) * 72 + k0;
// CHECK:             mpc_copy_async16(mpc_shared_address(rows + line0 * 40 + at0), input0 + (inside0 ? place0 : 0), inside0 ? 16 : 0);
// CHECK:             const int place1 = outer1 + (k1) * 80;
// CHECK:             mpc_copy_async16(mpc_shared_address(columns + line1 * 72 + at1), input1 + (inside1 ? place1 : 0), inside1 ? 16 : 0);
// CHECK:           mpc_copy_async_commit();
// CHECK:         load(0);
// CHECK:         load(1);
// CHECK:         for (int step = 0; step < 3; ++step) {
// CHECK:           mpc_copy_async_wait<1>();
// CHECK:           mpc_sync_block();
// CHECK:           load(step + 2);
// CHECK:           mpc_multiply_tiles<mpc_tile<true, 40>, mpc_tile<false, 72>, false, 32>(
// CHECK:         if (m < 100 && n < 80) {
// CHECK:           const float maximum0 = mpc_max(sum, 0.0f);
// CHECK:           output0[m * 80 + n] = maximum0;
kernel.func contraction @product(%a: tensor<100x72xf16>, %b: tensor<72x80xf16>, %d: tensor<100x80xf32>) -> tensor<100x80xf32> {
  %e = tensor.empty() : tensor<100x80xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<100x80xf32>) -> tensor<100x80xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<100x72xf16>, tensor<72x80xf16>) outs(%first : tensor<100x80xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %1 = arith.extf %x : f16 to f32
    %2 = arith.extf %y : f16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<100x80xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<100x80xf32>) outs(%d : tensor<100x80xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %x, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<100x80xf32>
  kernel.return %r : tensor<100x80xf32>
}

// A transposed result has the second factor as its rows, so that neighbouring
// columns are neighbours in memory; an odd k is loaded element by element.
// SCHEDULE: @transposed
// SCHEDULE-SAME: rows = 1
// CHECK-LABEL: transposed(
// CHECK:         rows[slow0 * 40 + quick0] = inside0 ? input1[place0] : mpc_u16(0);
// CHECK:         columns[slow1 * 40 + quick1] = inside1 ? input0[place1] : mpc_u16(0);
// CHECK:         mpc_tile<true, 40>, mpc_tile<true, 40>, true, 32>(
// CHECK:         output0[n + m * 40]
kernel.func contraction @transposed(%a: tensor<40x51xbf16>, %b: tensor<24x51xbf16>, %d: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %e = tensor.empty() : tensor<24x40xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<24x40xf32>) -> tensor<24x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x51xbf16>, tensor<24x51xbf16>) outs(%first : tensor<24x40xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<24x40xf32>
  kernel.return %r : tensor<24x40xf32>
}

// f32 factors have no product without loss.
// SCHEDULE: @single
// SCHEDULE-SAME: schedule = #cuda.dot
kernel.func contraction @single(%a: tensor<100x72xf32>, %b: tensor<72x80xf32>, %d: tensor<100x80xf32>) -> tensor<100x80xf32> {
  %e = tensor.empty() : tensor<100x80xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<100x80xf32>) -> tensor<100x80xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<100x72xf32>, tensor<72x80xf32>) outs(%first : tensor<100x80xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %3 = math.fma %x, %y, %o : f32
    linalg.yield %3 : f32
  } -> tensor<100x80xf32>
  kernel.return %r : tensor<100x80xf32>
}
