// RUN: mpc-opt %s --split-input-file --kernel-outline | FileCheck %s

#i = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>

// A group is one kernel, which says what follows from its body: that it is a
// map, and that the result may lie where x does.
// CHECK-LABEL: func.func @group(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>, %[[S:.*]]: tensor<f32>)
// CHECK:         %[[D:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT:    %[[R:.*]] = kernel.launch @kernel ins(%[[X]], %[[S]] : tensor<8xf32>, tensor<f32>) outs(%[[D]]
// CHECK-NEXT:    return %[[R]]
// CHECK:       kernel.func map @kernel(%{{.*}}: tensor<8xf32> {kernel.may_alias = array<i64: 0>}, %{{.*}}: tensor<f32>, %{{.*}}: tensor<8xf32>)
func.func @group(%x: tensor<8xf32>, %s: tensor<f32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %g = kernel.group -> tensor<8xf32> {
    %0 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %1 = arith.negf %a : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    %2 = linalg.generic {indexing_maps = [#i, #s, #i], iterator_types = ["parallel"]}
        ins(%0, %s : tensor<8xf32>, tensor<f32>) outs(%f : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %1 = arith.mulf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    kernel.return %2 : tensor<8xf32>
  }
  return %g : tensor<8xf32>
}

// -----

#i = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>

// An op by itself takes the fill that it alone uses along; a fill that others
// use too is a kernel of its own.
// CHECK-LABEL: func.func @fills(
// CHECK:         %[[F:.*]] = kernel.launch @[[FILL:.*]] ins() outs(
// CHECK:         %[[S:.*]] = kernel.launch @[[SUM:.*]] ins(%arg0 :
// CHECK:         return %[[F]], %[[S]]
// CHECK:       kernel.func loops @[[FILL]](%{{.*}}: tensor<f32>)
// CHECK:         linalg.fill
// CHECK:       kernel.func rows @[[SUM]](%{{.*}}: tensor<8xf32>, %{{.*}}: tensor<f32>)
// CHECK:         linalg.fill
// CHECK:         linalg.generic
func.func @fills(%x: tensor<8xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %result = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %first = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#i, #s], iterator_types = ["reduction"]}
      ins(%x : tensor<8xf32>) outs(%first : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %result, %sum : tensor<f32>, tensor<f32>
}

// -----

// A scatter is a kernel of its kind, made over its destination.
// CHECK-LABEL: func.func @scatter(
// CHECK:         kernel.launch @[[K:.*]] ins(%arg0, %arg1 : tensor<1x4x8xf32>, tensor<4xi64>) outs(%arg2 : tensor<1x3x8xf32>)
// CHECK:       kernel.func scatter @[[K]]
func.func @scatter(%u: tensor<1x4x8xf32>, %at: tensor<4xi64>, %d: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  %r = kernel.scatter ins(%u, %at : tensor<1x4x8xf32>, tensor<4xi64>) outs(%d : tensor<1x3x8xf32>)
  return %r : tensor<1x3x8xf32>
}

// -----

// A rank has no kind of its own, and is made over its destination.
// CHECK-LABEL: func.func @rank(
// CHECK:         kernel.launch @[[K:.*]] ins(%arg0 : tensor<2x80xi32>) outs(%{{.*}} : tensor<2x80xi64>)
// CHECK:       kernel.func loops @[[K]]
func.func @rank(%x: tensor<2x80xi32>) -> tensor<2x80xi64> {
  %e = tensor.empty() : tensor<2x80xi64>
  %r = kernel.rank ins(%x : tensor<2x80xi32>) outs(%e : tensor<2x80xi64>)
  return %r : tensor<2x80xi64>
}
