// RUN: mpc-opt %s --cpu-attach-target --kernel-schedule | FileCheck %s
// RUN: mpc-opt %s --cpu-attach-target=naive --kernel-schedule | FileCheck %s --check-prefix=NAIVE
// RUN: mpc-opt %s --cpu-attach-target=lanes=16 --kernel-schedule | FileCheck %s --check-prefix=WIDE
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

// What is no sum runs by loops, on vectors where results lie along an axis and
// operands too, or every second element of them.
// CHECK-LABEL: @window
// CHECK-SAME:  #cpu.lanes<chunks = 4, lanes = 8>
// NAIVE-LABEL: @window
// NAIVE-SAME:  #cpu.loops<chunks = 9>
// WIDE-LABEL:  @window
// WIDE-SAME:   #cpu.lanes<chunks = 4, lanes = 16>
kernel.func @window(%x: tensor<64x135xf32>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %low = arith.constant -1.0 : f32
  %bounds = tensor.empty() : tensor<9xi1>
  %none = linalg.fill ins(%low : f32) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, n * 2 + k)>, affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %bounds : tensor<64x135xf32>, tensor<9xi1>) outs(%none : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: i1, %s: f32):
    %0 = arith.cmpf ogt, %a, %s : f32
    %1 = arith.select %0, %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  kernel.return %r : tensor<64x64xf32>
}

// Every third element is loaded by itself in any case.
// CHECK-LABEL: @apart
// CHECK-SAME:  #cpu.loops
kernel.func @apart(%x: tensor<8x50xf32>, %d: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %low = arith.constant -1.0 : f32
  %bounds = tensor.empty() : tensor<2xi1>
  %none = linalg.fill ins(%low : f32) outs(%d : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, n * 3 + k)>, affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %bounds : tensor<8x50xf32>, tensor<2xi1>) outs(%none : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: i1, %s: f32):
    %0 = arith.cmpf ogt, %a, %s : f32
    %1 = arith.select %0, %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<8x16xf32>
  kernel.return %r : tensor<8x16xf32>
}

// A scatter goes through its indices once for each block of columns.
// CHECK-LABEL: @scatter
// CHECK-SAME:  #cpu.scatter<chunks = 8, lanes = 8, block = 32>
// NAIVE-LABEL: @scatter
// NAIVE-SAME:  #cpu.loops<chunks = 64>
// WIDE-LABEL:  @scatter
// WIDE-SAME:   #cpu.scatter<chunks = 8, lanes = 16, block = 32>
kernel.func scatter @scatter(%u: tensor<1x1024x256xf32>, %at: tensor<1024xi64>, %d: tensor<1x100x256xf32>) -> tensor<1x100x256xf32> {
  %r = kernel.scatter ins(%u, %at : tensor<1x1024x256xf32>, tensor<1024xi64>) outs(%d : tensor<1x100x256xf32>)
  kernel.return %r : tensor<1x100x256xf32>
}

// Fewer columns than a vector has lanes are scalars.
// CHECK-LABEL: @scatter_scalars
// CHECK-SAME:  #cpu.scatter<chunks = 4, lanes = 8, block = 1>
kernel.func scatter @scatter_scalars(%u: tensor<16x1024x1xf32>, %at: tensor<16x1024xi64>, %d: tensor<16x100x1xf32>) -> tensor<16x100x1xf32> {
  %r = kernel.scatter ins(%u, %at : tensor<16x1024x1xf32>, tensor<16x1024xi64>) outs(%d : tensor<16x100x1xf32>)
  kernel.return %r : tensor<16x100x1xf32>
}
