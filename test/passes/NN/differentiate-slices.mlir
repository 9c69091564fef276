// RUN: mpc-opt %s --split-input-file --nn-differentiate --canonicalize | FileCheck %s

// Cotangents of slices that cover a tensor are put side by side.
func.func private @steps(%x: tensor<6x2xf16>) -> tensor<2x2xf16> {
  %0 = nn.slice %x [4, 0] to [6, 2] by [1, 1] : tensor<6x2xf16> -> tensor<2x2xf16>
  %1 = nn.slice %x [0, 0] to [2, 2] by [1, 1] : tensor<6x2xf16> -> tensor<2x2xf16>
  %2 = nn.slice %x [2, 0] to [4, 2] by [1, 1] : tensor<6x2xf16> -> tensor<2x2xf16>
  %3 = nn.sub %0, %1 : tensor<2x2xf16>
  %4 = nn.sub %3, %2 : tensor<2x2xf16>
  return %4 : tensor<2x2xf16>
}
// CHECK-LABEL: func.func @covered
// CHECK-SAME:    %[[S:[^:]*]]: tensor<2x2xf16>
// CHECK-NOT:   nn.pad
// CHECK:       %[[D:.*]] = nn.concat %{{.*}}, %{{.*}}, %[[S]] axis(0)
// CHECK:       return %[[D]] : tensor<6x2xf16>
func.func @covered(%s: tensor<2x2xf16>, %x: tensor<6x2xf16>) -> tensor<6x2xf16> {
  %0:2 = nn.vjp @steps(%x) seed(%s) wrt [] args [0]
      : (tensor<6x2xf16>), (tensor<2x2xf16>) -> tensor<2x2xf16>, tensor<6x2xf16>
  return %0#1 : tensor<6x2xf16>
}

// -----

// Zeros fill what lies between; what overlaps is a second summand.
func.func private @parts(%x: tensor<9xf32>) -> tensor<2xf32> {
  %0 = nn.slice %x [1] to [3] by [1] : tensor<9xf32> -> tensor<2xf32>
  %1 = nn.slice %x [6] to [8] by [1] : tensor<9xf32> -> tensor<2xf32>
  %2 = nn.slice %x [2] to [4] by [1] : tensor<9xf32> -> tensor<2xf32>
  %3 = nn.mul %0, %1 : tensor<2xf32>
  %4 = nn.mul %3, %2 : tensor<2xf32>
  return %4 : tensor<2xf32>
}
// CHECK-LABEL: func.func @overlapping
// CHECK-DAG:   %[[Z:.*]] = nn.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-DAG:   %[[FIRST:.*]] = nn.pad %{{.*}} low [1] high [6] interior [0]
// CHECK-DAG:   %[[LINE:.*]] = nn.concat %{{.*}}, %[[Z]], %{{.*}} axis(0) : tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<6xf32>
// CHECK-DAG:   %[[SECOND:.*]] = nn.pad %[[LINE]] low [2] high [1] interior [0]
// CHECK:       nn.add %[[SECOND]], %[[FIRST]]
// CHECK-NOT:   nn.add
func.func @overlapping(%x: tensor<9xf32>, %s: tensor<2xf32>) -> tensor<9xf32> {
  %0:2 = nn.vjp @parts(%x) seed(%s) wrt [] args [0]
      : (tensor<9xf32>), (tensor<2xf32>) -> tensor<2xf32>, tensor<9xf32>
  return %0#1 : tensor<9xf32>
}

// -----

