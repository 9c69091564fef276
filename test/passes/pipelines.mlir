// RUN: mpc-opt %s --mpc-training-pipeline | FileCheck %s --check-prefixes=CHECK,STEP
// RUN: sed 's/^amp.recipe.*/& accumulate(2)/' %s | mpc-opt --mpc-training-pipeline | FileCheck %s --check-prefixes=CHECK,WINDOW
// RUN: mpc-opt %s --mpc-training-pipeline='fuse=false naive' | FileCheck %s --check-prefix=NAIVE
// RUN: mpc-opt %s --mpc-training-pipeline=lanes=16 | FileCheck %s --check-prefix=LANES
// RUN: mpc-opt %s --mpc-probe-pipeline | FileCheck %s --check-prefix=PROBE
// RUN: mpc-opt %s --mpc-evaluation-pipeline=gradients | FileCheck %s --check-prefix=EVAL
// RUN: sed 's/^amp.recipe.*/& gradients(f16)/' %s | mpc-opt --mpc-optimizer-pipeline | FileCheck %s --check-prefix=OPTIMIZER
// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-prepare-model,amp-build-step,mpc-autodiff-pipeline,mpc-state-pipeline,mpc-kernel-pipeline)' > %t.parts
// RUN: mpc-opt %s --mpc-training-pipeline > %t.whole && cmp %t.parts %t.whole
// Whole pipelines by their names: from a model and its recipe to planned kernels.

// Nothing of the levels above is left.
// CHECK-NOT:  amp.recipe
// CHECK-NOT:  amp.apply
// CHECK-NOT:  nn.linear
// STEP:       func.func @step
// WINDOW:     func.func @accumulate
// WINDOW:     func.func @apply
// CHECK:      kernel.launch

// NAIVE-NOT:  lanes
// NAIVE:      schedule = #cpu.loops
// LANES:      schedule = #cpu.map<{{.*}}lanes = 16
// PROBE:      func.func @step{{.*}}amp.site
// EVAL:       func.func @eval{{.*}}"grad.w"
// OPTIMIZER:  func.func @step{{.*}}"grad.w"
amp.recipe loss(mse) precision(fp16) policy("dynamic") optimizer("sgd")
nn.parameter @w : tensor<3x2xf32> = #nn.init<ones>
func.func @model(%x: tensor<4x2xf32> {nn.name = "x"}) -> (tensor<4x3xf32> {nn.name = "y"}) {
  %w = nn.get @w : tensor<3x2xf32>
  %y = nn.linear %x, %w : tensor<4x2xf32>, tensor<3x2xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
