// RUN: split-file %s %t
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=%t/policy.txt})' 2>&1 | FileCheck %t/model.mlir
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=%t/policy.txt keep-fp32=by_op lower=by_region,flagged})' 2>&1 | FileCheck %t/model.mlir --check-prefix=FLAGS
// RUN: mpc-opt %t/model.mlir --pass-pipeline='builtin.module(nn-autocast{precision=fp32 policy=%t/policy.txt})' 2>&1 | FileCheck %t/model.mlir --check-prefix=OFF

// Features: A7, B17, X10.

//--- policy.txt
base torch-cuda          # a comment
allow op tanh nn.erf
follow op softmax
deny  region blocks.0
allow region blocks.0.attn
deny node "*norm*" by_[0-9]
allow node head
deny op matmul
allow region marked
deny region nowhere
allow op cos
deny node island
deny node flagged

//--- model.mlir
// A rule that decides about nothing is named, with its line.
// What a flag or another rule overrules does match; what an island has does not.
// CHECK:     policy.txt:10:1: warning: 'deny region nowhere' matches nothing in this model that is not in a disabled region
// CHECK:     policy.txt:11:1: warning: 'allow op cos' matches nothing in this model
// CHECK:     policy.txt:12:1: warning: 'deny node island' matches nothing in this model
// FLAGS-COUNT-3: warning
// FLAGS-NOT:     warning
// CHECK-NOT: warning
// OFF-NOT:   warning

// A rule for an op.
// CHECK-LABEL: func.func @by_op
// FLAGS-LABEL: func.func @by_op
func.func @by_op(%a: tensor<4x4xf32>, %h: tensor<4x4xf16>) {
  // CHECK: nn.tanh {{.*}}xf16>
  // FLAGS: nn.tanh {{.*}}xf32>
  %0 = nn.tanh %a : tensor<4x4xf32> loc("by_op")
  // CHECK: nn.erf {{.*}}xf16>
  // FLAGS: nn.erf {{.*}}xf32>
  %1 = nn.erf %a : tensor<4x4xf32> loc("by_op")
  // CHECK: nn.softmax {{.*}}xf16>
  %2 = nn.softmax %h axis(1) : tensor<4x4xf16>
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf32>
  %3 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: nn.linear {{.*}} -> tensor<4x4xf16>
  %4 = nn.linear %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// A node's rule is stronger than its region's, this than its op's. A region is
// a module of the model, or what its nodes' names start with; the inner wins.
// CHECK-LABEL: func.func @by_node
func.func @by_node(%a: tensor<4x4xf32>) {
  // CHECK: nn.tanh {{.*}}xf32>
  %0 = nn.tanh %a : tensor<4x4xf32> loc("blocks.0/tanh")
  // CHECK: nn.tanh {{.*}}xf16>
  %1 = nn.tanh %a : tensor<4x4xf32> loc("n"("blocks.0.attn"))
  // CHECK: nn.tanh {{.*}}xf16>
  %2 = nn.tanh %a : tensor<4x4xf32> loc("blocks.01")
  // CHECK: nn.tanh {{.*}}xf32>
  %3 = nn.tanh %a : tensor<4x4xf32> loc("blocks.0.attn.norm")
  // CHECK: nn.matmul {{.*}} -> tensor<4x4xf16>
  %4 = nn.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32> loc("head")
  // CHECK: nn.tanh {{.*}}xf32>
  %5 = nn.tanh %a : tensor<4x4xf32> loc("by_7")
  return
}

// An nn.autocast of that name is a region; an island is stronger than a rule.
// CHECK-LABEL: func.func @by_region
// FLAGS-LABEL: func.func @by_region
// OFF-LABEL:   func.func @by_region
func.func @by_region(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: nn.log {{.*}}xf16>
  // OFF:   nn.log {{.*}}xf32>
  %0 = nn.autocast enabled -> tensor<4x4xf32> {
    %1 = nn.log %a : tensor<4x4xf32>
    nn.yield %1 : tensor<4x4xf32>
  } loc("marked")
  // CHECK: nn.log {{.*}}xf32>
  %2 = nn.autocast disabled -> tensor<4x4xf32> {
    %3 = nn.log %a : tensor<4x4xf32> loc("island")
    nn.yield %3 : tensor<4x4xf32>
  } loc("marked")
  // FLAGS: nn.exp {{.*}}xf16>
  %4 = nn.exp %a : tensor<4x4xf32> loc("by_region")
  // CHECK: nn.exp {{.*}}xf32>
  // FLAGS: nn.exp {{.*}}xf16>
  %5 = nn.exp %a : tensor<4x4xf32> loc("flagged")
  return %0, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}