// Tiles become rows of tiles, and those the whole.
func.func private @tiles(%x: tensor<4x6xf32>) -> tensor<2x3xf32> {
  %0 = nn.slice %x [0, 0] to [2, 3] by [1, 1] : tensor<4x6xf32> -> tensor<2x3xf32>
  %1 = nn.slice %x [0, 3] to [2, 6] by [1, 1] : tensor<4x6xf32> -> tensor<2x3xf32>
  %2 = nn.slice %x [2, 0] to [4, 3] by [1, 1] : tensor<4x6xf32> -> tensor<2x3xf32>
  %3 = nn.slice %x [2, 3] to [4, 6] by [1, 1] : tensor<4x6xf32> -> tensor<2x3xf32>
  %4 = nn.mul %0, %1 : tensor<2x3xf32>
  %5 = nn.mul %4, %2 : tensor<2x3xf32>
  %6 = nn.mul %5, %3 : tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @tiled
// CHECK-NOT:   nn.pad
// CHECK:       %[[LEFT:.*]] = nn.concat %{{.*}}, %{{.*}} axis(0) : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4x3xf32>
// CHECK:       %[[RIGHT:.*]] = nn.concat %{{.*}}, %{{.*}} axis(0)
// CHECK:       %[[ALL:.*]] = nn.concat %{{.*}}, %{{.*}} axis(1) : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x6xf32>
// CHECK-NOT:   nn.pad
// CHECK:       return %[[ALL]]
func.func @tiled(%x: tensor<4x6xf32>, %s: tensor<2x3xf32>) -> tensor<4x6xf32> {
  %0:2 = nn.vjp @tiles(%x) seed(%s) wrt [] args [0]
      : (tensor<4x6xf32>), (tensor<2x3xf32>) -> tensor<2x3xf32>, tensor<4x6xf32>
  return %0#1 : tensor<4x6xf32>
}

// -----

// Two products of small factors are one; they are added where the factors are
// larger than what comes of them.
nn.parameter @w : tensor<4x5xf32> = <zeros>
func.func private @small(%x: tensor<2x5xf32>, %y: tensor<2x5xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = nn.get @w : tensor<4x5xf32>
  %1 = nn.linear %x, %0 : tensor<2x5xf32>, tensor<4x5xf32> -> tensor<2x4xf32>
  %2 = nn.linear %y, %0 : tensor<2x5xf32>, tensor<4x5xf32> -> tensor<2x4xf32>
  return %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>
}
func.func private @large(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = nn.get @w : tensor<4x5xf32>
  %1 = nn.linear %x, %0 : tensor<3x5xf32>, tensor<4x5xf32> -> tensor<3x4xf32>
  %2 = nn.linear %y, %0 : tensor<3x5xf32>, tensor<4x5xf32> -> tensor<3x4xf32>
  return %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>
}
// CHECK-LABEL: func.func @one_product
// CHECK-SAME:    %[[S:[^:]*]]: tensor<2x4xf32>, %[[T:[^:]*]]: tensor<2x4xf32>, %[[X:[^:]*]]: tensor<2x5xf32>, %[[Y:[^:]*]]: tensor<2x5xf32>
// CHECK-DAG:   %[[L:.*]] = nn.concat %[[T]], %[[S]] axis(0)
// CHECK-DAG:   %[[R:.*]] = nn.concat %[[Y]], %[[X]] axis(0)
// CHECK:       %[[D:.*]] = nn.matmul %[[L]], %[[R]] transpose_lhs : tensor<4x4xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
// CHECK:       return %[[D]]
func.func @one_product(%s: tensor<2x4xf32>, %t: tensor<2x4xf32>, %x: tensor<2x5xf32>, %y: tensor<2x5xf32>) -> tensor<4x5xf32> {
  %0:3 = nn.vjp @small(%x, %y) seed(%s, %t) wrt [@w] args []
      : (tensor<2x5xf32>, tensor<2x5xf32>), (tensor<2x4xf32>, tensor<2x4xf32>)
      -> tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x5xf32>
  return %0#2 : tensor<4x5xf32>
}
// CHECK-LABEL: func.func @two_products
// CHECK-NOT:   nn.concat
// CHECK:       nn.add
func.func @two_products(%s: tensor<3x4xf32>, %t: tensor<3x4xf32>, %x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<4x5xf32> {
  %0:3 = nn.vjp @large(%x, %y) seed(%s, %t) wrt [@w] args []
      : (tensor<3x5xf32>, tensor<3x5xf32>), (tensor<3x4xf32>, tensor<3x4xf32>)
      -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<4x5xf32>
  return %0#2 : tensor<4x5xf32>
}

// -----

// The transpose of a permutation is a gather by the inverse one; of indices
// that name a place twice it adds.
// CHECK-LABEL: func.func @permuted
// CHECK:         %[[INVERSE:.*]] = nn.constant dense<[1, 3, 0, 2]>
// CHECK:         nn.gather %arg1, %[[INVERSE]] axis(0)
// CHECK-LABEL: func.func @repeated
// CHECK:         nn.scatter_add %arg1
func.func private @permute(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %places = nn.constant dense<[2, 0, 3, 1]> : tensor<4xi64>
  %0 = nn.gather %x, %places axis(0) : tensor<4x2xf32>, tensor<4xi64> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
func.func @permuted(%x: tensor<4x2xf32>, %d: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %y, %dx = nn.vjp @permute(%x) seed(%d) wrt [] args [0] : (tensor<4x2xf32>), (tensor<4x2xf32>) -> tensor<4x2xf32>, tensor<4x2xf32>
  return %dx : tensor<4x2xf32>
}
func.func private @repeat(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %places = nn.constant dense<[2, 0, 3, 2]> : tensor<4xi64>
  %0 = nn.gather %x, %places axis(0) : tensor<4x2xf32>, tensor<4xi64> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
func.func @repeated(%x: tensor<4x2xf32>, %d: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %y, %dx = nn.vjp @repeat(%x) seed(%d) wrt [] args [0] : (tensor<4x2xf32>), (tensor<4x2xf32>) -> tensor<4x2xf32>, tensor<4x2xf32>
  return %dx : tensor<4x2xf32>
}
