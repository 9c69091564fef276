// RUN: mpc-opt %s --cuda-attach-target --kernel-schedule --kernel-emit --cuda-print-text -o /dev/null | FileCheck %s

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// A thread has runs of 8 neighbours, one access of bf16 and two of f32. The
// input that two passes read stays as it is in memory; what all rows share is
// read again.
// CHECK-LABEL: centered(const mpc_u16 *__restrict__ input0,
// CHECK:         mpc_vector<mpc_u16, 8> kept0[2];
// CHECK:         for (int slot0 = 0; slot0 < 2; ++slot0) {
// CHECK-NEXT:      const int element0 = lane0 * 8 + slot0 * 256;
// CHECK-NEXT:      kept0[slot0] = mpc_vector<mpc_u16, 8>::load(input0 + row0 * 512 + element0);
// CHECK:           for (int at0 = 0; at0 < 8; ++at0) {
// CHECK-NEXT:        part0 + mpc_bf16_to_f32(kept0[slot0].at[at0]);
// CHECK:         for (int slot1 = 0; slot1 < 2; ++slot1) {
// CHECK-NEXT:      const int element1 = lane0 * 8 + slot1 * 256;
// CHECK-NEXT:      const mpc_vector<float, 8> some0 = mpc_vector<float, 8>::load(input1 + element1);
// CHECK-NEXT:      mpc_vector<mpc_u16, 8> made0;
// CHECK:             mpc_bf16_to_f32(kept0[slot1].at[at1]) - sum0;
// CHECK:             * some0.at[at1];
// CHECK:             made0.at[at1] = mpc_f32_to_bf16(
// CHECK:           made0.store(output0 + row0 * 512 + element1);
kernel.func rows @centered(%x: tensor<16x512xbf16> {kernel.alignment = 16 : i64}, %g: tensor<512xf32> {kernel.alignment = 64 : i64},
                           %d: tensor<16x512xbf16> {kernel.alignment = 16 : i64}) -> tensor<16x512xbf16> {
  %e = tensor.empty() : tensor<16xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x512xbf16>) outs(%first : tensor<16xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %g : tensor<16x512xbf16>, tensor<16xf32>, tensor<512xf32>) outs(%d : tensor<16x512xbf16>) {
  ^bb0(%a: bf16, %s: f32, %b: f32, %o: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.subf %0, %s : f32
    %2 = arith.mulf %1, %b : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<16x512xbf16>
  kernel.return %r : tensor<16x512xbf16>
}

// What begins at any element has the same runs, element by element, beside
// operands that have vectors.
// CHECK-LABEL: unaligned(const mpc_u16 *__restrict__ input0,
// CHECK:         mpc_vector<mpc_u16, 8> kept0[2];
// CHECK:           const int element0 = lane0 * 8 + slot0 * 256;
// CHECK:           for (int at0 = 0; at0 < 8; ++at0) {
// CHECK-NEXT:        kept0[slot0].at[at0] = input0[row0 * 512 + (element0 + at0)];
// CHECK:           for (int at1 = 0; at1 < 8; ++at1) {
// CHECK-NEXT:        part0 + mpc_bf16_to_f32(kept0[slot0].at[at1]);
// CHECK:           mpc_vector<float, 8> made0;
// CHECK:           made0.store(output0 + row0 * 512 + element1);
kernel.func rows @unaligned(%x: tensor<16x512xbf16> {kernel.alignment = 2 : i64},
                            %d: tensor<16x512xf32> {kernel.alignment = 16 : i64}) -> tensor<16x512xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x512xbf16>) outs(%first : tensor<16xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<16x512xbf16>, tensor<16xf32>) outs(%d : tensor<16x512xf32>) {
  ^bb0(%a: bf16, %s: f32, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.subf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<16x512xf32>
  kernel.return %r : tensor<16x512xf32>
}

// A map of more bytes than its result, and a costly one, are computed once; a
// plain one of what is kept is computed again. 24 elements of each fit.
// CHECK-LABEL: residual(const float *
// CHECK:         float kept0[24];
// CHECK-NOT:     kept1
// CHECK:           for (int at0 = 0; at0 < 8; ++at0) {
// CHECK:             const float add0 = some0.at[at0] + mpc_bf16_to_f32(some1.at[at0]);
// CHECK-NEXT:        kept0[slot0 * 8 + at0] = add0;
// CHECK:             kept0[slot1 * 8 + at1] - sum0;
kernel.func rows @residual(%x: tensor<16x768xf32> {kernel.alignment = 16 : i64}, %y: tensor<16x768xbf16> {kernel.alignment = 16 : i64},
                           %d: tensor<16x768xf32> {kernel.alignment = 16 : i64}) -> tensor<16x768xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %f = tensor.empty() : tensor<16x768xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %p = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<16x768xf32>, tensor<16x768xbf16>) outs(%f : tensor<16x768xf32>) {
  ^bb0(%a: f32, %b: bf16, %o: f32):
    %0 = arith.extf %b : bf16 to f32
    %1 = arith.addf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x768xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<16x768xf32>) outs(%first : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %sum : tensor<16x768xf32>, tensor<16xf32>) outs(%d : tensor<16x768xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %1 = arith.subf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<16x768xf32>
  kernel.return %r : tensor<16x768xf32>
}

