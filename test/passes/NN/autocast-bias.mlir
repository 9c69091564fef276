// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(canonicalize),nn-autocast{precision=fp16 keep-fp32=^product1$})' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(canonicalize),nn-autocast{precision=fp16 policy=torch-cpu keep-fp32=^sum1$})' | FileCheck %s

nn.parameter @b : tensor<4xf32> = <zeros>

// A layer that is written as a product and a sum runs in f16 as a whole, and
// either node's name is its name.
// CHECK-LABEL: func.func @layers
func.func @layers(%x: tensor<2x3x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  // CHECK:     nn.matmul {{.*}} bias %{{.*}} : tensor<4xf16> : tensor<6x4xf16>, tensor<4x4xf16> -> tensor<6x4xf16>
  // CHECK-NOT: nn.add
  // CHECK:     nn.gelu {{.*}} : tensor<2x3x4xf16>
  // CHECK:     nn.matmul {{.*}} bias %{{.*}} : tensor<4xf32> : tensor<6x4xf32>, tensor<4x4xf32> -> tensor<6x4xf32>
  // CHECK-NOT: nn.add
  %b = nn.get @b : tensor<4xf32>
  %bias = nn.broadcast %b axes [2] : tensor<4xf32> -> tensor<2x3x4xf32>
  %rows = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %0 = nn.matmul %rows, %w : tensor<6x4xf32>, tensor<4x4xf32> -> tensor<6x4xf32> loc("product0")
  %1 = nn.reshape %0 : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %2 = nn.add %1, %bias : tensor<2x3x4xf32> loc("sum0")
  %3 = nn.gelu %2 : tensor<2x3x4xf32>
  %4 = nn.matmul %rows, %w : tensor<6x4xf32>, tensor<4x4xf32> -> tensor<6x4xf32> loc("product1")
  %5 = nn.reshape %4 : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %6 = nn.add %5, %bias : tensor<2x3x4xf32> loc("sum1")
  return %3, %6 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// Features: B1.
