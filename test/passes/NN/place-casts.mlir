// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true},func.func(nn-simplify-casts{refuse=false}))' | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true},func.func(nn-simplify-casts{place=false}))' | FileCheck %s --check-prefix=GREEDY

// No mark survives, placed or not.
// CHECK-NOT:  nn.free
// CHECK-NOT:  nn.refusable
// GREEDY-NOT: nn.free
// GREEDY-NOT: nn.refusable

// What only a contraction reads is narrowed before the infer op, which then
// moves half the bytes.
// CHECK-LABEL: func.func @narrow_early
// CHECK-SAME:    %[[X:.*]]: tensor<64x64xf32>
// GREEDY-LABEL: func.func @narrow_early
func.func @narrow_early(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK:  %[[X16:.*]] = nn.cast %[[X]] : tensor<64x64xf32> -> tensor<64x64xf16>
  // CHECK:  %[[T:.*]] = nn.tanh %[[X16]] : tensor<64x64xf16>
  // CHECK:  nn.matmul %[[T]], %[[T]]
  // GREEDY: nn.tanh {{.*}} : tensor<64x64xf32>
  %0 = nn.tanh %x : tensor<64x64xf32>
  %1 = nn.matmul %0, %0 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

// What is also read in f32 is not rounded for the contraction's sake.
// CHECK-LABEL: func.func @read_in_f32
func.func @read_in_f32(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  // CHECK: %[[T:.*]] = nn.tanh {{.*}} : tensor<64x64xf32>
  // CHECK: nn.softmax %[[T]]
  %0 = nn.tanh %x : tensor<64x64xf32>
  %1 = nn.matmul %0, %0 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = nn.softmax %0 axis(1) : tensor<64x64xf32>
  return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Nor is it where the f32 reader is behind another infer op.
// CHECK-LABEL: func.func @read_in_f32_later
func.func @read_in_f32_later(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  // CHECK: %[[T:.*]] = nn.tanh {{.*}} : tensor<64x64xf32>
  // CHECK: nn.transpose %[[T]] {{.*}} -> tensor<64x64xf32>
  %0 = nn.tanh %x : tensor<64x64xf32>
  %1 = nn.matmul %0, %0 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = nn.transpose %0 [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// An f32 copy that is there anyway is read, rather than making one of the
// result.
// CHECK-LABEL: func.func @widen_early
func.func @widen_early(%a: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  // CHECK:  %[[M:.*]] = nn.matmul {{.*}} -> tensor<64x64xf16>
  // CHECK:  %[[M32:.*]] = nn.cast %[[M]]
  // CHECK:  nn.softmax %[[M32]]
  // CHECK:  %[[T:.*]] = nn.tanh %[[M32]] : tensor<64x64xf32>
  // CHECK-NOT: nn.cast
  // CHECK:  nn.softmax %[[T]]
  // GREEDY: nn.tanh {{.*}} : tensor<64x64xf16>
  %0 = nn.matmul %a, %a : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = nn.softmax %0 axis(1) : tensor<64x64xf32>
  %2 = nn.tanh %0 : tensor<64x64xf32>
  %3 = nn.softmax %2 axis(1) : tensor<64x64xf32>
  return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Between two contractions everything is low: nothing to save by f32.
// CHECK-LABEL: func.func @low_between
func.func @low_between(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: nn.tanh {{.*}} : tensor<64x64xf16>
  // CHECK: nn.transpose {{.*}} -> tensor<64x64xf16>
  %0 = nn.matmul %a, %a : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = nn.tanh %0 : tensor<64x64xf32>
  %2 = nn.transpose %1 [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %3 = nn.matmul %2, %2 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// -----

// A value is cast once, however many parts of it are read in the other type:
// narrowing the whole costs less than each part.
// CHECK-LABEL: func.func @one_cast_for_all_parts
// CHECK-SAME:    %[[X:.*]]: tensor<64x64xf32>
func.func @one_cast_for_all_parts(%x: tensor<64x64xf32>) -> tensor<32x32xf32> {
  // CHECK: %[[X16:.*]] = nn.cast %[[X]]
  // CHECK: %[[P:.*]]:2 = nn.split %[[X16]] axis(0) : {{.*}} -> tensor<32x64xf16>, tensor<32x64xf16>
  // CHECK: nn.matmul %[[P]]#0, %[[P]]#1
  %0:2 = nn.split %x axis(0) : tensor<64x64xf32> -> tensor<32x64xf32>, tensor<32x64xf32>
  %1 = nn.matmul %0#0, %0#1 transpose_rhs : tensor<32x64xf32>, tensor<32x64xf32> -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}

// -----

// A promote op is not open: it keeps f32, and so does what feeds it.
// CHECK-LABEL: func.func @promote_is_decided
func.func @promote_is_decided(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: nn.relu {{.*}} : tensor<64x64xf32>
  // CHECK: nn.mul {{.*}} : tensor<64x64xf32>
  %0 = nn.relu %x : tensor<64x64xf32>
  %1 = nn.mul %0, %x : tensor<64x64xf32>
  %2 = nn.matmul %1, %1 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// A rounding that the model itself asks for stays, and nothing moves over it.
// CHECK-LABEL: func.func @model_rounds
// CHECK-SAME:    %[[X:.*]]: tensor<64x64xf32>
func.func @model_rounds(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: %[[R:.*]] = nn.cast %[[X]] : tensor<64x64xf32> -> tensor<64x64xf16>
  // CHECK: %[[W:.*]] = nn.cast %[[R]] : tensor<64x64xf16> -> tensor<64x64xf32>
  // CHECK: nn.tanh %[[W]] : tensor<64x64xf32>
  %0 = nn.cast %x : tensor<64x64xf32> -> tensor<64x64xf16>
  %1 = nn.cast %0 : tensor<64x64xf16> -> tensor<64x64xf32>
  %2 = nn.tanh %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// Each low type is a problem of its own: a value of the other one is no value
// of this one.
// CHECK-LABEL: func.func @two_low_types
func.func @two_low_types(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: nn.tanh {{.*}} : tensor<64x64xf16>
  // CHECK: %[[M:.*]] = nn.matmul {{.*}} -> tensor<64x64xf16>
  // CHECK: %[[M32:.*]] = nn.cast %[[M]] : tensor<64x64xf16> -> tensor<64x64xf32>
  // CHECK: %[[E:.*]] = nn.exp %[[M32]]
  // CHECK: %[[B:.*]] = nn.cast %[[E]] : tensor<64x64xf32> -> tensor<64x64xbf16>
  // CHECK: nn.relu %[[B]] : tensor<64x64xbf16>
  // CHECK: nn.matmul {{.*}} -> tensor<64x64xbf16>
  %0 = nn.tanh %x : tensor<64x64xf32>
  %1 = nn.matmul %0, %0 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = nn.autocast enabled dtype(bf16) -> tensor<64x64xf32> {
    %5 = nn.exp %1 : tensor<64x64xf32>
    %3 = nn.relu %5 : tensor<64x64xf32>
    %4 = nn.matmul %3, %3 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    nn.yield %4 : tensor<64x64xf32>
  }
  return %2 : tensor<64x64xf32>
}

// -----

// Indices that somebody reads were found in f32.
// CHECK-LABEL: func.func @indices
func.func @indices(%x: tensor<1x1x64x64xf32>) -> (tensor<1x1x32x32xf32>, tensor<1x1x32x32xi64>) {
  // CHECK: nn.max_pool {{.*}} -> tensor<1x1x32x32xf32>, tensor<1x1x32x32xi64>
  %0, %1 = nn.max_pool %x window [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<1x1x64x64xf32> -> tensor<1x1x32x32xf32>, tensor<1x1x32x32xi64>
  %2 = nn.matmul %0, %0 : tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32> -> tensor<1x1x32x32xf32>
  return %2, %1 : tensor<1x1x32x32xf32>, tensor<1x1x32x32xi64>
}

// Features: B7.
