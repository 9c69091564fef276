// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=torch-cpu})' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=keras})' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16})' | FileCheck %s --check-prefix=OWN

nn.parameter @s : tensor<4xf32> = <ones>

// A layer norm's scale and bias do not widen it, as they do not in PyTorch,
// and are not rounded where it runs low.
// CHECK-LABEL: func.func @layer_norm
// OWN-LABEL:   func.func @layer_norm
func.func @layer_norm(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[S:.*]] = nn.get @s
  // CHECK: nn.layer_norm {{.*}} scale %[[S]] : tensor<4xf32> bias %[[S]] : tensor<4xf32> {{.*}} : tensor<4x4xf16>
  // OWN:   nn.layer_norm {{.*}} : tensor<4x4xf32>
  %s = nn.get @s : tensor<4xf32>
  %0 = nn.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.layer_norm %0 scale %s : tensor<4xf32> bias %s : tensor<4xf32> axis(1) epsilon(1.0e-5) : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// An f32 norm reads parameters that are in f16 as they are.
// OWN-LABEL: func.func @low_parameters
func.func @low_parameters(%x: tensor<4x4xf16>, %s: tensor<4xf16>) -> tensor<4x4xf16> {
  // OWN:     %[[X:.*]] = nn.cast %{{.*}} : tensor<4x4xf16> -> tensor<4x4xf32>
  // OWN:     nn.layer_norm %[[X]] scale %{{.*}} : tensor<4xf16>
  // OWN-NOT: tensor<4xf16> -> tensor<4xf32>
  %0 = nn.layer_norm %x scale %s : tensor<4xf16> axis(1) epsilon(1.0e-5) : tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}
