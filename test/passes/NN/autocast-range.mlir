// No infinity that 16 bits alone make vanishes unseen: where what reads a
// product, a quotient or a sum of these would make it finite again, they are in
// f32. Policies of other systems do as these do, and say so.
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16})' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=torch-cuda})' \
// RUN:   | FileCheck %s --check-prefix=TORCH
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 lower=mul})' \
// RUN:   | FileCheck %s --check-prefix=FORCED
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=bf16})' \
// RUN:   | FileCheck %s --check-prefix=BF16

// A square is f32 in ours, whatever reads it and in bf16, too.
// CHECK-LABEL: func.func @square
// CHECK: nn.mul %{{.*}}, %{{.*}} : tensor<4x4xf32>
// TORCH-LABEL: func.func @square
// TORCH: nn.mul %{{.*}}, %{{.*}} : tensor<4x4xf16>
// BF16-LABEL: func.func @square
// BF16: nn.mul %{{.*}}, %{{.*}} : tensor<4x4xf32>
func.func @square(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %h = nn.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %0 = nn.mul %h, %h : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// By the record of the call, PyTorch computes all of a power or a norm in f32.
// TORCH-LABEL: func.func @calls
// TORCH: nn.mul %{{[^{]*}} : tensor<4x4xf32>
// TORCH: nn.sqrt %{{[^{]*}} : tensor<4x4xf32>
// TORCH: nn.mul %{{[^{]*}} : tensor<4x4xf16>
func.func @calls(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %h = nn.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %g = nn.matmul %w, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %0 = nn.mul %h, %h {nn.call = "pow.Tensor_Scalar"} : tensor<4x4xf32>
  %1 = nn.sqrt %h {nn.call = "linalg_vector_norm"} : tensor<4x4xf32>
  %2 = nn.mul %h, %g {nn.call = "addcmul"} : tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// 1 / inf is 0.
// CHECK-LABEL: func.func @divisor
// CHECK: nn.mul {{.*}} : tensor<4x4xf32>
// CHECK: nn.add {{.*}} : tensor<4x4xf32>
// CHECK: nn.div {{.*}} : tensor<4x4xf32>
// TORCH-LABEL: func.func @divisor
// TORCH: nn.mul {{.*}} : tensor<4x4xf16>
// TORCH: nn.add {{.*}} {nn.hidden_infinity = "div"} : tensor<4x4xf16>
// TORCH: nn.div {{.*}} : tensor<4x4xf16>
// FORCED-LABEL: func.func @divisor
// FORCED: nn.mul {{.*}} {nn.hidden_infinity = {{.*}}} : tensor<4x4xf16>
// BF16-LABEL: func.func @divisor
// BF16-NOT: f32>, tensor<4x4xf32> -> tensor<4x4xf32>
// BF16: nn.mul {{.*}} : tensor<4x4xbf16>
func.func @divisor(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %h = nn.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %g = nn.matmul %w, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %0 = nn.mul %h, %g : tensor<4x4xf32>
  %1 = nn.add %0, %h : tensor<4x4xf32>
  %2 = nn.div %h, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// By way of a sum, which is in f32 in both: what it sums is not, in PyTorch.
// CHECK-LABEL: func.func @sum
// CHECK: nn.mul {{.*}} : tensor<4x4xf32>
// TORCH-LABEL: func.func @sum
// TORCH: nn.mul {{.*}} {nn.hidden_infinity = "rsqrt"} : tensor<4x4xf16>
func.func @sum(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4xf32> {
  %h = nn.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %g = nn.matmul %w, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %0 = nn.mul %h, %g : tensor<4x4xf32>
  %1 = nn.reduce_sum %0 axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  %2 = nn.rsqrt %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A quotient, and the other of two branches or operands.
// CHECK-LABEL: func.func @choices
// CHECK: nn.div {{.*}} : tensor<4x4xf32>
// CHECK: nn.select {{.*}}, tensor<4x4xf32>
// CHECK: nn.mul {{.*}} : tensor<4x4xf32>
// CHECK: nn.maximum {{.*}} : tensor<4x4xf32>
func.func @choices(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %c: tensor<4x4xi1>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %h = nn.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %g = nn.matmul %w, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %0 = nn.div %h, %g : tensor<4x4xf32>
  %1 = nn.select %c, %0, %h : tensor<4x4xi1>, tensor<4x4xf32>
  %2 = nn.mul %h, %g : tensor<4x4xf32>
  %3 = nn.maximum %2, %h : tensor<4x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// What a contraction overflows by itself shows or is right, and so does a
// product that a contraction, a norm or a softmax reads: all of it stays.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: nn.{{relu|minimum|maximum|select|mul|div|add|tanh}} {{.*}}tensor<4x4xf32>
// CHECK: return
func.func @stay(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %c: tensor<4x4xi1>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %h = nn.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %g = nn.matmul %w, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %relu = nn.relu %h : tensor<4x4xf32>
  %low = nn.constant dense<-6.0> : tensor<4x4xf32>
  %high = nn.constant dense<6.0> : tensor<4x4xf32>
  %0 = nn.maximum %h, %low : tensor<4x4xf32>
  %clamp = nn.minimum %0, %high : tensor<4x4xf32>
  // Scores, a scale and a mask.
  %scale = nn.constant dense<0.125> : tensor<4x4xf32>
  %inf = nn.constant dense<0xFF800000> : tensor<4x4xf32>
  %1 = nn.mul %h, %scale : tensor<4x4xf32>
  %2 = nn.select %c, %1, %inf : tensor<4x4xi1>, tensor<4x4xf32>
  %mask = nn.softmax %2 axis(1) : tensor<4x4xf32>
  // A gate, which is at most 1, and what divides by what is at least 1.
  %3 = nn.sigmoid %g : tensor<4x4xf32>
  %4 = nn.mul %h, %3 : tensor<4x4xf32>
  %5 = nn.div %4, %high : tensor<4x4xf32>
  %gate = nn.select %c, %5, %h : tensor<4x4xi1>, tensor<4x4xf32>
  // A product into a contraction, and one that a saturated function reads.
  %6 = nn.mul %h, %g : tensor<4x4xf32>
  %product = nn.matmul %6, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %tanh = nn.tanh %6 : tensor<4x4xf32>
  return %relu, %clamp, %mask, %gate, %product, %tanh
    : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// A cast to f32 that the model wrote is one.
// CHECK-LABEL: func.func @written
// CHECK: %[[WIDE:.*]] = nn.cast %{{.*}} : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK-NEXT: nn.sin %[[WIDE]] : tensor<4x4xf32>
// TORCH-LABEL: func.func @written
// TORCH: %[[WIDE:.*]] = nn.cast %{{.*}} : tensor<4x4xf16> -> tensor<4x4xf32>
// TORCH-NEXT: nn.sin %[[WIDE]] : tensor<4x4xf32>
func.func @written(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %h = nn.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %wide = nn.cast %h {nn.written} : tensor<4x4xf32> -> tensor<4x4xf32>
  %0 = nn.sin %wide : tensor<4x4xf32>
  %1 = nn.matmul %0, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
