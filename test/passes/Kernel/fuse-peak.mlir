// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(kernel-lower-bodies,kernel-fuse))' | FileCheck %s
// What lies on both sides of the point where most bytes are live is one kernel only where that keeps no more bytes. The
// product in the middle is that point.

// A wider copy is made where it is read, beside a product, and not where its source is.
// CHECK-LABEL: func.func @wider
// CHECK: %[[KEPT:.*]] = kernel.group -> tensor<32x32xbf16> {
// CHECK-NOT: arith.extf
// CHECK: kernel.return
// CHECK: kernel.group -> tensor<32x512xbf16> {
// CHECK: kernel.group -> tensor<32x32xf32> {
// CHECK: linalg.generic {{.*}} "reduction"]
// CHECK: linalg.generic {{.*}} ins(%[[KEPT]] : tensor<32x32xbf16>)
// CHECK: math.exp
// CHECK-NOT: kernel.group
// CHECK: return
func.func @wider(%x: tensor<32x32xf32>, %y: tensor<32x512xbf16>, %z: tensor<512x32xbf16>) -> tensor<32x32xf32> {
  %tanh = nn.tanh %x : tensor<32x32xf32>
  %kept = nn.cast %tanh : tensor<32x32xf32> -> tensor<32x32xbf16>
  %big = nn.matmul %kept, %y : tensor<32x32xbf16>, tensor<32x512xbf16> -> tensor<32x512xbf16>
  %back = nn.matmul %big, %z : tensor<32x512xbf16>, tensor<512x32xbf16> -> tensor<32x32xbf16>
  %wide = nn.cast %kept : tensor<32x32xbf16> -> tensor<32x32xf32>
  %exp = nn.exp %wide : tensor<32x32xf32>
  %product = nn.mul %wide, %exp : tensor<32x32xf32>
  %other = nn.cast %back : tensor<32x32xbf16> -> tensor<32x32xf32>
  %result = nn.mul %product, %other : tensor<32x32xf32>
  return %result : tensor<32x32xf32>
}

// A mask is kept in place of the wider sum of which it is made...
// CHECK-LABEL: func.func @mask
// CHECK: kernel.group -> tensor<32x32xbf16>, tensor<32x32xi1> {
func.func @mask(%x: tensor<32x32xf32>, %y: tensor<32x512xbf16>, %z: tensor<512x32xbf16>) -> tensor<32x32xf32> {
  %zero = nn.constant dense<0.0> : tensor<32x32xf32>
  %sum = nn.tanh %x : tensor<32x32xf32>
  %low = nn.cast %sum : tensor<32x32xf32> -> tensor<32x32xbf16>
  %big = nn.matmul %low, %y : tensor<32x32xbf16>, tensor<32x512xbf16> -> tensor<32x512xbf16>
  %back = nn.matmul %big, %z : tensor<32x512xbf16>, tensor<512x32xbf16> -> tensor<32x32xbf16>
  %mask = nn.compare gt %sum, %zero : tensor<32x32xf32> -> tensor<32x32xi1>
  %other = nn.cast %back : tensor<32x32xbf16> -> tensor<32x32xf32>
  %result = nn.select %mask, %other, %zero : tensor<32x32xi1>, tensor<32x32xf32>
  return %result : tensor<32x32xf32>
}

// ...but not in addition to it, where a later product reads the sum as well.
// CHECK-LABEL: func.func @both
// CHECK-NOT: kernel.group {{.*}}i1
// CHECK: return
func.func @both(%x: tensor<32x32xf32>, %y: tensor<32x512xf32>, %z: tensor<512x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %zero = nn.constant dense<0.0> : tensor<32x32xf32>
  %sum = nn.tanh %x : tensor<32x32xf32>
  %big = nn.matmul %sum, %y : tensor<32x32xf32>, tensor<32x512xf32> -> tensor<32x512xf32>
  %back = nn.matmul %big, %z : tensor<32x512xf32>, tensor<512x32xf32> -> tensor<32x32xf32>
  %mask = nn.compare gt %sum, %zero : tensor<32x32xf32> -> tensor<32x32xi1>
  %result = nn.select %mask, %back, %zero : tensor<32x32xi1>, tensor<32x32xf32>
  %square = nn.matmul %result, %sum : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  return %result, %square : tensor<32x32xf32>, tensor<32x32xf32>
}

