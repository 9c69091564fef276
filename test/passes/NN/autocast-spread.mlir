// RUN: split-file %s %t
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=grappler})' | FileCheck %t/model.mlir
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=%t/taint.txt})' | FileCheck %t/model.mlir --check-prefix=TAINT
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=%t/spread.txt})' | FileCheck %t/model.mlir --check-prefix=SPREAD

// Features: B6, B7, B8, B16.

//--- taint.txt
base grappler
spread off
//--- spread.txt
base mpc
spread on
//--- model.mlir

// Infer and clear between two allowed ops run low, infer at the end does not:
// spreading goes through clear only.
// CHECK-LABEL: func.func @between
func.func @between(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK: nn.tanh {{.*}}xf16>
  // CHECK: nn.relu {{.*}}xf16>
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK: nn.abs {{.*}}xf16>
  // CHECK: nn.neg {{.*}}xf16>
  // CHECK: nn.tanh {{.*}}xf32>
  // CHECK: nn.abs {{.*}}xf32>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.tanh %0 : tensor<4x4xf32>
  %2 = nn.relu %1 : tensor<4x4xf32>
  %3 = nn.matmul %2, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %4 = nn.abs %3 : tensor<4x4xf32>
  %5 = nn.neg %4 : tensor<4x4xf32>
  %6 = nn.tanh %3 : tensor<4x4xf32>
  %7 = nn.abs %6 : tensor<4x4xf32>
  return %5, %7 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Before the first allowed op: clear spreads backwards, too, infer does not.
// CHECK-LABEL: func.func @before
func.func @before(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: nn.tanh {{.*}}xf32>
  // CHECK: nn.relu {{.*}}xf16>
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  %0 = nn.tanh %a : tensor<4x4xf32>
  %1 = nn.relu %0 : tensor<4x4xf32>
  %2 = nn.matmul %1, %1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// A denied op taints up to the last infer; the clear op behind it is free.
// CHECK-LABEL: func.func @taint
// TAINT-LABEL: func.func @taint
func.func @taint(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK: nn.exp {{.*}}xf32>
  // CHECK: nn.relu {{.*}}xf32>
  // CHECK: nn.tanh {{.*}}xf32>
  // CHECK: nn.abs {{.*}}xf16>
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.exp %0 : tensor<4x4xf32>
  %2 = nn.relu %1 : tensor<4x4xf32>
  %3 = nn.tanh %2 : tensor<4x4xf32>
  %4 = nn.abs %3 : tensor<4x4xf32>
  %5 = nn.matmul %4, %4 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %5 : tensor<4x4xf32>
}

// An infer op that a denied one reaches is not between any more; one that only
// an unlisted op (rsqrt has no fp16 entry) reaches still is.
// CHECK-LABEL: func.func @unlisted_does_not_taint
func.func @unlisted_does_not_taint(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: nn.exp {{.*}}xf32>
  // CHECK: nn.add {{.*}}xf32>
  // CHECK: nn.rsqrt {{.*}}xf32>
  // CHECK: nn.add {{.*}}xf16>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.exp %a : tensor<4x4xf32>
  %2 = nn.add %0, %1 : tensor<4x4xf32>
  %3 = nn.matmul %2, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %4 = nn.rsqrt %a : tensor<4x4xf32>
  %5 = nn.add %0, %4 : tensor<4x4xf32>
  %6 = nn.matmul %5, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %3, %6 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Colours go through the borders of regions, and not into islands.
// CHECK-LABEL: func.func @regions
func.func @regions(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK: nn.tanh {{.*}}xf16>
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  // CHECK: nn.tanh {{.*}}xf32>
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  %0 = nn.autocast enabled -> tensor<4x4xf32> {
    %4 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    nn.yield %4 : tensor<4x4xf32>
  }
  %1 = nn.tanh %0 : tensor<4x4xf32>
  %2 = nn.matmul %1, %1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %5 = nn.autocast disabled -> tensor<4x4xf32> {
    %6 = nn.tanh %2 : tensor<4x4xf32>
    nn.yield %6 : tensor<4x4xf32>
  }
  %7 = nn.matmul %5, %5 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %7 : tensor<4x4xf32>
}

// Without spread infer and clear follow their operands, but for the taint.
// TAINT-LABEL: func.func @follow
// With it they do not, also where each op has its own category.
// SPREAD-LABEL: func.func @follow
func.func @follow(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // TAINT:  nn.matmul {{.*}} -> tensor<4x4xf16>
  // TAINT:  nn.tanh {{.*}}xf16>
  // SPREAD: nn.matmul {{.*}} -> tensor<4x4xf16>
  // SPREAD: nn.tanh {{.*}}xf32>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.tanh %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// bf16 has lists of its own: there a sum may run low.
// CHECK-LABEL: func.func @bf16_lists
func.func @bf16_lists(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  // CHECK: nn.reduce_sum {{.*}} -> tensor<4xf32>
  // CHECK: nn.reduce_sum {{.*}} -> tensor<4xbf16>
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.reduce_sum %0 axes [0] : tensor<4x4xf32> -> tensor<4xf32>
  %2 = nn.autocast enabled dtype(bf16) -> tensor<4xf32> {
    %3 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %4 = nn.reduce_sum %3 axes [0] : tensor<4x4xf32> -> tensor<4xf32>
    %5 = nn.reshape %4 : tensor<4xf32> -> tensor<4x1xf32>
    %6 = nn.matmul %5, %5 transpose_lhs : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
    nn.yield %4 : tensor<4xf32>
  }
  %7 = nn.add %1, %2 : tensor<4xf32>
  return %7 : tensor<4xf32>
}
