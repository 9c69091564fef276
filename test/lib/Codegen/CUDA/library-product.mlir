// RUN: mpc-opt %s --cuda-attach-target=arch=90 --kernel-schedule --kernel-emit | FileCheck %s
// RUN: mpc-opt %s --cuda-attach-target="arch=90 exact=true" --kernel-schedule --kernel-emit | FileCheck %s --check-prefix=NONE
// RUN: mpc-opt %s --cuda-attach-target="arch=90 naive=true" --kernel-schedule --kernel-emit | FileCheck %s --check-prefix=NONE

// Kernels that are products as cuBLASLt has them. BLAS has columns one after
// the other, so that the columns of a result here are the rows there. With the
// CPU's bits, and in the reference, there are none.
// NONE-NOT: product =

// CHECK-LABEL: @plain(
// CHECK-SAME: product = <rows = 96, columns = 64, depth = 32, batch = 1,
// CHECK-SAME: a = <parameter = 1, offset = 0, type = bf16, transposed = false, leading = 96, batchStride = 0>,
// CHECK-SAME: b = <parameter = 0, offset = 0, type = bf16, transposed = false, leading = 32, batchStride = 0>,
// CHECK-SAME: d = <parameter = 2, offset = 0, type = bf16, transposed = false, leading = 96, batchStride = 0>>>
kernel.func contraction @plain(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<32x96xbf16> {kernel.alignment = 16 : i64}, %d: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<32x96xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x96xf32>) outs(%d : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %1 = arith.truncf %x : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// The weight of a linear layer, and the gradient of one: each factor transposed.
// CHECK-LABEL: @transposed(
// CHECK-SAME: a = <parameter = 1, offset = 0, type = f16, transposed = true, leading = 32, batchStride = 0>,
// CHECK-SAME: b = <parameter = 0, offset = 0, type = f16, transposed = true, leading = 64, batchStride = 0>,
kernel.func contraction @transposed(%a: tensor<32x64xf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xf16> {kernel.alignment = 16 : i64}, %d: tensor<64x96xf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x64xf16>, tensor<96x32xf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %1 = arith.extf %x : f16 to f32
    %2 = arith.extf %y : f16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x96xf32>) outs(%d : tensor<64x96xf16>) {
  ^bb0(%x: f32, %o: f16):
    %1 = arith.truncf %x : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<64x96xf16>
  kernel.return %r : tensor<64x96xf16>
}

// Sums that stay f32, of slices of one long sum.
// CHECK-LABEL: @slices(
// CHECK-SAME: product = <rows = 96, columns = 64, depth = 16, batch = 4,
// CHECK-SAME: a = <parameter = 1, offset = 0, type = bf16, transposed = false, leading = 96, batchStride = 1536>,
// CHECK-SAME: b = <parameter = 0, offset = 0, type = bf16, transposed = true, leading = 64, batchStride = 1024>,
// CHECK-SAME: d = <parameter = 2, offset = 0, type = f32, transposed = false, leading = 96, batchStride = 6144>>>
kernel.func contraction @slices(%a: tensor<4x16x64xbf16> {kernel.alignment = 16 : i64}, %b: tensor<4x16x96xbf16> {kernel.alignment = 16 : i64}, %d: tensor<4x64x96xf32> {kernel.alignment = 16 : i64}) -> tensor<4x64x96xf32> {
  %e = tensor.empty() : tensor<4x64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x96xf32>) -> tensor<4x64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(s, m, n, k) -> (s, k, m)>, affine_map<(s, m, n, k) -> (s, k, n)>, affine_map<(s, m, n, k) -> (s, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x16x64xbf16>, tensor<4x16x96xbf16>) outs(%first : tensor<4x64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<4x64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(s, m, n) -> (s, m, n)>, affine_map<(s, m, n) -> (s, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<4x64x96xf32>) outs(%d : tensor<4x64x96xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4x64x96xf32>
  kernel.return %r : tensor<4x64x96xf32>
}

// Columns of larger tensors: they begin within them.
// CHECK-LABEL: @columns(
// CHECK-SAME: a = <parameter = 1, offset = 16, type = bf16, transposed = false, leading = 128, batchStride = 0>,
// CHECK-SAME: b = <parameter = 0, offset = 8, type = bf16, transposed = false, leading = 48, batchStride = 0>,
kernel.func contraction @columns(%a: tensor<64x48xbf16> {kernel.alignment = 16 : i64}, %b: tensor<32x128xbf16> {kernel.alignment = 16 : i64}, %d: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k + 8)>, affine_map<(m, n, k) -> (k, n + 16)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x48xbf16>, tensor<32x128xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x96xf32>) outs(%d : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %1 = arith.truncf %x : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// Heads of a packed tensor: columns are farther apart than they are long.
// CHECK-LABEL: @heads(
// CHECK-SAME: product = <rows = 96, columns = 64, depth = 32, batch = 2,
// CHECK-SAME: b = <parameter = 0, offset = 0, type = bf16, transposed = false, leading = 64, batchStride = 32>,
kernel.func contraction @heads(%a: tensor<64x2x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<2x32x96xbf16> {kernel.alignment = 16 : i64}, %d: tensor<2x64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<2x64x96xbf16> {
  %e = tensor.empty() : tensor<2x64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x96xf32>) -> tensor<2x64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(h, m, n, k) -> (m, h, k)>, affine_map<(h, m, n, k) -> (h, k, n)>, affine_map<(h, m, n, k) -> (h, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x2x32xbf16>, tensor<2x32x96xbf16>) outs(%first : tensor<2x64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<2x64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<2x64x96xf32>) outs(%d : tensor<2x64x96xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %1 = arith.truncf %x : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x64x96xbf16>
  kernel.return %r : tensor<2x64x96xbf16>
}

// A bias is a column there.
// CHECK-LABEL: @bias(
// CHECK-SAME: bias = <parameter = 2, offset = 0, type = bf16, transposed = false, leading = 96, batchStride = 0>>>
kernel.func contraction @bias(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<96xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<96xbf16>) outs(%d0 : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o0: bf16):
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.addf %x, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// GELU by tanh, with what it is of.
// CHECK-LABEL: @gelu(
// CHECK-SAME: d = <parameter = 4, offset = 0, type = bf16, transposed = false, leading = 96, batchStride = 0>,
// CHECK-SAME: bias = <parameter = 2,
// CHECK-SAME: input = <parameter = 3, offset = 0, type = bf16, transposed = false, leading = 96, batchStride = 0>>>
kernel.func contraction @gelu(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<96xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}, %d1: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> (tensor<64x96xbf16>, tensor<64x96xbf16>) {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<96xbf16>) outs(%d0, %d1 : tensor<64x96xbf16>, tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o0: bf16, %o1: bf16):
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.addf %x, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    %x1 = arith.extf %3 : bf16 to f32
    %c1 = arith.constant 4.471500e-02 : f32
    %c2 = arith.constant 1.000000e+00 : f32
    %c3 = arith.constant 0.797884583 : f32
    %c4 = arith.constant 5.000000e-01 : f32
    %4 = arith.mulf %x1, %x1 : f32
    %5 = arith.mulf %4, %c1 : f32
    %6 = arith.addf %5, %c2 : f32
    %7 = arith.mulf %6, %x1 : f32
    %8 = arith.mulf %7, %c3 : f32
    %9 = math.tanh %8 : f32
    %10 = arith.mulf %x1, %c4 : f32
    %11 = arith.addf %9, %c2 : f32
    %12 = arith.mulf %10, %11 : f32
    %13 = arith.truncf %12 : f32 to bf16
    linalg.yield %3, %13 : bf16, bf16
  } -> (tensor<64x96xbf16>, tensor<64x96xbf16>)
  kernel.return %r#0, %r#1 : tensor<64x96xbf16>, tensor<64x96xbf16>
}

// Another function, though it is of the same form.
// CHECK-LABEL: @another_constant(
// CHECK-NOT: product =
kernel.func contraction @another_constant(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<96xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}, %d1: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> (tensor<64x96xbf16>, tensor<64x96xbf16>) {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<96xbf16>) outs(%d0, %d1 : tensor<64x96xbf16>, tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o0: bf16, %o1: bf16):
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.addf %x, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    %x1 = arith.extf %3 : bf16 to f32
    %c1 = arith.constant 4.400000e-02 : f32
    %c2 = arith.constant 1.000000e+00 : f32
    %c3 = arith.constant 0.797884583 : f32
    %c4 = arith.constant 5.000000e-01 : f32
    %4 = arith.mulf %x1, %x1 : f32
    %5 = arith.mulf %4, %c1 : f32
    %6 = arith.addf %5, %c2 : f32
    %7 = arith.mulf %6, %x1 : f32
    %8 = arith.mulf %7, %c3 : f32
    %9 = math.tanh %8 : f32
    %10 = arith.mulf %x1, %c4 : f32
    %11 = arith.addf %9, %c2 : f32
    %12 = arith.mulf %10, %11 : f32
    %13 = arith.truncf %12 : f32 to bf16
    linalg.yield %3, %13 : bf16, bf16
  } -> (tensor<64x96xbf16>, tensor<64x96xbf16>)
  kernel.return %r#0, %r#1 : tensor<64x96xbf16>, tensor<64x96xbf16>
}

