// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{lanes=16},func.func(kernel-lower-bodies,kernel-fuse),kernel-outline,kernel-schedule)' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target{lanes=16},func.func(kernel-lower-bodies,kernel-fuse),kernel-outline,kernel-schedule,kernel-plan-memory)' | FileCheck %s --check-prefix=PLAN

// A weight that all turns multiply is packed before the loop, though its own
// turn reads it once.
// CHECK-LABEL: func.func private @turn(
// CHECK-SAME:    %[[H:.*]]: tensor<16x64xf32>, %{{.*}}: tensor<128x64xf32> {kernel.invariant}, %[[P:.*]]: tensor<1x4x64x32xf32> {kernel.invariant})
// CHECK-NOT:     pack
// CHECK:         kernel.launch @[[K:.*]] ins(%[[H]], %[[P]] :
// CHECK-LABEL: func.func @model(
// CHECK-SAME:    %{{.*}}: {{.*}}, %[[W:.*]]: tensor<128x64xf32>)
// CHECK:         %[[D:.*]] = tensor.empty() : tensor<1x4x64x32xf32>
// CHECK:         %[[N:.*]] = kernel.launch @[[K]]_pack ins(%[[W]] : {{.*}} outs(%[[D]] :
// CHECK:         %[[R:.*]]:2 = kernel.repeat @turn turns(7) inits(%{{[^)]*}}) constants(%[[W]], %[[N]]) :
// CHECK-SAME:      -> (tensor<2x16x64xf32>, tensor<7x16x128xf32>)

// The body's arena is a buffer of the caller, behind the places of results.
// PLAN-LABEL: func.func private @turn(
// PLAN-SAME:    %{{.*}}: memref<[[BODY:[0-9]+]]xi8> {kernel.buffer = #kernel.buffer<arena>}
// PLAN-LABEL: func.func @model(
// PLAN:         kernel.repeat @turn turns(7)
// PLAN-SAME:      outs(%{{[^)]*}}) : (memref<16x64xf32>, memref<128x64xf32>, memref<1x4x64x32xf32>, memref<2x16x64xf32>, memref<7x16x128xf32>, memref<[[BODY]]xi8>) -> ()
func.func private @turn(%h: tensor<16x64xf32>, %w: tensor<128x64xf32>) -> (tensor<16x64xf32>, tensor<16x128xf32>) {
  %p = nn.linear %h, %w : tensor<16x64xf32>, tensor<128x64xf32> -> tensor<16x128xf32>
  %s = nn.slice %p [0, 32] to [16, 96] by [1, 1] : tensor<16x128xf32> -> tensor<16x64xf32>
  %t = nn.tanh %s : tensor<16x64xf32>
  %y = nn.exp %p : tensor<16x128xf32>
  return %t, %y : tensor<16x64xf32>, tensor<16x128xf32>
}
func.func @model(%h: tensor<16x64xf32>, %w: tensor<128x64xf32>) -> (tensor<16x64xf32>, tensor<7x16x128xf32>) {
  %l, %y = nn.scan @turn turns(7) inits(%h) constants(%w)
      : (tensor<16x64xf32>, tensor<128x64xf32>) -> (tensor<16x64xf32>, tensor<7x16x128xf32>)
  return %l, %y : tensor<16x64xf32>, tensor<7x16x128xf32>
}
