// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// Attention and its gradient: what they read and where, which query sees which
// key, and the kind of a kernel that is one of them.

#part = affine_map<(b, h, i, d) -> (b, i, h * 4 + d)>
#next = affine_map<(b, h, i, d) -> (b, i, h * 4 + d + 8)>
#last = affine_map<(b, h, i, d) -> (b, i, h * 4 + d + 16)>
#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#joined = affine_map<(b, h, i, d) -> (b, i, h, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
#mask = affine_map<(b, h, i, j) -> (b, 0, i, j)>

// CHECK-LABEL: kernel.func attention @forward
// CHECK:       kernel.attention ins(%{{.*}}, %{{.*}}, %{{.*}}) mask(%{{.*}} : tensor<2x1x8x8xi1>)
// CHECK-SAME:  sizes [2, 2, 2, 8, 8, 4, 4] scale 5.000000e-01 causal window 3
// CHECK-SAME:  maps [#{{.*}}, #{{.*}}, #{{.*}}, #{{.*}}, #{{.*}}, #[[ROWS:.*]], #[[ROWS]]]
kernel.func attention @forward(%x: tensor<2x8x24xf32>, %m: tensor<2x1x8x8xi1>, %o: tensor<2x8x2x4xf32>, %l: tensor<2x2x8xf32>) -> (tensor<2x8x2x4xf32>, tensor<2x2x8xf32>) {
  %0:3 = kernel.attention ins(%x, %x, %x : tensor<2x8x24xf32>, tensor<2x8x24xf32>, tensor<2x8x24xf32>)
      mask(%m : tensor<2x1x8x8xi1>) outs(%o, %l, %l : tensor<2x8x2x4xf32>, tensor<2x2x8xf32>, tensor<2x2x8xf32>)
      sizes [2, 2, 2, 8, 8, 4, 4] scale 0.5 causal window 3
      maps [#part, #next, #last, #mask, #joined, #rows, #rows] -> tensor<2x8x2x4xf32>, tensor<2x2x8xf32>, tensor<2x2x8xf32>
  kernel.return %0#0, %0#1 : tensor<2x8x2x4xf32>, tensor<2x2x8xf32>
}

// CHECK-LABEL: kernel.func attention @backward
// CHECK:       kernel.attention_gradient ins(
// CHECK-SAME:  sizes [2, 2, 1, 8, 6, 4, 4] scale 5.000000e-01 maps
kernel.func attention @backward(%q: tensor<2x2x8x4xbf16>, %k: tensor<2x1x6x4xbf16>, %v: tensor<2x1x6x4xbf16>, %l: tensor<2x2x8xf32>, %u: tensor<2x2x8xf32>, %t: tensor<2x2x8xf32>, %g: tensor<2x2x8x4xbf16>, %x: tensor<2x2x8x4xbf16>, %y: tensor<2x1x6x4xbf16>, %z: tensor<2x1x6x4xbf16>) -> (tensor<2x2x8x4xbf16>, tensor<2x1x6x4xbf16>, tensor<2x1x6x4xbf16>) {
  %0:3 = kernel.attention_gradient
      ins(%q, %k, %v, %l, %u, %t, %g : tensor<2x2x8x4xbf16>, tensor<2x1x6x4xbf16>, tensor<2x1x6x4xbf16>, tensor<2x2x8xf32>, tensor<2x2x8xf32>, tensor<2x2x8xf32>, tensor<2x2x8x4xbf16>)
      outs(%x, %y, %z : tensor<2x2x8x4xbf16>, tensor<2x1x6x4xbf16>, tensor<2x1x6x4xbf16>)
      sizes [2, 2, 1, 8, 6, 4, 4] scale 0.5
      maps [#all, #all, #all, #rows, #rows, #rows, #all, #all, #all, #all] -> tensor<2x2x8x4xbf16>, tensor<2x1x6x4xbf16>, tensor<2x1x6x4xbf16>
  kernel.return %0#0, %0#1, %0#2 : tensor<2x2x8x4xbf16>, tensor<2x1x6x4xbf16>, tensor<2x1x6x4xbf16>
}

// CHECK-LABEL: kernel.func attention @dropped
// CHECK:       kernel.attention ins({{.*}}) random(%{{.*}}, %{{.*}}, %{{.*}} : tensor<i64>, tensor<i64>, tensor<i64>) outs(
// CHECK-SAME:  scale 5.000000e-01 dropout 1.000000e-01 maps
kernel.func attention @dropped(%q: tensor<2x2x8x4xf32>, %n: tensor<i64>, %c: tensor<i64>, %b: tensor<i64>, %o: tensor<2x2x8x4xf32>, %l: tensor<2x2x8xf32>, %s: tensor<2x2x8xf32>) -> (tensor<2x2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x2x8xf32>) {
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<2x2x8x4xf32>, tensor<2x2x8x4xf32>, tensor<2x2x8x4xf32>)
      random(%n, %c, %b : tensor<i64>, tensor<i64>, tensor<i64>) outs(%o, %l, %s : tensor<2x2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x2x8xf32>)
      sizes [2, 2, 2, 8, 8, 4, 4] scale 0.5 dropout 0.1
      maps [#all, #all, #all, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, #all, #rows, #rows] -> tensor<2x2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x2x8xf32>
  kernel.return %0#0, %0#1, %0#2 : tensor<2x2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x2x8xf32>
}
