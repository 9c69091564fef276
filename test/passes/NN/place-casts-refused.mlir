// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true},func.func(nn-simplify-casts))' | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true},func.func(nn-simplify-casts{refuse=false}))' | FileCheck %s --check-prefix=LOWER

// A product so small that casting its f32 operands and its result moves more
// bytes than f16 saves.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     nn.cast
// CHECK:         nn.matmul {{.*}} -> tensor<16x16xf32>
// CHECK-NOT:     nn.cast
// CHECK:         return
// LOWER-LABEL: func.func @small
// LOWER:         nn.matmul {{.*}} -> tensor<16x16xf16>
func.func @small(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // 3 * 256 values: casts of 6 bytes, 2 instead of 4 bytes to move; 4096
  // multiply-adds of 7/64 byte: 4608 - 1536 - 448.
  // expected-remark @below {{stays in f32: in 'f16' it would cost 2624 bytes more in casts than it saves}}
  %0 = nn.matmul %a, %b : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// -----

// A large one is worth its casts.
// CHECK-LABEL: func.func @large
// CHECK:         nn.matmul {{.*}} -> tensor<256x256xf16>
func.func @large(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = nn.matmul %a, %b : tensor<256x256xf32>, tensor<256x256xf32> -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

// -----

// Weights are cast by the optimizer: a small layer behind another low one has
// nothing to cast but its result.
// CHECK-LABEL: func.func @small_behind_low
// CHECK:         nn.matmul {{.*}} -> tensor<256x256xf16>
// CHECK:         nn.relu {{.*}} : tensor<256x256xf16>
// CHECK:         nn.matmul {{.*}} -> tensor<256x16xf16>
nn.parameter @w : tensor<256x256xf32> = <zeros>
nn.parameter @v : tensor<256x16xf32> = <zeros>
func.func @small_behind_low(%a: tensor<256x256xf32>) -> tensor<256x16xf32> {
  %w = nn.get @w : tensor<256x256xf32>
  %v = nn.get @v : tensor<256x16xf32>
  %0 = nn.matmul %a, %w : tensor<256x256xf32>, tensor<256x256xf32> -> tensor<256x256xf32>
  %1 = nn.relu %0 : tensor<256x256xf32>
  %2 = nn.matmul %1, %v : tensor<256x256xf32>, tensor<256x16xf32> -> tensor<256x16xf32>
  return %2 : tensor<256x16xf32>
}

// -----

// What a refused op's operand was rounded to by the model itself stays so.
// CHECK-LABEL: func.func @refused_after_rounding
// CHECK-SAME:    %[[A:.*]]: tensor<16x16xf32>
// CHECK:         %[[R:.*]] = nn.cast %[[A]] : tensor<16x16xf32> -> tensor<16x16xf16>
// CHECK:         %[[W:.*]] = nn.cast %[[R]] : tensor<16x16xf16> -> tensor<16x16xf32>
// CHECK-DAG:     nn.matmul %[[W]], %[[W]] : {{.*}} -> tensor<16x16xf32>
// CHECK-DAG:     nn.softmax %[[W]]
func.func @refused_after_rounding(%a: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = nn.cast %a : tensor<16x16xf32> -> tensor<16x16xf16>
  %1 = nn.cast %0 : tensor<16x16xf16> -> tensor<16x16xf32>
  %2 = nn.softmax %1 axis(1) : tensor<16x16xf32>
  // expected-remark @below {{stays in f32}}
  %3 = nn.matmul %1, %1 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %2, %3 : tensor<16x16xf32>, tensor<16x16xf32>
}