// So it is where the mask is made of a wider copy, which would take more than either.
// CHECK-LABEL: func.func @chain
// CHECK: kernel.group -> tensor<32x32xbf16>, tensor<32x32xi1> {
// CHECK: arith.extf
// CHECK: arith.cmpf
func.func @chain(%x: tensor<32x32xf32>, %y: tensor<32x512xbf16>, %z: tensor<512x32xbf16>) -> tensor<32x32xf32> {
  %zero = nn.constant dense<0.0> : tensor<32x32xf32>
  %tanh = nn.tanh %x : tensor<32x32xf32>
  %low = nn.cast %tanh : tensor<32x32xf32> -> tensor<32x32xbf16>
  %big = nn.matmul %low, %y : tensor<32x32xbf16>, tensor<32x512xbf16> -> tensor<32x512xbf16>
  %back = nn.matmul %big, %z : tensor<32x512xbf16>, tensor<512x32xbf16> -> tensor<32x32xbf16>
  %wide = nn.cast %low : tensor<32x32xbf16> -> tensor<32x32xf32>
  %mask = nn.compare gt %wide, %zero : tensor<32x32xf32> -> tensor<32x32xi1>
  %other = nn.cast %back : tensor<32x32xbf16> -> tensor<32x32xf32>
  %result = nn.select %mask, %other, %zero : tensor<32x32xi1>, tensor<32x32xf32>
  return %result : tensor<32x32xf32>
}

// A few numbers are kept beside others, which costs less than a kernel.
// CHECK-LABEL: func.func @few
// CHECK: kernel.group -> tensor<4xf32>, tensor<4xf32> {
// CHECK: math.tanh
// CHECK: math.exp
func.func @few(%v: tensor<4xf32>, %x: tensor<4x64xf32>, %y: tensor<64x2048xf32>) -> (tensor<4x2048xf32>, tensor<4x2048xf32>, tensor<4xf32>) {
  %tanh = nn.tanh %v : tensor<4xf32>
  %rows = nn.broadcast %tanh axes [0] : tensor<4xf32> -> tensor<4x64xf32>
  %scaled = nn.mul %x, %rows : tensor<4x64xf32>
  %big = nn.matmul %scaled, %y : tensor<4x64xf32>, tensor<64x2048xf32> -> tensor<4x2048xf32>
  %soft = nn.softmax %big axis(1) : tensor<4x2048xf32>
  %exp = nn.exp %tanh : tensor<4xf32>
  %first = nn.broadcast %exp axes [0] : tensor<4xf32> -> tensor<4x2048xf32>
  %second = nn.broadcast %tanh axes [0] : tensor<4xf32> -> tensor<4x2048xf32>
  %a = nn.mul %soft, %first : tensor<4x2048xf32>
  %b = nn.mul %a, %second : tensor<4x2048xf32>
  return %a, %b, %exp : tensor<4x2048xf32>, tensor<4x2048xf32>, tensor<4xf32>
}

// What asks for the position of an element is no part of a contraction.
// CHECK-LABEL: func.func @drawn
// CHECK-NOT: kernel.group
// CHECK: kernel.philox
// CHECK: kernel.group -> tensor<32x32xf32> {
// CHECK: "reduction"]
// CHECK-NOT: kernel.philox
// CHECK: return
func.func @drawn(%x: tensor<32x32xf32>, %k: tensor<i64>, %c: tensor<2xi64>, %b: tensor<i64>) -> tensor<32x32xf32> {
  %dropped = nn.dropout %x ratio 1.000000e-01 stream 0 key(%k, %c, %b : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<32x32xf32>
  %product = nn.matmul %x, %x : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %sum = nn.add %product, %dropped : tensor<32x32xf32>
  return %sum : tensor<32x32xf32>
}

// The group of the product in the middle ends far behind, by a map on it. What comes between is still behind the point, and is
// not joined to the first kernel, although in front of the next one nothing else is left.
// CHECK-LABEL: func.func @far
// CHECK-NOT: kernel.group -> tensor<32x32xf32>, tensor
// CHECK: return
func.func @far(%x: tensor<32x32xf32>, %y: tensor<32x512xf32>, %z: tensor<512x32xf32>, %w: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %zero = nn.constant dense<0.0> : tensor<32x32xf32>
  %sum = nn.tanh %x : tensor<32x32xf32>
  %big = nn.matmul %sum, %y : tensor<32x32xf32>, tensor<32x512xf32> -> tensor<32x512xf32>
  %back = nn.matmul %big, %z : tensor<32x512xf32>, tensor<512x32xf32> -> tensor<32x32xf32>
  %mask = nn.compare gt %sum, %zero : tensor<32x32xf32> -> tensor<32x32xi1>
  %result = nn.select %mask, %w, %zero : tensor<32x32xi1>, tensor<32x32xf32>
  %square = nn.matmul %result, %sum : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %more = nn.exp %back : tensor<32x32xf32>
  %last = nn.matmul %more, %more : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  return %square, %last : tensor<32x32xf32>, tensor<32x32xf32>
}
