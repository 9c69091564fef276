// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(cpu-attach-target{lanes=16},kernel-schedule)' | FileCheck %s

// A kernel of windows that two launches share reads what lies behind a padding,
// or behind a moved weight, only where both launches have the same.

#pad = affine_map<(n, c, x) -> (n, c, x)>
#image = affine_map<(n, o, x, c, w) -> (n, c, x + w)>
#weight = affine_map<(n, o, x, c, w) -> (o, c, w)>
#result = affine_map<(n, o, x, c, w) -> (n, o, x)>

// CHECK-LABEL: kernel.func contraction @alike(
// CHECK-SAME:    tensor<8x32x6xf32>
// CHECK:         kernel.pad
// CHECK-LABEL: func.func @step_alike(
// CHECK-SAME:    %[[X:.*]]: tensor<8x32x6xf32>
// CHECK:         kernel.launch @alike ins(%[[X]],
// CHECK:         kernel.launch @alike ins(%[[X]],
kernel.func map @even(%x: tensor<8x32x6xf32>, %d: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
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
    %k = arith.maxsi %at, %none : index
    %l = arith.minsi %k, %last : index
    %v = tensor.extract %x[%n, %c, %l] : tensor<8x32x6xf32>
    %w = arith.select %in, %v, %zero : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8xf32>
  kernel.return %r : tensor<8x32x8xf32>
}
kernel.func map @again(%x: tensor<8x32x6xf32>, %d: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
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
    %k = arith.maxsi %at, %none : index
    %l = arith.minsi %k, %last : index
    %v = tensor.extract %x[%n, %c, %l] : tensor<8x32x6xf32>
    %w = arith.select %in, %v, %zero : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8xf32>
  kernel.return %r : tensor<8x32x8xf32>
}
kernel.func contraction @alike(%a: tensor<8x32x8xf32>, %b: tensor<64x32x3xf32>, %c: tensor<8x64x6xf32>)
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
func.func @step_alike(%x: tensor<8x32x6xf32>, %w: tensor<64x32x3xf32>) -> (tensor<8x64x6xf32>, tensor<8x64x6xf32>) {
  %e = tensor.empty() : tensor<8x32x8xf32>
  %p = kernel.launch @even ins(%x : tensor<8x32x6xf32>) outs(%e : tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
  %q = kernel.launch @again ins(%x : tensor<8x32x6xf32>) outs(%e : tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
  %d = tensor.empty() : tensor<8x64x6xf32>
  %y = kernel.launch @alike ins(%p, %w : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  %z = kernel.launch @alike ins(%q, %w : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  return %y, %z : tensor<8x64x6xf32>, tensor<8x64x6xf32>
}

// -----

#pad = affine_map<(n, c, x) -> (n, c, x)>
#image = affine_map<(n, o, x, c, w) -> (n, c, x + w)>
#weight = affine_map<(n, o, x, c, w) -> (o, c, w)>
#result = affine_map<(n, o, x, c, w) -> (n, o, x)>

// Another border with as many zeros.
// CHECK-LABEL: kernel.func contraction @borders(
// CHECK-NOT:     kernel.pad
// CHECK-LABEL: func.func @step_borders(
// CHECK:         %[[P:.*]] = kernel.launch @even
// CHECK:         %[[Q:.*]] = kernel.launch @low
// CHECK:         kernel.launch @borders ins(%[[P]],
// CHECK:         kernel.launch @borders ins(%[[Q]],
kernel.func map @even(%x: tensor<8x32x6xf32>, %d: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
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
    %k = arith.maxsi %at, %none : index
    %l = arith.minsi %k, %last : index
    %v = tensor.extract %x[%n, %c, %l] : tensor<8x32x6xf32>
    %w = arith.select %in, %v, %zero : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8xf32>
  kernel.return %r : tensor<8x32x8xf32>
}
kernel.func map @low(%x: tensor<8x32x6xf32>, %d: tensor<8x32x8xf32>) -> tensor<8x32x8xf32> {
  %r = linalg.generic {indexing_maps = [#pad], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%d : tensor<8x32x8xf32>) attrs = {kernel.border = #kernel.border<low = [0, 0, 2], high = [0, 0, 0]>} {
  ^bb0(%o: f32):
    %zero = arith.constant 0.0 : f32
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %none = arith.constant 0 : index
    %low = arith.constant 2 : index
    %last = arith.constant 5 : index
    %at = arith.subi %i, %low : index
    %a = arith.cmpi sge, %at, %none : index
    %b = arith.cmpi sle, %at, %last : index
    %in = arith.andi %a, %b : i1
    %k = arith.maxsi %at, %none : index
    %l = arith.minsi %k, %last : index
    %v = tensor.extract %x[%n, %c, %l] : tensor<8x32x6xf32>
    %w = arith.select %in, %v, %zero : f32
    linalg.yield %w : f32
  } -> tensor<8x32x8xf32>
  kernel.return %r : tensor<8x32x8xf32>
}
kernel.func contraction @borders(%a: tensor<8x32x8xf32>, %b: tensor<64x32x3xf32>, %c: tensor<8x64x6xf32>)
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
func.func @step_borders(%x: tensor<8x32x6xf32>, %w: tensor<64x32x3xf32>) -> (tensor<8x64x6xf32>, tensor<8x64x6xf32>) {
  %e = tensor.empty() : tensor<8x32x8xf32>
  %p = kernel.launch @even ins(%x : tensor<8x32x6xf32>) outs(%e : tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
  %q = kernel.launch @low ins(%x : tensor<8x32x6xf32>) outs(%e : tensor<8x32x8xf32>) -> tensor<8x32x8xf32>
  %d = tensor.empty() : tensor<8x64x6xf32>
  %y = kernel.launch @borders ins(%p, %w : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  %z = kernel.launch @borders ins(%q, %w : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  return %y, %z : tensor<8x64x6xf32>, tensor<8x64x6xf32>
}

// -----

#pad = affine_map<(n, c, x) -> (n, c, x)>
#image = affine_map<(n, o, x, c, w) -> (n, c, x + w)>
#weight = affine_map<(n, o, x, c, w) -> (o, c, w)>
#result = affine_map<(n, o, x, c, w) -> (n, o, x)>

// CHECK-NOT:   kernel.func map
// CHECK-LABEL: kernel.func loops @reversed_pack(
// CHECK-LABEL: func.func @step_reversed(
// CHECK-SAME:    %{{.*}}, %[[W:.*]]: tensor<64x32x3xf32>)
// CHECK:         kernel.launch @reversed_pack ins(%[[W]] :
// CHECK:         kernel.launch @reversed_pack ins(%[[W]] :
kernel.func map @reverse(%w: tensor<64x32x3xf32>, %d: tensor<64x32x3xf32>) -> tensor<64x32x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(o, c, w) -> (o, c, 2 - w)>, #pad],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<64x32x3xf32>) outs(%d : tensor<64x32x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<64x32x3xf32>
  kernel.return %r : tensor<64x32x3xf32>
}
kernel.func contraction @reversed(%a: tensor<8x32x8xf32>, %b: tensor<64x32x3xf32>, %c: tensor<8x64x6xf32>)
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
func.func @step_reversed(%x: tensor<8x32x8xf32>, %w: tensor<64x32x3xf32>) -> (tensor<8x64x6xf32>, tensor<8x64x6xf32>) {
  %e = tensor.empty() : tensor<64x32x3xf32>
  %p = kernel.launch @reverse ins(%w : tensor<64x32x3xf32>) outs(%e : tensor<64x32x3xf32>) -> tensor<64x32x3xf32>
  %q = kernel.launch @reverse ins(%w : tensor<64x32x3xf32>) outs(%e : tensor<64x32x3xf32>) -> tensor<64x32x3xf32>
  %d = tensor.empty() : tensor<8x64x6xf32>
  %y = kernel.launch @reversed ins(%x, %p : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  %z = kernel.launch @reversed ins(%x, %q : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  return %y, %z : tensor<8x64x6xf32>, tensor<8x64x6xf32>
}

// -----

#pad = affine_map<(n, c, x) -> (n, c, x)>
#image = affine_map<(n, o, x, c, w) -> (n, c, x + w)>
#weight = affine_map<(n, o, x, c, w) -> (o, c, w)>
#result = affine_map<(n, o, x, c, w) -> (n, o, x)>

// Another move.
// CHECK-LABEL: func.func @step_moves(
// CHECK:         %[[P:.*]] = kernel.launch @reverse ins
// CHECK:         %[[Q:.*]] = kernel.launch @exchange ins
// CHECK-DAG:     kernel.launch @moves_pack ins(%[[P]] :
// CHECK-DAG:     kernel.launch @moves_pack ins(%[[Q]] :
kernel.func map @reverse(%w: tensor<64x32x3xf32>, %d: tensor<64x32x3xf32>) -> tensor<64x32x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(o, c, w) -> (o, c, 2 - w)>, #pad],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<64x32x3xf32>) outs(%d : tensor<64x32x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<64x32x3xf32>
  kernel.return %r : tensor<64x32x3xf32>
}
kernel.func map @exchange(%w: tensor<64x32x3xf32>, %d: tensor<64x32x3xf32>) -> tensor<64x32x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(o, c, w) -> (o, 31 - c, w)>, #pad],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<64x32x3xf32>) outs(%d : tensor<64x32x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<64x32x3xf32>
  kernel.return %r : tensor<64x32x3xf32>
}
kernel.func contraction @moves(%a: tensor<8x32x8xf32>, %b: tensor<64x32x3xf32>, %c: tensor<8x64x6xf32>)
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
func.func @step_moves(%x: tensor<8x32x8xf32>, %w: tensor<64x32x3xf32>) -> (tensor<8x64x6xf32>, tensor<8x64x6xf32>) {
  %e = tensor.empty() : tensor<64x32x3xf32>
  %p = kernel.launch @reverse ins(%w : tensor<64x32x3xf32>) outs(%e : tensor<64x32x3xf32>) -> tensor<64x32x3xf32>
  %q = kernel.launch @exchange ins(%w : tensor<64x32x3xf32>) outs(%e : tensor<64x32x3xf32>) -> tensor<64x32x3xf32>
  %d = tensor.empty() : tensor<8x64x6xf32>
  %y = kernel.launch @moves ins(%x, %p : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  %z = kernel.launch @moves ins(%x, %q : tensor<8x32x8xf32>, tensor<64x32x3xf32>) outs(%d : tensor<8x64x6xf32>) -> tensor<8x64x6xf32>
  return %y, %z : tensor<8x64x6xf32>, tensor<8x64x6xf32>
}
