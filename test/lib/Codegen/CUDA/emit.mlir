// RUN: mpc-opt %s --cuda-attach-target --kernel-schedule --kernel-emit --cuda-print-text -o /dev/null | FileCheck %s

#i = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// A map moves 16 bytes at a time; 21 elements do not divide into vectors. What
// all share is a pointer to one element.
// CHECK-LABEL: scale(const float *__restrict__ input0,
// CHECK:           const float *__restrict__ input1,
// CHECK:           float *output0) {
// CHECK:         const int element0 = int(blockIdx.x) * 256 + threadIdx.x;
// CHECK:         if (element0 < 21) {
// CHECK:           const float mul0 = input0[element0] * input1[0];
// CHECK:           output0[element0] = mul0;
kernel.func map @scale(%x: tensor<21xf32>, %s: tensor<f32>, %d: tensor<21xf32>) -> tensor<21xf32> {
  %r = linalg.generic {indexing_maps = [#i, #s, #i], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<21xf32>, tensor<f32>) outs(%d : tensor<21xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<21xf32>
  kernel.return %r : tensor<21xf32>
}

// Statements pass values in registers; f16 is widened, and rounded where the
// text rounds. A comment names the model's nodes.
// CHECK:       // fc_Relu, fc_Cast
// CHECK-NEXT:  extern "C" __global__ void __launch_bounds__(256, 2)
// CHECK-LABEL: fused(
// CHECK:         const int element0 = (int(blockIdx.x) * 256 + threadIdx.x) * 8;
// CHECK:         if (element0 < 64) {
// CHECK:           const mpc_vector<mpc_u16, 8> some0 = mpc_vector<mpc_u16, 8>::load(input0 + element0);
// CHECK:           mpc_vector<float, 8> made0;
// CHECK:           for (int lane0 = 0; lane0 < 8; ++lane0) {
// CHECK:             const float maximum0 = mpc_max(mpc_f16_to_f32(some0.at[lane0]), 0.0f);
// CHECK:             made0.at[lane0] = mpc_f16_to_f32(mpc_f32_to_f16(maximum0));
// CHECK:           made0.store(output0 + element0);
kernel.func map @fused(%x: tensor<64xf16> {kernel.alignment = 16 : i64}, %d: tensor<64xf32> {kernel.alignment = 16 : i64}) -> tensor<64xf32>
    attributes {sources = ["/fc/Relu", "/fc/Cast"]} {
  %e = tensor.empty() : tensor<64xf16>
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf16>) outs(%e : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.maximumf %1, %zero : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<64xf16>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%0 : tensor<64xf16>) outs(%d : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}

// What the planner states no more than 8 bytes of is read element by element,
// beside a result that moves 16 at a time.
// CHECK-LABEL: misaligned(const mpc_u16 *__restrict__ input0,
// CHECK-NOT:     ::load(
// CHECK:         mpc_vector<float, 8> made0;
// CHECK:         mpc_f16_to_f32(input0[(element0 + lane0)])
// CHECK:         made0.store(output0 + element0);
kernel.func map @misaligned(%x: tensor<64xf16> {kernel.alignment = 8 : i64}, %d: tensor<64xf32> {kernel.alignment = 16 : i64}) -> tensor<64xf32>
    attributes {sources = ["/fc/Relu", "/fc/Cast"]} {
  %e = tensor.empty() : tensor<64xf16>
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf16>) outs(%e : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.maximumf %1, %zero : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<64xf16>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%0 : tensor<64xf16>) outs(%d : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}

// A transposed operand is read element by element.
// CHECK-LABEL: transpose(
// CHECK-NOT:     some0
// CHECK:         made0.at[lane0] = input0[i0 + (i1 + lane0) * 8];
// CHECK:         made0.store(output0 + i0 * 8 + i1);
kernel.func map @transpose(%x: tensor<8x8xf32> {kernel.alignment = 16 : i64}, %d: tensor<8x8xf32> {kernel.alignment = 16 : i64}) -> tensor<8x8xf32> {
  %r = linalg.generic {indexing_maps = [#nm, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32>
  kernel.return %r : tensor<8x8xf32>
}

// What a result may lie over is no `__restrict__`, and is read into a name
// before anything is stored.
// CHECK-LABEL: swap(const float *input0,
// CHECK-SAME:  {{$}}
// CHECK:           const float *input1,
// CHECK:         const float old0 = input0[element0];
// CHECK:         const float old1 = input1[element0];
// CHECK:         output0[element0] = old1;
// CHECK:         output1[element0] = old0;
kernel.func map @swap(%x: tensor<3xf32> {kernel.may_alias = array<i64: 0, 1>}, %y: tensor<3xf32> {kernel.may_alias = array<i64: 0, 1>},
                      %c: tensor<3xf32>, %d: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#i, #i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<3xf32>, tensor<3xf32>) outs(%c, %d : tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %p: f32):
    linalg.yield %b, %a : f32, f32
  } -> (tensor<3xf32>, tensor<3xf32>)
  kernel.return %r#0, %r#1 : tensor<3xf32>, tensor<3xf32>
}

// A short row belongs to a warp; what a later pass needs stays in registers.
// CHECK-LABEL: exponentials(
// CHECK:         const int row0 = int(blockIdx.x) * 8 + mpc_warp();
// CHECK:         if (row0 < 6) {
// CHECK:           float kept0[2];
// CHECK:           float part0 = 0.0f;
// CHECK:           #pragma unroll
// CHECK:           for (int slot0 = 0; slot0 < 2; ++slot0) {
// CHECK:             const int element0 = lane0 + slot0 * 32;
// CHECK:             if (element0 < 40) {
// CHECK:               kept0[slot0] = exp0;
// CHECK:           mpc_warp_combine(part0, [](float a, float b) { return a + b; });
// CHECK:             const float div0 = kept0[slot1] / sum0;
// CHECK:               output0[row0 * 40 + element1] = div0;
kernel.func rows @exponentials(%x: tensor<6x40xf32>, %d: tensor<6x40xf32>) -> tensor<6x40xf32> {
  %e = tensor.empty() : tensor<6x40xf32>
  %f = tensor.empty() : tensor<6xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%f : tensor<6xf32>) -> tensor<6xf32>
  %0 = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x40xf32>) outs(%e : tensor<6x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<6x40xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<6x40xf32>) outs(%first : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%0, %sum : tensor<6x40xf32>, tensor<6xf32>) outs(%d : tensor<6x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<6x40xf32>
  kernel.return %r : tensor<6x40xf32>
}

// A long row has a block, and the largest element is found as numbers are
// compared: NaN wins. Of what has no alignment stated, runs of neighbours are
// read element by element.
// CHECK-LABEL: largest(
// CHECK:         const int row0 = int(blockIdx.x);
// CHECK:         __shared__ float partial0[8];
// CHECK:         float part0 = mpc_float(0xff800000u);
// CHECK:         for (int element0 = thread0 * 8; element0 < 5000; element0 += 2048) {
// CHECK:           for (int at0 = 0; at0 < 8; ++at0) {
// CHECK:             mpc_max(part0, input0[row0 * 5000 + (element0 + at0)]);
// CHECK:         mpc_block_combine<8>(part0, partial0, [](float a, float b) { return mpc_max(a, b); });
// CHECK:         if (thread0 == 0) {
kernel.func rows @largest(%x: tensor<2x5000xf32>, %d: tensor<2xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %low = arith.constant 0xFF800000 : f32
  %first = linalg.fill ins(%low : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x5000xf32>) outs(%first : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.maximumf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  kernel.return %r : tensor<2xf32>
}

// Lanes beyond the last column read and store nothing of it.
// CHECK-LABEL: bias(
// CHECK:         const int wanted0 = int(blockIdx.x) * 32 + mpc_lane();
// CHECK:         const int column0 = wanted0 < 10 ? wanted0 : 9;
// CHECK:         for (int element0 = warp0; wanted0 < 10 && element0 < 256; element0 += 8) {
// CHECK:         mpc_column_combine<8>(part0, partial0,
// CHECK:         if (wanted0 < 10 && warp0 == 0) {
// CHECK:           output0[column0] = sum0;
kernel.func columns @bias(%x: tensor<256x10xf32>, %d: tensor<10xf32>) -> tensor<10xf32> {
  %e = tensor.empty() : tensor<10xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<10xf32>) -> tensor<10xf32>
  %r = linalg.generic {indexing_maps = [#mn, #n], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<256x10xf32>) outs(%first : tensor<10xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<10xf32>
  kernel.return %r : tensor<10xf32>
}

// A product with a map on its result is one kernel, one chain over k.
// CHECK-LABEL: product(
// CHECK:         if (element0 < 12) {
// CHECK:           float sum0 = 0.0f;
// CHECK:           for (int k0 = 0; k0 < 5; ++k0) {
// CHECK:             const float fma0 = mpc_fma(input0[i0 * 5 + k0], input1[i1 + k0 * 4], sum0);
// CHECK:             sum0 = fma0;
// CHECK:           const float maximum0 = mpc_max(sum0, 0.0f);
// CHECK:           output0[i0 * 4 + i1] = maximum0;
kernel.func contraction @product(%a: tensor<3x5xf32>, %b: tensor<5x4xf32>, %d: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x5xf32>, tensor<5x4xf32>) outs(%first : tensor<3x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %1 = math.fma %x, %y, %o : f32
    linalg.yield %1 : f32
  } -> tensor<3x4xf32>
  %r = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<3x4xf32>) outs(%d : tensor<3x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.maximumf %x, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<3x4xf32>
  kernel.return %r : tensor<3x4xf32>
}

// A block has rows for itself, marks the indices that name one of them, and
// joins their updates in order.
// CHECK-LABEL: scatter(
// CHECK:         output0[(outer * 9 + firstRow + row) * 3 + column] = 0.0f;
// CHECK:         for (int first = 0; first < 4; first += 256) {
// CHECK:           row = mpc_wrap(mpc_i64(input1[outer * 4 + step]), 9) - firstRow;
// CHECK:           const bool isOwn = 0 <= row && row < 64;
// CHECK:           mpc_sync_block();
// CHECK:           const mpc_u32 found = mpc_ballot(MPC_FULL_WARP, isOwn);
// CHECK:           mpc_sync_block();
// CHECK:           for (mpc_u32 rest = own[warp]; rest != 0; rest &= rest - 1) {
// CHECK:             if (column < 3 && row % 64 == group) {
// CHECK:               const int place = (outer * 9 + firstRow + row) * 3 + column;
// CHECK:               output0[place] = old0 + mpc_f16_to_f32(input0[(outer * 4 + first + number) * 3 + column]);
kernel.func scatter @scatter(%u: tensor<2x4x3xf16>, %i: tensor<2x4xi64>, %d: tensor<2x9x3xf32>) -> tensor<2x9x3xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %r = kernel.scatter ins(%u, %i : tensor<2x4x3xf16>, tensor<2x4xi64>) outs(%first : tensor<2x9x3xf32>)
  kernel.return %r : tensor<2x9x3xf32>
}

// Integers have a sign where they are compared, and overflow without one.
// CHECK-LABEL: scatter_largest(
// CHECK:           output0[place] = mpc_i16(old0) > mpc_i16(input0[{{.*}}]) ? old0 : input0[
kernel.func scatter @scatter_largest(%u: tensor<2x4x3xi16>, %i: tensor<2x4xi64>, %d: tensor<2x9x3xi16>) -> tensor<2x9x3xi16> {
  %r = kernel.scatter ins(%u, %i : tensor<2x4x3xi16>, tensor<2x4xi64>) outs(%d : tensor<2x9x3xi16>) by maximum
  kernel.return %r : tensor<2x9x3xi16>
}

// CHECK-LABEL: scatter_product(
// CHECK:           output0[place] = 1u * old0 * input0[
kernel.func scatter @scatter_product(%u: tensor<2x4x3xi16>, %i: tensor<2x4xi64>, %d: tensor<2x9x3xi16>) -> tensor<2x9x3xi16> {
  %r = kernel.scatter ins(%u, %i : tensor<2x4x3xi16>, tensor<2x4xi64>) outs(%d : tensor<2x9x3xi16>) by product
  kernel.return %r : tensor<2x9x3xi16>
}

// A row that is looked up lies inside of the table.
// CHECK-LABEL: gather(
// CHECK:         const mpc_i64 index_cast0 = mpc_i64(input1[
// CHECK:         input0[(mpc_clamp(index_cast0, 7)) * 4 + mpc_clamp(
kernel.func map @gather(%t: tensor<7x4xf32>, %i: tensor<5xi64>, %d: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %r = linalg.generic {indexing_maps = [#m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<5xi64>) outs(%d : tensor<5x4xf32>) {
  ^bb0(%a: i64, %o: f32):
    %row = arith.index_cast %a : i64 to index
    %column = linalg.index 1 : index
    %again = arith.addi %row, %column : index
    %back = arith.subi %again, %column : index
    %same = arith.cmpi eq, %back, %row : index
    %0 = tensor.extract %t[%row, %column] : tensor<7x4xf32>
    %1 = arith.select %same, %0, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x4xf32>
  kernel.return %r : tensor<5x4xf32>
}

// What does not write every element runs in one block, behind a copy.
// CHECK-LABEL: __launch_bounds__(1024, 1)
// CHECK-NEXT:  pad(
// CHECK:         for (int element0 = threadIdx.x; element0 < 9; element0 += 1024) {
// CHECK:           output0[element0] = 2.5f;
// CHECK:         mpc_sync_block();
// CHECK:         for (int element1 = threadIdx.x; element1 < 5; element1 += 1024) {
// CHECK:           output0[element1 + 2] = input0[element1];
kernel.func @pad(%x: tensor<5xf32>, %d: tensor<9xf32>) -> tensor<9xf32> {
  %fill = arith.constant 2.5 : f32
  %first = linalg.fill ins(%fill : f32) outs(%d : tensor<9xf32>) -> tensor<9xf32>
  %r = linalg.generic {indexing_maps = [#i, affine_map<(i) -> (i + 2)>], iterator_types = ["parallel"]}
      ins(%x : tensor<5xf32>) outs(%first : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<9xf32>
  kernel.return %r : tensor<9xf32>
}

// What an operand or a constant is needs no line of its own.
// CHECK-LABEL: folded(
// CHECK-NOT:     sub
// CHECK-NOT:     and
// CHECK:         const mpc_u64 select0 = cmp0 ? some0.at[lane0] : mpc_u64(0);
kernel.func map @folded(%x: tensor<8xi64> {kernel.alignment = 16 : i64}, %d: tensor<8xi64> {kernel.alignment = 16 : i64}) -> tensor<8xi64> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi64>) outs(%d : tensor<8xi64>) {
  ^bb0(%a: i64, %o: i64):
    %zero = arith.constant 0 : i64
    %true = arith.constant true
    %0 = arith.subi %a, %zero : i64
    %1 = arith.cmpi sge, %0, %zero : i64
    %2 = arith.andi %true, %1 : i1
    %3 = arith.select %2, %0, %zero : i64
    linalg.yield %3 : i64
  } -> tensor<8xi64>
  kernel.return %r : tensor<8xi64>
}
