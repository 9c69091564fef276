// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-cast-outputs{type=bf16},nn-add-loss{output=a})' | FileCheck %s
// RUN: mpc-opt %s --nn-cast-outputs | FileCheck %s --check-prefix=FP32
// RUN: not mpc-opt %s --nn-cast-outputs=type=f16 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: echo 'module {}' | not mpc-opt --nn-cast-outputs 2>&1 | FileCheck %s --check-prefix=NONE
// UNKNOWN: unknown precision 'f16'; known are fp32, bf16, fp16 and mixed (fp16)
// NONE:    error: has no function @model of one block

// Floating outputs of up to 32 bits get the type, also one that is an input,
// and keep their names. A loss sees the rounded output and computes in f32.
// CHECK:      func.func private @model
// CHECK-SAME: -> (tensor<4x4xbf16> {nn.name = "a"}, tensor<4x4xbf16>, tensor<2xf64>, tensor<3xi64>)
// CHECK:      %[[A:.*]] = nn.cast %{{.*}} : tensor<4x4xf32> -> tensor<4x4xbf16>
// CHECK:      %[[H:.*]] = nn.cast %{{.*}} : tensor<4x4xf16> -> tensor<4x4xbf16>
// CHECK:      return %[[A]], %[[H]], %arg2, %arg3
// CHECK:      func.func private @loss
// CHECK:      %[[L:.*]] = nn.cast %{{.*}} : tensor<4x4xf32> -> tensor<4x4xbf16>
// CHECK:      %[[W:.*]] = nn.cast %[[L]] : tensor<4x4xbf16> -> tensor<4x4xf32>
// CHECK:      nn.cross_entropy %[[W]]
// FP32:       -> (tensor<4x4xf32> {nn.name = "a"}, tensor<4x4xf32>, tensor<2xf64>, tensor<3xi64>)
// FP32-COUNT-1: nn.cast
// FP32-NOT:     nn.cast
func.func @model(%a: tensor<4x4xf32>, %h: tensor<4x4xf16>, %d: tensor<2xf64>, %i: tensor<3xi64>)
    -> (tensor<4x4xf32> {nn.name = "a"}, tensor<4x4xf16>, tensor<2xf64>, tensor<3xi64>) {
  %0 = nn.relu %a : tensor<4x4xf32>
  return %0, %h, %d, %i : tensor<4x4xf32>, tensor<4x4xf16>, tensor<2xf64>, tensor<3xi64>
}

// Features: A9.
