// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-autocast{precision=bf16})' | FileCheck %s

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

// -----

// The body of two loops keeps the types that it takes.
// CHECK-LABEL: func.func private @shared(
// CHECK-SAME:    %{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<4x8xf32>)
// CHECK-LABEL: func.func @twice(
// CHECK:         %[[A:.*]] = nn.linear {{.*}} -> tensor<20x8xbf16>
// CHECK:         %[[S:.*]] = nn.reshape %[[A]]
// CHECK:         %[[W:.*]] = nn.cast %[[S]] : tensor<5x4x8xbf16> -> tensor<5x4x8xf32>
// CHECK:         nn.scan @shared turns(5) inits(%{{[^)]*}}) stacks(%[[W]]) :
// CHECK:         nn.scan @shared turns(5) inits(%{{[^)]*}}) stacks(%{{[^)]*}}) : (tensor<4x8xf32>, tensor<5x4x8xf32>)
func.func private @shared(%h: tensor<4x8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = nn.add %h, %x : tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}
func.func @twice(%h: tensor<4x8xf32>, %x: tensor<20x6xf32>, %v: tensor<8x6xf32>, %y: tensor<5x4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = nn.linear %x, %v : tensor<20x6xf32>, tensor<8x6xf32> -> tensor<20x8xf32>
  %s = nn.reshape %a : tensor<20x8xf32> -> tensor<5x4x8xf32>
  %l = nn.scan @shared turns(5) inits(%h) stacks(%s) : (tensor<4x8xf32>, tensor<5x4x8xf32>) -> tensor<4x8xf32>
  %m = nn.scan @shared turns(5) inits(%h) stacks(%y) : (tensor<4x8xf32>, tensor<5x4x8xf32>) -> tensor<4x8xf32>
  return %l, %m : tensor<4x8xf32>, tensor<4x8xf32>
}
