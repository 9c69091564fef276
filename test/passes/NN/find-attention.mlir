// Forms of attention that models write.
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(canonicalize,nn-find-attention{force=true},canonicalize,cse))' | FileCheck %s --implicit-check-not=nn.softmax
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-attention))' | FileCheck %s --check-prefix=NO-KERNEL --implicit-check-not=nn.attention
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-attention{force=true policy=torch-cuda}))' | FileCheck %s --check-prefix=NO-KERNEL --implicit-check-not=nn.attention
// NO-KERNEL: nn.softmax

// A factor behind the product, and keys that were transposed for it.
// CHECK-LABEL: func.func @plain
// CHECK:       nn.attention %arg0, %arg1, %arg2 scale(2.500000e-01) :
func.func @plain(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %c = nn.constant dense<0.25> : tensor<2x3x4x5xf32>
  %t = nn.transpose %k [0, 1, 3, 2] : tensor<2x3x5x8xf32> -> tensor<2x3x8x5xf32>
  %0 = nn.matmul %q, %t : tensor<2x3x4x8xf32>, tensor<2x3x8x5xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.mul %0, %c : tensor<2x3x4x5xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x4x5xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}

// A divisor, and factors of both operands, through reshapes.
// CHECK-LABEL: func.func @scales
// CHECK:       nn.attention %arg0, %arg1, %arg2 scale(-1.250000e-01) :
func.func @scales(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %h = nn.constant dense<0.5> : tensor<2x3x4x8xf32>
  %m = nn.constant dense<-0.5> : tensor<2x3x8x5xf32>
  %d = nn.constant dense<2.0> : tensor<2x3x4x5xf32>
  %r = nn.reshape %k : tensor<2x3x5x8xf32> -> tensor<6x5x8xf32>
  %t = nn.transpose %r [0, 2, 1] : tensor<6x5x8xf32> -> tensor<6x8x5xf32>
  %s = nn.reshape %t : tensor<6x8x5xf32> -> tensor<2x3x8x5xf32>
  %a = nn.mul %h, %q : tensor<2x3x4x8xf32>
  %b = nn.mul %s, %m : tensor<2x3x8x5xf32>
  %0 = nn.matmul %a, %b : tensor<2x3x4x8xf32>, tensor<2x3x8x5xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.div %0, %d : tensor<2x3x4x5xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x4x5xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}

// Three axes are heads of one sample each.
// CHECK-LABEL: func.func @three_axes
// CHECK:       %[[Q:.*]] = nn.reshape %arg0 : tensor<6x4x8xf32> -> tensor<6x1x4x8xf32>
// CHECK:       nn.attention %[[Q]], %{{.*}}, %{{.*}} scale(1.000000e+00) : {{.*}} -> tensor<6x1x4x6xf32>
func.func @three_axes(%q: tensor<6x4x8xf32>, %k: tensor<6x5x8xf32>, %v: tensor<6x6x5xf32>) -> tensor<6x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<6x4x8xf32>, tensor<6x5x8xf32> -> tensor<6x4x5xf32>
  %1 = nn.softmax %0 axis(2) : tensor<6x4x5xf32>
  %2 = nn.matmul %1, %v transpose_rhs : tensor<6x4x5xf32>, tensor<6x6x5xf32> -> tensor<6x4x6xf32>
  return %2 : tensor<6x4x6xf32>
}

