// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(cpu-attach-target{lanes=16},kernel-schedule)' | FileCheck %s

// What a contraction of windows reads is padded in memory where the kernel that
// pads does more than that, or pads axes along which no window goes.

#pad = affine_map<(n, c, x) -> (n, c, x)>
#image = affine_map<(n, o, x, c, w) -> (n, c, x + w)>
#weight = affine_map<(n, o, x, c, w) -> (o, c, w)>
#result = affine_map<(n, o, x, c, w) -> (n, o, x)>

// Zeros around elements in their places have no memory.
// CHECK-LABEL: kernel.func contraction @padded(
// CHECK:         kernel.pad
kernel.func map @pad_padded(%x: tensor<8x32x6xf32>, %d: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
  %r = linalg.generic {indexing_maps = [#pad], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%d : tensor<8x32x8xf32>) attrs = {kernel.border = #kernel.border<low = [0, 0, 1], high = [0, 0, 1]>} {
  ^bb0(%o: f32):
    %zero = arith.constant 0.0 : f32
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    %five = arith.constant 5 : index
    %at = arith.subi %i, %one : index
    %a = arith.cmpi sge, %at, %none : index
    %b = arith.cmpi sle, %at, %five : index
    %in = arith.andi %a, %b : i1
    %k = arith.maxsi %at, %none : index
    %l = arith.minsi %k, %five : index
    %v = tensor.extract %x[%n, %c, %l] : tensor<8x32x6xf32>
    %w = arith.select %in, %v, %zero : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8xf32>
  kernel.return %r : tensor<8x32x8xf32>
}
kernel.func contraction @padded(%a: tensor<8x32x8xf32>, %b: tensor<64x32x3xf32>, %c: tensor<8x64x6xf32>)
    -> tensor<8x64x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  %r = linalg.generic {indexing_maps = [#image, #weight, #result],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%init : tensor<8x64x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x64x6xf32>
  kernel.return %r : tensor<8x64x6xf32>
}
func.func @step_padded(%x: tensor<8x32x6xf32>, %w: tensor<64x32x3xf32>) -> tensor<8x64x6xf32> {
  %e = tensor.empty() : tensor<8x32x8xf32>
  %p = kernel.launch @pad_padded ins(%x : tensor<8x32x6xf32>) outs(%e : tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
  %d = tensor.empty() : tensor<8x64x6xf32>
  %y = kernel.launch @padded ins(%p, %w : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  return %y : tensor<8x64x6xf32>
}

// -----

#pad = affine_map<(n, c, x) -> (n, c, x)>
#image = affine_map<(n, o, x, c, w) -> (n, c, x + w)>
#weight = affine_map<(n, o, x, c, w) -> (o, c, w)>
#result = affine_map<(n, o, x, c, w) -> (n, o, x)>

// Elements in other places.
// CHECK-LABEL: kernel.func contraction @mirrored(
// CHECK-NOT:     kernel.pad
kernel.func map @pad_mirrored(%x: tensor<8x32x6xf32>, %d: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
  %r = linalg.generic {indexing_maps = [#pad], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%d : tensor<8x32x8xf32>) attrs = {kernel.border = #kernel.border<low = [0, 0, 1], high = [0, 0, 1]>} {
  ^bb0(%o: f32):
    %zero = arith.constant 0.0 : f32
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    %five = arith.constant 5 : index
    %at = arith.subi %i, %one : index
    %a = arith.cmpi sge, %at, %none : index
    %b = arith.cmpi sle, %at, %five : index
    %in = arith.andi %a, %b : i1
    %k = arith.maxsi %at, %none : index
    %l = arith.minsi %k, %five : index
    %m = arith.subi %five, %l : index
    %v = tensor.extract %x[%n, %c, %m] : tensor<8x32x6xf32>
    %w = arith.select %in, %v, %zero : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8xf32>
  kernel.return %r : tensor<8x32x8xf32>
}
kernel.func contraction @mirrored(%a: tensor<8x32x8xf32>, %b: tensor<64x32x3xf32>, %c: tensor<8x64x6xf32>)
    -> tensor<8x64x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  %r = linalg.generic {indexing_maps = [#image, #weight, #result],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%init : tensor<8x64x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x64x6xf32>
  kernel.return %r : tensor<8x64x6xf32>
}
func.func @step_mirrored(%x: tensor<8x32x6xf32>, %w: tensor<64x32x3xf32>) -> tensor<8x64x6xf32> {
  %e = tensor.empty() : tensor<8x32x8xf32>
  %p = kernel.launch @pad_mirrored ins(%x : tensor<8x32x6xf32>) outs(%e : tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
  %d = tensor.empty() : tensor<8x64x6xf32>
  %y = kernel.launch @mirrored ins(%p, %w : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  return %y : tensor<8x64x6xf32>
}

// -----

#pad = affine_map<(n, c, x) -> (n, c, x)>
#image = affine_map<(n, o, x, c, w) -> (n, c, x + w)>
#weight = affine_map<(n, o, x, c, w) -> (o, c, w)>
#result = affine_map<(n, o, x, c, w) -> (n, o, x)>

// Zeros in between, too.
// CHECK-LABEL: kernel.func contraction @masked(
// CHECK-NOT:     kernel.pad
kernel.func map @pad_masked(%x: tensor<8x32x6xf32>, %d: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
  %r = linalg.generic {indexing_maps = [#pad], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%d : tensor<8x32x8xf32>) attrs = {kernel.border = #kernel.border<low = [0, 0, 1], high = [0, 0, 1]>} {
  ^bb0(%o: f32):
    %zero = arith.constant 0.0 : f32
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    %five = arith.constant 5 : index
    %at = arith.subi %i, %one : index
    %a = arith.cmpi sge, %at, %none : index
    %b = arith.cmpi sle, %at, %five : index
    %in = arith.andi %a, %b : i1
    %k = arith.maxsi %at, %none : index
    %l = arith.minsi %k, %five : index
    %v = tensor.extract %x[%n, %c, %l] : tensor<8x32x6xf32>
    %lower = arith.cmpi sge, %i, %five : index
    %both = arith.andi %in, %lower : i1
    %w = arith.select %both, %v, %zero : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8xf32>
  kernel.return %r : tensor<8x32x8xf32>
}
kernel.func contraction @masked(%a: tensor<8x32x8xf32>, %b: tensor<64x32x3xf32>, %c: tensor<8x64x6xf32>)
    -> tensor<8x64x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  %r = linalg.generic {indexing_maps = [#image, #weight, #result],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%init : tensor<8x64x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x64x6xf32>
  kernel.return %r : tensor<8x64x6xf32>
}
func.func @step_masked(%x: tensor<8x32x6xf32>, %w: tensor<64x32x3xf32>) -> tensor<8x64x6xf32> {
  %e = tensor.empty() : tensor<8x32x8xf32>
  %p = kernel.launch @pad_masked ins(%x : tensor<8x32x6xf32>) outs(%e : tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
  %d = tensor.empty() : tensor<8x64x6xf32>
  %y = kernel.launch @masked ins(%p, %w : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  return %y : tensor<8x64x6xf32>
}

// -----

#pad = affine_map<(n, c, x) -> (n, c, x)>
#image = affine_map<(n, o, x, c, w) -> (n, c, x + w)>
#weight = affine_map<(n, o, x, c, w) -> (o, c, w)>
#result = affine_map<(n, o, x, c, w) -> (n, o, x)>

// Another value around them.
// CHECK-LABEL: kernel.func contraction @valued(
// CHECK-NOT:     kernel.pad
kernel.func map @pad_valued(%x: tensor<8x32x6xf32>, %d: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
  %r = linalg.generic {indexing_maps = [#pad], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%d : tensor<8x32x8xf32>) attrs = {kernel.border = #kernel.border<low = [0, 0, 1], high = [0, 0, 1]>} {
  ^bb0(%o: f32):
    %zero = arith.constant 0.0 : f32
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    %five = arith.constant 5 : index
    %at = arith.subi %i, %one : index
    %a = arith.cmpi sge, %at, %none : index
    %b = arith.cmpi sle, %at, %five : index
    %in = arith.andi %a, %b : i1
    %k = arith.maxsi %at, %none : index
    %l = arith.minsi %k, %five : index
    %half = arith.constant 0.5 : f32
    %v = tensor.extract %x[%n, %c, %l] : tensor<8x32x6xf32>
    %w = arith.select %in, %v, %half : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8xf32>
  kernel.return %r : tensor<8x32x8xf32>
}
kernel.func contraction @valued(%a: tensor<8x32x8xf32>, %b: tensor<64x32x3xf32>, %c: tensor<8x64x6xf32>)
    -> tensor<8x64x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  %r = linalg.generic {indexing_maps = [#image, #weight, #result],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%init : tensor<8x64x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x64x6xf32>
  kernel.return %r : tensor<8x64x6xf32>
}
func.func @step_valued(%x: tensor<8x32x6xf32>, %w: tensor<64x32x3xf32>) -> tensor<8x64x6xf32> {
  %e = tensor.empty() : tensor<8x32x8xf32>
  %p = kernel.launch @pad_valued ins(%x : tensor<8x32x6xf32>) outs(%e : tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
  %d = tensor.empty() : tensor<8x64x6xf32>
  %y = kernel.launch @valued ins(%p, %w : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  return %y : tensor<8x64x6xf32>
}

// -----

#pad = affine_map<(n, c, x) -> (n, c, x)>
#image = affine_map<(n, o, x, c, w) -> (n, c, x + w)>
#weight = affine_map<(n, o, x, c, w) -> (o, c, w)>
#result = affine_map<(n, o, x, c, w) -> (n, o, x)>

// Images of zeros.
// CHECK-LABEL: kernel.func contraction @images(
// CHECK-NOT:     kernel.pad
kernel.func map @pad_images(%x: tensor<6x32x8xf32>, %d: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
  %r = linalg.generic {indexing_maps = [#pad], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%d : tensor<8x32x8xf32>) attrs = {kernel.border = #kernel.border<low = [1, 0, 0], high = [1, 0, 0]>} {
  ^bb0(%o: f32):
    %zero = arith.constant 0.0 : f32
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    %five = arith.constant 5 : index
    %at = arith.subi %n, %one : index
    %a = arith.cmpi sge, %at, %none : index
    %b = arith.cmpi sle, %at, %five : index
    %in = arith.andi %a, %b : i1
    %k = arith.maxsi %at, %none : index
    %l = arith.minsi %k, %five : index
    %v = tensor.extract %x[%l, %c, %i] : tensor<6x32x8xf32>
    %w = arith.select %in, %v, %zero : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8xf32>
  kernel.return %r : tensor<8x32x8xf32>
}
kernel.func contraction @images(%a: tensor<8x32x8xf32>, %b: tensor<64x32x3xf32>, %c: tensor<8x64x6xf32>)
    -> tensor<8x64x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  %r = linalg.generic {indexing_maps = [#image, #weight, #result],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%init : tensor<8x64x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x64x6xf32>
  kernel.return %r : tensor<8x64x6xf32>
}
func.func @step_images(%x: tensor<6x32x8xf32>, %w: tensor<64x32x3xf32>) -> tensor<8x64x6xf32> {
  %e = tensor.empty() : tensor<8x32x8xf32>
  %p = kernel.launch @pad_images ins(%x : tensor<6x32x8xf32>) outs(%e : tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
  %d = tensor.empty() : tensor<8x64x6xf32>
  %y = kernel.launch @images ins(%p, %w : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  return %y : tensor<8x64x6xf32>
}

// -----

#pad = affine_map<(n, c, x) -> (n, c, x)>
#image = affine_map<(n, o, x, c, w) -> (n, c, x + w)>
#weight = affine_map<(n, o, x, c, w) -> (o, c, w)>
#result = affine_map<(n, o, x, c, w) -> (n, o, x)>

// The neighbours of the elements in their places.
// CHECK-LABEL: kernel.func contraction @shifted(
// CHECK-NOT:     kernel.pad
kernel.func map @pad_shifted(%x: tensor<8x32x6xf32>, %d: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
  %r = linalg.generic {indexing_maps = [#pad], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%d : tensor<8x32x8xf32>) attrs = {kernel.border = #kernel.border<low = [0, 0, 1], high = [0, 0, 1]>} {
  ^bb0(%o: f32):
    %zero = arith.constant 0.0 : f32
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %none = arith.constant 0 : index
    %low = arith.constant 1 : index
    %last = arith.constant 5 : index
    %at = arith.subi %i, %low : index
    %a = arith.cmpi sge, %at, %none : index
    %b = arith.cmpi sle, %at, %last : index
    %in = arith.andi %a, %b : i1
    %two = arith.constant 2 : index
    %before = arith.subi %i, %two : index
    %k = arith.maxsi %before, %none : index
    %l = arith.minsi %k, %last : index
    %v = tensor.extract %x[%n, %c, %l] : tensor<8x32x6xf32>
    %w = arith.select %in, %v, %zero : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8xf32>
  kernel.return %r : tensor<8x32x8xf32>
}
kernel.func contraction @shifted(%a: tensor<8x32x8xf32>, %b: tensor<64x32x3xf32>, %c: tensor<8x64x6xf32>)
    -> tensor<8x64x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  %r = linalg.generic {indexing_maps = [#image, #weight, #result],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%init : tensor<8x64x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %t = math.fma %x, %y, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x64x6xf32>
  kernel.return %r : tensor<8x64x6xf32>
}
func.func @step_shifted(%x: tensor<8x32x6xf32>, %w: tensor<64x32x3xf32>) -> tensor<8x64x6xf32> {
  %e = tensor.empty() : tensor<8x32x8xf32>
  %p = kernel.launch @pad_shifted ins(%x : tensor<8x32x6xf32>) outs(%e : tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
  %d = tensor.empty() : tensor<8x64x6xf32>
  %y = kernel.launch @shifted ins(%p, %w : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  return %y : tensor<8x64x6xf32>
}
