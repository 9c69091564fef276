// A residual behind a linear layer is added by the normalization that reads it, where a library may compute products that
// have no more than a bias behind them; elsewhere by the kernel of the product, which moves as many bytes.
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cuda-attach-target{arch=90},func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s --check-prefixes=CHECK,LIBRARY
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cuda-attach-target{arch=90 exact=true},func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s --check-prefixes=CHECK,KERNEL
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s --check-prefix=CPU

// The stream goes on: what comes later reads it from there too.
// CHECK-LABEL: func.func @residual
// LIBRARY: kernel.group -> tensor<64x128xbf16> {
// LIBRARY: ["parallel", "parallel", "reduction"]
// LIBRARY: arith.truncf
// LIBRARY: kernel.return
// LIBRARY: kernel.group -> tensor<64x128xf32>, tensor<64x128xf32> {
// LIBRARY: arith.addf
// LIBRARY: ["parallel", "reduction"]
// LIBRARY: kernel.return
// KERNEL: kernel.group -> tensor<64x128xf32> {
// KERNEL: ["parallel", "parallel", "reduction"]
// KERNEL: arith.truncf
// KERNEL: arith.addf
// KERNEL: kernel.return
// KERNEL: ["parallel", "reduction"]
// CPU-LABEL: func.func @residual
// CPU: ["parallel", "parallel", "reduction"]
// CPU: arith.truncf
// CPU: arith.addf
// CPU: kernel.return
// CPU: ["parallel", "reduction"]
func.func @residual(%x: tensor<64x256xbf16>, %w: tensor<256x128xbf16>, %stream: tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64x128xf32>) {
  %product = nn.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  %wide = nn.cast %product : tensor<64x128xbf16> -> tensor<64x128xf32>
  %next = nn.add %wide, %stream : tensor<64x128xf32>
  %sum = nn.reduce_sum %next axes [1] : tensor<64x128xf32> -> tensor<64xf32>
  %all = nn.broadcast %sum axes [0] : tensor<64xf32> -> tensor<64x128xf32>
  %later = nn.matmul %all, %next transpose_rhs : tensor<64x128xf32>, tensor<64x128xf32> -> tensor<64x64xf32>
  %end = nn.reduce_sum %later axes [1] : tensor<64x64xf32> -> tensor<64xf32>
  return %end, %next : tensor<64xf32>, tensor<64x128xf32>
}

// Factors of f32 are no product of the library.
// CHECK-LABEL: func.func @in_f32
// CHECK: kernel.group -> tensor<64x128xf32> {
// CHECK: ["parallel", "parallel", "reduction"]
// CHECK: arith.addf
// CHECK: kernel.return
// CHECK: ["parallel", "reduction"]
func.func @in_f32(%x: tensor<64x256xf32>, %w: tensor<256x128xf32>, %stream: tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64x128xf32>) {
  %product = nn.matmul %x, %w : tensor<64x256xf32>, tensor<256x128xf32> -> tensor<64x128xf32>
  %next = nn.add %product, %stream : tensor<64x128xf32>
  %sum = nn.reduce_sum %next axes [1] : tensor<64x128xf32> -> tensor<64xf32>
  return %sum, %next : tensor<64xf32>, tensor<64x128xf32>
}

// The kernel that would add must not wait for another one that reads the sum: here that of the second product does.
// CHECK-LABEL: func.func @waits
// CHECK: kernel.group -> tensor<64x128xf32> {
// CHECK: ["parallel", "parallel", "reduction"]
// CHECK: arith.addf
// CHECK: kernel.return
func.func @waits(%x: tensor<64x256xbf16>, %w: tensor<256x128xbf16>, %stream: tensor<64x128xf32>, %u: tensor<128x128xf32>) -> tensor<64xf32> {
  %product = nn.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  %wide = nn.cast %product : tensor<64x128xbf16> -> tensor<64x128xf32>
  %next = nn.add %wide, %stream : tensor<64x128xf32>
  %second = nn.matmul %next, %u : tensor<64x128xf32>, tensor<128x128xf32> -> tensor<64x128xf32>
  %both = nn.mul %second, %next : tensor<64x128xf32>
  %sum = nn.reduce_sum %both axes [1] : tensor<64x128xf32> -> tensor<64xf32>
  return %sum : tensor<64xf32>
}

