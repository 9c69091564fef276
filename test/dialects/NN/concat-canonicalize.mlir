// RUN: mpc-opt %s --canonicalize | FileCheck %s

// A slice takes of each part what it reaches.
// CHECK-LABEL: func.func @across
// CHECK-SAME:    %[[A:[^:]*]]: tensor<2x3xf32>, %[[B:[^:]*]]: tensor<2x4xf32>, %[[C:[^:]*]]: tensor<2x5xf32>
// CHECK-DAG:   %[[LAST:.*]] = nn.slice %[[A]] [0, 2] to [2, 3] by [1, 1]
// CHECK-DAG:   %[[FIRST:.*]] = nn.slice %[[C]] [0, 0] to [2, 1] by [1, 1]
// CHECK:       %[[ALL:.*]] = nn.concat %[[LAST]], %[[B]], %[[FIRST]] axis(1)
// CHECK:       return %[[ALL]] : tensor<2x6xf32>
func.func @across(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>, %c: tensor<2x5xf32>) -> tensor<2x6xf32> {
  %0 = nn.concat %a, %b, %c axis(1) : tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x5xf32> -> tensor<2x12xf32>
  %1 = nn.slice %0 [0, 2] to [2, 8] by [1, 1] : tensor<2x12xf32> -> tensor<2x6xf32>
  return %1 : tensor<2x6xf32>
}

// A part is itself; what is cut along another axis, and by a stride there, stays cut.
// CHECK-LABEL: func.func @one_part
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4x3xf32>, %[[B:[^:]*]]: tensor<4x3xf32>
// CHECK:       %[[S:.*]] = nn.slice %[[B]] [1, 0] to [4, 3] by [2, 1]
// CHECK:       return %[[A]], %[[S]]
func.func @one_part(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<2x3xf32>) {
  %0 = nn.concat %a, %b axis(1) : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<4x6xf32>
  %1 = nn.slice %0 [0, 0] to [4, 3] by [1, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %2 = nn.slice %0 [1, 3] to [4, 6] by [2, 1] : tensor<4x6xf32> -> tensor<2x3xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<2x3xf32>
}

// The whole is made for another reader: a slice of it costs no more. A stride
// along the axis goes over the parts' borders.
// CHECK-LABEL: func.func @kept
// CHECK:       %[[WHOLE:.*]] = nn.concat
// CHECK:       nn.slice %[[WHOLE]]
// CHECK:       %[[OTHER:.*]] = nn.concat
// CHECK:       nn.slice %[[OTHER]]
func.func @kept(%a: tensor<2xf32>, %b: tensor<3xf32>) -> (tensor<5xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = nn.concat %a, %b axis(0) : tensor<2xf32>, tensor<3xf32> -> tensor<5xf32>
  %1 = nn.slice %0 [1] to [4] by [1] : tensor<5xf32> -> tensor<3xf32>
  %2 = nn.concat %b, %a axis(0) : tensor<3xf32>, tensor<2xf32> -> tensor<5xf32>
  %3 = nn.slice %2 [0] to [5] by [2] : tensor<5xf32> -> tensor<3xf32>
  return %0, %1, %3 : tensor<5xf32>, tensor<3xf32>, tensor<3xf32>
}

// Parts of parts along one axis are parts, unless something else reads them.
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    %[[A:[^:]*]]: tensor<2x2xf32>, %[[B:[^:]*]]: tensor<2x2xf32>, %[[C:[^:]*]]: tensor<2x4xf32>
// CHECK:       %[[SIDE:.*]] = nn.concat %[[A]], %[[B]] axis(1)
// CHECK:       nn.concat %[[SIDE]], %[[C]] axis(0)
// CHECK:       nn.concat %[[C]], %[[A]], %[[A]] axis(1)
// CHECK:       %[[READ:.*]] = nn.concat %[[B]], %[[B]] axis(1)
// CHECK:       nn.concat %[[READ]], %[[C]] axis(1)
func.func @nested(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x4xf32>)
    -> (tensor<4x4xf32>, tensor<2x8xf32>, tensor<2x4xf32>, tensor<2x8xf32>) {
  %0 = nn.concat %a, %b axis(1) : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x4xf32>
  %1 = nn.concat %0, %c axis(0) : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  %2 = nn.concat %a, %a axis(1) : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x4xf32>
  %3 = nn.concat %c, %2 axis(1) : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x8xf32>
  %4 = nn.concat %b, %b axis(1) : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x4xf32>
  %5 = nn.concat %4, %c axis(1) : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x8xf32>
  return %1, %3, %4, %5 : tensor<4x4xf32>, tensor<2x8xf32>, tensor<2x4xf32>, tensor<2x8xf32>
}
