// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{target-shape=2,5})' | FileCheck %s --check-prefix=MIDDLE
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{target-shape=2,3})' | FileCheck %s --check-prefix=LAST
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{target-shape=2,7})' 2>&1 | FileCheck %s --check-prefix=NONE

// The classes are on the axis that the labels lack.
// MIDDLE: nn.cross_entropy {{.*}} axis(1) {nn.loss} : tensor<2x3x5xf32>, tensor<2x5xi64>
// LAST: nn.cross_entropy {{.*}} axis(2) {nn.loss} : tensor<2x3x5xf32>, tensor<2x3xi64>
// NONE: error: neither axis 1 of the logits 'tensor<2x3x5xf32>' nor the last can be the classes of labels of shape [2x7]; --class-axis=N names another
func.func @model(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  return %x : tensor<2x3x5xf32>
}
