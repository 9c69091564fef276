// RUN: mpc-opt %s --cuda-attach-target=arch=90 --kernel-schedule | FileCheck %s --check-prefix=SCHEDULE
// RUN: mpc-opt %s --cuda-attach-target=arch=90 --kernel-schedule --kernel-emit --cuda-print-text -o /dev/null | FileCheck %s

// A factor that is contiguous along k is copied by 16 bytes of k, one that is
// contiguous along its columns by 16 bytes of those; the result goes through
// shared memory, and the map on it has 8 neighbours at a time.
// SCHEDULE: @product
// SCHEDULE-SAME: schedule = #cuda.mma<chunks = 4, threads = 128, rows = 0, tile = [64, 32], stages = 3>
// CHECK-LABEL: product(
// CHECK:         const int row = tile / 2 % 2 * 64;
// CHECK:         const int column = tile % 2 * 64;
// CHECK:         auto fetch = [&](int step) {
// CHECK:           if (step < 3) {
// CHECK:             const bool inside = outer < 100 && k < 72;
// CHECK:             const int place = (outer) * 72 + k;
// CHECK:             mpc_copy_async16(mpc_shared_address(rows + line * 40 + rowsAt), input0 + (inside ? place : 0), inside ? 16 : 0);
// CHECK:             const int place = outer + (k) * 80;
// CHECK:             mpc_copy_async16(mpc_shared_address(columns + line * 72 + columnsAt), input1 + (inside ? place : 0), inside ? 16 : 0);
// CHECK:           mpc_copy_async_commit();
// CHECK:         fetch(0);
// CHECK:         fetch(1);
// CHECK:         for (int step = 0; step < 3; ++step) {
// CHECK:           mpc_copy_async_wait<1>();
// CHECK:           mpc_sync_block();
// CHECK:           fetch(step + 2);
// CHECK:           mpc_multiply_tiles<mpc_tile<true, 40>, mpc_tile<false, 72>, false, 32>(
// CHECK:         for (int part = 0; part < 2; ++part) {
// CHECK:           mpc_sync_block();
// CHECK:           mpc_put_sums<72>(whole, sums[part],
// CHECK:           mpc_sync_block();
// CHECK:           const int at = threadIdx.x % 8 * 8;
// CHECK:           const int n = column + at;
// CHECK:           if (m < 100 && n < 80) {
// CHECK:             const mpc_vector<float, 8> sum0 = mpc_vector<float, 8>::get(whole + local * 72 + at);
// CHECK:             const float maximum0 = mpc_max(sum0.at[lane0], 0.0f);
// CHECK:             made0.store(output0 + m * 80 + n);
kernel.func contraction @product(%a: tensor<100x72xf16> {kernel.alignment = 16 : i64}, %b: tensor<72x80xf16> {kernel.alignment = 16 : i64}, %d: tensor<100x80xf32> {kernel.alignment = 16 : i64}) -> tensor<100x80xf32> {
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
// columns are neighbours in memory; an odd k is loaded element by element, and
// waits in registers while the products of the step before are computed.
// SCHEDULE: @transposed
// SCHEDULE-SAME: rows = 1
// CHECK-LABEL: transposed(
// CHECK:         rowsHeld[i] = inside ? input1[place] : mpc_u16{};
// CHECK:         columnsHeld[i] = inside ? input0[place] : mpc_u16{};
// CHECK:         fetch(step + 2);
// CHECK:         mpc_tile<true, 40>, mpc_tile<true, 40>, true, 32>(
// CHECK:         keep(step + 2);
// CHECK:         made0.store(output0 + n + m * 40);
kernel.func contraction @transposed(%a: tensor<40x51xbf16> {kernel.alignment = 16 : i64}, %b: tensor<24x51xbf16> {kernel.alignment = 16 : i64}, %d: tensor<24x40xf32> {kernel.alignment = 16 : i64}) -> tensor<24x40xf32> {
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

// f32 factors have no product without loss: they are multiplied one by one, of
// tiles all the same.
// SCHEDULE: @single
// SCHEDULE-SAME: schedule = #cuda.simt<chunks = 4, threads = 128, rows = 0, tile = [64, 16], stages = 2>
// CHECK-LABEL: single(
// CHECK:         mpc_copy_async16(mpc_shared_address(rows + line * 20 + rowsAt), input0 + (inside ? place : 0), inside ? 16 : 0);
// CHECK:         mpc_copy_async16(mpc_shared_address(columns + line * 68 + columnsAt), input1 + (inside ? place : 0), inside ? 16 : 0);
// CHECK:         mpc_multiply_f32_tiles<mpc_tile<true, 20>, mpc_tile<false, 68>, 16, 64>(sums, rows, rowGroup, columns, columnGroup);
// CHECK:         mpc_put_f32_sums<72, 4, false>(whole, sums + part * 4, rowGroup, columnGroup);
kernel.func contraction @single(%a: tensor<100x72xf32> {kernel.alignment = 16 : i64}, %b: tensor<72x80xf32> {kernel.alignment = 16 : i64}, %d: tensor<100x80xf32> {kernel.alignment = 16 : i64}) -> tensor<100x80xf32> {
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

// What is multiplied is computed of factors that pass through registers, 16
// bytes at a time; what lies outside is zero all the same.
// SCHEDULE: @squares
// SCHEDULE-SAME: schedule = #cuda.simt
// CHECK-LABEL: squares(
// CHECK:         mpc_vector<mpc_u16, 8> rowsHeld[1];
// CHECK:         rowsHeld[i] = inside ? mpc_vector<mpc_u16, 8>::load(input0 + place) : mpc_vector<mpc_u16, 8>{};
// CHECK:         mpc_vector<float, 8> made;
// CHECK:         const float mul0 =
// CHECK:         made.at[lane] = inside ? mul0 : 0.0f;
// CHECK:         made.put(rows + line * 20 + rowsAt);
kernel.func contraction @squares(%a: tensor<100x72xf16> {kernel.alignment = 16 : i64}, %b: tensor<72x80xf32> {kernel.alignment = 16 : i64}, %d: tensor<100x80xf32> {kernel.alignment = 16 : i64}) -> tensor<100x80xf32> {
  %e = tensor.empty() : tensor<100x80xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<100x80xf32>) -> tensor<100x80xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<100x72xf16>, tensor<72x80xf32>) outs(%first : tensor<100x80xf32>) {
  ^bb0(%x: f16, %y: f32, %o: f32):
    %1 = arith.extf %x : f16 to f32
    %2 = arith.mulf %1, %1 : f32
    %3 = math.fma %2, %y, %o : f32
    linalg.yield %3 : f32
  } -> tensor<100x80xf32>
  kernel.return %r : tensor<100x80xf32>
}