// Four axes between products of three: batch and heads are those of the mask.
// CHECK-LABEL: func.func @joined_heads
// CHECK:       nn.attention %{{.*}}, %{{.*}}, %{{.*}} mask %arg3 : tensor<2x1x1x5xf32> scale(1.000000e+00) : {{.*}} -> tensor<2x3x4x6xf32>
func.func @joined_heads(%q: tensor<6x4x8xf32>, %k: tensor<6x5x8xf32>, %v: tensor<6x5x6xf32>, %m: tensor<2x1x1x5xf32>) -> tensor<6x4x6xf32> {
  %b = nn.broadcast %m axes [0, 1, 2, 3] : tensor<2x1x1x5xf32> -> tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<6x4x8xf32>, tensor<6x5x8xf32> -> tensor<6x4x5xf32>
  %1 = nn.reshape %0 : tensor<6x4x5xf32> -> tensor<2x3x4x5xf32>
  %2 = nn.add %1, %b : tensor<2x3x4x5xf32>
  %3 = nn.softmax %2 axis(3) : tensor<2x3x4x5xf32>
  %4 = nn.reshape %3 : tensor<2x3x4x5xf32> -> tensor<6x4x5xf32>
  %5 = nn.matmul %4, %v : tensor<6x4x5xf32>, tensor<6x5x6xf32> -> tensor<6x4x6xf32>
  return %5 : tensor<6x4x6xf32>
}

// Windows of samples have masks of their own (Swin): six samples of two heads,
// three windows to an image.
// CHECK-LABEL: func.func @windows
// CHECK:       %[[W:.*]] = nn.reshape %arg4 : tensor<3x5x5xf32> -> tensor<1x3x1x5x5xf32>
// CHECK:       %[[A:.*]] = nn.broadcast %[[W]] axes [0, 1, 2, 3, 4] : tensor<1x3x1x5x5xf32> -> tensor<2x3x1x5x5xf32>
// CHECK:       %[[M:.*]] = nn.reshape %[[A]] : tensor<2x3x1x5x5xf32> -> tensor<6x1x5x5xf32>
// CHECK:       %[[B:.*]] = nn.reshape %arg3 : tensor<2x5x5xf32> -> tensor<1x2x5x5xf32>
// CHECK:       %[[S:.*]] = nn.add
// CHECK:       nn.attention %arg0, %arg1, %arg2 mask %[[S]] : tensor<6x2x5x5xf32>
func.func @windows(%q: tensor<6x2x5x8xf32>, %k: tensor<6x2x5x8xf32>, %v: tensor<6x2x5x8xf32>, %p: tensor<2x5x5xf32>, %m: tensor<3x5x5xf32>) -> tensor<6x2x5x8xf32> {
  %b = nn.broadcast %p axes [1, 2, 3] : tensor<2x5x5xf32> -> tensor<6x2x5x5xf32>
  %w = nn.broadcast %m axes [1, 3, 4] : tensor<3x5x5xf32> -> tensor<2x3x2x5x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<6x2x5x8xf32>, tensor<6x2x5x8xf32> -> tensor<6x2x5x5xf32>
  %1 = nn.add %0, %b : tensor<6x2x5x5xf32>
  %2 = nn.reshape %1 : tensor<6x2x5x5xf32> -> tensor<2x3x2x5x5xf32>
  %3 = nn.add %2, %w : tensor<2x3x2x5x5xf32>
  %4 = nn.reshape %3 : tensor<2x3x2x5x5xf32> -> tensor<6x2x5x5xf32>
  %5 = nn.softmax %4 axis(3) : tensor<6x2x5x5xf32>
  %6 = nn.matmul %5, %v : tensor<6x2x5x5xf32>, tensor<6x2x5x8xf32> -> tensor<6x2x5x8xf32>
  return %6 : tensor<6x2x5x8xf32>
}

// A triangle that is constant, where true hides (GPT of a buffer).
// CHECK-LABEL: func.func @constant_triangle
// CHECK:       nn.attention %arg0, %arg1, %arg2 scale(1.000000e+00) causal :
func.func @constant_triangle(%q: tensor<2x3x3x8xf32>, %k: tensor<2x3x3x8xf32>, %v: tensor<2x3x3x6xf32>) -> tensor<2x3x3x6xf32> {
  %t = nn.constant dense<[[false, true, true], [false, false, true], [false, false, false]]> : tensor<3x3xi1>
  %f = nn.constant dense<0xFF800000> : tensor<2x3x3x3xf32>
  %b = nn.broadcast %t axes [2, 3] : tensor<3x3xi1> -> tensor<2x3x3x3xi1>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x3x8xf32>, tensor<2x3x3x8xf32> -> tensor<2x3x3x3xf32>
  %1 = nn.select %b, %f, %0 : tensor<2x3x3x3xi1>, tensor<2x3x3x3xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x3x3xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x3x3xf32>, tensor<2x3x3x6xf32> -> tensor<2x3x3x6xf32>
  return %3 : tensor<2x3x3x6xf32>
}

