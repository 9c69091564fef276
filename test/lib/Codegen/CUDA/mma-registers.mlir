// RUN: mpc-opt %s --cuda-attach-target=arch=75 --kernel-schedule --kernel-emit --cuda-print-text -o /dev/null | FileCheck %s --check-prefixes=CHECK,SM75
// RUN: mpc-opt %s --cuda-attach-target=arch=80 --kernel-schedule --kernel-emit --cuda-print-text -o /dev/null | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: mpc-opt %s --cuda-attach-target --kernel-schedule --kernel-emit --cuda-print-text -o /dev/null | FileCheck %s --check-prefixes=CHECK,SM80

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// The columns of an odd width wait in registers, beside the sums and, before
// sm_80, the rows that are being copied: fewer threads share the registers.
// SM75:        __launch_bounds__(128, 3)
// SM80:        __launch_bounds__(128, 4)
// CHECK-NEXT:  held(
// CHECK:         columnsHeld[i] =
kernel.func contraction @held(%a: tensor<64x64xf16> {kernel.alignment = 16 : i64}, %b: tensor<64x65xf16> {kernel.alignment = 16 : i64}, %d: tensor<64x65xf32> {kernel.alignment = 16 : i64}) -> tensor<64x65xf32> {
  %e = tensor.empty() : tensor<64x65xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x65xf32>) -> tensor<64x65xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf16>, tensor<64x65xf16>) outs(%first : tensor<64x65xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %1 = arith.extf %x : f16 to f32
    %2 = arith.extf %y : f16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x65xf32>
  kernel.return %r : tensor<64x65xf32>
}

// What is copied by 16 bytes passes through registers before sm_80 only.
// SM75:        __launch_bounds__(128, 3)
// SM80:        __launch_bounds__(128, 4)
// CHECK-NEXT:  copied(
// CHECK-NOT:     Held
kernel.func contraction @copied(%a: tensor<64x64xf16> {kernel.alignment = 16 : i64}, %b: tensor<64x64xf16> {kernel.alignment = 16 : i64}, %d: tensor<64x64xf32> {kernel.alignment = 16 : i64}) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%first : tensor<64x64xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %1 = arith.extf %x : f16 to f32
    %2 = arith.extf %y : f16 to f32
    %3 = math.fma %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<64x64xf32>
  kernel.return %r : tensor<64x64xf32>
}
