// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast,amp-build-step,nn-differentiate,symbol-dce,canonicalize,cse)' | FileCheck %s
// The backward pass is made of the casted forward pass: what crosses from one
// to the other has the type of the op that made it, saved tensors are those
// after the cast, and backward ops run in the state of their forward ops.

amp.recipe
nn.parameter @w : tensor<8x8xf32> = #nn.init<ones>
func.func @loss(%x: tensor<4x8xf32> {nn.name = "x"}) -> tensor<f32> {
  %w = nn.get @w : tensor<8x8xf32>
  %h = nn.linear %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %a = nn.tanh %h : tensor<4x8xf32>
  %y = nn.linear %a, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %loss = nn.reduce_sum %y axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
// CHECK-LABEL: func.func @step
// CHECK-DAG:     %[[X:.*]] = nn.cast %{{.*}} : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK-DAG:     %[[W:.*]] = nn.cast %{{.*}} : tensor<8x8xf32> -> tensor<8x8xbf16>
// CHECK-DAG:     %[[D:.*]] = nn.constant dense<1.000000e+00> : tensor<4x8xbf16>
// CHECK:         %[[H:.*]] = nn.linear %[[X]], %[[W]] : {{.*}} -> tensor<4x8xbf16>
// CHECK:         %[[A:.*]] = nn.tanh %[[H]] : tensor<4x8xbf16>
// CHECK:         nn.linear %[[A]], %[[W]] : {{.*}} -> tensor<4x8xbf16>
// CHECK-DAG:     nn.matmul %[[D]], %[[W]] : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xbf16>
// CHECK-DAG:     nn.matmul %[[D]], %[[A]] transpose_lhs : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<8x8xbf16>
// CHECK:         nn.matmul %{{.*}}, %[[X]] transpose_lhs : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<8x8xbf16>

// Features: A17, B23, C13.
