// RUN: mpc-opt %s --nn-autocast=precision=fp16 | FileCheck %s --check-prefix=LOW
// RUN: mpc-opt %s --nn-autocast='precision=bf16 policy=torch-cuda' | FileCheck %s --check-prefix=TORCH
// RUN: mpc-opt %s --nn-autocast='precision=fp16 keep-fp32=^attention$' | FileCheck %s --check-prefix=WIDE

// Factors are lowered. Neither is the mask, which is added in f32, nor are the
// sums.
// LOW-LABEL: func.func @attention
// LOW-DAG:   %[[Q:.*]] = nn.cast %arg0 : tensor<2x4x5x8xf32> -> tensor<2x4x5x8xf16>
// LOW-DAG:   %[[K:.*]] = nn.cast %arg1 : tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf16>
// LOW:       nn.attention %[[Q]], %[[K]], %{{.*}} mask %arg2 : tensor<1x4x5x6xf32> scale(1.000000e+00)
// LOW-SAME:  -> tensor<2x4x5x8xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
// TORCH-LABEL: func.func @attention
// TORCH:     nn.attention {{.*}} mask %arg2 : tensor<1x4x5x6xf32> {{.*}} -> tensor<2x4x5x8xbf16>, tensor<2x4x5xf32>
// WIDE-LABEL: func.func @attention
// WIDE-NOT:  nn.cast
// WIDE:      nn.attention %arg0, %arg1, %arg1 mask %arg2
func.func @attention(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>, %m: tensor<1x4x5x6xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>) {
  %o, %l, %ls = nn.attention %q, %k, %k mask %m : tensor<1x4x5x6xf32> scale(1.0)
      : tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
  return %o, %l : tensor<2x4x5x8xf32>, tensor<2x4x5xf32>
}
