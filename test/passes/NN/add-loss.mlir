// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-add-loss)' | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-add-loss{loss=mse})' | FileCheck %s --check-prefix=MSE

// The only floating result is taken; labels come as a last argument "target".
// CHECK-LABEL: func.func private @model
// CHECK:         return %{{.*}}, %{{.*}} : tensor<8x10xf32>, tensor<8xi64>
// CHECK-LABEL: func.func private @loss
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8x10xf32> {nn.name = "x"}, %[[I:[^:]*]]: tensor<8xi64>, %[[T:.*]]: tensor<8xi64> {nn.name = "target"}) -> (tensor<f32> {nn.name = "loss"})
// CHECK:         %[[Y:.*]] = nn.relu %[[X]]
// CHECK:         %[[L:.*]] = nn.cross_entropy %[[Y]], %[[T]] axis(1)
// CHECK:         return %[[L]]

// The mean of the squares of what lacks.
// MSE-LABEL:   func.func private @loss
// MSE-SAME:      %[[T:[^:]*]]: tensor<8x10xf32> {nn.name = "target"}) -> (tensor<f32> {nn.name = "loss"})
// MSE:           %[[D:.*]] = nn.sub %{{.*}}, %[[T]]
// MSE:           %[[Q:.*]] = nn.mul %[[D]], %[[D]]
// MSE:           %[[S:.*]] = nn.reduce_sum %[[Q]] axes [0, 1]
// MSE:           %[[N:.*]] = nn.constant dense<1.250000e-02>
// MSE:           nn.mul %[[S]], %[[N]]
func.func @model(%x: tensor<8x10xf32> {nn.name = "x"}, %i: tensor<8xi64>)
    -> (tensor<8x10xf32> {nn.name = "logits"}, tensor<8xi64> {nn.name = "ids"}) {
  %0 = nn.relu %x : tensor<8x10xf32>
  return %0, %i : tensor<8x10xf32>, tensor<8xi64>
}

// -----

// A 16-bit output is judged in f32; an f64 one in f64.
// CHECK-LABEL: func.func private @loss
// CHECK:         %[[W:.*]] = nn.cast %{{.*}} : tensor<8x10xf16> -> tensor<8x10xf32>
// CHECK:         nn.cross_entropy %[[W]], {{.*}} -> tensor<f32>
// MSE-LABEL:   func.func private @loss
// MSE-SAME:      tensor<8x10xf32> {nn.name = "target"}) -> (tensor<f32> {nn.name = "loss"})
func.func @model(%x: tensor<8x10xf16>) -> tensor<8x10xf16> {
  return %x : tensor<8x10xf16>
}

// -----

// CHECK-LABEL: func.func private @loss
// CHECK:         nn.cross_entropy {{.*}} -> tensor<f64>
// MSE-LABEL:   func.func private @loss
// MSE-SAME:      -> (tensor<f64> {nn.name = "loss"})
func.func @model(%x: tensor<8x10xf64>) -> tensor<8x10xf64> {
  return %x : tensor<8x10xf64>
}

// -----

// Images have their classes on axis 1.
// CHECK-LABEL: func.func private @loss
// CHECK:         nn.cross_entropy {{.*}} axis(1) {nn.loss} : tensor<2x3x5x5xf32>, tensor<2x5x5xi64>
// MSE-LABEL:   func.func private @loss
func.func @model(%x: tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32> {
  return %x : tensor<2x3x5x5xf32>
}

// -----

// So have volumes.
// CHECK-LABEL: func.func private @loss
// CHECK:         nn.cross_entropy {{.*}} axis(1) {nn.loss} : tensor<2x3x5x5x5xf32>, tensor<2x5x5x5xi64>
// MSE-LABEL:   func.func private @loss
func.func @model(%x: tensor<2x3x5x5x5xf32>) -> tensor<2x3x5x5x5xf32> {
  return %x : tensor<2x3x5x5x5xf32>
}

// -----

// Language models have their classes last.
// CHECK-LABEL: func.func private @loss
// CHECK:         nn.cross_entropy {{.*}} axis(2) {nn.loss} : tensor<2x3x5xf32>, tensor<2x3xi64>
// MSE-LABEL:   func.func private @loss
func.func @model(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  return %x : tensor<2x3x5xf32>
}
