// RUN: mpc-opt %s --cpu-attach-target --kernel-schedule --kernel-emit | FileCheck %s --check-prefix=CPU
// RUN: mpc-opt %s --cuda-attach-target --kernel-schedule --kernel-emit | FileCheck %s --check-prefix=CUDA
// RUN: not mpc-opt %s --kernel-emit 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mpc-opt %s --cpu-attach-target --kernel-emit 2>&1 | FileCheck %s --check-prefix=EARLY
// Kernels are emitted as the target says that the module states.

// CPU:   func.func @double{{.*}}kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>{{.*}}kernel.work = #kernel.work<map, flops = 8>
// CPU:   vector<8xf32>
// CUDA:  func.func private @double{{.*}}kernel.emitted = #cuda.kernel<{{.*}}__global__{{.*}}kernel.work = #kernel.work<map, flops = 8>
// NONE:  error: kernel-emit: the module has no kernel.target; run cpu-attach-target or cuda-attach-target before
// EARLY: error: 'kernel.func' op has no schedule; run kernel-schedule first
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
