// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 keep-fp32=head,^relu$ lower=^exp$})' | FileCheck %s
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{keep-fp32=layer[})' 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{lower=*})' 2>&1 | FileCheck %s --check-prefix=BAD-LOWER

// BAD: error: 'layer[' is not a regular expression
// BAD-LOWER: error: '*' is not a regular expression

// A pattern finds nodes by a part of their name.
// CHECK-LABEL: func.func @by_node_name
func.func @by_node_name(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32> loc("body.0")
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf32>
  %1 = nn.matmul %0, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32> loc("model.head.fc")
  return %1 : tensor<4x4xf32>
}

// A pattern finds ops by their name, too.
// CHECK-LABEL: func.func @by_op_name
func.func @by_op_name(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK: nn.relu {{.*}} : tensor<4x4xf32>
  // CHECK: nn.exp {{.*}} : tensor<4x4xf16>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.relu %0 : tensor<4x4xf32>
  %2 = nn.exp %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// An island is stronger than a pattern.
// CHECK-LABEL: func.func @in_island
func.func @in_island(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: nn.exp {{.*}} : tensor<4x4xf32>
  %0 = nn.autocast disabled -> tensor<4x4xf32> {
    %1 = nn.exp %a : tensor<4x4xf32>
    nn.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// Features: B17, B18.
