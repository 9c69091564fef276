// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(kernel-lower-bodies,kernel-fuse),kernel-outline,kernel-plan-memory)' | FileCheck %s

// New state is written over the old, element by element.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[P:[^:]*]]: memref<256xi8> {kernel.buffer = #kernel.buffer<state, {{[^@]*}}kernel.state = @p
// CHECK:         %[[OLD:.*]] = memref.view %[[P]]
// CHECK:         %[[NEW:.*]] = memref.view %[[P]]
// CHECK:         kernel.launch @{{.*}} ins(%[[OLD]], {{.*}} outs(%[[NEW]] :
// CHECK-NOT:     memref.copy
func.func @in_place(%p: tensor<64xf32> {kernel.state = @p}, %g: tensor<64xf32>) -> (tensor<64xf32> {kernel.state = @p}) {
  %0 = nn.sub %p, %g : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// One kernel updates two slabs where each is read no later than it is written.
// CHECK-LABEL: func.func @two_slabs(
// CHECK:         kernel.launch
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @two_slabs(%p: tensor<64xf32> {kernel.state = @p}, %m: tensor<64xf32> {kernel.state = @m}, %g: tensor<64xf32>)
    -> (tensor<64xf32> {kernel.state = @p}, tensor<64xf32> {kernel.state = @m}) {
  %0 = nn.add %m, %g : tensor<64xf32>
  %1 = nn.sub %p, %0 : tensor<64xf32>
  return %1, %0 : tensor<64xf32>, tensor<64xf32>
}

// -----

// Where a later statement of the kernel reads the old momentum, the new one
// cannot lie in its place.
// CHECK-LABEL: func.func @read_by_later_statement(
// CHECK-SAME:    %[[ARENA:[^:]*]]: memref<256xi8> {kernel.buffer = #kernel.buffer<arena>}, %{{.*}}: memref<256xi8> {kernel.buffer = #kernel.buffer<state, {{[^@]*}}kernel.state = @p{{.*}}, %[[M:[^:]*]]: memref<256xi8> {kernel.buffer = #kernel.buffer<state, {{[^@]*}}kernel.state = @m
// CHECK:         kernel.launch
// CHECK:         %[[FROM:.*]] = memref.view %[[ARENA]]
// CHECK:         %[[TO:.*]] = memref.view %[[M]]
// CHECK:         memref.copy %[[FROM]], %[[TO]]
// CHECK-NOT:     memref.copy
// CHECK:         return
// expected-remark @below {{the old value of slab #1 is read after its update: the new one is copied}}
func.func @read_by_later_statement(%p: tensor<64xf32> {kernel.state = @p}, %m: tensor<64xf32> {kernel.state = @m}, %g: tensor<64xf32>)
    -> (tensor<64xf32> {kernel.state = @p}, tensor<64xf32> {kernel.state = @m}) {
  %0 = nn.add %m, %g : tensor<64xf32>
  %1 = nn.mul %0, %m : tensor<64xf32>
  %2 = nn.sub %p, %1 : tensor<64xf32>
  return %2, %0 : tensor<64xf32>, tensor<64xf32>
}

// -----

// A row of the result covers elements of the old value that later rows read,
// one a row: sizes differ, so that the new one cannot lie in its place.
// CHECK-LABEL: func.func @read_by_rows(
// CHECK:         kernel.launch
// CHECK:         memref.copy
// CHECK-NOT:     memref.copy
// CHECK:         return
// expected-remark @below {{the old value of slab #0 is read after its update: the new one is copied}}
func.func @read_by_rows(%p: tensor<8x4xf32> {kernel.state = @p}, %a: tensor<8x4xf32>) -> (tensor<8x4xf32> {kernel.state = @p}) {
  %0 = nn.slice %p [0, 0] to [2, 4] by [1, 1] : tensor<8x4xf32> -> tensor<2x4xf32>
  %1 = nn.reshape %0 : tensor<2x4xf32> -> tensor<8xf32>
  %2 = nn.neg %1 : tensor<8xf32>
  %3 = nn.reduce_sum %a axes [1] : tensor<8x4xf32> -> tensor<8xf32>
  %4 = nn.add %2, %3 : tensor<8xf32>
  %5 = nn.broadcast %4 axes [0] : tensor<8xf32> -> tensor<8x4xf32>
  %6 = nn.mul %5, %a : tensor<8x4xf32>
  return %6 : tensor<8x4xf32>
}

// -----

// So it is where a later kernel reads the old value.
// CHECK-LABEL: func.func @read_by_later_kernel(
// CHECK:         kernel.launch
// CHECK:         kernel.launch
// CHECK:         memref.copy
// CHECK-NOT:     memref.copy
// expected-remark @below {{the old value of slab #0 is read after its update: the new one is copied}}
func.func @read_by_later_kernel(%p: tensor<8x8xf32> {kernel.state = @p}, %g: tensor<8x8xf32>)
    -> (tensor<8x8xf32> {kernel.state = @p}, tensor<8x8xf32>) {
  %0 = nn.sub %p, %g : tensor<8x8xf32>
  %1 = nn.matmul %0, %p : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A kernel that reads the old value out of order cannot write over it.
// CHECK-LABEL: func.func @read_out_of_order(
// CHECK:         memref.copy
// expected-remark @below {{the old value of slab #0 is read after its update: the new one is copied}}
func.func @read_out_of_order(%p: tensor<8x8xf32> {kernel.state = @p}) -> (tensor<8x8xf32> {kernel.state = @p}) {
  %0 = nn.transpose %p [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = nn.add %0, %p : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// An old value that is an output leaves before the new one comes.
// CHECK-LABEL: func.func @old_value_as_output(
// CHECK-SAME:    %[[ARENA:[^:]*]]: memref<256xi8> {kernel.buffer = #kernel.buffer<arena>}, %[[P:[^:]*]]: memref<256xi8> {kernel.buffer = #kernel.buffer<state, {{[^@]*}}kernel.state = @p{{.*}}, %{{.*}}: memref{{.*}}, %[[OUT:[^:]*]]: memref<256xi8> {kernel.buffer = #kernel.buffer<output
// CHECK:         kernel.launch
// CHECK:         %[[OLD:.*]] = memref.view %[[P]]
// CHECK:         %[[TO:.*]] = memref.view %[[OUT]]
// CHECK:         memref.copy %[[OLD]], %[[TO]]
// CHECK:         %[[NEW:.*]] = memref.view %[[ARENA]]
// CHECK:         %[[AGAIN:.*]] = memref.view %[[P]]
// CHECK:         memref.copy %[[NEW]], %[[AGAIN]]
// expected-remark @below {{the old value of slab #0 is read after its update: the new one is copied}}
func.func @old_value_as_output(%p: tensor<64xf32> {kernel.state = @p}, %g: tensor<64xf32>)
    -> (tensor<64xf32> {kernel.state = @p}, tensor<64xf32>) {
  %0 = nn.sub %p, %g : tensor<64xf32>
  return %0, %p : tensor<64xf32>, tensor<64xf32>
}

// -----

// Slabs that change places pass through the arena.
// CHECK-LABEL: func.func @swap(
// CHECK-SAME:    %[[ARENA:[^:]*]]: memref<512xi8> {kernel.buffer = #kernel.buffer<arena>}, %[[P:[^:]*]]: memref<256xi8> {{{.*}}}, %[[Q:[^:]*]]: memref<256xi8>
// CHECK:         %[[Q0:.*]] = memref.view %[[Q]]
// CHECK:         memref.copy %[[Q0]],
// CHECK:         %[[P0:.*]] = memref.view %[[P]]
// CHECK:         memref.copy %[[P0]],
// CHECK:         %[[P1:.*]] = memref.view %[[P]]
// CHECK:         memref.copy %{{.*}}, %[[P1]]
// CHECK:         %[[Q1:.*]] = memref.view %[[Q]]
// CHECK:         memref.copy %{{.*}}, %[[Q1]]
// expected-remark @below {{the old value of slab #0 is read after its update: the new one is copied}}
// expected-remark @below {{the old value of slab #1 is read after its update: the new one is copied}}
func.func @swap(%p: tensor<64xf32> {kernel.state = @p}, %q: tensor<64xf32> {kernel.state = @q})
    -> (tensor<64xf32> {kernel.state = @p}, tensor<64xf32> {kernel.state = @q}) {
  return %q, %p : tensor<64xf32>, tensor<64xf32>
}

// -----

// A part of a slab that stays is not touched.
// CHECK-LABEL: func.func @part_stays(
// CHECK-SAME:    %[[S:[^:]*]]: memref<128xi8> {kernel.buffer = #kernel.buffer<state, {{[^@]*}}kernel.state = @s
// CHECK:         %[[NEW:.*]] = memref.view %[[S]][%c64{{.*}}][] : memref<128xi8> to memref<16xf32>
// CHECK:         kernel.launch {{.*}} outs(%[[NEW]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @part_stays(%s: tensor<32xf32> {kernel.state = @s}, %g: tensor<16xf32>) -> (tensor<32xf32> {kernel.state = @s}) {
  %0 = kernel.view %s[0] : tensor<32xf32> -> tensor<16xf32>
  %1 = kernel.view %s[16] : tensor<32xf32> -> tensor<16xf32>
  %2 = nn.neg %g : tensor<16xf32>
  %3 = kernel.pack %0, %2 at [0, 16] : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
  return %3 : tensor<32xf32>
}

// -----

// A kernel that reads one part of a slab and writes the other half over is no
// update in place: the first part is needed where it lies.
// CHECK-LABEL: func.func @parts_change_places(
// CHECK:         memref.copy
// expected-remark @below {{the old value of slab #0 is read after its update: the new one is copied}}
func.func @parts_change_places(%s: tensor<32xf32> {kernel.state = @s}) -> (tensor<32xf32> {kernel.state = @s}) {
  %0 = kernel.view %s[0] : tensor<32xf32> -> tensor<16xf32>
  %1 = kernel.view %s[16] : tensor<32xf32> -> tensor<16xf32>
  %2 = nn.neg %0 : tensor<16xf32>
  %3 = nn.exp %1 : tensor<16xf32>
  %4 = kernel.pack %3, %2 at [0, 16] : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
  return %4 : tensor<32xf32>
}

// -----

// Nor is one that reads, of the range that it writes, elements that others of its
// threads write: it could lie over what it reads, but not beside it.
// CHECK-LABEL: func.func @part_moves_down(
// CHECK-SAME:    %[[ARENA:[^:]*]]: memref<{{[0-9]+}}xi8> {kernel.buffer = #kernel.buffer<arena>}, %[[S:[^:]*]]: memref<128xi8>
// CHECK:         %[[NEW:.*]] = memref.view %[[ARENA]]
// CHECK:         kernel.launch {{.*}} outs(%[[NEW]] :
// CHECK:         memref.copy
// expected-remark @below {{the old value of slab #0 is read after its update: the new one is copied}}
func.func @part_moves_down(%s: tensor<32xf32> {kernel.state = @s}) -> (tensor<32xf32> {kernel.state = @s}) {
  %0 = kernel.view %s[8] : tensor<32xf32> -> tensor<16xf32>
  %1 = kernel.view %s[16] : tensor<32xf32> -> tensor<16xf32>
  %2 = nn.neg %0 : tensor<16xf32>
  %3 = kernel.pack %2, %1 at [0, 16] : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
  return %3 : tensor<32xf32>
}

// -----

// State that does not change is left alone.
// CHECK-LABEL: func.func @unchanged(
// CHECK-NEXT:    return
func.func @unchanged(%p: tensor<64xf32> {kernel.state = @p}) -> (tensor<64xf32> {kernel.state = @p}) {
  return %p : tensor<64xf32>
}

// -----

// A kernel that updates one view of a slab in place does so on a copy, where
// another view of the same range is read later.
// CHECK-LABEL: func.func @other_view(
// CHECK-SAME:    %[[ARENA:[^:]*]]: memref<{{.*}}> {kernel.buffer = #kernel.buffer<arena>}, %[[S:[^:]*]]: memref<128xi8> {kernel.buffer = #kernel.buffer<state, {{[^@]*}}kernel.state = @s
// CHECK:         %[[OLD:.*]] = memref.view %[[S]]
// CHECK:         %[[TO:.*]] = memref.view %[[ARENA]]
// CHECK:         memref.copy %[[OLD]], %[[TO]]
// CHECK:         kernel.launch
// CHECK:         kernel.launch
// expected-remark @below {{the old value of slab #0 is read after its update: the new one is copied}}
func.func @other_view(%s: tensor<32xf32> {kernel.state = @s}, %g: tensor<16xf32>)
    -> (tensor<32xf32> {kernel.state = @s}, tensor<4x4xf32>) {
  %0 = kernel.view %s[0] : tensor<32xf32> -> tensor<16xf32>
  %1 = kernel.view %s[16] : tensor<32xf32> -> tensor<16xf32>
  %2 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%g : tensor<16xf32>) outs(%0 : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<16xf32>
  %3 = kernel.view %s[0] : tensor<32xf32> -> tensor<4x4xf32>
  %4 = nn.exp %3 : tensor<4x4xf32>
  %5 = kernel.pack %2, %1 at [0, 16] : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
  return %5, %4 : tensor<32xf32>, tensor<4x4xf32>
}

// -----

// What is updated in place is a copy where the old content is a constant, or an
// argument that no result is tied to: it is the caller's.
// CHECK-LABEL: func.func @updates_a_constant(
// CHECK:         %[[START:.*]] = memref.get_global
// CHECK:         memref.copy %[[START]], %{{.*}} :
// CHECK:         %[[PLACE:.*]] = memref.view %arg0[
// CHECK-NEXT:    kernel.launch @{{.*}} outs(%[[PLACE]] :
func.func @updates_a_constant(%g: tensor<8xf16>) -> tensor<8xf32> {
  %start = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %sum = amp.add_gradient %g to %start : tensor<8xf16>, tensor<8xf32>
  return %sum : tensor<8xf32>
}

// CHECK-LABEL: func.func @updates_what_is_lent(
// CHECK:         %[[LENT:.*]] = memref.view %arg2[
// CHECK:         memref.copy %[[LENT]], %{{.*}} :
// CHECK:         %[[PLACE:.*]] = memref.view %arg0[
// CHECK-NEXT:    kernel.launch @{{.*}} outs(%[[PLACE]] :
func.func @updates_what_is_lent(%g: tensor<8xf16>, %lent: tensor<8xf32>) -> tensor<8xf32> {
  %sum = amp.add_gradient %g to %lent : tensor<8xf16>, tensor<8xf32>
  return %sum : tensor<8xf32>
}