// A triangle of numbers that are added, with a window.
// CHECK-LABEL: func.func @triangle_of_numbers
// CHECK:       nn.attention %arg0, %arg1, %arg2 scale(1.000000e+00) causal window(2) :
func.func @triangle_of_numbers(%q: tensor<2x3x3x8xf32>, %k: tensor<2x3x3x8xf32>, %v: tensor<2x3x3x6xf32>) -> tensor<2x3x3x6xf32> {
  %t = nn.constant dense<[[0.0, -1.0e4, -1.0e4], [0.0, 0.0, -1.0e4], [-1.0e4, 0.0, 0.0]]> : tensor<3x3xf32>
  %b = nn.broadcast %t axes [2, 3] : tensor<3x3xf32> -> tensor<2x3x3x3xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x3x8xf32>, tensor<2x3x3x8xf32> -> tensor<2x3x3x3xf32>
  %1 = nn.add %b, %0 : tensor<2x3x3x3xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x3x3xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x3x3xf32>, tensor<2x3x3x6xf32> -> tensor<2x3x3x6xf32>
  return %3 : tensor<2x3x3x6xf32>
}

// Positions that are compared (exported is_causal with sliding window).
// CHECK-LABEL: func.func @positions
// CHECK:       nn.attention %arg0, %arg1, %arg2 scale(1.000000e+00) causal window(3) :
func.func @positions(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %i = nn.iota axis(0) : tensor<4xi64>
  %j = nn.iota axis(1) : tensor<4x5xi64>
  %w = nn.constant dense<-2> : tensor<2x3x4x5xi64>
  %no = nn.constant dense<false> : tensor<2x3x4x5xi1>
  %f = nn.constant dense<-3.4028234e38> : tensor<2x3x4x5xf32>
  %a = nn.broadcast %i axes [2] : tensor<4xi64> -> tensor<2x3x4x5xi64>
  %b = nn.broadcast %j axes [2, 3] : tensor<4x5xi64> -> tensor<2x3x4x5xi64>
  %c = nn.compare le %b, %a : tensor<2x3x4x5xi64> -> tensor<2x3x4x5xi1>
  %d = nn.sub %b, %a : tensor<2x3x4x5xi64>
  %e = nn.compare ge %d, %w : tensor<2x3x4x5xi64> -> tensor<2x3x4x5xi1>
  %m = nn.select %c, %e, %no : tensor<2x3x4x5xi1>, tensor<2x3x4x5xi1>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.select %m, %0, %f : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x4x5xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}

// A bool mask with -inf chooses; rows that it leaves no key are NaN here, and 0
// as nn.attention.
// CHECK-LABEL: func.func @bool_mask
// CHECK:       %[[M:.*]] = nn.cast %arg3 : tensor<2x1x1x5xi64> -> tensor<2x1x1x5xi1>
// CHECK:       nn.attention %arg0, %arg1, %arg2 mask %[[M]] : tensor<2x1x1x5xi1> scale(1.000000e+00) :
func.func @bool_mask(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x1x1x5xi64>) -> tensor<2x3x4x6xf32> {
  %f = nn.constant dense<0xFF800000> : tensor<2x3x4x5xf32>
  %c = nn.cast %m : tensor<2x1x1x5xi64> -> tensor<2x1x1x5xi1>
  %b = nn.broadcast %c axes [0, 1, 2, 3] : tensor<2x1x1x5xi1> -> tensor<2x3x4x5xi1>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.select %b, %0, %f : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x4x5xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}

