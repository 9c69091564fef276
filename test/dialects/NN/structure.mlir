// RUN: mpc-opt %s | mpc-opt | FileCheck %s

// Each initializer is written as it is read.
// CHECK: nn.parameter @zeros : tensor<2xf32> = <zeros>
nn.parameter @zeros : tensor<2xf32> = <zeros>
// CHECK: nn.parameter @ones : tensor<2xf64> = <ones>
nn.parameter @ones : tensor<2xf64> = <ones>
// CHECK: nn.parameter @uniform : tensor<2x3xf32> = <uniform 1.250000e-01>
nn.parameter @uniform : tensor<2x3xf32> = <uniform 0.125>
// CHECK: nn.parameter @normal : tensor<2x3xbf16> = <normal 2.000000e-02>
nn.parameter @normal : tensor<2x3xbf16> = <normal 0.02>
// CHECK: nn.parameter frozen @fc.weight : tensor<2x3xf16> = <external>
nn.parameter frozen @fc.weight : tensor<2x3xf16> = <external>

// CHECK-LABEL: func.func @get
func.func @get() -> tensor<2x3xf16> {
  // CHECK: nn.get @fc.weight : tensor<2x3xf16>
  %w = nn.get @fc.weight : tensor<2x3xf16>
  return %w : tensor<2x3xf16>
}

// Constants are of any element type.
// CHECK-LABEL: func.func @constant
func.func @constant() -> (tensor<2xf32>, tensor<i64>, tensor<2xi1>) {
  // CHECK: nn.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>
  %a = nn.constant dense<[0.5, 1.0]> : tensor<2xf32>
  // CHECK: nn.constant dense<7> : tensor<i64>
  %b = nn.constant dense<7> : tensor<i64>
  // CHECK: nn.constant dense<[true, false]> : tensor<2xi1>
  %c = nn.constant dense<[true, false]> : tensor<2xi1>
  return %a, %b, %c : tensor<2xf32>, tensor<i64>, tensor<2xi1>
}

// Regions nest, with or without a type and results.
// CHECK-LABEL: func.func @autocast
func.func @autocast(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.autocast disabled -> tensor<4xf32> {
  %y = nn.autocast disabled -> tensor<4xf32> {
    // CHECK: nn.autocast enabled dtype(f16) -> tensor<4xf32> {
    %0 = nn.autocast enabled dtype(f16) -> tensor<4xf32> {
      %1 = nn.exp %x : tensor<4xf32>
      // CHECK: nn.yield %{{.*}} : tensor<4xf32>
      nn.yield %1 : tensor<4xf32>
    }
    nn.yield %0 : tensor<4xf32>
  }
  // CHECK: nn.autocast enabled {
  nn.autocast enabled {
  }
  return %y : tensor<4xf32>
}

func.func private @loss(%x: tensor<4xf32>, %ids: tensor<2xi64>)
    -> (tensor<f32>, tensor<2xi64>) {
  %0 = nn.reduce_sum %x axes [0] : tensor<4xf32> -> tensor<f32>
  return %0, %ids : tensor<f32>, tensor<2xi64>
}

// Integer results have no seed; gradients follow the results.
// CHECK-LABEL: func.func @vjp
func.func @vjp(%x: tensor<4xf32>, %ids: tensor<2xi64>, %s: tensor<f32>)
    -> (tensor<2xf32>, tensor<4xf32>) {
  // CHECK: nn.vjp @loss(%{{.*}}, %{{.*}}) seed(%{{.*}}) wrt [@zeros] args [0]
  // CHECK-SAME: : (tensor<4xf32>, tensor<2xi64>), (tensor<f32>) -> tensor<f32>, tensor<2xi64>, tensor<2xf32>, tensor<4xf32>
  %0:4 = nn.vjp @loss(%x, %ids) seed(%s) wrt [@zeros] args [0]
      : (tensor<4xf32>, tensor<2xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<2xi64>, tensor<2xf32>, tensor<4xf32>
  // CHECK: nn.vjp @loss(%{{.*}}, %{{.*}}) seed(%{{.*}}) wrt []
  %1:2 = nn.vjp @loss(%x, %ids) seed(%s) wrt []
      : (tensor<4xf32>, tensor<2xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<2xi64>
  return %0#2, %0#3 : tensor<2xf32>, tensor<4xf32>
}

func.func private @penalty() -> tensor<f32> {
  %0 = nn.get @ones : tensor<2xf64>
  %1 = nn.cast %0 : tensor<2xf64> -> tensor<2xf32>
  %2 = nn.reduce_sum %1 axes [0] : tensor<2xf32> -> tensor<f32>
  return %2 : tensor<f32>
}

// A function of parameters alone has no arguments to pass.
// CHECK-LABEL: func.func @vjp_without_arguments
func.func @vjp_without_arguments(%s: tensor<f32>) -> tensor<2xf64> {
  // CHECK: nn.vjp @penalty() seed(%{{.*}}) wrt [@ones] : (), (tensor<f32>) -> tensor<f32>, tensor<2xf64>
  %0:2 = nn.vjp @penalty() seed(%s) wrt [@ones]
      : (), (tensor<f32>) -> tensor<f32>, tensor<2xf64>
  return %0#1 : tensor<2xf64>
}
