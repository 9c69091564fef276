// RUN: mpc-opt %s --cpu-schedule | FileCheck %s
// RUN: mpc-opt %s --cpu-attach-target=naive --cpu-schedule | FileCheck %s --check-prefix=NAIVE
// RUN: mpc-opt %s --cpu-attach-target=lanes=16 --cpu-schedule | FileCheck %s --check-prefix=WIDE
// RUN: not mpc-opt %s --cuda-attach-target=arch=90 --cpu-schedule 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: cpu-schedule: the module is for sm_90
// RUN: not mpc-opt %s --cpu-attach-target=lanes=12 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: cpu-attach-target: lanes must be a power of two

#i = affine_map<(i) -> (i)>
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// Statements that are parallel over one space are a map; its size fixes the
// number of chunks.
// CHECK-LABEL: @elementwise
// CHECK-SAME:  #cpu.map<chunks = 4, lanes = 8>
// NAIVE-LABEL: @elementwise
// NAIVE-SAME:  #cpu.loops<chunks = 16>
// WIDE-LABEL:  @elementwise
// WIDE-SAME:   #cpu.map<chunks = 4, lanes = 16>
kernel.func map @elementwise(%x: tensor<65536xf32>, %d: tensor<65536xf32>) -> tensor<65536xf32> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<65536xf32>) outs(%d : tensor<65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  kernel.return %r : tensor<65536xf32>
}

// A sum over the contiguous axis runs by rows.
// CHECK-LABEL: @rows
// CHECK-SAME:  #cpu.rows<chunks = 4, lanes = 8>
// NAIVE-LABEL: @rows
// NAIVE-SAME:  #cpu.loops
kernel.func rows @rows(%x: tensor<64x512xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x512xf32>) outs(%d : tensor<64xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}

// A sum that keeps the contiguous axis runs by columns.
// CHECK-LABEL: @columns
// CHECK-SAME:  #cpu.columns<chunks = 4, lanes = 8>
// NAIVE-LABEL: @columns
// NAIVE-SAME:  #cpu.loops<chunks = 1>
kernel.func columns @columns(%x: tensor<64x512xf32>, %d: tensor<512xf32>) -> tensor<512xf32> {
  %r = linalg.generic {indexing_maps = [#mn, #n], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<64x512xf32>) outs(%d : tensor<512xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  } -> tensor<512xf32>
  kernel.return %r : tensor<512xf32>
}

// What is combined by a select has no order-free form: scalar loops, cut along
// the rows.
// CHECK-LABEL: @first_above
// CHECK-SAME:  #cpu.loops<chunks = 8>
kernel.func loops @first_above(%x: tensor<64x512xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x512xf32>) outs(%d : tensor<64xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.cmpf ogt, %a, %s : f32
    %1 = arith.select %0, %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}

// A schedule that is given stays.
// CHECK-LABEL: @given
// CHECK-SAME:  #cpu.loops<chunks = 2>
kernel.func map @given(%x: tensor<64xf32>, %d: tensor<64xf32>) -> tensor<64xf32> attributes {schedule = #cpu.loops<chunks = 2>} {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%d : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<64xf32>
  kernel.return %r : tensor<64xf32>
}
