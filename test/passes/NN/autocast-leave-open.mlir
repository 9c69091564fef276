// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true keep-fp32=sigmoid lower=erf})' | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-autocast{precision=fp16})' | FileCheck %s --check-prefix=CLOSED

// Marked are infer and clear ops, lower ops and the casts made for them.
// CLOSED-NOT: nn.free
// CLOSED-NOT: nn.refusable
// CHECK-LABEL: func.func @marks
func.func @marks(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: nn.tanh {{.*}} {nn.free = f16} : tensor<4x4xf32>
  // CHECK: nn.cast {{.*}} {nn.refusable = f16}
  // CHECK: nn.matmul {{.*}} {nn.refusable = f16}
  // CHECK: nn.transpose {{.*}} {nn.free = f16} : tensor<4x4xf16>
  // CHECK: nn.add
  // CHECK-NOT: nn.free
  // CHECK: nn.cast %{{[0-9]*}} : tensor<4x4xf16> -> tensor<4x4xf32>
  // CHECK: nn.softmax
  // CHECK-NOT: nn.free
  // CHECK: return
  %0 = nn.tanh %a : tensor<4x4xf32>
  %1 = nn.matmul %0, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = nn.transpose %1 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %3 = nn.add %2, %2 : tensor<4x4xf32>
  %4 = nn.softmax %3 axis(1) : tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// -----

// What a pattern, an island or a type settles is not open.
// CHECK-LABEL: func.func @settled
// CHECK-NOT:   nn.free
// CHECK-NOT:   nn.refusable
// CHECK:       return
func.func @settled(%a: tensor<4x4xf32>, %d: tensor<4x4xf64>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = nn.sigmoid %a : tensor<4x4xf32>
  %1 = nn.erf %a : tensor<4x4xf32>
  %2 = nn.autocast disabled -> tensor<4x4xf32> {
    %3 = nn.tanh %a : tensor<4x4xf32>
    %4 = nn.matmul %3, %3 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    nn.yield %4 : tensor<4x4xf32>
  }
  %5 = nn.tanh %d : tensor<4x4xf64>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
