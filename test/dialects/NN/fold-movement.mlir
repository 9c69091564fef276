// RUN: mpc-opt %s --canonicalize | FileCheck %s

// The gradient of a 1 x 1 convolution pads by nothing and reverses windows of
// one element: neither is a copy.
// CHECK-LABEL: func.func @nothing(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x1x1xf32>
// CHECK-NEXT:    return %[[X]], %[[X]]
func.func @nothing(%x: tensor<2x3x1x1xf32>) -> (tensor<2x3x1x1xf32>, tensor<2x3x1x1xf32>) {
  %p = nn.pad %x low [0, 0, 0, 0] high [0, 0, 0, 0] interior [0, 0, 0, 0] value 1.0 : tensor<2x3x1x1xf32> -> tensor<2x3x1x1xf32>
  %r = nn.reverse %x axes [2, 3] : tensor<2x3x1x1xf32>
  return %p, %r : tensor<2x3x1x1xf32>, tensor<2x3x1x1xf32>
}

// CHECK-LABEL: func.func @something(
// CHECK:         nn.pad %{{.*}} low [0, 1] high [0, -1]
// CHECK:         nn.pad %{{.*}} interior [0, 1]
// CHECK:         nn.reverse %{{.*}} axes [0, 1]
func.func @something(%x: tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<1x5xf32>, tensor<1x3xf32>) {
  %p = nn.pad %x low [0, 1] high [0, -1] interior [0, 0] value 1.0 : tensor<1x3xf32> -> tensor<1x3xf32>
  %q = nn.pad %x low [0, 0] high [0, 0] interior [0, 1] value 1.0 : tensor<1x3xf32> -> tensor<1x5xf32>
  %r = nn.reverse %x axes [0, 1] : tensor<1x3xf32>
  return %p, %q, %r : tensor<1x3xf32>, tensor<1x5xf32>, tensor<1x3xf32>
}

// A gradient stops once, and at no constant.
// CHECK-LABEL: func.func @stopped(
// CHECK-SAME:    %[[X:.*]]: tensor<3xf32>
// CHECK-DAG:     %[[C:.*]] = nn.constant
// CHECK-DAG:     %[[S:.*]] = nn.stop_gradient %[[X]]
// CHECK-NEXT:    return %[[S]], %[[C]]
func.func @stopped(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %s = nn.stop_gradient %x : tensor<3xf32>
  %t = nn.stop_gradient %s : tensor<3xf32>
  %c = nn.constant dense<2.0> : tensor<3xf32>
  %d = nn.stop_gradient %c : tensor<3xf32>
  return %t, %d : tensor<3xf32>, tensor<3xf32>
}
