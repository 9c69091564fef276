// RUN: mpc-opt %s --cpu-attach-target=lanes=16 --kernel-lower-bodies --kernel-fuse --kernel-outline --kernel-schedule | FileCheck %s
// Attention reads its rows where a packed product has written them: slices,
// splits into heads and transposes are its maps, and heads that are joined
// again are no copy. There is one kernel.

// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 16 + d3)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 16 + d3 + 64)>
// CHECK-DAG: #[[V:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 16 + d3 + 128)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
// CHECK-LABEL: func.func @packed
// CHECK-NEXT:  tensor.empty
// CHECK-NEXT:  %[[R:.*]] = kernel.launch @[[KERNEL:.*]] ins(%arg0
// CHECK-NEXT:  %[[J:.*]] = kernel.view %[[R]][0]
// CHECK-NEXT:  return %[[J]]
// CHECK:       kernel.func attention @[[KERNEL]]
// CHECK-SAME:  #cpu.attention<chunks = 8, lanes = 16, pieces = 1, block = [16, 32], micro = [8, 32]>
// CHECK:       maps [#[[Q]], #[[K]], #[[V]], #[[O]], #[[ROWS:.*]], #[[ROWS]]]
func.func @packed(%x: tensor<2x16x192xf32>) -> tensor<2x16x64xf32> {
  %q0 = nn.slice %x [0, 0, 0] to [2, 16, 64] by [1, 1, 1] : tensor<2x16x192xf32> -> tensor<2x16x64xf32>
  %k0 = nn.slice %x [0, 0, 64] to [2, 16, 128] by [1, 1, 1] : tensor<2x16x192xf32> -> tensor<2x16x64xf32>
  %v0 = nn.slice %x [0, 0, 128] to [2, 16, 192] by [1, 1, 1] : tensor<2x16x192xf32> -> tensor<2x16x64xf32>
  %q1 = nn.reshape %q0 : tensor<2x16x64xf32> -> tensor<2x16x4x16xf32>
  %k1 = nn.reshape %k0 : tensor<2x16x64xf32> -> tensor<2x16x4x16xf32>
  %v1 = nn.reshape %v0 : tensor<2x16x64xf32> -> tensor<2x16x4x16xf32>
  %q = nn.transpose %q1 [0, 2, 1, 3] : tensor<2x16x4x16xf32> -> tensor<2x4x16x16xf32>
  %k = nn.transpose %k1 [0, 2, 1, 3] : tensor<2x16x4x16xf32> -> tensor<2x4x16x16xf32>
  %v = nn.transpose %v1 [0, 2, 1, 3] : tensor<2x16x4x16xf32> -> tensor<2x4x16x16xf32>
  %o, %l, %ls = nn.attention %q, %k, %v scale(1.25e-1) causal : tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32> -> tensor<2x4x16x16xf32>, tensor<2x4x16xf32>, tensor<2x4x16xf32>
  %t = nn.transpose %o [0, 2, 1, 3] : tensor<2x4x16x16xf32> -> tensor<2x16x4x16xf32>
  %r = nn.reshape %t : tensor<2x16x4x16xf32> -> tensor<2x16x64xf32>
  return %r : tensor<2x16x64xf32>
}