// One that reads it in its region comes later, too.
// CHECK-LABEL: func.func @picked
// LIBRARY: kernel.group -> tensor<64x128xbf16> {
// LIBRARY: ["parallel", "parallel", "reduction"]
// LIBRARY: kernel.return
// LIBRARY: arith.addf
// LIBRARY: ["parallel", "reduction"]
// LIBRARY: tensor.extract
func.func @picked(%x: tensor<64x256xbf16>, %w: tensor<256x128xbf16>, %stream: tensor<64x128xf32>, %rows: tensor<5xi64>) -> (tensor<64xf32>, tensor<5x128xf32>) {
  %product = nn.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  %wide = nn.cast %product : tensor<64x128xbf16> -> tensor<64x128xf32>
  %next = nn.add %wide, %stream : tensor<64x128xf32>
  %sum = nn.reduce_sum %next axes [1] : tensor<64x128xf32> -> tensor<64xf32>
  %picked = nn.gather %next, %rows axis(0) : tensor<64x128xf32>, tensor<5xi64> -> tensor<5x128xf32>
  return %sum, %picked : tensor<64xf32>, tensor<5x128xf32>
}

// A stream of 16 bits that is read again later would be moved once more.
// CHECK-LABEL: func.func @narrow
// CHECK: kernel.group -> tensor<64x128xbf16> {
// CHECK: ["parallel", "parallel", "reduction"]
// CHECK: arith.addf
// CHECK: kernel.return
// CHECK: ["parallel", "reduction"]
func.func @narrow(%x: tensor<64x256xbf16>, %w: tensor<256x128xbf16>, %stream: tensor<64x128xbf16>) -> (tensor<64xbf16>, tensor<64x128xbf16>) {
  %product = nn.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  %next = nn.add %product, %stream : tensor<64x128xbf16>
  %sum = nn.reduce_sum %next axes [1] : tensor<64x128xbf16> -> tensor<64xbf16>
  return %sum, %next : tensor<64xbf16>, tensor<64x128xbf16>
}

// Nor may a kernel add that reads it first and, in the end, what another one makes of it.
// CHECK-LABEL: func.func @in_the_end
// CHECK: kernel.group -> tensor<64x128xf32> {
// CHECK: ["parallel", "parallel", "reduction"]
// CHECK: arith.addf
// CHECK: kernel.return
// CHECK: ["parallel", "parallel", "reduction"]
// CHECK: kernel.group -> tensor<64xf32> {
// CHECK: ["parallel", "reduction"]
// CHECK: ["parallel", "reduction"]
// CHECK: kernel.return
func.func @in_the_end(%x: tensor<64x256xbf16>, %w: tensor<256x128xbf16>, %stream: tensor<64x128xf32>, %u: tensor<128x128xf32>) -> tensor<64xf32> {
  %product = nn.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  %cast = nn.cast %product : tensor<64x128xbf16> -> tensor<64x128xf32>
  %next = nn.add %cast, %stream : tensor<64x128xf32>
  %first = nn.reduce_sum %next axes [1] : tensor<64x128xf32> -> tensor<64xf32>
  %second = nn.matmul %next, %u : tensor<64x128xf32>, tensor<128x128xf32> -> tensor<64x128xf32>
  %both = nn.mul %second, %stream : tensor<64x128xf32>
  %last = nn.reduce_sum %both axes [1] : tensor<64x128xf32> -> tensor<64xf32>
  %sum = nn.add %first, %last : tensor<64xf32>
  return %sum : tensor<64xf32>
}

// Of two that read it the first one adds.
// CHECK-LABEL: func.func @twice
// LIBRARY: kernel.group -> tensor<64x128xbf16> {
// LIBRARY: kernel.return
// LIBRARY: kernel.group
// LIBRARY: arith.addf
// LIBRARY: arith.maximumf
// LIBRARY: kernel.return
func.func @twice(%x: tensor<64x256xbf16>, %w: tensor<256x128xbf16>, %stream: tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %product = nn.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  %cast = nn.cast %product : tensor<64x128xbf16> -> tensor<64x128xf32>
  %next = nn.add %cast, %stream : tensor<64x128xf32>
  %first = nn.reduce_max %next axes [1] : tensor<64x128xf32> -> tensor<64xf32>
  %second = nn.reduce_sum %next axes [1] : tensor<64x128xf32> -> tensor<64xf32>
  return %first, %second : tensor<64xf32>, tensor<64xf32>
}
