// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp32})' | FileCheck %s --check-prefix=FP32
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16})' | FileCheck %s --check-prefix=FP16
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=mixed})' | FileCheck %s --check-prefix=FP16
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=bf16})' | FileCheck %s --check-prefix=BF16
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast)' | FileCheck %s --check-prefix=BF16
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp12})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown precision 'fp12'; known are fp32, bf16, fp16 and mixed (fp16)

// The low type is that of the option; fp32 casts nothing but what regions ask.
// FP32-LABEL: func.func @low_type
// FP32:         nn.matmul {{.*}} -> tensor<4x4xf32>
// FP32:         nn.matmul {{.*}} -> tensor<4x4xf16>
// FP16-LABEL: func.func @low_type
// FP16:         nn.matmul {{.*}} -> tensor<4x4xf16>
// FP16:         nn.matmul {{.*}} -> tensor<4x4xf16>
// BF16-LABEL: func.func @low_type
// BF16:         nn.matmul {{.*}} -> tensor<4x4xbf16>
// BF16:         nn.matmul {{.*}} -> tensor<4x4xf16>
func.func @low_type(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.autocast enabled dtype(f16) -> tensor<4x4xf32> {
    %2 = nn.matmul %0, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    nn.yield %2 : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}

// Features: A5, A12, C4, C5.
