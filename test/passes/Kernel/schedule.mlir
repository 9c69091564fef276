// RUN: mpc-opt %s --cpu-attach-target=lanes=16 --kernel-schedule | FileCheck %s --check-prefix=CPU
// RUN: mpc-opt %s --cuda-attach-target --kernel-schedule | FileCheck %s --check-prefix=CUDA
// RUN: not mpc-opt %s --kernel-schedule 2>&1 | FileCheck %s --check-prefix=NONE
// Kernels run as the target says that the module states.

// CPU:  schedule = #cpu.map<chunks = 1, lanes = 16>
// CUDA: schedule = #cuda.map<
// NONE: error: kernel-schedule: the module has no kernel.target; run cpu-attach-target or cuda-attach-target before
#i = affine_map<(i) -> (i)>
kernel.func map @double(%x: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  kernel.return %r : tensor<8xf32>
}
