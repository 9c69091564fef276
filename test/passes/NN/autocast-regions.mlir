// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-autocast{precision=fp16})' | FileCheck %s

// A region has its own low type; the inner one of two wins.
// CHECK-LABEL: func.func @inner_wins
func.func @inner_wins(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NOT: nn.autocast
  // CHECK:     nn.matmul {{.*}} -> tensor<4x4xbf16>
  // CHECK:     nn.matmul {{.*}} -> tensor<4x4xf16>
  %y = nn.autocast enabled dtype(bf16) -> tensor<4x4xf32> {
    %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %1 = nn.autocast enabled dtype(f16) -> tensor<4x4xf32> {
      %2 = nn.matmul %0, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      nn.yield %2 : tensor<4x4xf32>
    }
    nn.yield %1 : tensor<4x4xf32>
  }
  return %y : tensor<4x4xf32>
}

// -----

// A region that names no type takes that of what is around it.
// CHECK-LABEL: func.func @enabled_without_type
func.func @enabled_without_type(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK:     nn.matmul {{.*}} -> tensor<4x4xf16>
  %y = nn.autocast enabled -> tensor<4x4xf32> {
    %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  return %y : tensor<4x4xf32>
}

// -----

// An island runs as it was written, whatever is around it.
// CHECK-LABEL: func.func @island
func.func @island(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK:     %[[M:.*]] = nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK:     %[[M32:.*]] = nn.cast %[[M]] : tensor<4x4xf16> -> tensor<4x4xf32>
  // CHECK:     %[[N:.*]] = nn.matmul %[[M32]], {{.*}} -> tensor<4x4xf32>
  // CHECK:     %[[R:.*]] = nn.relu %[[N]] : tensor<4x4xf32>
  // CHECK:     %[[R16:.*]] = nn.cast %[[R]]
  // CHECK:     nn.matmul %[[R16]], {{.*}} -> tensor<4x4xf16>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.autocast disabled -> tensor<4x4xf32> {
    %3 = nn.matmul %0, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %4 = nn.relu %3 : tensor<4x4xf32>
    nn.yield %4 : tensor<4x4xf32>
  }
  %2 = nn.matmul %1, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// An op that only reads a lowered value does not run in the low type either.
// CHECK-LABEL: func.func @island_of_one_reader
func.func @island_of_one_reader(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK:     %[[M:.*]] = nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK:     %[[M32:.*]] = nn.cast %[[M]] : tensor<4x4xf16> -> tensor<4x4xf32>
  // CHECK:     nn.tanh %[[M32]] : tensor<4x4xf32>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.autocast disabled -> tensor<4x4xf32> {
    %2 = nn.tanh %0 : tensor<4x4xf32>
    nn.yield %2 : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}

// -----

// A region inside of an island may switch the low type on again.
// CHECK-LABEL: func.func @enabled_in_island
func.func @enabled_in_island(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK:     nn.matmul {{.*}} -> tensor<4x4xbf16>
  %0 = nn.autocast disabled -> tensor<4x4xf32> {
    %1 = nn.autocast enabled dtype(bf16) -> tensor<4x4xf32> {
      %2 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      nn.yield %2 : tensor<4x4xf32>
    }
    nn.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// Features: A14, C1, C2, C12, C15.
