// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(cpu-attach-target{lanes=16},kernel-schedule)' | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(cpu-attach-target{naive=true},kernel-schedule)' | FileCheck %s --check-prefix=NAIVE

#pad = affine_map<(n, c, y, x) -> (n, c, y, x)>
#image = affine_map<(n, o, y, x, c, h, w) -> (n, c, y + h, x + w)>
#weight = affine_map<(n, o, y, x, c, h, w) -> (o, c, h, w)>
#result = affine_map<(n, o, y, x, c, h, w) -> (n, o, y, x)>

kernel.func map @pad(%x: tensor<8x32x6x6xf32>, %d: tensor<8x32x8x8xf32>) -> tensor<8x32x8x8xf32> {
  %r = linalg.generic {indexing_maps = [#pad], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%d : tensor<8x32x8x8xf32>) attrs = {kernel.border = #kernel.border<low = [0, 0, 1, 1], high = [0, 0, 1, 1]>} {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %y = linalg.index 2 : index
    %x0 = linalg.index 3 : index
    %one = arith.constant 1 : index
    %five = arith.constant 5 : index
    %none = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %i = arith.subi %y, %one : index
    %j = arith.subi %x0, %one : index
    %a = arith.cmpi sge, %i, %none : index
    %b = arith.cmpi sle, %i, %five : index
    %e = arith.cmpi sge, %j, %none : index
    %f = arith.cmpi sle, %j, %five : index
    %ab = arith.andi %a, %b : i1
    %ef = arith.andi %e, %f : i1
    %in = arith.andi %ab, %ef : i1
    %k = arith.maxsi %i, %none : index
    %l = arith.minsi %k, %five : index
    %p = arith.maxsi %j, %none : index
    %q = arith.minsi %p, %five : index
    %v = tensor.extract %x[%n, %c, %l, %q] : tensor<8x32x6x6xf32>
    %w = arith.select %in, %v, %zero : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8x8xf32>
  kernel.return %r : tensor<8x32x8x8xf32>
}

// The loops over taps come before that over channels, in scalar loops as well.
// The kernel reads the image without its border, and nobody pads it.
// CHECK:       #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d6, d2 + d4, d3 + d5)>
// NAIVE:       #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d6, d2 + d4, d3 + d5)>
// CHECK-NOT:   @pad
// CHECK-LABEL: kernel.func loops @conv_pack
// CHECK-SAME:    #cpu.pack<{{.*}}panel = 32>
// CHECK-LABEL: kernel.func contraction @conv(
// CHECK-SAME:    %[[X:.*]]: tensor<8x32x6x6xf32>, %{{.*}}: tensor<1x2x288x32xf32>
// CHECK-SAME:    #cpu.gemm<{{.*}}rows = 0, packed = 1, {{.*}}micro = [8, 32], row_pieces = 6, column_pieces = 2, row_layout = windows>
// CHECK:         %[[P:.*]] = kernel.pad %[[X]] border <low = [0, 0, 1, 1], high = [0, 0, 1, 1]>
// CHECK:         linalg.generic {indexing_maps = [#[[IMAGE]],{{.*}} ins(%[[P]],
// NAIVE-LABEL: kernel.func map @pad
// NAIVE-LABEL: kernel.func contraction @conv(
// NAIVE-SAME:    #cpu.loops
// NAIVE:         linalg.generic {indexing_maps = [#[[IMAGE]],
kernel.func contraction @conv(%a: tensor<8x32x8x8xf32>, %b: tensor<64x32x3x3xf32>, %c: tensor<8x64x6x6xf32>)
    -> tensor<8x64x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64x6x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64x6x6xf32>) -> tensor<8x64x6x6xf32>
  %r = linalg.generic {indexing_maps = [#image, #weight, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x32x8x8xf32>, tensor<64x32x3x3xf32>) outs(%init : tensor<8x64x6x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x64x6x6xf32>
  kernel.return %r : tensor<8x64x6x6xf32>
}

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[X:.*]]: tensor<8x32x6x6xf32>
// CHECK-NOT:     @pad
// CHECK:         kernel.launch @conv ins(%[[X]],
func.func @step(%x: tensor<8x32x6x6xf32>, %w: tensor<64x32x3x3xf32>) -> tensor<8x64x6x6xf32> {
  %e = tensor.empty() : tensor<8x32x8x8xf32>
  %p = kernel.launch @pad ins(%x : tensor<8x32x6x6xf32>) outs(%e : tensor<8x32x8x8xf32>) -> tensor<8x32x8x8xf32>
  %d = tensor.empty() : tensor<8x64x6x6xf32>
  %y = kernel.launch @conv ins(%p, %w : tensor<8x32x8x8xf32>, tensor<64x32x3x3xf32>)
                           outs(%d : tensor<8x64x6x6xf32>) -> tensor<8x64x6x6xf32>
  return %y : tensor<8x64x6x6xf32>
}

// -----

// A sum of few products is not worth a copy.
// CHECK-LABEL: kernel.func contraction @few(
// CHECK-NOT:     windows
kernel.func contraction @few(%a: tensor<8x4x8x8xf32>, %b: tensor<64x4x3x3xf32>, %c: tensor<8x64x6x6xf32>)
    -> tensor<8x64x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64x6x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64x6x6xf32>) -> tensor<8x64x6x6xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, o, y, x, c, h, w) -> (n, c, y + h, x + w)>,
        affine_map<(n, o, y, x, c, h, w) -> (o, c, h, w)>,
        affine_map<(n, o, y, x, c, h, w) -> (n, o, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x4x8x8xf32>, tensor<64x4x3x3xf32>) outs(%init : tensor<8x64x6x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x64x6x6xf32>
  kernel.return %r : tensor<8x64x6x6xf32>
}

