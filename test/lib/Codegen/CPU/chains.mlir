// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,kernel-schedule,kernel-emit)' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{naive=true},kernel-schedule,kernel-emit)' | FileCheck %s --check-prefix=NAIVE
// RUN: mpc-opt %s --cpu-attach-target --kernel-schedule | FileCheck %s --check-prefix=SCHEDULE

#xy = affine_map<(x, y) -> (x, y)>
#x = affine_map<(x, y) -> (x)>
#y = affine_map<(x, y) -> (y)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Sums of 300 addends are chains of up to 16, each from zero on, by vectors and
// by scalar loops.
// CHECK-LABEL: func.func @long(
// CHECK:       arith.constant 300 : index
// CHECK-NEXT:  %[[LENGTH:.*]] = arith.constant 16 : index
// CHECK-NEXT:  scf.for %{{.*}} step %[[LENGTH]] iter_args(%[[TOTAL:[a-z0-9]+]] =
// CHECK:         scf.for {{.*}} iter_args(%[[SUM:[a-z0-9]+]] = %[[ZERO:[a-z0-9_]+]], %{{[a-z0-9]+}} = %[[ZERO]],
// CHECK:         arith.addf {{.*}} : vector<8xf32>
// CHECK:         scf.yield
// CHECK:       arith.addf {{.*}} : vector<8xf32>
// CHECK:       scf.yield
// NAIVE-LABEL: func.func @long(
// NAIVE:       %[[LENGTH:.*]] = arith.constant 16 : index
// NAIVE-NEXT:  scf.for %{{.*}} step %[[LENGTH]] iter_args
// NAIVE:         scf.for {{.*}} iter_args
kernel.func columns @long(%a: tensor<300x64xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%d : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#xy, #y], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<300x64xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}

// What would be more than 23 chains is cut into chains of 16 of these.
// CHECK-LABEL: func.func @longer(
// CHECK:       %[[CHAINS:.*]] = arith.constant 256 : index
// CHECK-NEXT:  scf.for %{{.*}} step %[[CHAINS]] iter_args
// CHECK:         %[[LENGTH:.*]] = arith.constant 16 : index
// CHECK-NEXT:    scf.for %{{.*}} step %[[LENGTH]] iter_args
// CHECK:           scf.for {{.*}} iter_args
// CHECK-NOT:         iter_args
// NAIVE-LABEL: func.func @longer(
// NAIVE:       %[[CHAINS:.*]] = arith.constant 256 : index
// NAIVE-NEXT:  scf.for %{{.*}} step %[[CHAINS]] iter_args
// NAIVE:         %[[LENGTH:.*]] = arith.constant 16 : index
// NAIVE-NEXT:    scf.for %{{.*}} step %[[LENGTH]] iter_args
// NAIVE:           scf.for {{.*}} iter_args
// NAIVE-NOT:         iter_args
kernel.func columns @longer(%a: tensor<2000x64xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%d : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#xy, #y], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<2000x64xf32>) outs(%i : tensor<64xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}

// Not where the order of the loops is asked for, or values are f64.
// CHECK-LABEL:    func.func @in_order(
// CHECK-COUNT-1:  iter_args
// CHECK-NOT:      iter_args
// CHECK-LABEL:    func.func @wide
// CHECK-COUNT-1:  iter_args
// CHECK-NOT:      iter_args
// NAIVE-LABEL:    func.func @in_order
// NAIVE-NOT:      iter_args
// SCHEDULE:       @in_order
// SCHEDULE-SAME:  #cpu.columns
kernel.func columns @in_order(%a: tensor<300x64xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%d : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#xy, #y], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<300x64xf32>) outs(%i : tensor<64xf32>) attrs = {kernel.in_order} {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}

kernel.func columns @wide(%a: tensor<300x64xf64>, %d: tensor<64xf64>) -> tensor<64xf64> {
  %zero = arith.constant 0.0 : f64
  %i = linalg.fill ins(%zero : f64) outs(%d : tensor<64xf64>) -> tensor<64xf64>
  %r = linalg.generic {indexing_maps = [#xy, #y], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<300x64xf64>) outs(%i : tensor<64xf64>) {
  ^bb0(%x: f64, %s: f64):
    %t = arith.addf %s, %x : f64
    linalg.yield %t : f64
  } -> tensor<64xf64>
  kernel.return %r : tensor<64xf64>
}

// Lanes would be another order.
// CHECK-LABEL:    func.func @row
// CHECK-NOT:      vector
// SCHEDULE:       @row
// SCHEDULE-SAME:  #cpu.loops
kernel.func rows @row(%a: tensor<8x300xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#xy, #x], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x300xf32>) outs(%i : tensor<8xf32>) attrs = {kernel.in_order} {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  kernel.return %r : tensor<8xf32>
}

// Nor is a sum of products a contraction then.
// CHECK-LABEL:    func.func @products
// CHECK-NOT:      vector
// CHECK-NOT:      call
// NAIVE-LABEL:    func.func @products
// NAIVE-NOT:      iter_args
// SCHEDULE:       @products
// SCHEDULE-SAME:  #cpu.loops
kernel.func rows @products(%a: tensor<8x300xf32>, %b: tensor<6x300xf32>, %d: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%d : tensor<8x6xf32>) -> tensor<8x6xf32>
  %r = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x300xf32>, tensor<6x300xf32>) outs(%i : tensor<8x6xf32>) attrs = {kernel.in_order} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x6xf32>
  kernel.return %r : tensor<8x6xf32>
}
