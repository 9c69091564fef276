// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(kernel-lower-bodies),kernel-outline,kernel-plan-memory)' | FileCheck %s

// A value takes the place of one that is read no more; never that of one it is
// made from. The last one lands in the output.
// CHECK-LABEL: func.func @lifetimes(
// CHECK-SAME:    %[[ARENA:[^:]*]]: memref<512xi8> {kernel.buffer = #kernel.buffer<arena>}, %[[X:[^:]*]]: memref<256xi8> {{{.*}}}, %[[Y:[^:]*]]: memref<256xi8> {kernel.buffer = #kernel.buffer<output, tensor<64xf32>>, nn.name = "y"})
// CHECK:         %[[X0:.*]] = memref.view %[[X]][%c0{{.*}}][]
// CHECK:         %[[A:.*]] = memref.view %[[ARENA]][%c0{{.*}}][]
// CHECK:         kernel.launch @{{.*}} ins(%[[X0]] : memref<64xf32>) outs(%[[A]] :
// CHECK:         %[[B:.*]] = memref.view %[[ARENA]][%c256{{.*}}][]
// CHECK:         kernel.launch @{{.*}} outs(%[[B]] :
// CHECK:         %[[C:.*]] = memref.view %[[ARENA]][%c0{{.*}}][]
// CHECK:         kernel.launch @{{.*}} outs(%[[C]] :
// CHECK:         %[[D:.*]] = memref.view %[[Y]][%c0{{.*}}][]
// CHECK:         kernel.launch @{{.*}} outs(%[[D]] :
// CHECK-NEXT:    return
func.func @lifetimes(%x: tensor<64xf32>) -> (tensor<64xf32> {nn.name = "y"}) {
  %0 = nn.exp %x : tensor<64xf32>
  %1 = nn.neg %0 : tensor<64xf32>
  %2 = nn.tanh %1 : tensor<64xf32>
  %3 = nn.abs %2 : tensor<64xf32>
  return %3 : tensor<64xf32>
}

// -----

// Values that are needed together lie side by side, on 64-byte borders.
// CHECK-LABEL: func.func @together(
// CHECK-SAME:    memref<128xi8> {kernel.buffer = #kernel.buffer<arena>}
// CHECK-DAG:     memref.view %arg0[%c0{{.*}}][] : memref<128xi8> to memref<5xf32>
// CHECK-DAG:     memref.view %arg0[%c64{{.*}}][] : memref<128xi8> to memref<5xf32>
func.func @together(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = nn.exp %x : tensor<5xf32>
  %1 = nn.neg %x : tensor<5xf32>
  %2 = nn.add %0, %1 : tensor<5xf32>
  return %2 : tensor<5xf32>
}

// -----

// A view is where its source is.
// CHECK-LABEL: func.func @views(
// CHECK:         memref.view %arg1[%c24{{.*}}][] : memref<96xi8> to memref<2x6xf32>
// CHECK-NOT:     memref.copy
func.func @views(%x: tensor<4x6xf32>) -> tensor<2x6xf32> {
  %0 = nn.slice %x [1, 0] to [3, 6] by [1, 1] : tensor<4x6xf32> -> tensor<2x6xf32>
  %1 = nn.neg %0 : tensor<2x6xf32>
  return %1 : tensor<2x6xf32>
}

// -----

// A view of a constant is a constant of what it shows.
// CHECK:       memref.global "private" constant @{{.*}} : memref<1x2xi32> = dense<{{\[\[}}5, 6]]>
// CHECK-LABEL: func.func @view_of_constant(
func.func @view_of_constant() -> tensor<1x2xi32> {
  %0 = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %1 = nn.slice %0 [2, 0] to [3, 2] by [1, 1] : tensor<3x2xi32> -> tensor<1x2xi32>
  return %1 : tensor<1x2xi32>
}

// -----

