// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(kernel-lower-bodies,kernel-fuse))' 2>&1 >/dev/null | FileCheck %s --implicit-check-not='remark: '
// What is stored for another kernel, from 1 MiB on, is said with the reason.

// CHECK: :[[#@LINE+7]]:{{[0-9]+}}: remark: 1048576 bytes are stored for another kernel: the two run over no common space
// CHECK: :[[#@LINE+7]]:{{[0-9]+}}: note: which reads them here
// CHECK: :[[#@LINE+6]]:{{[0-9]+}}: remark: 1048576 bytes are stored for another kernel: no schedule runs the stages of the two
// CHECK: :[[#@LINE+6]]:{{[0-9]+}}: note: which reads them here
// CHECK: :[[#@LINE+3]]:{{[0-9]+}}: remark: 1048576 bytes are stored for another kernel: another kernel comes between them
// CHECK: :[[#@LINE+5]]:{{[0-9]+}}: note: which reads them here
func.func @between(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %tanh = nn.tanh %x : tensor<512x512xf32>
  %product = nn.matmul %x, %tanh : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  %soft = nn.softmax %product axis(1) : tensor<512x512xf32>
  %sum = nn.add %tanh, %soft : tensor<512x512xf32>
  return %sum : tensor<512x512xf32>
}

// CHECK: remark: 1048576 bytes are stored for another kernel: the two run over no common space
// CHECK: remark: 1048576 bytes are stored for another kernel: the two run over no common space
// CHECK: remark: 1048576 bytes are stored for another kernel: one kernel would keep more where most memory is live
// CHECK: remark: 2097152 bytes are stored for another kernel: the two run over no common space
func.func @wider(%x: tensor<512x1024xf32>, %y: tensor<1024x1024xbf16>, %z: tensor<1024x1024xbf16>, %v: tensor<1024x8xf32>) -> (tensor<512x1024xf32>, tensor<512x8xf32>) {
  %tanh = nn.tanh %x : tensor<512x1024xf32>
  %kept = nn.cast %tanh : tensor<512x1024xf32> -> tensor<512x1024xbf16>
  %back = nn.matmul %kept, %z : tensor<512x1024xbf16>, tensor<1024x1024xbf16> -> tensor<512x1024xbf16>
  %big = nn.matmul %back, %y : tensor<512x1024xbf16>, tensor<1024x1024xbf16> -> tensor<512x1024xbf16>
  %other = nn.cast %big : tensor<512x1024xbf16> -> tensor<512x1024xf32>
  %wide = nn.cast %kept : tensor<512x1024xbf16> -> tensor<512x1024xf32>
  %exp = nn.exp %wide : tensor<512x1024xf32>
  %last = nn.matmul %exp, %v : tensor<512x1024xf32>, tensor<1024x8xf32> -> tensor<512x8xf32>
  return %other, %last : tensor<512x1024xf32>, tensor<512x8xf32>
}

// The square is computed by the kernel of its sum, to which it has moved, and reads what the product's kernel stores.
// CHECK: :[[#@LINE+4]]:{{[0-9]+}}: remark: 1048576 bytes are stored for another kernel: no schedule runs the stages of the two
// CHECK: :[[#@LINE+4]]:{{[0-9]+}}: note: which reads them here
func.func @moved(%x: tensor<512x8xf32>, %w: tensor<8x512xf32>, %y: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512xf32>) {
  %product = nn.matmul %x, %w : tensor<512x8xf32>, tensor<8x512xf32> -> tensor<512x512xf32>
  %difference = nn.sub %product, %y : tensor<512x512xf32>
  %square = nn.mul %difference, %difference : tensor<512x512xf32>
  %sum = nn.reduce_sum %square axes [0] : tensor<512x512xf32> -> tensor<512xf32>
  return %difference, %sum : tensor<512x512xf32>, tensor<512xf32>
}

// Less is not worth a word.
func.func @small(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %tanh = nn.tanh %x : tensor<64x64xf32>
  %product = nn.matmul %x, %tanh : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %product : tensor<64x64xf32>
}
