// RUN: mpc-opt %s --split-input-file --cpu-share-code=least-kernels=2 | FileCheck %s

// Kernels of two sizes run one code, which is told the sizes; what is equal in
// both stays a constant. A quotient by a size is a product with 2^64 / size, of
// the number behind the dividend.
// CHECK-LABEL: func.func @a_code(
// CHECK-SAME:    %[[X:.*]]: memref<84xf32>, %[[BEGIN:.*]]: index, %[[END:[^:]*]]: index, %{{[^:]*}}: memref<0xi8>, %[[INVERSE:.*]]: index, %[[N:.*]]: index)
// CHECK-SAME:    attributes {cpu.shared}
// CHECK-NOT:     arith.divui
// CHECK-NOT:     arith.remui
// CHECK:         scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK:           %{{.*}}, %[[Q:.*]] = arith.mului_extended %[[NEXT]], %[[INVERSE]]
// CHECK:           %{{.*}}, %[[QR:.*]] = arith.mului_extended %{{.*}}, %[[INVERSE]]
// CHECK:           %[[P:.*]] = arith.muli %[[QR]], %[[N]]
// CHECK:           %[[R:.*]] = arith.subi %[[I]], %[[P]]
// CHECK:           arith.addi %[[Q]], %[[R]]
// CHECK:       func.func private @a(memref<84xf32>, index, index, memref<0xi8>)
// CHECK-SAME:    #cpu.kernel<chunks = 12, scratch = 0, code = @a_code, sizes = [2635249153387078802, 7]>
// CHECK:       func.func private @b(memref<36xf32>, index, index, memref<0xi8>)
// CHECK-SAME:    #cpu.kernel<chunks = 6, scratch = 0, code = @a_code, sizes = [6148914691236517205, 3]>
func.func @a(%x: memref<84xf32>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 12, scratch = 0>} {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %begin to %end step %c1 {
    %q = arith.divui %i, %c7 : index
    %r = arith.remui %i, %c7 : index
    %p = arith.addi %q, %r : index
    %v = memref.load %x[%p] : memref<84xf32>
    memref.store %v, %x[%i] : memref<84xf32>
  }
  return
}
func.func @b(%x: memref<36xf32>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 6, scratch = 0>} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %begin to %end step %c1 {
    %q = arith.divui %i, %c3 : index
    %r = arith.remui %i, %c3 : index
    %p = arith.addi %q, %r : index
    %v = memref.load %x[%p] : memref<36xf32>
    memref.store %v, %x[%i] : memref<36xf32>
  }
  return
}

// -----

// Nothing is known of the dividend, a number in memory: a product might miss
// the quotient.
// CHECK-LABEL: func.func @unbounded_a(
// CHECK:         arith.divui
// CHECK-LABEL: func.func @unbounded_b(
// CHECK:         arith.divui
func.func @unbounded_a(%x: memref<8xindex>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c7 = arith.constant 7 : index
  %v = memref.load %x[%begin] : memref<8xindex>
  %q = arith.divui %v, %c7 : index
  memref.store %q, %x[%begin] : memref<8xindex>
  return
}
func.func @unbounded_b(%x: memref<8xindex>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c3 = arith.constant 3 : index
  %v = memref.load %x[%begin] : memref<8xindex>
  %q = arith.divui %v, %c3 : index
  memref.store %q, %x[%begin] : memref<8xindex>
  return
}

// -----

// Other arithmetic, a loop of one turn, and lanes that are multiplied by a
// number are other codes.
// CHECK-NOT: code =
func.func @two_turns(%x: memref<8xf32>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    %n = arith.negf %v : f32
    memref.store %n, %x[%i] : memref<8xf32>
  }
  return
}
func.func @one_turn(%x: memref<8xf32>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    %n = arith.negf %v : f32
    memref.store %n, %x[%i] : memref<8xf32>
  }
  return
}
func.func @other_arithmetic(%x: memref<8xf32>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    %n = math.absf %v : f32
    memref.store %n, %x[%i] : memref<8xf32>
  }
  return
}
func.func @lanes_a(%x: memref<8xindex>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c5 = arith.constant 5 : index
  %v = vector.broadcast %c5 : index to vector<8xindex>
  %p = arith.muli %v, %v : vector<8xindex>
  vector.store %p, %x[%begin] : memref<8xindex>, vector<8xindex>
  return
}
func.func @lanes_b(%x: memref<8xindex>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c6 = arith.constant 6 : index
  %v = vector.broadcast %c6 : index to vector<8xindex>
  %p = arith.muli %v, %v : vector<8xindex>
  vector.store %p, %x[%begin] : memref<8xindex>, vector<8xindex>
  return
}