// Four results and four operands of f32 are more vectors than a thread has
// registers for: a run of 8 is twice four.
// CHECK-LABEL: many(
// CHECK:         mpc_vector<float, 4> kept0[4];
// CHECK:           const int element0 = lane0 * 8 + slot0 * 256;
// CHECK-NEXT:      #pragma unroll
// CHECK-NEXT:      for (int part1 = 0; part1 < 2; ++part1) {
// CHECK-NEXT:        kept0[(slot0 * 2 + part1)] = mpc_vector<float, 4>::load(input0 + row0 * 512 + (element0 + part1 * 4));
// CHECK:             for (int at0 = 0; at0 < 4; ++at0) {
// CHECK-NEXT:          part0 + kept0[(slot0 * 2 + part1)].at[at0];
// CHECK:             mpc_vector<float, 4>::load(input3 + row0 * 512 + (element1 + part2 * 4));
// CHECK:             made3.store(output3 + row0 * 512 + (element1 + part2 * 4));
kernel.func rows @many(%x0: tensor<16x512xf32> {kernel.alignment = 16 : i64}, %x1: tensor<16x512xf32> {kernel.alignment = 16 : i64}, %x2: tensor<16x512xf32> {kernel.alignment = 16 : i64}, %x3: tensor<16x512xf32> {kernel.alignment = 16 : i64},
                       %d0: tensor<16x512xf32> {kernel.alignment = 16 : i64}, %d1: tensor<16x512xf32> {kernel.alignment = 16 : i64}, %d2: tensor<16x512xf32> {kernel.alignment = 16 : i64}, %d3: tensor<16x512xf32> {kernel.alignment = 16 : i64}) -> (tensor<16x512xf32>, tensor<16x512xf32>, tensor<16x512xf32>, tensor<16x512xf32>) {
  %e = tensor.empty() : tensor<16xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x0 : tensor<16x512xf32>) outs(%first : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %r:4 = linalg.generic {indexing_maps = [#mn, #mn, #mn, #mn, #m, #mn, #mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %x1, %x2, %x3, %sum : tensor<16x512xf32>, tensor<16x512xf32>, tensor<16x512xf32>, tensor<16x512xf32>, tensor<16xf32>)
      outs(%d0, %d1, %d2, %d3 : tensor<16x512xf32>, tensor<16x512xf32>, tensor<16x512xf32>, tensor<16x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %s: f32, %o: f32, %p: f32, %q: f32, %r: f32):
    %0 = arith.addf %a, %s : f32
    %1 = arith.addf %b, %s : f32
    %2 = arith.addf %c, %s : f32
    %3 = arith.addf %d, %s : f32
    linalg.yield %0, %1, %2, %3 : f32, f32, f32, f32
  } -> (tensor<16x512xf32>, tensor<16x512xf32>, tensor<16x512xf32>, tensor<16x512xf32>)
  kernel.return %r#0, %r#1, %r#2, %r#3 : tensor<16x512xf32>, tensor<16x512xf32>, tensor<16x512xf32>, tensor<16x512xf32>
}

// Long sums are cascades of chains: of 16 elements, which are two runs.
// CHECK-LABEL: chains(
// CHECK:         for (int element0 = thread0 * 8; element0 < 400000; element0 += 131072) {
// CHECK:           for (int element1 = element0; element1 < last0; element1 += 8192) {
// CHECK:             for (int element2 = element1; element2 < last1; element2 += 4096) {
// CHECK-NEXT:          mpc_vector<float, 8>::load(input0 + row0 * 400000 + element2);
kernel.func rows @chains(%x: tensor<4x400000xf32> {kernel.alignment = 64 : i64}, %d: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x400000xf32>) outs(%first : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  kernel.return %r : tensor<4xf32>
}
