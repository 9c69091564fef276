// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{loss=mse},nn-autocast{precision=fp16 policy=keras})' | FileCheck %s --implicit-check-not=nn.loss
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{loss=mse},nn-autocast{precision=fp16 policy=o2})' | FileCheck %s --implicit-check-not=nn.loss
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{loss=mse},nn-autocast{precision=fp16 policy=o3})' | FileCheck %s --implicit-check-not=nn.loss
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{loss=mse},nn-autocast{precision=bf16 policy=o3 lower=^sub$})' | FileCheck %s --check-prefix=FLAG

// A loss is computed from the model's outputs, which Keras and Apex cast to
// f32. The model's own ops of the same kind run low. No mark is left.
// CHECK-LABEL: func.func private @model
// CHECK:       nn.sub {{.*}} : tensor<4x4xf16>
// CHECK-LABEL: func.func private @loss
// CHECK:       nn.sub {{.*}} : tensor<4x4xf16>
// CHECK:       %[[Y:.*]] = nn.matmul {{.*}} -> tensor<4x4xf16>
// CHECK:       %[[Y32:.*]] = nn.cast %[[Y]] : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK:       nn.sub %[[Y32]], %{{.*}} : tensor<4x4xf32>
// CHECK:       nn.mul {{.*}} : tensor<4x4xf32>
// CHECK:       nn.reduce_sum {{.*}} : tensor<4x4xf32> -> tensor<f32>
// CHECK:       nn.mul {{.*}} : tensor<f32>

// A flag is stronger.
// FLAG-LABEL: func.func private @loss
// FLAG:       nn.matmul
// FLAG:       nn.sub {{.*}} : tensor<4x4xbf16>
// FLAG:       nn.mul {{.*}} : tensor<4x4xf32>
func.func @model(%x: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = nn.sub %x, %z : tensor<4x4xf32>
  %1 = nn.matmul %0, %0 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
