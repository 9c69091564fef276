// RUN: mpc-opt %s --cpu-attach-target --kernel-schedule --kernel-emit | FileCheck %s

#i = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>
#m = affine_map<(m, n) -> (m)>

// A map loads, computes and stores vectors; the tail is one masked vector. What
// all elements share is loaded once.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME:    %[[X:.*]]: memref<21xf32>, %[[S:.*]]: memref<1xf32>, %[[D:.*]]: memref<21xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index, %{{.*}}: memref<0xi8>
// CHECK-SAME:    kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>
// CHECK:         %[[FACTOR:.*]] = memref.load %[[S]]
// CHECK:         scf.for
// CHECK:           vector.load %[[X]]{{.*}} vector<8xf32>
// CHECK:           vector.broadcast %[[FACTOR]]
// CHECK:           arith.mulf {{.*}} vector<8xf32>
// CHECK:           vector.store {{.*}} %[[D]]
// CHECK:         vector.maskedload %[[X]]
// CHECK:         vector.maskedstore %[[D]]
kernel.func map @scale(%x: tensor<21xf32>, %s: tensor<f32>, %d: tensor<21xf32>) -> tensor<21xf32> {
  %r = linalg.generic {indexing_maps = [#i, #s, #i], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<21xf32>, tensor<f32>) outs(%d : tensor<21xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<21xf32>
  kernel.return %r : tensor<21xf32>
}

// Statements of a map pass values in registers: nothing is stored in between.
// CHECK-LABEL: func.func @fused(
// CHECK-SAME:    scratch = 0
// CHECK:         %[[N:.*]] = arith.negf
// CHECK-NEXT:    %[[A:.*]] = math.absf %[[N]]
// CHECK-NEXT:    vector.store %[[A]]
kernel.func map @fused(%x: tensor<16xf32>, %d: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%0 : tensor<16xf32>) outs(%d : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.absf %a : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  kernel.return %r : tensor<16xf32>
}

// A transposed operand is read lane by lane, so that stores are whole vectors.
// CHECK-LABEL: func.func @transpose(
// CHECK-COUNT-8: memref.load
// CHECK:         vector.from_elements
// CHECK:         vector.store
kernel.func map @transpose(%x: tensor<8x8xf32>, %d: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = linalg.generic {indexing_maps = [#nm, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32>
  kernel.return %r : tensor<8x8xf32>
}

// A row keeps one partial result a lane and combines them pairwise; what the
// next pass needs lies in scratch memory.
// CHECK-LABEL: func.func @normalize(
// CHECK-SAME:    scratch = 64
// CHECK:         %[[ROW:.*]] = memref.view
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} -> (vector<8xf32>)
// CHECK:           %[[E:.*]] = math.exp
// CHECK:           arith.addf
// CHECK:           vector.store %[[E]], %[[ROW]]
// CHECK:         vector.shuffle %[[SUM]], %[[SUM]] [4, 5, 6, 7]
// CHECK:         scf.for
// CHECK:           vector.load %[[ROW]]
// CHECK:           arith.divf
kernel.func rows @normalize(%x: tensor<4x16xf32>, %d: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %v = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<4x16xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<4x16xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %1 = arith.addf %s, %a : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%0, %sum : tensor<4x16xf32>, tensor<4xf32>) outs(%d : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4x16xf32>
  kernel.return %r : tensor<4x16xf32>
}

// Scatter adds in the order of its indices.
// CHECK-LABEL: func.func @scatter(
// CHECK:         arith.maxsi
// CHECK:         arith.minsi
// CHECK:         arith.addf %{{.*}} : vector<8xf32>
// CHECK:         vector.store
kernel.func scatter @scatter(%u: tensor<1x4x8xf32>, %at: tensor<4xi64>, %d: tensor<1x3x8xf32>) -> tensor<1x3x8xf32> {
  %r = kernel.scatter ins(%u, %at : tensor<1x4x8xf32>, tensor<4xi64>) outs(%d : tensor<1x3x8xf32>)
  kernel.return %r : tensor<1x3x8xf32>
}

// CHECK-LABEL: func.func @scatter_smallest(
// CHECK:         arith.minsi %{{.*}} : vector<8xi8>
// CHECK:         vector.store
kernel.func scatter @scatter_smallest(%u: tensor<1x4x8xi8>, %at: tensor<4xi64>, %d: tensor<1x3x8xi8>) -> tensor<1x3x8xi8> {
  %r = kernel.scatter ins(%u, %at : tensor<1x4x8xi8>, tensor<4xi64>) outs(%d : tensor<1x3x8xi8>) by minimum
  kernel.return %r : tensor<1x3x8xi8>
}

// A rank sorts by digits of 8 bits; the last pass writes the ranks.
// CHECK-LABEL: func.func @rank(
// CHECK-COUNT-2: arith.shrui
// CHECK:         memref.store %{{.*}}, %arg1
kernel.func @rank(%x: tensor<2x80xi32>, %d: tensor<2x80xi64>) -> tensor<2x80xi64> {
  %r = kernel.rank ins(%x : tensor<2x80xi32>) outs(%d : tensor<2x80xi64>)
  kernel.return %r : tensor<2x80xi64>
}