// A row without keys that is looked after (exported masks): zeros, as the op
// has them. Mask and triangle are told apart.
// CHECK-LABEL: func.func @empty_rows
// CHECK:       nn.attention %arg0, %arg1, %arg2 mask %{{.*}} : tensor<2x1x4x5xi1> scale(1.000000e+00) causal :
// CHECK-NEXT:  return
func.func @empty_rows(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x4x5xi64>) -> tensor<2x3x4x6xf32> {
  %f = nn.constant dense<0xFF800000> : tensor<2x3x4x5xf32>
  %z = nn.constant dense<0.0> : tensor<2x3x4x5xf32>
  %no = nn.constant dense<false> : tensor<2x3x4x5xi1>
  %i = nn.iota axis(2) : tensor<2x3x4x5xi64>
  %j = nn.iota axis(3) : tensor<2x3x4x5xi64>
  %t = nn.compare ge %i, %j : tensor<2x3x4x5xi64> -> tensor<2x3x4x5xi1>
  %c = nn.cast %m : tensor<2x4x5xi64> -> tensor<2x4x5xi1>
  %b = nn.broadcast %c axes [0, 2, 3] : tensor<2x4x5xi1> -> tensor<2x3x4x5xi1>
  %a = nn.select %b, %t, %no : tensor<2x3x4x5xi1>, tensor<2x3x4x5xi1>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.select %a, %0, %f : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  %r = nn.select %a, %z, %f : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  %x = nn.reduce_max %r axes [3] : tensor<2x3x4x5xf32> -> tensor<2x3x4xf32>
  %y = nn.broadcast %x axes [0, 1, 2] : tensor<2x3x4xf32> -> tensor<2x3x4x5xf32>
  %e = nn.compare eq %y, %f : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xi1>
  %2 = nn.select %e, %z, %1 : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  %3 = nn.softmax %2 axis(3) : tensor<2x3x4x5xf32>
  %4 = nn.select %e, %z, %3 : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  %5 = nn.matmul %4, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %5 : tensor<2x3x4x6xf32>
}

// Keys and values that are repeated for two heads each (Llama).
// CHECK-LABEL: func.func @grouped
// CHECK:       nn.attention %arg0, %arg1, %arg2 scale(5.000000e-01) : tensor<2x4x4x8xf32>, tensor<2x2x5x8xf32>, tensor<2x2x5x6xf32>
func.func @grouped(%q: tensor<2x4x4x8xf32>, %k: tensor<2x2x5x8xf32>, %v: tensor<2x2x5x6xf32>) -> tensor<2x4x4x6xf32> {
  %h = nn.constant dense<0.5> : tensor<2x4x4x5xf32>
  %kr = nn.broadcast %k axes [0, 1, 3, 4] : tensor<2x2x5x8xf32> -> tensor<2x2x2x5x8xf32>
  %kh = nn.reshape %kr : tensor<2x2x2x5x8xf32> -> tensor<2x4x5x8xf32>
  %kt = nn.transpose %kh [0, 1, 3, 2] : tensor<2x4x5x8xf32> -> tensor<2x4x8x5xf32>
  %v1 = nn.reshape %v : tensor<2x2x5x6xf32> -> tensor<2x2x1x5x6xf32>
  %vr = nn.broadcast %v1 axes [0, 1, 2, 3, 4] : tensor<2x2x1x5x6xf32> -> tensor<2x2x2x5x6xf32>
  %vh = nn.reshape %vr : tensor<2x2x2x5x6xf32> -> tensor<2x4x5x6xf32>
  %0 = nn.matmul %q, %kt : tensor<2x4x4x8xf32>, tensor<2x4x8x5xf32> -> tensor<2x4x4x5xf32>
  %1 = nn.mul %0, %h : tensor<2x4x4x5xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x4x4x5xf32>
  %3 = nn.matmul %2, %vh : tensor<2x4x4x5xf32>, tensor<2x4x5x6xf32> -> tensor<2x4x4x6xf32>
  return %3 : tensor<2x4x4x6xf32>
}

