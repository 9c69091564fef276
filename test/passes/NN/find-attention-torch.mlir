// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-attention{force=true policy=torch-cuda}))' --verify-diagnostics -o - | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-attention{force=true policy=torch-cpu}))' --verify-diagnostics -o - | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-attention{force=true policy=torch-cuda}),nn-autocast{precision=bf16 policy=torch-cuda})' -o - 2>/dev/null | FileCheck %s --check-prefix=CAST
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-attention{force=true policy=o1}))' -o - | FileCheck %s --check-prefix=KEPT --implicit-check-not=nn.attention
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-find-attention{force=true policy=keras}))' -o - | FileCheck %s --check-prefix=KEPT --implicit-check-not=nn.attention

// PyTorch's scaled_dot_product_attention is one op of its lists, and rounds no
// score. A model's own products and softmax are ops of their own.

// CHECK-LABEL: func.func @one_node
// CHECK-NOT:   nn.softmax
// CHECK:       nn.attention
// CAST-LABEL:  func.func @one_node
// CAST:        nn.attention {{.*}} : tensor<2x3x4x8xbf16>, tensor<2x3x5x8xbf16>, tensor<2x3x5x6xbf16>
// KEPT-LABEL:  func.func @one_node
// KEPT:        nn.softmax
func.func @one_node(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32> loc("scaled_dot_product_attention")
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32> loc("scaled_dot_product_attention")
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32> loc("scaled_dot_product_attention")
  return %2 : tensor<2x3x4x6xf32>
}

// CHECK-LABEL: func.func @nodes
// CHECK:       nn.softmax
// CHECK-LABEL: func.func @softmax_of_another
// CHECK:       nn.softmax
// KEPT-LABEL:  func.func @nodes
func.func @nodes(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32> loc("scores")
  // expected-remark @below {{attention stays written out: the policy says of each of its ops how it rounds}}
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32> loc("values")
  return %2 : tensor<2x3x4x6xf32>
}

func.func @softmax_of_another(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x5x8xf32>, %v: tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = nn.matmul %q, %k transpose_rhs : tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32> -> tensor<2x3x4x5xf32> loc("attention")
  // expected-remark @below {{attention stays written out: the policy says of each of its ops how it rounds}}
  %1 = nn.softmax %0 axis(3) : tensor<2x3x4x5xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32> -> tensor<2x3x4x6xf32> loc("attention")
  return %2 : tensor<2x3x4x6xf32>
}
