// RUN: mpc-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(builtin.module(nn-check-epsilon))' 2>&1 -o /dev/null | FileCheck %s
// One pass over two modules: what was said of a node of the first is said of the
// second's too, and once in each.

// CHECK-COUNT-2: warning: {{.*}}constant 1e-08 is 0 in f16
// CHECK-NOT:     warning
module {
  func.func @model(%x: tensor<4xf16>) -> tensor<4xf16> {
    %eps = nn.constant dense<1.0e-8> : tensor<4xf32>
    %low = nn.cast %eps : tensor<4xf32> -> tensor<4xf16>
    %0 = nn.add %x, %low : tensor<4xf16> loc("sum")
    %1 = nn.add %0, %low : tensor<4xf16> loc("sum")
    return %1 : tensor<4xf16>
  }
}
module {
  func.func @model(%x: tensor<4xf16>) -> tensor<4xf16> {
    %eps = nn.constant dense<1.0e-8> : tensor<4xf32>
    %low = nn.cast %eps : tensor<4xf32> -> tensor<4xf16>
    %0 = nn.add %x, %low : tensor<4xf16> loc("sum")
    return %0 : tensor<4xf16>
  }
}
