// RUN: mpc-opt %s --split-input-file --amp-add-probes --verify-diagnostics | FileCheck %s

// One result a floating value, in program order; constants and f64 are passed
// over. The gradient's site knows its parameter, and each the sites it reads.
// CHECK-LABEL: func.func @probe
// CHECK-SAME:    tensor<1xf32> {amp.site = {node = "x", op = "input", type = tensor<4x3xf32>}, nn.name = "site0"}
// CHECK-SAME:    {amp.site = {file = {{.*}}, inputs = array<i64>, node = "w", op = "nn.get", type = tensor<4x3xf32>}, nn.name = "site1"}
// CHECK-SAME:    {amp.site = {inputs = array<i64: 0>, node = "low", op = "nn.cast", type = tensor<4x3xf16>}, nn.name = "site2"}
// CHECK-SAME:    {amp.site = {gradient, inputs = array<i64: 0, 1>, node = "sum", op = "nn.mul", parameter = "w", type = tensor<4x3xf32>}, nn.name = "site3"}
// CHECK-NOT:     site4
// CHECK:         %[[X:.*]] = nn.reshape %{{.*}} : tensor<4x3xf32> -> tensor<1x12xf32>
// CHECK:         %[[S0:.*]] = amp.block_max_abs %[[X]] : tensor<1x12xf32> -> tensor<1xf32>
// CHECK:         return %[[S0]], %{{.*}}, %{{.*}}, %{{.*}} : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
module {
  nn.parameter @w : tensor<4x3xf32> = <zeros>
  func.func @probe(%x: tensor<4x3xf32> {nn.name = "x"}, %d: tensor<2xf64>, %i: tensor<2xi64>)
      -> (tensor<4x3xf32> {nn.name = "grad.w"}) {
    %w = nn.get @w : tensor<4x3xf32>
    %l = nn.cast %x : tensor<4x3xf32> -> tensor<4x3xf16> loc("low")
    %c = nn.constant dense<1.0> : tensor<2xf64>
    %y = nn.mul %d, %c : tensor<2xf64>
    %z = nn.mul %x, %w : tensor<4x3xf32> loc(fused<"gradient">["sum"])
    return %z : tensor<4x3xf32>
  }
}

// -----

// What reads an infinity that the model's author wrote says so; a constant
// without one is none.
// CHECK-LABEL: func.func @probe
// CHECK-SAME:    {amp.site = {infinite, inputs = array<i64: 0>, node = "mask", op = "nn.add", {{.*}}, nn.name = "site1"}
// CHECK-SAME:    {amp.site = {inputs = array<i64: 1>, node = "scale", op = "nn.mul", {{.*}}, nn.name = "site2"}
module {
  func.func @probe(%x: tensor<2xf32> {nn.name = "x"}) -> tensor<2xf32> {
    %m = nn.constant dense<[0.0, 0xFF800000]> : tensor<2xf32>
    %s = nn.constant dense<2.0> : tensor<2xf32>
    %y = nn.add %x, %m : tensor<2xf32> loc("mask")
    %z = nn.mul %y, %s : tensor<2xf32> loc("scale")
    return %z : tensor<2xf32>
  }
}

// -----

// expected-error @below {{has no function @probe}}
module {
}
