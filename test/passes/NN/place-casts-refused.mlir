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

// -----

// Each kind of contraction counts its own multiply-adds. Behind the remarks:
// elements cast * 6 - elements moved * 2 - multiply-adds * 7/64.
// CHECK-LABEL: func.func @multiply_adds
// CHECK-NOT:     nn.cast
// CHECK:         return
func.func @multiply_adds(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>, %b: tensor<4xf32>,
                         %l: tensor<8x16xf32>, %r: tensor<8x4xf32>,
                         %i: tensor<1x2x6x6xf32>, %k: tensor<4x1x3x3xf32>)
    -> (tensor<8x4xf32>, tensor<16x4xf32>, tensor<1x4x4x4xf32>) {
  // 228 elements, 8 * 4 * 16 multiply-adds.
  // expected-remark @below {{it would cost 856 bytes more}}
  %0 = nn.linear %x, %w bias %b : tensor<4xf32> : tensor<8x16xf32>, tensor<4x16xf32> -> tensor<8x4xf32>
  // 224 elements, 16 * 4 * 8.
  // expected-remark @below {{it would cost 840 bytes more}}
  %1 = nn.matmul %l, %r transpose_lhs : tensor<8x16xf32>, tensor<8x4xf32> -> tensor<16x4xf32>
  // 172 elements, 64 * 9.
  // expected-remark @below {{it would cost 625 bytes more}}
  %2 = nn.conv %i, %k strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(2) : tensor<1x2x6x6xf32>, tensor<4x1x3x3xf32> -> tensor<1x4x4x4xf32>
  return %0, %1, %2 : tensor<8x4xf32>, tensor<16x4xf32>, tensor<1x4x4x4xf32>
}

// Features: X11.
