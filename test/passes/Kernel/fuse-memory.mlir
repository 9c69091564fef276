// RUN: mpc-opt %s --pass-pipeline='builtin.module(cuda-attach-target,func.func(kernel-fuse))' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(kernel-fuse))' | FileCheck %s --check-prefix=JOINED
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(kernel-fuse))' | FileCheck %s --check-prefix=JOINED
// Kernels that keep less, for a target that rather computes again, are smaller
// ones.

#id = affine_map<(d0, d1) -> (d0, d1)>
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// A wider copy is no result of the product, whose readers widen what they read.
// CHECK-LABEL: func.func @copy
// CHECK: kernel.group -> tensor<16x16xf16> {
// CHECK: kernel.return
// CHECK-NOT: tensor<16x16xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<16x16xf16>) outs(%{{.*}} : tensor<16xf32>)
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK: arith.maximumf %{{.*}}, %[[WIDE]]
// JOINED-LABEL: func.func @copy
// JOINED: kernel.group -> tensor<16x16xf16> {
// JOINED: kernel.group -> tensor<16xf32> {
// JOINED: arith.extf
func.func @copy(%x: tensor<16x8xf16>, %y: tensor<8x16xf16>, %least: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<16x16xf32>
  %e1 = tensor.empty() : tensor<16x16xf16>
  %e2 = tensor.empty() : tensor<16x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e0 : tensor<16x16xf32>) -> tensor<16x16xf32>
  %sum = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<16x8xf16>, tensor<8x16xf16>) outs(%start : tensor<16x16xf32>) {
  ^bb0(%l: f16, %r: f16, %out: f32):
    %0 = arith.extf %l : f16 to f32
    %1 = arith.extf %r : f16 to f32
    %2 = math.fma %0, %1, %out : f32
    linalg.yield %2 : f32
  } -> tensor<16x16xf32>
  %narrow = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<16x16xf32>) outs(%e1 : tensor<16x16xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = arith.truncf %in : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<16x16xf16>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%narrow : tensor<16x16xf16>) outs(%e2 : tensor<16x16xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<16x16xf32>
  %most = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%wide : tensor<16x16xf32>) outs(%least : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<16xf32>
  return %most : tensor<16xf32>
}

// What is divided by a count of rows waits for the count; the mask that is counted does not wait for the rows, so that
// these and the quotient are one kernel.
#vector = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
#row = affine_map<(d0, d1) -> (d0)>
#scalar = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @count
// CHECK: kernel.group -> tensor<65536x32xf16> {
// CHECK-NOT: kernel.group
// CHECK: return
// JOINED-LABEL: func.func @count
// JOINED: kernel.group -> tensor<65536xf32>, tensor<65536x32xf32> {
func.func @count(%x: tensor<65536x32xf32>, %labels: tensor<65536xi64>, %zero: tensor<65536xf32>, %none: tensor<f32>) -> tensor<65536x32xf16> {
  %e0 = tensor.empty() : tensor<65536xf32>
  %e1 = tensor.empty() : tensor<65536x32xf32>
  %e2 = tensor.empty() : tensor<65536x32xf16>
  %mask = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%labels : tensor<65536xi64>) outs(%e0 : tensor<65536xf32>) {
  ^bb0(%in: i64, %out: f32):
    %0 = arith.sitofp %in : i64 to f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<65536x32xf32>) outs(%zero : tensor<65536xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %part = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %mask : tensor<65536x32xf32>, tensor<65536xf32>, tensor<65536xf32>) outs(%e1 : tensor<65536x32xf32>) {
  ^bb0(%in: f32, %s: f32, %m: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    %1 = arith.mulf %0, %m : f32
    linalg.yield %1 : f32
  } -> tensor<65536x32xf32>
  %count = linalg.generic {indexing_maps = [#vector, #one], iterator_types = ["reduction"]}
      ins(%mask : tensor<65536xf32>) outs(%none : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %mean = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel", "parallel"]}
      ins(%part, %count : tensor<65536x32xf32>, tensor<f32>) outs(%e2 : tensor<65536x32xf16>) {
  ^bb0(%in: f32, %n: f32, %out: f16):
    %0 = arith.divf %in, %n : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<65536x32xf16>
  return %mean : tensor<65536x32xf16>
}
