// A convolution of a tensor with zeros between its elements goes by phases, which multiply no zero; values.test and the rows of
// conv_transpose hold their numbers against float64.

// RUN: mpc-opt %s --split-input-file --canonicalize | FileCheck %s

// With a stride of 2, outputs 0, 2, 4 read an element by tap 1, and outputs 1, 3 two elements by taps 0 and 2.
// CHECK-LABEL: func @two_phases
// CHECK-SAME:  %[[X:.*]]: tensor<1x2x3xf32>, %[[W:.*]]: tensor<4x2x3xf32>, %[[B:.*]]: tensor<4xf32>
// CHECK-DAG:   %[[ONE:.*]] = nn.slice %[[W]] [0, 0, 1] to [4, 2, 3] by [1, 1, 2] : tensor<4x2x3xf32> -> tensor<4x2x1xf32>
// CHECK-DAG:   %[[EVEN:.*]] = nn.conv %[[X]], %[[ONE]] bias %[[B]] : tensor<4xf32> strides [1] low [0] high [0] dilations [1]
// CHECK-DAG:   %[[TWO:.*]] = nn.slice %[[W]] [0, 0, 0] to [4, 2, 3] by [1, 1, 2] : tensor<4x2x3xf32> -> tensor<4x2x2xf32>
// CHECK-DAG:   %[[NEXT:.*]] = nn.pad %[[X]] low [0, 0, 0] high [0, 0, 1] interior [0, 0, 0] value 0
// CHECK-DAG:   %[[ODD:.*]] = nn.conv %[[NEXT]], %[[TWO]] bias %[[B]] : tensor<4xf32> strides [1] low [0] high [0] dilations [1]
// CHECK-DAG:   %[[FIRST:.*]] = nn.reshape %[[EVEN]]
// CHECK-DAG:   %[[SECOND:.*]] = nn.reshape %[[ODD]]
// CHECK:       nn.concat %[[FIRST]], %[[SECOND]] axis(0)
// CHECK:       nn.transpose {{.*}} tensor<1x4x3x2xf32>
// CHECK:       nn.slice {{.*}} tensor<1x4x6xf32> -> tensor<1x4x5xf32>
func.func @two_phases(%x: tensor<1x2x3xf32>, %w: tensor<4x2x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x5xf32> {
  %0 = nn.pad %x low [0, 0, 1] high [0, 0, 1] interior [0, 0, 1] value 0.0 : tensor<1x2x3xf32> -> tensor<1x2x7xf32>
  %1 = nn.conv %0, %w bias %b : tensor<4xf32> strides [1] low [0] high [0] dilations [1] groups(1)
      : tensor<1x2x7xf32>, tensor<4x2x3xf32> -> tensor<1x4x5xf32>
  return %1 : tensor<1x4x5xf32>
}

// -----

// A border of the convolution's own counts as one of the padding.
// CHECK-LABEL: func @own_border
// CHECK-SAME:  %[[X:.*]]: tensor<1x2x3xf32>, %[[W:.*]]: tensor<4x2x3xf32>
// CHECK-DAG:   %[[ONE:.*]] = nn.slice %[[W]] [0, 0, 1] to
// CHECK-DAG:   nn.conv %[[X]], %[[ONE]]
// CHECK-DAG:   %[[NEXT:.*]] = nn.pad %[[X]] low [0, 0, 0] high [0, 0, 1]
// CHECK-DAG:   %[[TWO:.*]] = nn.slice %[[W]] [0, 0, 0] to
// CHECK-DAG:   nn.conv %[[NEXT]], %[[TWO]]
func.func @own_border(%x: tensor<1x2x3xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x4x5xf32> {
  %0 = nn.pad %x low [0, 0, 0] high [0, 0, 0] interior [0, 0, 1] value 0.0 : tensor<1x2x3xf32> -> tensor<1x2x5xf32>
  %1 = nn.conv %0, %w strides [1] low [1] high [1] dilations [1] groups(1)
      : tensor<1x2x5xf32>, tensor<4x2x3xf32> -> tensor<1x4x5xf32>
  return %1 : tensor<1x4x5xf32>
}

// -----

// One tap reaches every other output alone; what it does not reach is the bias.
// CHECK-LABEL: func @untouched
// CHECK-SAME:  %[[X:.*]]: tensor<1x2x3xf32>, %[[W:.*]]: tensor<4x2x1xf32>, %[[B:.*]]: tensor<4xf32>
// CHECK-DAG:   %[[READ:.*]] = nn.conv %[[X]], %[[W]] bias %[[B]]
// CHECK-DAG:   nn.broadcast %[[B]] axes [1] : tensor<4xf32> -> tensor<1x4x3xf32>
func.func @untouched(%x: tensor<1x2x3xf32>, %w: tensor<4x2x1xf32>, %b: tensor<4xf32>) -> tensor<1x4x5xf32> {
  %0 = nn.pad %x low [0, 0, 0] high [0, 0, 0] interior [0, 0, 1] value 0.0 : tensor<1x2x3xf32> -> tensor<1x2x5xf32>
  %1 = nn.conv %0, %w bias %b : tensor<4xf32> strides [1] low [0] high [0] dilations [1] groups(1)
      : tensor<1x2x5xf32>, tensor<4x2x1xf32> -> tensor<1x4x5xf32>
  return %1 : tensor<1x4x5xf32>
}

// -----

// Without a bias the zeros are put between the outputs.
// CHECK-LABEL: func @placed
// CHECK:       %[[READ:.*]] = nn.conv %{{.*}} -> tensor<1x4x3xf32>
// CHECK:       nn.pad %[[READ]] low [0, 0, 0] high [0, 0, 0] interior [0, 0, 1]
func.func @placed(%x: tensor<1x2x3xf32>, %w: tensor<4x2x1xf32>) -> tensor<1x4x5xf32> {
  %0 = nn.pad %x low [0, 0, 0] high [0, 0, 0] interior [0, 0, 1] value 0.0 : tensor<1x2x3xf32> -> tensor<1x2x5xf32>
  %1 = nn.conv %0, %w strides [1] low [0] high [0] dilations [1] groups(1)
      : tensor<1x2x5xf32>, tensor<4x2x1xf32> -> tensor<1x4x5xf32>
  return %1 : tensor<1x4x5xf32>
}

// -----

// What is between the elements is no zero, lies between samples, or is passed over by the convolution's own stride; or the
// phases are more than nine.
// CHECK-LABEL: func @kept
// CHECK-COUNT-4: nn.conv
// CHECK-NOT:   nn.conv
func.func @kept(%x: tensor<2x2x3xf32>, %w: tensor<4x2x3xf32>)
    -> (tensor<2x4x3xf32>, tensor<3x4x1xf32>, tensor<2x4x2xf32>, tensor<2x4x21xf32>) {
  %0 = nn.pad %x low [0, 0, 0] high [0, 0, 0] interior [0, 0, 1] value 1.0 : tensor<2x2x3xf32> -> tensor<2x2x5xf32>
  %1 = nn.conv %0, %w strides [1] low [0] high [0] dilations [1] groups(1)
      : tensor<2x2x5xf32>, tensor<4x2x3xf32> -> tensor<2x4x3xf32>
  %2 = nn.pad %x low [0, 0, 0] high [0, 0, 0] interior [1, 0, 0] value 0.0 : tensor<2x2x3xf32> -> tensor<3x2x3xf32>
  %3 = nn.conv %2, %w strides [1] low [0] high [0] dilations [1] groups(1)
      : tensor<3x2x3xf32>, tensor<4x2x3xf32> -> tensor<3x4x1xf32>
  %4 = nn.pad %x low [0, 0, 0] high [0, 0, 0] interior [0, 0, 1] value 0.0 : tensor<2x2x3xf32> -> tensor<2x2x5xf32>
  %5 = nn.conv %4, %w strides [2] low [0] high [0] dilations [1] groups(1)
      : tensor<2x2x5xf32>, tensor<4x2x3xf32> -> tensor<2x4x2xf32>
  %6 = nn.pad %x low [0, 0, 0] high [0, 0, 0] interior [0, 0, 10] value 0.0 : tensor<2x2x3xf32> -> tensor<2x2x23xf32>
  %7 = nn.conv %6, %w strides [1] low [0] high [0] dilations [1] groups(1)
      : tensor<2x2x23xf32>, tensor<4x2x3xf32> -> tensor<2x4x21xf32>
  return %1, %3, %5, %7 : tensor<2x4x3xf32>, tensor<3x4x1xf32>, tensor<2x4x2xf32>, tensor<2x4x21xf32>
}
