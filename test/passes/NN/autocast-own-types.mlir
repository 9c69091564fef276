// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16})' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open},func.func(nn-simplify-casts{refuse=false}))' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 keep-fp32=batch_norm})' | FileCheck %s --check-prefix=KEEP
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=preset:o3})' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-autocast{precision=fp16 policy=preset:grappler})' | FileCheck %s
// What has a type of its own keeps it, whatever type its op runs in: scale, bias
// and statistics of a normalization stay f32.

// CHECK-LABEL: func.func @training
// CHECK:         %[[Y:.*]] = nn.linear {{.*}} -> tensor<4x3xf16>
// CHECK:         nn.batch_norm_training %[[Y]], %{{.*}} : (tensor<4x3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
// KEEP-LABEL:  func.func @training
// KEEP:          nn.batch_norm_training {{.*}} : (tensor<4x3xf32>, tensor<3xf32>,
func.func @training(%x: tensor<4x8xf32>, %w: tensor<3x8xf32>, %s: tensor<3xf32>, %w2: tensor<3x3xf32>)
    -> (tensor<4x3xf32>, tensor<3xf32>) {
  %0 = nn.linear %x, %w : tensor<4x8xf32>, tensor<3x8xf32> -> tensor<4x3xf32>
  %1:5 = nn.batch_norm_training %0, %s, %s, %s, %s axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  %2 = nn.linear %1#0, %w2 : tensor<4x3xf32>, tensor<3x3xf32> -> tensor<4x3xf32>
  return %2, %1#3 : tensor<4x3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @inference
// CHECK:         nn.batch_norm %{{.*}} : (tensor<4x3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf16>
func.func @inference(%x: tensor<4x8xf32>, %w: tensor<3x8xf32>, %s: tensor<3xf32>, %v: tensor<3x3xf32>) -> tensor<4x3xf32> {
  %0 = nn.linear %x, %w : tensor<4x8xf32>, tensor<3x8xf32> -> tensor<4x3xf32>
  %1 = nn.batch_norm %0, %s, %s, %s, %s axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = nn.linear %1, %v : tensor<4x3xf32>, tensor<3x3xf32> -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// Vectors of a wider type do not make an f16 activation f32.
// CHECK-LABEL: func.func @island
// CHECK:         nn.batch_norm {{.*}} -> tensor<4x3xf16>
func.func @island(%x: tensor<4x3xf16>, %s: tensor<3xf32>) -> tensor<4x3xf16> {
  %0 = nn.autocast disabled -> tensor<4x3xf16> {
    %1 = nn.batch_norm %x, %s, %s, %s, %s axis(1) epsilon(1.0e-3) momentum(0.25)
        : (tensor<4x3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf16>
    nn.yield %1 : tensor<4x3xf16>
  }
  return %0 : tensor<4x3xf16>
}

// What is never cast cannot become infinite.
// CHECK-LABEL: func.func @large
// CHECK:         nn.batch_norm {{.*}} -> tensor<4x3xf16>
func.func @large(%x: tensor<4x8xf32>, %w: tensor<3x8xf32>, %s: tensor<3xf32>, %v: tensor<3x3xf32>) -> tensor<4x3xf32> {
  %large = nn.constant dense<1.0e+06> : tensor<3xf32>
  %0 = nn.linear %x, %w : tensor<4x8xf32>, tensor<3x8xf32> -> tensor<4x3xf32>
  %1 = nn.batch_norm %0, %s, %s, %s, %large axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = nn.linear %1, %v : tensor<4x3xf32>, tensor<3x3xf32> -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// Features: A13.