// Parts of a pack are made in their places; what lies between them is zeroed.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME:    %[[OUT:[^:]*]]: memref<128xi8> {kernel.buffer = #kernel.buffer<output
// CHECK:         %[[A:.*]] = memref.view %[[OUT]][%c0{{.*}}][] : memref<128xi8> to memref<4xf32>
// CHECK:         kernel.launch {{.*}} outs(%[[A]] :
// CHECK:         %[[B:.*]] = memref.view %[[OUT]][%c64{{.*}}][] : memref<128xi8> to memref<2x4xf32>
// CHECK:         kernel.launch {{.*}} outs(%[[B]] :
// CHECK:         %[[GAP:.*]] = memref.view %[[OUT]][%c16{{.*}}][] : memref<128xi8> to memref<48xi8>
// CHECK:         linalg.fill {{.*}} outs(%[[GAP]] :
// CHECK:         %[[END:.*]] = memref.view %[[OUT]][%c96{{.*}}][] : memref<128xi8> to memref<32xi8>
// CHECK:         linalg.fill {{.*}} outs(%[[END]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @pack(%x: tensor<4xf32>, %y: tensor<2x4xf32>) -> tensor<32xf32> {
  %0 = nn.exp %x : tensor<4xf32>
  %1 = nn.neg %y : tensor<2x4xf32>
  %2 = kernel.pack %0, %1 at [0, 16] : tensor<4xf32>, tensor<2x4xf32> -> tensor<32xf32>
  return %2 : tensor<32xf32>
}

// -----

// A part of a pack is other memory until it is written: a value that is not
// read any more by then lies in its place.
// CHECK-LABEL: func.func @pack_in_time(
// CHECK-SAME:    %[[ARENA:[^:]*]]: memref<128xi8> {kernel.buffer = #kernel.buffer<arena>}
// CHECK:         %[[EARLY:.*]] = memref.view %[[ARENA]][%c64{{.*}}][]
// CHECK:         kernel.launch {{.*}} outs(%[[EARLY]] :
// CHECK:         %[[FIRST:.*]] = memref.view %[[ARENA]][%c0{{.*}}][]
// CHECK:         kernel.launch {{.*}} outs(%[[FIRST]] :
// CHECK:         %[[LAST:.*]] = memref.view %[[ARENA]][%c64{{.*}}][]
// CHECK:         kernel.launch {{.*}} outs(%[[LAST]] :
func.func @pack_in_time(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<32xf32> {
  %early = nn.exp %x : tensor<16xf32>
  %first = nn.neg %early : tensor<16xf32>
  %last = nn.exp %y : tensor<16xf32>
  %pack = kernel.pack %first, %last at [0, 16] : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
  %result = nn.sqrt %pack : tensor<32xf32>
  return %result : tensor<32xf32>
}

// -----

// A part that has a home of its own is copied.
// CHECK-LABEL: func.func @pack_of_argument(
// CHECK:         memref.copy
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @pack_of_argument(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
  %0 = nn.exp %x : tensor<4xf32>
  %1 = kernel.pack %0, %y at [0, 4] : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// What is updated in place is a copy where the old content is read later, and
// the copy is what is returned.
// CHECK-LABEL: func.func @updates_what_is_read_later(
// CHECK-SAME:    %[[ARENA:[^:]*]]: memref<{{[0-9]*}}xi8> {kernel.buffer = #kernel.buffer<arena>}, %{{[^:]*}}: memref<16xi8> {{{[^}]*}}}, %{{[^:]*}}: memref<32xi8> {{{[^}]*}}}, %[[SUM:[^:]*]]: memref<32xi8>
// CHECK:         kernel.launch
// CHECK:         memref.copy
// CHECK-COUNT-2: kernel.launch
// CHECK:         %[[NEW:.*]] = memref.view %[[ARENA]]
// CHECK:         %[[OUT:.*]] = memref.view %[[SUM]]
// CHECK-NEXT:    memref.copy %[[NEW]], %[[OUT]]
func.func @updates_what_is_read_later(%g: tensor<8xf16>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %old = nn.neg %x : tensor<8xf32>
  %sum = amp.add_gradient %g to %old : tensor<8xf16>, tensor<8xf32>
  %exp = nn.exp %old : tensor<8xf32>
  return %sum, %exp : tensor<8xf32>, tensor<8xf32>
}

// -----

// What is no kernel has no place.
func.func @not_a_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be planned: it is neither a kernel launch, a loop of them, a collective, a view, a pack nor a constant}}
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{has control flow, which cannot be planned}}
func.func @control_flow(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}