// Two masks that are added: one of positions (T5), one a sum at small size.
// CHECK-LABEL: func.func @two_masks
// CHECK:       %[[S:.*]] = nn.add {{.*}} tensor<2x3x4x5xf32>
// CHECK:       nn.attention %arg0, %arg1, %arg2 mask %[[S]] : tensor<2x3x4x5xf32> scale(1.000000e+00) :
func.func @two_masks(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %p: tensor<3x4x5xf32>, %m: tensor<2x5xf32>) -> tensor<2x3x4x6xf32> {
  %a = nn.broadcast %p axes [1, 2, 3] : tensor<3x4x5xf32> -> tensor<2x3x4x5xf32>
  %b = nn.broadcast %m axes [0, 3] : tensor<2x5xf32> -> tensor<2x3x4x5xf32>
  %c = nn.add %a, %b : tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.add %0, %c : tensor<2x3x4x5xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x4x5xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}

// Scores that the model computes in 16 bits and widens for the softmax.
// CHECK-LABEL: func.func @casts
// CHECK:       nn.attention %arg0, %arg1, %arg2 scale(1.000000e+00) : {{.*}} -> tensor<2x3x4x6xf16>, tensor<2x3x4xf32>
func.func @casts(%q: tensor<2x3x4x8xf16>, %k: tensor<2x3x5x8xf16>, %v: tensor<2x3x5x6xf16>) -> tensor<2x3x4x6xf16> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf16>, tensor<2x3x5x8xf16> -> tensor<2x3x4x5xf16>
  %1 = nn.cast %0 : tensor<2x3x4x5xf16> -> tensor<2x3x4x5xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x4x5xf32>
  %3 = nn.cast %2 : tensor<2x3x4x5xf32> -> tensor<2x3x4x5xf16>
  %4 = nn.matmul %3, %v : tensor<2x3x4x5xf16>, tensor<2x3x5x6xf16> -> tensor<2x3x4x6xf16>
  return %4 : tensor<2x3x4x6xf16>
}

// A number that leaves no digit of the scores that it replaces is added to them:
// a row without other keys has one weight for all.
// CHECK-LABEL: func.func @low_number
// CHECK:       %[[F:.*]] = nn.constant dense<-3.40282347E+38> : tensor<2x1x1x5xf32>
// CHECK:       %[[M:.*]] = nn.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x1x1x5xi1>, tensor<2x1x1x5xf32>
// CHECK:       nn.attention %arg0, %arg1, %arg2 mask %[[M]] : tensor<2x1x1x5xf32> scale(5.000000e-01) :
func.func @low_number(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x5xi64>) -> tensor<2x3x4x6xf32> {
  %f = nn.constant dense<-3.4028234e38> : tensor<2x3x4x5xf32>
  %h = nn.constant dense<0.5> : tensor<2x3x4x5xf32>
  %c = nn.cast %m : tensor<2x5xi64> -> tensor<2x5xi1>
  %b = nn.broadcast %c axes [0, 3] : tensor<2x5xi1> -> tensor<2x3x4x5xi1>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %s = nn.mul %0, %h : tensor<2x3x4x5xf32>
  %1 = nn.select %b, %f, %s : tensor<2x3x4x5xi1>, tensor<2x3x4x5xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x4x5xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}

