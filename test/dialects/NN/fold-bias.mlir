// RUN: mpc-opt %s --canonicalize --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

nn.parameter @b : tensor<6xf32> = <zeros>
nn.parameter @row : tensor<1x6xf32> = <zeros>
nn.parameter @h : tensor<6xf16> = <zeros>
nn.parameter @d : tensor<6xf64> = <zeros>
nn.parameter @map : tensor<4x6xf32> = <zeros>
nn.parameter @one : tensor<1xf32> = <zeros>

// As front ends write a layer of batches of rows: the sum's name stays, and
// the product's beside it.
// CHECK-LABEL: func.func @behind_a_reshape
func.func @behind_a_reshape(%x: tensor<8x5xf32>, %w: tensor<5x6xf32>) -> tensor<2x4x6xf32> {
  // CHECK:      %[[B:.*]] = nn.get @b
  // CHECK-NEXT: %[[Y:.*]] = nn.matmul %{{.*}}, %{{.*}} bias %[[B]] : tensor<6xf32> : {{.*}} loc(fused["sum", "product"])
  // CHECK-NEXT: nn.reshape %[[Y]] : tensor<8x6xf32> -> tensor<2x4x6xf32>
  // CHECK-NOT:  nn.add
  %b = nn.get @b : tensor<6xf32>
  %0 = nn.matmul %x, %w : tensor<8x5xf32>, tensor<5x6xf32> -> tensor<8x6xf32> loc("product")
  %1 = nn.reshape %0 : tensor<8x6xf32> -> tensor<2x4x6xf32>
  %2 = nn.broadcast %b axes [2] : tensor<6xf32> -> tensor<2x4x6xf32>
  %3 = nn.add %1, %2 : tensor<2x4x6xf32> loc("sum")
  return %3 : tensor<2x4x6xf32>
}

// The bias may come first, with unit axes, and behind the product.
// CHECK-LABEL: func.func @unit_axes
func.func @unit_axes(%x: tensor<2x4x5xf64>, %w: tensor<2x6x5xf64>) -> tensor<2x4x6xf64> {
  // CHECK:     %[[B:.*]] = nn.get @d
  // CHECK:     nn.matmul %{{.*}}, %{{.*}} transpose_rhs bias %[[B]] : tensor<6xf64>
  // CHECK-NOT: nn.add
  %0 = nn.matmul %x, %w transpose_rhs : tensor<2x4x5xf64>, tensor<2x6x5xf64> -> tensor<2x4x6xf64>
  %d = nn.get @d : tensor<6xf64>
  %1 = nn.reshape %d : tensor<6xf64> -> tensor<1x1x6xf64>
  %2 = nn.broadcast %1 axes [0, 1, 2] : tensor<1x1x6xf64> -> tensor<2x4x6xf64>
  %3 = nn.add %2, %0 : tensor<2x4x6xf64>
  return %3 : tensor<2x4x6xf64>
}

// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<1x5xf32>, %w: tensor<6x5xf32>) -> tensor<1x6xf32> {
  // CHECK:     %[[ROW:.*]] = nn.get @row
  // CHECK:     %[[B:.*]] = nn.reshape %[[ROW]] : tensor<1x6xf32> -> tensor<6xf32>
  // CHECK:     nn.linear %{{.*}}, %{{.*}} bias %[[B]]
  // CHECK-NOT: nn.add
  %b = nn.get @row : tensor<1x6xf32>
  %0 = nn.linear %x, %w : tensor<1x5xf32>, tensor<6x5xf32> -> tensor<1x6xf32>
  %1 = nn.add %0, %b : tensor<1x6xf32>
  return %1 : tensor<1x6xf32>
}

// A convolution's bias runs along the channels.
// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<1x3x6x6xf32>, %w: tensor<6x3x1x1xf32>) -> (tensor<1x6x6x6xf32>, tensor<1x6x6x6xf32>) {
  // CHECK: nn.conv %{{.*}}, %{{.*}} bias %{{.*}} : tensor<6xf32> strides
  %b = nn.get @b : tensor<6xf32>
  %0 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1)
      : tensor<1x3x6x6xf32>, tensor<6x3x1x1xf32> -> tensor<1x6x6x6xf32>
  %1 = nn.broadcast %b axes [1] : tensor<6xf32> -> tensor<1x6x6x6xf32>
  %2 = nn.add %0, %1 : tensor<1x6x6x6xf32>
  // CHECK: nn.conv %{{.*}}, %{{.*}} strides
  // CHECK: nn.add
  %3 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1)
      : tensor<1x3x6x6xf32>, tensor<6x3x1x1xf32> -> tensor<1x6x6x6xf32>
  %4 = nn.broadcast %b axes [3] : tensor<6xf32> -> tensor<1x6x6x6xf32>
  %5 = nn.add %3, %4 : tensor<1x6x6x6xf32>
  return %2, %5 : tensor<1x6x6x6xf32>, tensor<1x6x6x6xf32>
}