// GELU alone, as an evaluation has it, is a kernel.
// CHECK-LABEL: @gelu_alone(
// CHECK-NOT: product =
kernel.func contraction @gelu_alone(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<96xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<96xbf16>) outs(%d0 : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o0: bf16):
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.addf %x, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    %x1 = arith.extf %3 : bf16 to f32
    %c1 = arith.constant 4.471500e-02 : f32
    %c2 = arith.constant 1.000000e+00 : f32
    %c3 = arith.constant 0.797884583 : f32
    %c4 = arith.constant 5.000000e-01 : f32
    %4 = arith.mulf %x1, %x1 : f32
    %5 = arith.mulf %4, %c1 : f32
    %6 = arith.addf %5, %c2 : f32
    %7 = arith.mulf %6, %x1 : f32
    %8 = arith.mulf %7, %c3 : f32
    %9 = math.tanh %8 : f32
    %10 = arith.mulf %x1, %c4 : f32
    %11 = arith.addf %9, %c2 : f32
    %12 = arith.mulf %10, %11 : f32
    %13 = arith.truncf %12 : f32 to bf16
    linalg.yield %13 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// A maximum would lose a NaN there.
// CHECK-LABEL: @relu(
// CHECK-NOT: product =
kernel.func contraction @relu(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<96xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<96xbf16>) outs(%d0 : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o0: bf16):
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.addf %x, %1 : f32
    %z = arith.constant 0.0 : f32
    %m = arith.maximumf %2, %z : f32
    %3 = arith.truncf %m : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// A factor behind the sum is more than a bias.
