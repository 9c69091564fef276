// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-recompute{min-bytes=64}))' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-recompute))' | FileCheck %s --check-prefix=SMALL
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cuda-attach-target,func.func(nn-recompute{min-bytes=64}))' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cpu-attach-target,func.func(nn-recompute{min-bytes=64}))' | FileCheck %s --check-prefix=SMALL
// RUN: mpc-opt %s --pass-pipeline='builtin.module(cuda-attach-target{memory=1000000},func.func(nn-recompute{min-bytes=64}))' | FileCheck %s --check-prefix=SMALL
// RUN: not mpc-opt %s --cuda-attach-target=memory=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: cuda-attach-target: a step cannot keep -1 bytes
// What is cheaper to compute than to keep is computed again behind the point where most bytes are live.

// Neither of what saves little, nor for a target that rather keeps values, nor
// where all fits into what the target may keep.
// SMALL-LABEL: func.func @softmax
// SMALL-COUNT-1: nn.softmax
// SMALL-NOT: nn.softmax
// SMALL-LABEL: func.func @sums

nn.parameter @w : tensor<16x16xf16> = #nn.init<ones>

// The softmax in f32 is kept in f16 scores, which it is computed of again; so is
// its f16 copy, of the same clone. The big product in the middle is the point.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[SCORES:.*]] = nn.matmul
// CHECK: nn.softmax
// CHECK: nn.matmul {{.*}} -> tensor<16x512xf16>
// CHECK: nn.transpose
// CHECK: %[[WIDE:.*]] = nn.cast %[[SCORES]]
// CHECK: %[[AGAIN:.*]] = nn.softmax %[[WIDE]]
// CHECK: %[[COPY:.*]] = nn.cast %[[AGAIN]]
// CHECK-NOT: nn.softmax
// CHECK: nn.add %{{.*}}, %[[COPY]]
// CHECK: nn.mul %{{.*}}, %[[AGAIN]]
func.func @softmax(%x: tensor<16x16xf16>, %y: tensor<16x512xf16>) -> (tensor<16x16xf16>, tensor<16x16xf32>, tensor<512x16xf16>) {
  %w = nn.get @w : tensor<16x16xf16>
  %scores = nn.matmul %x, %w : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
  %wide = nn.cast %scores : tensor<16x16xf16> -> tensor<16x16xf32>
  %soft = nn.softmax %wide axis(1) : tensor<16x16xf32>
  %copy = nn.cast %soft : tensor<16x16xf32> -> tensor<16x16xf16>
  %big = nn.matmul %copy, %y : tensor<16x16xf16>, tensor<16x512xf16> -> tensor<16x512xf16>
  %turned = nn.transpose %big [1, 0] : tensor<16x512xf16> -> tensor<512x16xf16>
  %sum = nn.add %x, %copy : tensor<16x16xf16>
  %product = nn.mul %soft, %soft : tensor<16x16xf32>
  return %sum, %product, %turned : tensor<16x16xf16>, tensor<16x16xf32>, tensor<512x16xf16>
}

// A sum of two others is kept: one of them would be in its place.
// CHECK-LABEL: func.func @sums
// CHECK-COUNT-1: nn.add
// CHECK-NOT: nn.add
// CHECK: return
func.func @sums(%x: tensor<16x16xf16>, %y: tensor<16x512xf16>) -> (tensor<16x16xf16>, tensor<512x16xf16>) {
  %w = nn.get @w : tensor<16x16xf16>
  %a = nn.matmul %x, %w : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
  %b = nn.matmul %a, %w : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
  %sum = nn.add %a, %b : tensor<16x16xf16>
  %big = nn.matmul %sum, %y : tensor<16x16xf16>, tensor<16x512xf16> -> tensor<16x512xf16>
  %turned = nn.transpose %big [1, 0] : tensor<16x512xf16> -> tensor<512x16xf16>
  %product = nn.mul %sum, %x : tensor<16x16xf16>
  return %product, %turned : tensor<16x16xf16>, tensor<512x16xf16>
}

// An activation of what is kept anyway is not kept.
// CHECK-LABEL: func.func @activation
// CHECK: %[[IN:.*]] = nn.matmul
// CHECK: nn.gelu %[[IN]]
// CHECK: nn.transpose
// CHECK: %[[GELU:.*]] = nn.gelu %[[IN]]
// CHECK: nn.mul %[[GELU]], %[[IN]]
func.func @activation(%x: tensor<16x16xf16>, %y: tensor<16x512xf16>) -> (tensor<16x16xf16>, tensor<512x16xf16>) {
  %w = nn.get @w : tensor<16x16xf16>
  %in = nn.matmul %x, %w : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
  %gelu = nn.gelu %in : tensor<16x16xf16>
  %big = nn.matmul %gelu, %y : tensor<16x16xf16>, tensor<16x512xf16> -> tensor<16x512xf16>
  %turned = nn.transpose %big [1, 0] : tensor<16x512xf16> -> tensor<512x16xf16>
  %product = nn.mul %gelu, %in : tensor<16x16xf16>
  return %product, %turned : tensor<16x16xf16>, tensor<512x16xf16>
}

// What would have to be kept in its place, where nobody reads that later, counts
// too: a cast to half the bytes of what it is made of is kept.
// CHECK-LABEL: func.func @base
// CHECK: nn.cast
// CHECK: nn.transpose
// CHECK-NOT: nn.cast
// CHECK: return
func.func @base(%x: tensor<16x16xf32>, %y: tensor<16x512xf16>) -> (tensor<16x16xf16>, tensor<512x16xf16>) {
  %in = nn.matmul %x, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %half = nn.cast %in : tensor<16x16xf32> -> tensor<16x16xf16>
  %big = nn.matmul %half, %y : tensor<16x16xf16>, tensor<16x512xf16> -> tensor<16x512xf16>
  %turned = nn.transpose %big [1, 0] : tensor<16x512xf16> -> tensor<512x16xf16>
  %product = nn.mul %half, %half : tensor<16x16xf16>
  return %product, %turned : tensor<16x16xf16>, tensor<512x16xf16>
}
