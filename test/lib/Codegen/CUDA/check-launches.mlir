// RUN: mpc-opt %s --split-input-file --verify-diagnostics --cuda-check-launches

// Aligned, apart, or element upon element where the kernel may: nothing to say.
module attributes {kernel.target = #cuda.target<arch = 90>} {
func.func private @apart(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 0, text = "", accesses = [16, 16], alone = [0], resident = 512>}
func.func private @over(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 0, text = "", accesses = [4, 4], alone = [], resident = 512>}
func.func @right(%arena: memref<256xi8>, %other: memref<256xi8>) {
  %o0 = arith.constant 16 : index
  %v0 = memref.view %arena[%o0][] : memref<256xi8> to memref<16xf32>
  %o1 = arith.constant 128 : index
  %v1 = memref.view %arena[%o1][] : memref<256xi8> to memref<16xf32>
  kernel.launch @apart ins(%v0 : memref<16xf32>) outs(%v1 : memref<16xf32>)
  return
}
func.func @in_place(%arena: memref<256xi8>, %other: memref<256xi8>) {
  %o0 = arith.constant 4 : index
  %v0 = memref.view %arena[%o0][] : memref<256xi8> to memref<16xf32>
  %o1 = arith.constant 4 : index
  %v1 = memref.view %arena[%o1][] : memref<256xi8> to memref<16xf32>
  kernel.launch @over ins(%v0 : memref<16xf32>) outs(%v1 : memref<16xf32>)
  return
}
}

// -----

// An access of 16 bytes at byte 4.
module attributes {kernel.target = #cuda.target<arch = 90>} {
func.func private @wide(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 0, text = "", accesses = [16, 16], alone = [0], resident = 512>}
func.func @misaligned(%arena: memref<256xi8>, %other: memref<256xi8>) {
  %o0 = arith.constant 4 : index
  %v0 = memref.view %arena[%o0][] : memref<256xi8> to memref<16xf32>
  %o1 = arith.constant 0 : index
  %v1 = memref.view %other[%o1][] : memref<256xi8> to memref<16xf32>
  // expected-error @below {{gives parameter #0 of kernel 'wide' byte 4 of a buffer, which its accesses of 16 bytes do not divide}}
  kernel.launch @wide ins(%v0 : memref<16xf32>) outs(%v1 : memref<16xf32>)
  return
}
}

// -----

// A result is written by its elements, so that byte 8 is right; by 16 bytes it is not.
module attributes {kernel.target = #cuda.target<arch = 90>} {
func.func private @narrow(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 0, text = "", accesses = [16, 4], alone = [0], resident = 512>}
func.func private @wide(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 0, text = "", accesses = [16, 16], alone = [0], resident = 512>}
func.func @by_elements(%arena: memref<256xi8>, %other: memref<256xi8>) {
  %o0 = arith.constant 0 : index
  %v0 = memref.view %arena[%o0][] : memref<256xi8> to memref<16xf32>
  %o1 = arith.constant 8 : index
  %v1 = memref.view %other[%o1][] : memref<256xi8> to memref<16xf32>
  kernel.launch @narrow ins(%v0 : memref<16xf32>) outs(%v1 : memref<16xf32>)
  return
}
func.func @misaligned(%arena: memref<256xi8>, %other: memref<256xi8>) {
  %o0 = arith.constant 0 : index
  %v0 = memref.view %arena[%o0][] : memref<256xi8> to memref<16xf32>
  %o1 = arith.constant 8 : index
  %v1 = memref.view %other[%o1][] : memref<256xi8> to memref<16xf32>
  // expected-error @below {{gives parameter #1 of kernel 'wide' byte 8 of a buffer, which its accesses of 16 bytes do not divide}}
  kernel.launch @wide ins(%v0 : memref<16xf32>) outs(%v1 : memref<16xf32>)
  return
}
}

// -----

// What is read as __restrict__ is written over: the second of two results.
module attributes {kernel.target = #cuda.target<arch = 90>} {
func.func private @two(tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 0, text = "", accesses = [4, 4, 4], alone = [0], resident = 512>}
func.func @overlap(%arena: memref<256xi8>, %other: memref<256xi8>) {
  %o0 = arith.constant 0 : index
  %v0 = memref.view %arena[%o0][] : memref<256xi8> to memref<16xf32>
  %o1 = arith.constant 0 : index
  %v1 = memref.view %other[%o1][] : memref<256xi8> to memref<16xf32>
  %o2 = arith.constant 60 : index
  %v2 = memref.view %arena[%o2][] : memref<256xi8> to memref<16xf32>
  // expected-error @below {{writes parameter #2 of kernel 'two' over parameter #0, which the kernel reads as __restrict__}}
  kernel.launch @two ins(%v0 : memref<16xf32>) outs(%v1, %v2 : memref<16xf32>, memref<16xf32>)
  return
}
}