// -----

// A weight that a kernel has reversed is packed from where it was before, also
// when it was seen in another shape in between.
// CHECK:       #[[REVERSED:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, -d1 + 2, -d2 + 2)>
// CHECK-NOT:   @reverse
// CHECK-LABEL: kernel.func loops @conv_pack
// CHECK-SAME:    %{{.*}}: tensor<64x32x3x3xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[REVERSED]],
kernel.func map @reverse(%w: tensor<64x32x3x3xf32>, %d: tensor<64x32x3x3xf32>) -> tensor<64x32x3x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(o, c, h, w) -> (o, c, 2 - h, 2 - w)>, affine_map<(o, c, h, w) -> (o, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<64x32x3x3xf32>) outs(%d : tensor<64x32x3x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<64x32x3x3xf32>
  kernel.return %r : tensor<64x32x3x3xf32>
}
kernel.func contraction @conv(%a: tensor<8x32x8x8xf32>, %b: tensor<64x32x3x3xf32>, %c: tensor<8x64x6x6xf32>)
    -> tensor<8x64x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64x6x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64x6x6xf32>) -> tensor<8x64x6x6xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(n, o, y, x, c, h, w) -> (n, c, y + h, x + w)>,
        affine_map<(n, o, y, x, c, h, w) -> (o, c, h, w)>,
        affine_map<(n, o, y, x, c, h, w) -> (n, o, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x32x8x8xf32>, tensor<64x32x3x3xf32>) outs(%init : tensor<8x64x6x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x64x6x6xf32>
  kernel.return %r : tensor<8x64x6x6xf32>
}
// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[X:.*]]: tensor<8x32x8x8xf32>, %[[W:.*]]: tensor<64x32x3x3xf32>)
// CHECK:         kernel.launch @conv_pack ins(%[[W]] :
func.func @step(%x: tensor<8x32x8x8xf32>, %w: tensor<64x32x3x3xf32>) -> tensor<8x64x6x6xf32> {
  %e = tensor.empty() : tensor<64x32x3x3xf32>
  %m = kernel.launch @reverse ins(%w : tensor<64x32x3x3xf32>) outs(%e : tensor<64x32x3x3xf32>) -> tensor<64x32x3x3xf32>
  %flat = kernel.view %m[0] : tensor<64x32x3x3xf32> -> tensor<64x288xf32>
  %back = kernel.view %flat[0] : tensor<64x288xf32> -> tensor<64x32x3x3xf32>
  %d = tensor.empty() : tensor<8x64x6x6xf32>
  %y = kernel.launch @conv ins(%x, %back : tensor<8x32x8x8xf32>, tensor<64x32x3x3xf32>)
                           outs(%d : tensor<8x64x6x6xf32>) -> tensor<8x64x6x6xf32>
  return %y : tensor<8x64x6x6xf32>
}


// -----

// The gradient of a weight of patches, whose copy is larger than the cache. The image is packed by each chunk: packed
// once, it would have no windows any more, from which chains of 14 x 8 elements follow.
// CHECK-LABEL: kernel.func contraction @patches(
// CHECK-SAME:    %{{.*}}: tensor<8x3x224x224xf32>
// CHECK-SAME:    #cpu.gemm<{{.*}}rows = 1, packed = 1, tile = [{{[0-9]+, [0-9]+}}, 336], micro = [8, 32], row_pieces = 16>
kernel.func contraction @patches(%a: tensor<8x3x224x224xf32>, %b: tensor<8x768x14x14xf32>, %c: tensor<768x3x16x16xf32>)
    -> tensor<768x3x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<768x3x16x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<768x3x16x16xf32>) -> tensor<768x3x16x16xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(o, c, h, w, n, y, x) -> (n, c, h + y * 16, w + x * 16)>,
        affine_map<(o, c, h, w, n, y, x) -> (n, o, y, x)>,
        affine_map<(o, c, h, w, n, y, x) -> (o, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x3x224x224xf32>, tensor<8x768x14x14xf32>) outs(%init : tensor<768x3x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<768x3x16x16xf32>
  kernel.return %r : tensor<768x3x16x16xf32>
}
func.func @step(%x: tensor<8x3x224x224xf32>, %g: tensor<8x768x14x14xf32>) -> tensor<768x3x16x16xf32> {
  %d = tensor.empty() : tensor<768x3x16x16xf32>
  %y = kernel.launch @patches ins(%x, %g : tensor<8x3x224x224xf32>, tensor<8x768x14x14xf32>)
                              outs(%d : tensor<768x3x16x16xf32>) -> tensor<768x3x16x16xf32>
  return %y : tensor<768x3x16x16xf32>
}
