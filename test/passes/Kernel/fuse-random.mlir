// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s

// A mask that exporters have written out is drawn again where it is read: two
// kernels with a product in between hold the arithmetic, none yields the mask.
// CHECK-LABEL: func.func @drawn_again
// CHECK-NOT:     tensor<64x64xi1>
// CHECK-NOT:     tensor<64x64xi32>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<64x64xf32>, tensor<i64>, tensor<i64>, tensor<i64>)
// CHECK:           kernel.philox
// CHECK-NOT:     tensor<64x64xi1>
// CHECK:         arith.mulf
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<64x64xf32>, tensor<i64>, tensor<i64>, tensor<i64>)
// CHECK-NOT:     tensor<64x64xi1>
// CHECK:         return
func.func @drawn_again(%x: tensor<64x64xf32>, %k: tensor<i64>, %c: tensor<2xi64>, %b: tensor<i64>) -> tensor<64x64xf32> {
  %p = nn.constant dense<0.75> : tensor<64x64xf32>
  %bits = nn.random_bits stream 1 key(%k, %c, %b : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<64x64xi32>
  %u = nn.uniform %bits : tensor<64x64xi32> -> tensor<64x64xf32>
  %m = nn.compare lt %u, %p : tensor<64x64xf32> -> tensor<64x64xi1>
  %g = nn.cast %m : tensor<64x64xi1> -> tensor<64x64xf32>
  %y = nn.mul %x, %g : tensor<64x64xf32>
  %z = nn.matmul %y, %y : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %d = nn.mul %z, %g : tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// -----

// A gate for each sample is drawn once, not for each of its elements.
// CHECK-LABEL: func.func @drawn_once
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<i64>, tensor<i64>, tensor<i64>) outs(%{{.*}} : tensor<64xi32>)
func.func @drawn_once(%x: tensor<64x64xf32>, %k: tensor<i64>, %c: tensor<2xi64>, %b: tensor<i64>) -> tensor<64x64xf32> {
  %bits = nn.random_bits stream 1 key(%k, %c, %b : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<64xi32>
  %wide = nn.broadcast %bits axes [0] : tensor<64xi32> -> tensor<64x64xi32>
  %u = nn.uniform %wide : tensor<64x64xi32> -> tensor<64x64xf32>
  %y = nn.mul %x, %u : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