// In 16 bits the product is rounded before the bias is added.
// CHECK-LABEL: func.func @of_16_bits
func.func @of_16_bits(%x: tensor<4x5xf16>, %w: tensor<6x5xf16>) -> tensor<4x6xf16> {
  // CHECK: nn.linear %{{.*}}, %{{.*}} : tensor
  // CHECK: nn.add
  %b = nn.get @h : tensor<6xf16>
  %0 = nn.linear %x, %w : tensor<4x5xf16>, tensor<6x5xf16> -> tensor<4x6xf16>
  %1 = nn.broadcast %b axes [1] : tensor<6xf16> -> tensor<4x6xf16>
  %2 = nn.add %0, %1 : tensor<4x6xf16>
  return %2 : tensor<4x6xf16>
}

// Someone else reads the product.
// CHECK-LABEL: func.func @read_twice
func.func @read_twice(%x: tensor<4x5xf32>, %w: tensor<6x5xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  // CHECK: nn.linear %{{.*}}, %{{.*}} : tensor
  // CHECK: nn.add
  %b = nn.get @b : tensor<6xf32>
  %0 = nn.linear %x, %w : tensor<4x5xf32>, tensor<6x5xf32> -> tensor<4x6xf32>
  %1 = nn.broadcast %b axes [1] : tensor<6xf32> -> tensor<4x6xf32>
  %2 = nn.add %0, %1 : tensor<4x6xf32>
  return %0, %2 : tensor<4x6xf32>, tensor<4x6xf32>
}

// A vector that was computed, as the mask of a batch of one, may hold what 16
// bits do not.
// CHECK-LABEL: func.func @no_parameter
func.func @no_parameter(%x: tensor<4x5xf32>, %w: tensor<6x5xf32>, %mask: tensor<6xf32>) -> tensor<4x6xf32> {
  // CHECK: nn.linear %{{.*}}, %{{.*}} : tensor
  // CHECK: nn.add
  %0 = nn.linear %x, %w : tensor<4x5xf32>, tensor<6x5xf32> -> tensor<4x6xf32>
  %1 = nn.broadcast %mask axes [1] : tensor<6xf32> -> tensor<4x6xf32>
  %2 = nn.add %0, %1 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// What differs along other axes, and what is one number, is no bias.
// CHECK-LABEL: func.func @no_vector
func.func @no_vector(%x: tensor<4x5xf32>, %w: tensor<6x5xf32>) -> tensor<4x6xf32> {
  // CHECK: nn.linear %{{.*}}, %{{.*}} : tensor
  // CHECK: nn.add
  // CHECK: nn.add
  %m = nn.get @map : tensor<4x6xf32>
  %one = nn.get @one : tensor<1xf32>
  %0 = nn.linear %x, %w : tensor<4x5xf32>, tensor<6x5xf32> -> tensor<4x6xf32>
  %1 = nn.broadcast %one axes [1] : tensor<1xf32> -> tensor<4x6xf32>
  %2 = nn.add %0, %1 : tensor<4x6xf32>
  %3 = nn.add %2, %m : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// The second vector stays a sum: its rounding comes after the first one's.
// CHECK-LABEL: func.func @two_vectors
func.func @two_vectors(%x: tensor<4x5xf32>, %w: tensor<6x5xf32>) -> tensor<4x6xf32> {
  // CHECK: nn.linear %{{.*}}, %{{.*}} bias
  // CHECK: nn.add
  %b = nn.get @b : tensor<6xf32>
  %0 = nn.linear %x, %w : tensor<4x5xf32>, tensor<6x5xf32> -> tensor<4x6xf32>
  %1 = nn.broadcast %b axes [1] : tensor<6xf32> -> tensor<4x6xf32>
  %2 = nn.add %0, %1 : tensor<4x6xf32>
  %3 = nn.add %2, %1 : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// A region has a precision of its own: what is outside of it stays there.
// CHECK-LABEL: func.func @into_a_region
func.func @into_a_region(%x: tensor<4x5xf32>, %w: tensor<6x5xf32>) -> tensor<4x6xf32> {
  // CHECK: nn.linear %{{.*}}, %{{.*}} : tensor
  // CHECK: nn.autocast
  // CHECK: nn.add
  %b = nn.get @b : tensor<6xf32>
  %0 = nn.linear %x, %w : tensor<4x5xf32>, tensor<6x5xf32> -> tensor<4x6xf32>
  %1 = nn.broadcast %b axes [1] : tensor<6xf32> -> tensor<4x6xf32>
  %2 = nn.autocast disabled -> tensor<4x6xf32> {
    %3 = nn.add %0, %1 : tensor<4x6xf32>
    nn.yield %3 : tensor<4x6xf32>
  }
  return %2 : tensor<4x6xf32>
}
