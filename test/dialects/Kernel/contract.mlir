// RUN: mpc-opt %s --split-input-file | mpc-opt --split-input-file | FileCheck %s
// RUN: not mpc-opt %S/Inputs/unknown-kind.mlir 2>&1 | FileCheck %s --check-prefix=WORD
// What a kernel states of itself is read and printed.

// WORD: unknown-kind.mlir:2:13: error: custom op 'kernel.func' expected valid '@'-identifier for symbol name

#i = affine_map<(i) -> (i)>
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>

// CHECK-LABEL: kernel.func map private @negate(%arg0: tensor<8xf32> {kernel.may_alias = array<i64: 0>}, %arg1: tensor<8xf32>) -> tensor<8xf32> attributes {sources = ["n"]} {
kernel.func map private @negate(%x: tensor<8xf32> {kernel.may_alias = array<i64: 0>}, %d: tensor<8xf32>) -> tensor<8xf32> attributes {sources = ["n"]} {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  kernel.return %r : tensor<8xf32>
}

// Any body is one of loops, which needs no word.
// CHECK-LABEL: kernel.func loops @sum(
kernel.func @sum(%x: tensor<4x8xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%d : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  kernel.return %r : tensor<4xf32>
}

// CHECK-LABEL: kernel.func scatter @scatter(
kernel.func scatter @scatter(%u: tensor<1x4x8xf32>, %at: tensor<4xi64>, %d: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  %r = kernel.scatter ins(%u, %at : tensor<1x4x8xf32>, tensor<4xi64>) outs(%d : tensor<1x3x8xf32>)
  kernel.return %r : tensor<1x3x8xf32>
}

// CHECK-LABEL: func.func @grouped
// CHECK:         %[[R:.*]] = kernel.group -> tensor<8xf32> {
// CHECK:           kernel.return %{{.*}} : tensor<8xf32>
// CHECK:         }
// CHECK:         return %[[R]]
func.func @grouped(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %g = kernel.group -> tensor<8xf32> {
    %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<8xf32>
    kernel.return %r : tensor<8xf32>
  }
  return %g : tensor<8xf32>
}

// CHECK-LABEL: kernel.func loops @rank(
// CHECK:         kernel.rank ins(%arg0 : tensor<2x8xi32>) outs(%arg1 : tensor<2x8xi64>)
kernel.func @rank(%x: tensor<2x8xi32>, %d: tensor<2x8xi64>) -> tensor<2x8xi64> {
  %r = kernel.rank ins(%x : tensor<2x8xi32>) outs(%d : tensor<2x8xi64>)
  kernel.return %r : tensor<2x8xi64>
}