// The same number in a sum with what is learnt (T5 with padding).
// CHECK-LABEL: func.func @low_addend
// CHECK:       nn.attention %arg0, %arg1, %arg2 mask %{{.*}} : tensor<2x3x4x5xf32> scale(1.000000e+00) :
func.func @low_addend(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %p: tensor<3x4x5xf32>, %n: tensor<2x5xi64>) -> tensor<2x3x4x6xf32> {
  %z = nn.constant dense<0.0> : tensor<2x5xf32>
  %m = nn.cast %n : tensor<2x5xi64> -> tensor<2x5xi1>
  %f = nn.constant dense<-3.4028234e38> : tensor<2x5xf32>
  %s = nn.select %m, %z, %f : tensor<2x5xi1>, tensor<2x5xf32>
  %a = nn.broadcast %p axes [1, 2, 3] : tensor<3x4x5xf32> -> tensor<2x3x4x5xf32>
  %b = nn.broadcast %s axes [0, 3] : tensor<2x5xf32> -> tensor<2x3x4x5xf32>
  %c = nn.add %a, %b : tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.add %0, %c : tensor<2x3x4x5xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x4x5xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}

// A factor makes it low: what is 0 for keys and 1 for padding (older BERT).
// CHECK-LABEL: func.func @low_factor
// CHECK:       nn.attention %arg0, %arg1, %arg2 mask %{{.*}} : tensor<2x1x1x5xf32> scale(1.000000e+00) :
func.func @low_factor(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x5xf32>) -> tensor<2x3x4x6xf32> {
  %f = nn.constant dense<-1.0e4> : tensor<2x5xf32>
  %s = nn.mul %m, %f : tensor<2x5xf32>
  %b = nn.broadcast %s axes [0, 3] : tensor<2x5xf32> -> tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.add %0, %b : tensor<2x3x4x5xf32>
  %2 = nn.softmax %1 axis(3) : tensor<2x3x4x5xf32>
  %3 = nn.matmul %2, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}

// Weights that are dropped at random; one op more drops nothing, as in an
// evaluation.
// CHECK-LABEL: func.func @dropout
// CHECK:       nn.attention %arg0, %arg1, %{{.*}} scale(1.000000e+00) dropout(2.500000e-01) stream 1 key(%arg3, %arg4, %arg3 : tensor<i64>, tensor<2xi64>, tensor<i64>) :
func.func @dropout(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x70x8xf32>, %v: tensor<6x70x6xf32>, %n: tensor<i64>, %c: tensor<2xi64>) -> tensor<6x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x70x8xf32> -> tensor<2x3x4x70xf32>
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x70xf32>
  %r = nn.reshape %1 : tensor<2x3x4x70xf32> -> tensor<6x4x70xf32>
  %d = nn.dropout %r ratio 0.25 stream 1 key(%n, %c, %n : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<6x4x70xf32>
  %e = nn.dropout %d ratio 0.5 stream 0 : tensor<6x4x70xf32>
  %2 = nn.matmul %e, %v : tensor<6x4x70xf32>, tensor<6x70x6xf32> -> tensor<6x4x6xf32>
  return %2 : tensor<6x4x6xf32>
}

// Scores that are bounded before a mask is added (Gemma 2).
// CHECK-LABEL: func.func @capped
// CHECK:       nn.attention %arg0, %arg1, %arg2 mask %arg3 : tensor<2x1x1x5xf32> scale(5.000000e-01) softcap(4.000000e+00) :
func.func @capped(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>, %m: tensor<2x1x1x5xf32>) -> tensor<2x3x4x6xf32> {
  %h = nn.constant dense<0.5> : tensor<2x3x4x5xf32>
  %c = nn.constant dense<4.0> : tensor<2x3x4x5xf32>
  %b = nn.broadcast %m axes [0, 1, 2, 3] : tensor<2x1x1x5xf32> -> tensor<2x3x4x5xf32>
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32>
  %1 = nn.mul %0, %h : tensor<2x3x4x5xf32>
  %2 = nn.div %1, %c : tensor<2x3x4x5xf32>
  %3 = nn.tanh %2 : tensor<2x3x4x5xf32>
  %4 = nn.mul %3, %c : tensor<2x3x4x5xf32>
  %5 = nn.add %4, %b : tensor<2x3x4x5xf32>
  %6 = nn.softmax %5 axis(3) : tensor<2x3x4x5xf32>
  %7 = nn.matmul %6, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %7 : tensor<2x3x4x6xf32>
}
