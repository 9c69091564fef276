// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=bf16})' | FileCheck %s

// The body of a loop takes stacks and constants in the types that they have
// become; what is carried keeps its own. It is decided behind the function of
// the loop, wherever it stands.
// CHECK-LABEL: func.func private @turn(
// CHECK-SAME:    %[[H:.*]]: tensor<4x8xf32>, %[[X:.*]]: tensor<4x8xbf16>, %[[W:.*]]: tensor<8x8xf32>)
// CHECK-SAME:    -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-DAG:     %[[N:.*]] = nn.cast %[[H]] : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK-DAG:     %[[M:.*]] = nn.cast %[[W]] : tensor<8x8xf32> -> tensor<8x8xbf16>
// CHECK:         %[[P:.*]] = nn.linear %[[N]], %[[M]]
// CHECK:         nn.add %[[P]], %[[X]] : tensor<4x8xbf16>
// CHECK-LABEL: func.func @model(
// CHECK:         %[[A:.*]] = nn.linear {{.*}} -> tensor<20x8xbf16>
// CHECK:         %[[S:.*]] = nn.reshape %[[A]]
// CHECK:         nn.scan @turn turns(5) inits(%{{[^)]*}}) stacks(%[[S]]) constants(%{{[^)]*}}) : (tensor<4x8xf32>, tensor<5x4x8xbf16>, tensor<8x8xf32>)
func.func private @turn(%h: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %p = nn.linear %h, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %s = nn.add %p, %x : tensor<4x8xf32>
  return %s, %p : tensor<4x8xf32>, tensor<4x8xf32>
}
func.func @model(%h: tensor<4x8xf32>, %x: tensor<20x6xf32>, %v: tensor<8x6xf32>, %w: tensor<8x8xf32>)
    -> (tensor<4x8xf32>, tensor<5x4x8xf32>) {
  %a = nn.linear %x, %v : tensor<20x6xf32>, tensor<8x6xf32> -> tensor<20x8xf32>
  %s = nn.reshape %a : tensor<20x8xf32> -> tensor<5x4x8xf32>
  %l, %y = nn.scan @turn turns(5) inits(%h) stacks(%s) constants(%w)
      : (tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<5x4x8xf32>)
  return %l, %y : tensor<4x8xf32>, tensor<5x4x8xf32>
}
