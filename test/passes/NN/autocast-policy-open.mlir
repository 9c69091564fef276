// RUN: split-file %s %t
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true})' | FileCheck %t/model.mlir --check-prefix=OPEN
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true policy=%t/rule.txt})' | FileCheck %t/model.mlir --check-prefix=RULE
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true policy=%t/spread.txt})' | FileCheck %t/model.mlir --check-prefix=CLOSED
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true policy=torch-cuda})' | FileCheck %t/model.mlir --check-prefix=CLOSED
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true policy=o3})' | FileCheck %t/model.mlir --check-prefix=CLOSED

//--- rule.txt
follow op tanh
//--- spread.txt
spread on
//--- model.mlir

// Only what no rule chose is open, and only in the policy that is ours.
// OPEN-LABEL:   func.func @open
// CLOSED-LABEL: func.func @open
// RULE-LABEL:   func.func @open
func.func @open(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // OPEN:       nn.matmul {{.*}}nn.refusable
  // OPEN:       nn.tanh {{.*}}nn.free
  // RULE:       nn.matmul {{.*}}nn.refusable
  // RULE:       nn.tanh %{{[0-9]*}} : tensor<4x4xf16>
  // CLOSED-NOT: nn.refusable
  // CLOSED-NOT: nn.free
  // CLOSED:     return
  %0 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = nn.tanh %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