// -----

// What may lie in a result's memory lies beside it.
module attributes {kernel.target = #cuda.target<arch = 90>} {
func.func private @over(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 0, text = "", accesses = [4, 4], alone = [], resident = 512>}
func.func @beside(%arena: memref<256xi8>, %other: memref<256xi8>) {
  %o0 = arith.constant 4 : index
  %v0 = memref.view %arena[%o0][] : memref<256xi8> to memref<16xf32>
  %o1 = arith.constant 0 : index
  %v1 = memref.view %arena[%o1][] : memref<256xi8> to memref<16xf32>
  // expected-error @below {{writes parameter #1 of kernel 'over' over parameter #0, which the kernel reads at other places}}
  kernel.launch @over ins(%v0 : memref<16xf32>) outs(%v1 : memref<16xf32>)
  return
}
}

// -----

// A kernel that tells of other parameters than it has, and one of accesses of nothing.
module attributes {kernel.target = #cuda.target<arch = 90>} {
func.func private @short(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 0, text = "", accesses = [16], alone = [0], resident = 512>}
func.func private @nothing(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 0, text = "", accesses = [0, 4], alone = [0], resident = 512>}
func.func @launches_short(%arena: memref<256xi8>, %other: memref<256xi8>) {
  %o0 = arith.constant 0 : index
  %v0 = memref.view %arena[%o0][] : memref<256xi8> to memref<16xf32>
  %o1 = arith.constant 0 : index
  %v1 = memref.view %other[%o1][] : memref<256xi8> to memref<16xf32>
  // expected-error @below {{has parameters other than those that kernel 'short' states}}
  kernel.launch @short ins(%v0 : memref<16xf32>) outs(%v1 : memref<16xf32>)
  return
}
func.func @launches_nothing(%arena: memref<256xi8>, %other: memref<256xi8>) {
  %o0 = arith.constant 0 : index
  %v0 = memref.view %arena[%o0][] : memref<256xi8> to memref<16xf32>
  %o1 = arith.constant 0 : index
  %v1 = memref.view %other[%o1][] : memref<256xi8> to memref<16xf32>
  // expected-error @below {{has parameters other than those that kernel 'nothing' states}}
  kernel.launch @nothing ins(%v0 : memref<16xf32>) outs(%v1 : memref<16xf32>)
  return
}
}

// -----

// A grid's first dimension has 31 bits.
module attributes {kernel.target = #cuda.target<arch = 90>} {
// expected-error @below {{kernel 'many': 2147483648 blocks are not a grid}}
func.func private @many(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 2147483648, threads = 256, shared = 0, text = "", accesses = [16, 16], alone = [0], resident = 512>}
func.func private @most(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 2147483647, threads = 256, shared = 0, text = "", accesses = [16, 16], alone = [0], resident = 512>}
}

// -----

// Shared memory, static and dynamic, and what the system keeps: 228 KiB on sm_90.
module attributes {kernel.target = #cuda.target<arch = 90>} {
func.func private @fits(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 231936, text = "", accesses = [16, 16], alone = [0], resident = 512, fixed = 512>}
// expected-error @below {{kernel 'shared': a block takes 233473 bytes of shared memory, 1024 of them for the system; sm_90 has 233472}}
func.func private @shared(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 231936, text = "", accesses = [16, 16], alone = [0], resident = 512, fixed = 513>}
}

// -----

// An sm_75 has 64 KiB, and places for 1,024 threads.
module attributes {kernel.target = #cuda.target<arch = 75>} {
func.func private @fits(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 1024, shared = 65536, text = "", accesses = [16, 16], alone = [0], resident = 1024>}
// expected-error @below {{kernel 'shared': a block takes 65540 bytes of shared memory, 0 of them for the system; sm_75 has 65536}}
func.func private @shared(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 256, shared = 65540, text = "", accesses = [16, 16], alone = [0], resident = 512>}
// expected-error @below {{kernel 'crowd': 512 threads a block, 1536 on a multiprocessor; sm_75 has places for 1024}}
func.func private @crowd(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 512, shared = 0, text = "", accesses = [16, 16], alone = [0], resident = 1536>}
}

// -----

// A block has 1,024 threads at most.
module attributes {kernel.target = #cuda.target<arch = 90>} {
// expected-error @below {{kernel 'large': 2048 threads a block, 2048 on a multiprocessor; sm_90 has places for 2048}}
func.func private @large(tensor<16xf32>, tensor<16xf32>) attributes {kernel.emitted = #cuda.kernel<blocks = 1, threads = 2048, shared = 0, text = "", accesses = [16, 16], alone = [0], resident = 2048>}
}
