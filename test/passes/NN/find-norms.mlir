// A norm that is written out is one op where the policy computes its square in
// f32: ours of any square, PyTorch's of a power, which the importer names.
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-norms{precision=fp16 policy=mpc}))' | FileCheck %s --check-prefixes=WIDE,POWER
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-norms{precision=fp16 policy=torch-cuda}))' | FileCheck %s --check-prefixes=NARROW,POWER
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-norms{precision=bf16 policy=torch-cpu}))' | FileCheck %s --check-prefixes=NARROW
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-norms{policy=torch-cuda}))' | FileCheck %s --check-prefixes=WIDE,POWER
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-norms{policy=none}))' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: 'none' is neither a file nor a built-in policy

// WIDE-LABEL: func.func @product
// WIDE-NEXT: nn.rms_norm %arg0 axis(1)
// NARROW-LABEL: func.func @product
// NARROW-NOT: nn.rms_norm
// NARROW: nn.rsqrt
func.func @product(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %n = nn.constant dense<6.0> : tensor<4xf32>
  %eps = nn.constant dense<1.0e-6> : tensor<4xf32>
  %0 = nn.mul %x, %x : tensor<4x6xf32>
  %1 = nn.reduce_sum %0 axes [1] : tensor<4x6xf32> -> tensor<4xf32>
  %2 = nn.div %1, %n : tensor<4xf32>
  %3 = nn.add %2, %eps : tensor<4xf32>
  %4 = nn.rsqrt %3 : tensor<4xf32>
  %5 = nn.broadcast %4 axes [0] : tensor<4xf32> -> tensor<4x6xf32>
  %6 = nn.mul %x, %5 : tensor<4x6xf32>
  return %6 : tensor<4x6xf32>
}

// POWER-LABEL: func.func @power
// POWER-NEXT: nn.rms_norm %arg0 axis(1)
func.func @power(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %n = nn.constant dense<6.0> : tensor<4xf32>
  %eps = nn.constant dense<1.0e-6> : tensor<4xf32>
  %0 = nn.mul %x, %x {nn.call = "pow.Tensor_Scalar"} : tensor<4x6xf32>
  %1 = nn.reduce_sum %0 axes [1] : tensor<4x6xf32> -> tensor<4xf32>
  %2 = nn.div %1, %n : tensor<4xf32>
  %3 = nn.add %2, %eps : tensor<4xf32>
  %4 = nn.rsqrt %3 : tensor<4xf32>
  %5 = nn.broadcast %4 axes [0] : tensor<4xf32> -> tensor<4x6xf32>
  %6 = nn.mul %x, %5 : tensor<4x6xf32>
  return %6 : tensor<4x6xf32>
}