// -----

// Lanes that are not multiplied are told their number; so is a loop of one turn
// that holds another, and a divisor of 1.
// CHECK-LABEL: func.func @told_a_code(
// CHECK-SAME:    %[[EDGE:arg[0-9]*]]: index, %[[TURNS:arg[0-9]*]]: index, %[[INVERSE:arg[0-9]*]]: index) attributes {cpu.shared}
// CHECK:         vector.broadcast %[[EDGE]]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[TURNS]]
// CHECK:           mului_extended %{{.*}}, %[[INVERSE]]
// CHECK:         code = @told_a_code, sizes = [5, 1, -1]
// CHECK:         code = @told_a_code, sizes = [6, 2, 6148914691236517205]
func.func @told_a(%x: memref<8xindex>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %v = vector.broadcast %c5 : index to vector<8xindex>
  vector.store %v, %x[%begin] : memref<8xindex>, vector<8xindex>
  scf.for %i = %c0 to %c1 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %q = arith.divui %j, %c1 : index
      memref.store %q, %x[%j] : memref<8xindex>
    }
  }
  return
}
func.func @told_b(%x: memref<8xindex>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %v = vector.broadcast %c6 : index to vector<8xindex>
  vector.store %v, %x[%begin] : memref<8xindex>, vector<8xindex>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %q = arith.divui %j, %c3 : index
      memref.store %q, %x[%j] : memref<8xindex>
    }
  }
  return
}

// -----

// A float is told by its bits, 2.0 as an f32 and -0.5 as an f16; integers that
// are computed with are others' codes.
// CHECK-LABEL: func.func @floats_a_code(
// CHECK-SAME:    %[[F:arg[0-9]*]]: f32, %[[H:arg[0-9]*]]: f16) attributes {cpu.shared}
// CHECK:         arith.mulf %{{.*}}, %[[F]]
// CHECK:         memref.store %[[H]]
// CHECK:         code = @floats_a_code, sizes = [1073741824, 47104]
// CHECK:         code = @floats_a_code, sizes = [1065353216, 0]
// CHECK-NOT:     code =
func.func @floats_a(%x: memref<8xf32>, %y: memref<8xf16>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %f = arith.constant 2.0 : f32
  %h = arith.constant -0.5 : f16
  %v = memref.load %x[%begin] : memref<8xf32>
  %p = arith.mulf %v, %f : f32
  memref.store %p, %x[%begin] : memref<8xf32>
  memref.store %h, %y[%begin] : memref<8xf16>
  return
}
func.func @floats_b(%x: memref<8xf32>, %y: memref<8xf16>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %f = arith.constant 1.0 : f32
  %h = arith.constant 0.0 : f16
  %v = memref.load %x[%begin] : memref<8xf32>
  %p = arith.mulf %v, %f : f32
  memref.store %p, %x[%begin] : memref<8xf32>
  memref.store %h, %y[%begin] : memref<8xf16>
  return
}
func.func @integers_a(%x: memref<8xi32>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %n = arith.constant 3 : i32
  memref.store %n, %x[%begin] : memref<8xi32>
  return
}
func.func @integers_b(%x: memref<8xi32>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %n = arith.constant 4 : i32
  memref.store %n, %x[%begin] : memref<8xi32>
  return
}

// -----

// A loop over nothing may divide by 0.
// CHECK-LABEL: func.func @empty_a_code(
// CHECK:         arith.divui %{{.*}}, %c0
func.func @empty_a(%x: memref<8xindex>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %q = arith.divui %begin, %c0 : index
  %r = arith.remui %q, %c7 : index
  memref.store %r, %x[%r] : memref<8xindex>
  return
}
func.func @empty_b(%x: memref<8xindex>, %begin: index, %end: index, %s: memref<0xi8>) attributes {kernel.emitted = #cpu.kernel<chunks = 1, scratch = 0>} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %q = arith.divui %begin, %c0 : index
  %r = arith.remui %q, %c5 : index
  memref.store %r, %x[%r] : memref<8xindex>
  return
}