// CHECK-LABEL: @twice(
// CHECK-NOT: product =
kernel.func contraction @twice(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<96xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<96xbf16>) outs(%d0 : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o0: bf16):
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.addf %x, %1 : f32
    %z = arith.constant 2.0 : f32
    %m = arith.mulf %2, %z : f32
    %3 = arith.truncf %m : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// A sum that is rounded before the bias is another sum.
// CHECK-LABEL: @rounded_first(
// CHECK-NOT: product =
kernel.func contraction @rounded_first(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<96xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<96xbf16>) outs(%d0 : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o0: bf16):
    %1 = arith.extf %y : bf16 to f32
    %h = arith.truncf %x : f32 to bf16
    %i = arith.extf %h : bf16 to f32
    %2 = arith.addf %i, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// A bias of each row here, and factors of f32: no product.
// CHECK-LABEL: @bias_of_rows(
// CHECK-NOT: product =
kernel.func contraction @bias_of_rows(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<64xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<64xbf16>) outs(%d0 : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o: bf16):
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.addf %x, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// One number for all rows.
// CHECK-LABEL: @one_number(
// CHECK-NOT: product =
kernel.func contraction @one_number(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<1xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (0)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<1xbf16>) outs(%d0 : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o: bf16):
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.addf %x, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// CHECK-LABEL: @in_f32(
// CHECK-NOT: product =
kernel.func contraction @in_f32(%a: tensor<64x32xf32> {kernel.alignment = 16 : i64}, %b: tensor<32x96xf32> {kernel.alignment = 16 : i64}, %d: tensor<64x96xf32> {kernel.alignment = 16 : i64}) -> tensor<64x96xf32> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xf32>, tensor<32x96xf32>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %3 = math.fma %x, %y, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x96xf32>) outs(%d : tensor<64x96xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<64x96xf32>
  kernel.return %r : tensor<64x96xf32>
}

