// RUN: mpc-opt %s --cpu-attach-target --mpc-training-pipeline | FileCheck %s --check-prefixes=CHECK,STEP
// RUN: sed 's/^amp.recipe.*/& accumulate(2)/' %s | mpc-opt --cpu-attach-target --mpc-training-pipeline | FileCheck %s --check-prefixes=CHECK,WINDOW
// RUN: mpc-opt %s --cpu-attach-target --mpc-probe-pipeline | FileCheck %s --check-prefix=PROBE
// RUN: mpc-opt %s --cpu-attach-target --mpc-evaluation-pipeline=gradients | FileCheck %s --check-prefix=EVAL
// RUN: sed 's/^amp.recipe.*/& gradients(f16)/' %s | mpc-opt --cpu-attach-target --mpc-optimizer-pipeline | FileCheck %s --check-prefix=OPTIMIZER
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,amp-prepare-model,amp-build-step,mpc-autodiff-pipeline,mpc-state-pipeline,mpc-kernel-pipeline)' > %t.kernels
// RUN: mpc-opt %t.kernels --kernel-emit > %t.parts
// RUN: mpc-opt %s --cpu-attach-target --mpc-training-pipeline > %t.whole && cmp %t.parts %t.whole
// RUN: FileCheck %s --check-prefix=KERNELS < %t.kernels
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{lanes=16},mpc-training-pipeline)' | FileCheck %s --check-prefix=WIDE
// RUN: mpc-opt %s --cuda-attach-target=arch=90 --mpc-training-pipeline | FileCheck %s --check-prefix=GPU
// RUN: not mpc-opt %s --mpc-training-pipeline 2>&1 | FileCheck %s --check-prefix=NO-TARGET
// Whole pipelines by their names: from a model and its recipe to planned
// entries and the code of their kernels.

// Nothing of the levels above is left.
// CHECK-NOT:  amp.recipe
// CHECK-NOT:  amp.apply
// CHECK-NOT:  nn.linear
// STEP:       func.func @step
// WINDOW:     func.func @accumulate
// WINDOW:     func.func @apply
// CHECK:      kernel.launch

// CHECK:      kernel.emitted = #cpu.kernel<
// KERNELS:    kernel.func {{.*}}schedule = #cpu.
// WIDE:       kernel.target = #cpu.target<lanes = 16>
// WIDE:       vector<16xf32>
// GPU:        kernel.target = #cuda.target<arch = 90>
// GPU:        kernel.emitted = #cuda.kernel<
// NO-TARGET:  error: kernel-schedule: the module has no kernel.target; run cpu-attach-target or cuda-attach-target before
// PROBE:      func.func @step{{.*}}amp.site
// EVAL:       func.func @eval{{.*}}"grad.w"
// OPTIMIZER:  func.func @step{{.*}}"grad.w"
amp.recipe loss<mse> precision(fp16) loss_scale<dynamic> optimizer<sgd>
nn.parameter @w : tensor<3x2xf32> = #nn.init<ones>
func.func @model(%x: tensor<4x2xf32> {nn.name = "x"}) -> (tensor<4x3xf32> {nn.name = "y"}) {
  %w = nn.get @w : tensor<3x2xf32>
  %y = nn.linear %x, %w : tensor<4x2xf32>, tensor<3x2xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
