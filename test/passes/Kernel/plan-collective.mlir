// RUN: mpc-opt %s --kernel-plan-memory | FileCheck %s
// What a collective reads and what it writes never share memory; a result that
// is one of the function's is written there.

// CHECK-LABEL: func.func @step
// CHECK:         kernel.launch @fill ins() outs(%[[G:[^ ]*]] :
// CHECK:         kernel.collective all_to_all
// CHECK:         kernel.launch @first
// CHECK:         kernel.collective all_gather
// CHECK-NOT:     memref.copy
kernel.func map @fill(%out: tensor<8192xf32>) -> tensor<8192xf32> {
  %c = arith.constant 1.0 : f32
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%out : tensor<8192xf32>) {
  ^bb0(%o: f32):
    linalg.yield %c : f32
  } -> tensor<8192xf32>
  kernel.return %0 : tensor<8192xf32>
}
kernel.func map @first(%x: tensor<4096xf32>, %out: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4096xf32>) outs(%out : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4096xf32>
  kernel.return %0 : tensor<4096xf32>
}
func.func @step() -> tensor<8192xf32> {
  %e = tensor.empty() : tensor<8192xf32>
  %g = kernel.launch @fill ins() outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  %p = kernel.collective all_to_all ranks(2) %g : (tensor<8192xf32>) -> tensor<8192xf32>
  %f = tensor.empty() : tensor<4096xf32>
  %v = kernel.view %p[4096] : tensor<8192xf32> -> tensor<4096xf32>
  %s = kernel.launch @first ins(%v : tensor<4096xf32>) outs(%f : tensor<4096xf32>) -> tensor<4096xf32>
  %w = kernel.collective all_gather ranks(2) %s : (tensor<4096xf32>) -> tensor<8192xf32>
  return %w : tensor<8192xf32>
}
