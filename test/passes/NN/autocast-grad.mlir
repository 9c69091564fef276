// RUN: mpc-opt %s --nn-autocast=precision=fp16 --nn-expand-grad --nn-simplify-casts --canonicalize --cse | FileCheck %s

// The gradient of an op is computed in the op's type; a variable keeps its own, so that the gradient has it.
// CHECK-LABEL: func.func @model
// CHECK-SAME:    %[[P:[^:]*]]: tensor<4x4xf32>, %[[W:[^:]*]]: tensor<4x4xf32>
// CHECK-DAG:   %[[X:.*]] = nn.cast %[[P]] : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK-DAG:   %[[V:.*]] = nn.cast %[[W]] : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK:       nn.matmul %[[X]], %[[V]] : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
// CHECK:       %[[G:.*]] = nn.matmul %{{.*}}, %[[V]] transpose_rhs : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
// CHECK:       %[[R:.*]] = nn.cast %[[G]] : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK:       return %[[R]]
func.func @model(%p: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %one = nn.constant dense<1.0> : tensor<4x4xf32>
  %x = nn.variable %p : tensor<4x4xf32>
  %0 = nn.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.tanh %0 : tensor<4x4xf32>
  %g = nn.grad(%1) seed(%one) wrt(%x) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}
