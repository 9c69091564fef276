// RUN: mpc-opt %s | mpc-opt | FileCheck %s

// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<8x10xf32>) {
  // CHECK: nn.softmax %{{.*}} axis(1) : tensor<8x10xf32>
  %0 = nn.softmax %x axis(1) : tensor<8x10xf32>
  // CHECK: nn.log_softmax %{{.*}} axis(0) : tensor<8x10xf32>
  %1 = nn.log_softmax %x axis(0) : tensor<8x10xf32>
  return
}

// Scale and bias come and go, each alone.
// CHECK-LABEL: func.func @layer_norm
func.func @layer_norm(%x: tensor<2x3x4xf32>, %v: tensor<3x4xf32>) {
  // CHECK: nn.layer_norm %{{.*}} axis(1) epsilon(1.000000e-05) : tensor<2x3x4xf32>
  %0 = nn.layer_norm %x axis(1) epsilon(1.0e-5) : tensor<2x3x4xf32>
  // CHECK: nn.layer_norm %{{.*}} scale %{{.*}} : tensor<3x4xf32> axis(1)
  %1 = nn.layer_norm %x scale %v : tensor<3x4xf32> axis(1) epsilon(1.0e-5) : tensor<2x3x4xf32>
  // CHECK: nn.layer_norm %{{.*}} bias %{{.*}} : tensor<3x4xf32> axis(1)
  %2 = nn.layer_norm %x bias %v : tensor<3x4xf32> axis(1) epsilon(1.0e-5) : tensor<2x3x4xf32>
  // CHECK: nn.layer_norm %{{.*}} scale %{{.*}} : tensor<3x4xf32> bias %{{.*}} : tensor<3x4xf32> axis(1)
  %3 = nn.layer_norm %x scale %v : tensor<3x4xf32> bias %v : tensor<3x4xf32> axis(1) epsilon(1.0e-5) : tensor<2x3x4xf32>
  return
}

// CHECK-LABEL: func.func @rms_norm
func.func @rms_norm(%x: tensor<2x3x4xf16>, %v: tensor<3x4xf32>) {
  // CHECK: nn.rms_norm %{{.*}} axis(2) epsilon(0.000000e+00) : tensor<2x3x4xf16>
  %0 = nn.rms_norm %x axis(2) epsilon(0.0) : tensor<2x3x4xf16>
  // CHECK: nn.rms_norm %{{.*}} scale %{{.*}} : tensor<3x4xf32> axis(1) epsilon({{.*}}) : tensor<2x3x4xf16>
  %1 = nn.rms_norm %x scale %v : tensor<3x4xf32> axis(1) epsilon(1.0e-6) : tensor<2x3x4xf16>
  return
}

// CHECK-LABEL: func.func @cross_entropy
func.func @cross_entropy(%x: tensor<8x10xf32>, %t: tensor<8xi64>, %u: tensor<10xi32>) {
  // CHECK: nn.cross_entropy %{{.*}}, %{{.*}} axis(1) : tensor<8x10xf32>, tensor<8xi64> -> tensor<f32>
  %0 = nn.cross_entropy %x, %t axis(1) : tensor<8x10xf32>, tensor<8xi64> -> tensor<f32>
  // CHECK: nn.cross_entropy %{{.*}}, %{{.*}} axis(0) ignore_index(-100) : tensor<8x10xf32>, tensor<10xi32> -> tensor<f32>
  %1 = nn.cross_entropy %x, %u axis(0) ignore_index(-100) : tensor<8x10xf32>, tensor<10xi32> -> tensor<f32>
  return
}

// Statistics have types of their own.
// CHECK-LABEL: func.func @batch_norm
func.func @batch_norm(%x: tensor<4x3x8xf16>, %v: tensor<3xf32>, %h: tensor<3xbf16>) {
  // CHECK: nn.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} axis(1) epsilon(1.000000e-05) momentum(1.000000e-01)
  // CHECK-SAME: (tensor<4x3x8xf16>, tensor<3xf32>, tensor<3xbf16>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x8xf16>
  %0 = nn.batch_norm %x, %v, %h, %v, %v axis(1) epsilon(1.0e-5) momentum(0.1)
      : (tensor<4x3x8xf16>, tensor<3xf32>, tensor<3xbf16>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x8xf16>
  // CHECK: nn.batch_norm_training {{.*}} axis(1) epsilon(1.000000e-05) momentum(1.000000e-01) :
  %1:5 = nn.batch_norm_training %x, %v, %v, %v, %h axis(1) epsilon(1.0e-5) momentum(0.1)
      : (tensor<4x3x8xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xbf16>)
      -> (tensor<4x3x8xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xbf16>)
  // CHECK: nn.batch_norm_training {{.*}} axis(1) epsilon(1.000000e-05) momentum(1.000000e-01) sample_variance :
  %2:5 = nn.batch_norm_training %x, %v, %v, %v, %v axis(1) epsilon(1.0e-5) momentum(0.1) sample_variance
      : (tensor<4x3x8xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3x8xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
