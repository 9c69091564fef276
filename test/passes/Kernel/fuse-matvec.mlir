// RUN: mpc-opt %s --cpu-attach-target --mpc-kernel-pipeline | FileCheck %s
// RUN: mpc-opt %s --cpu-attach-target --mpc-kernel-pipeline=fuse=false | FileCheck %s --check-prefix=APART

// A product of one row sums in the order of contractions, with whatever it is
// fused: here its bias is an output of its own, which is computed beside it.
// CHECK-NOT: kernel.func {{map|rows}}
// CHECK:     kernel.func contraction
// CHECK:       math.fma
// CHECK:       math.exp
// CHECK:       math.tanh
// CHECK-NOT: kernel.func {{map|rows}}
// APART:     kernel.func map
// APART-NOT: kernel.func rows
// APART:     kernel.func contraction
// APART-NOT: kernel.func rows
func.func @model(%x: tensor<33xf32>, %w: tensor<33x33xf32>) -> (tensor<33xf32>, tensor<33xf32>) {
  %b = nn.sigmoid %x : tensor<33xf32>
  %y = nn.linear %x, %w bias %b : tensor<33xf32> : tensor<33xf32>, tensor<33x33xf32> -> tensor<33xf32>
  %t = nn.tanh %y : tensor<33xf32>
  return %b, %t : tensor<33xf32>, tensor<33xf32>
}
