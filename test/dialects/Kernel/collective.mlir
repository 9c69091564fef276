// RUN: mpc-opt %s | mpc-opt | FileCheck %s

// CHECK-LABEL: func.func @move
func.func @move(%g: tensor<12288xbf16>, %p: tensor<4096xf32>, %m: memref<8192xf32>, %o: memref<12288xf32>) {
  // CHECK: kernel.collective all_to_all ranks(4) %{{.*}} : (tensor<12288xbf16>) -> tensor<16384xbf16>
  %a = kernel.collective all_to_all ranks(4) %g : (tensor<12288xbf16>) -> tensor<16384xbf16>
  // CHECK: kernel.collective all_gather ranks(4) %{{.*}} : (tensor<4096xf32>) -> tensor<12288xf32>
  %b = kernel.collective all_gather ranks(4) %p : (tensor<4096xf32>) -> tensor<12288xf32>
  // CHECK: kernel.collective all_gather ranks(2) %{{.*}} out(%{{.*}}) : (memref<8192xf32>, memref<12288xf32>) -> ()
  kernel.collective all_gather ranks(2) %m out(%o) : (memref<8192xf32>, memref<12288xf32>) -> ()
  // CHECK: %{{.*}}:2 = kernel.collective all_gather ranks(4) %{{.*}}, %{{.*}} : (tensor<4096xf32>, tensor<4096xf32>) -> (tensor<12288xf32>, tensor<16384xf32>)
  %w:2 = kernel.collective all_gather ranks(4) %p, %p : (tensor<4096xf32>, tensor<4096xf32>) -> (tensor<12288xf32>, tensor<16384xf32>)
  // CHECK: kernel.collective take_part ranks(2) %{{.*}}, %{{.*}} out(%{{.*}}, %{{.*}}) : (memref<12288xf32>, memref<12288xf32>, memref<8192xf32>, memref<8192xf32>) -> ()
  kernel.collective take_part ranks(2) %o, %o out(%m, %m) : (memref<12288xf32>, memref<12288xf32>, memref<8192xf32>, memref<8192xf32>) -> ()
  return
}