// Every second element: neither rows nor columns are neighbours.
// CHECK-LABEL: @apart(
// CHECK-NOT: product =
kernel.func contraction @apart(%a: tensor<64x32x2xbf16> {kernel.alignment = 16 : i64}, %b: tensor<32x96xbf16> {kernel.alignment = 16 : i64}, %d: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k, 1)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32x2xbf16>, tensor<32x96xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x96xf32>) outs(%d : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %1 = arith.truncf %x : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}


// The gradient of GELU by tanh: its input is read.
// CHECK-LABEL: @gelu_gradient(
// CHECK-SAME: d = <parameter = 3, offset = 0, type = bf16, transposed = false, leading = 96, batchStride = 0>,
// CHECK-SAME: input = <parameter = 2, offset = 0, type = bf16, transposed = false, leading = 96, batchStride = 0>, gradient = true>>
kernel.func contraction @gelu_gradient(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<64x96xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<64x96xbf16>) outs(%d0 : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o0: bf16):
    %p = arith.truncf %x : f32 to bf16
    %q = arith.extf %p : bf16 to f32
    %x1 = arith.extf %y : bf16 to f32
    %c1 = arith.constant 4.471500e-02 : f32
    %c2 = arith.constant 1.000000e+00 : f32
    %c3 = arith.constant 0.797884583 : f32
    %c4 = arith.constant 5.000000e-01 : f32
    %c5 = arith.constant 1.341450e-01 : f32
    %z = arith.constant 0.000000e+00 : f32
    %4 = arith.mulf %x1, %x1 : f32
    %5 = arith.mulf %4, %c1 : f32
    %6 = arith.addf %5, %c2 : f32
    %7 = arith.mulf %6, %x1 : f32
    %8 = arith.mulf %7, %c3 : f32
    %t = math.tanh %8 : f32
    %9 = arith.mulf %4, %c5 : f32
    %10 = arith.addf %9, %c2 : f32
    %11 = arith.mulf %10, %c3 : f32
    %12 = arith.addf %t, %c2 : f32
    %13 = arith.mulf %12, %c4 : f32
    %14 = arith.mulf %t, %t : f32
    %15 = arith.subf %c2, %14 : f32
    %16 = arith.cmpf oeq, %15, %z : f32
    %17 = arith.mulf %x1, %c4 : f32
    %18 = arith.mulf %15, %11 : f32
    %19 = arith.mulf %17, %18 : f32
    %20 = arith.select %16, %z, %19 : f32
    %21 = arith.addf %13, %20 : f32
    %22 = arith.mulf %q, %21 : f32
    %23 = arith.truncf %22 : f32 to bf16
    linalg.yield %23 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// The slope of another function.
// CHECK-LABEL: @another_gradient(
// CHECK-NOT: product =
kernel.func contraction @another_gradient(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<64x96xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<64x96xbf16>) outs(%d0 : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o0: bf16):
    %p = arith.truncf %x : f32 to bf16
    %q = arith.extf %p : bf16 to f32
    %x1 = arith.extf %y : bf16 to f32
    %c1 = arith.constant 4.471500e-02 : f32
    %c2 = arith.constant 1.000000e+00 : f32
    %c3 = arith.constant 0.797884583 : f32
    %c4 = arith.constant 5.000000e-01 : f32
    %c5 = arith.constant 1.300000e-01 : f32
    %z = arith.constant 0.000000e+00 : f32
    %4 = arith.mulf %x1, %x1 : f32
    %5 = arith.mulf %4, %c1 : f32
    %6 = arith.addf %5, %c2 : f32
    %7 = arith.mulf %6, %x1 : f32
    %8 = arith.mulf %7, %c3 : f32
    %t = math.tanh %8 : f32
    %9 = arith.mulf %4, %c5 : f32
    %10 = arith.addf %9, %c2 : f32
    %11 = arith.mulf %10, %c3 : f32
    %12 = arith.addf %t, %c2 : f32
    %13 = arith.mulf %12, %c4 : f32
    %14 = arith.mulf %t, %t : f32
    %15 = arith.subf %c2, %14 : f32
    %16 = arith.cmpf oeq, %15, %z : f32
    %17 = arith.mulf %x1, %c4 : f32
    %18 = arith.mulf %15, %11 : f32
    %19 = arith.mulf %17, %18 : f32
    %20 = arith.select %16, %z, %19 : f32
    %21 = arith.addf %13, %20 : f32
    %22 = arith.mulf %q, %21 : f32
    %23 = arith.truncf %22 : f32 to bf16
    linalg.yield %23 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}

// Another value where the slope is 0.
// CHECK-LABEL: @where_it_is_flat(
// CHECK-NOT: product =
kernel.func contraction @where_it_is_flat(%a: tensor<64x32xbf16> {kernel.alignment = 16 : i64}, %b: tensor<96x32xbf16> {kernel.alignment = 16 : i64}, %c: tensor<64x96xbf16> {kernel.alignment = 16 : i64}, %d0: tensor<64x96xbf16> {kernel.alignment = 16 : i64}) -> tensor<64x96xbf16> {
  %e = tensor.empty() : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xbf16>, tensor<96x32xbf16>) outs(%first : tensor<64x96xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %1 = arith.extf %x : bf16 to f32
    %2 = arith.extf %y : bf16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<64x96xf32>, tensor<64x96xbf16>) outs(%d0 : tensor<64x96xbf16>) {
  ^bb0(%x: f32, %y: bf16, %o0: bf16):
    %p = arith.truncf %x : f32 to bf16
    %q = arith.extf %p : bf16 to f32
    %x1 = arith.extf %y : bf16 to f32
    %c1 = arith.constant 4.471500e-02 : f32
    %c2 = arith.constant 1.000000e+00 : f32
    %c3 = arith.constant 0.797884583 : f32
    %c4 = arith.constant 5.000000e-01 : f32
    %c5 = arith.constant 1.341450e-01 : f32
    %z = arith.constant 0.000000e+00 : f32
    %4 = arith.mulf %x1, %x1 : f32
    %5 = arith.mulf %4, %c1 : f32
    %6 = arith.addf %5, %c2 : f32
    %7 = arith.mulf %6, %x1 : f32
    %8 = arith.mulf %7, %c3 : f32
    %t = math.tanh %8 : f32
    %9 = arith.mulf %4, %c5 : f32
    %10 = arith.addf %9, %c2 : f32
    %11 = arith.mulf %10, %c3 : f32
    %12 = arith.addf %t, %c2 : f32
    %13 = arith.mulf %12, %c4 : f32
    %14 = arith.mulf %t, %t : f32
    %15 = arith.subf %c2, %14 : f32
    %16 = arith.cmpf oeq, %15, %z : f32
    %17 = arith.mulf %x1, %c4 : f32
    %18 = arith.mulf %15, %11 : f32
    %19 = arith.mulf %17, %18 : f32
    %20 = arith.select %16, %c4, %19 : f32
    %21 = arith.addf %13, %20 : f32
    %22 = arith.mulf %q, %21 : f32
    %23 = arith.truncf %22 : f32 to bf16
    linalg.yield %23 : bf16
  } -> tensor<64x96xbf16>
  kernel.return %r : tensor<64x96xbf16>
}
