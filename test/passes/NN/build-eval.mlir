// RUN: mpc-opt %s --split-input-file --nn-build-eval | FileCheck %s
// RUN: mpc-opt %s --split-input-file --nn-build-eval=gradients=true | FileCheck %s --check-prefix=GRAD

// Outputs by name, then the loss; gradients of what is not frozen, in f32.
// CHECK-NOT:   @model
// CHECK-NOT:   @loss
// CHECK-LABEL: func.func @eval
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xf32> {nn.name = "y"}, tensor<f32> {nn.name = "loss"})
// CHECK-SAME:    nn.mode = "training"
// CHECK:         %[[Y:.*]] = nn.exp %[[X]]
// CHECK:         %[[L:.*]] = nn.reduce_sum
// CHECK:         return %[[Y]], %[[L]]

// GRAD:        func.func private @loss
// GRAD-LABEL:  func.func @eval
// GRAD-SAME:     (tensor<4xf32> {nn.name = "y"}, tensor<f32> {nn.name = "loss"}, tensor<4xf32> {nn.name = "grad.w"}, tensor<2xf32> {nn.name = "grad.h"})
// GRAD:          %[[Y:.*]] = nn.exp
// GRAD:          %[[ONE:.*]] = nn.constant dense<1.000000e+00> : tensor<f32>
// GRAD:          %[[G:.*]]:3 = nn.vjp @loss(%{{.*}}) seed(%[[ONE]]) wrt [@w, @h]
// GRAD:          %[[H:.*]] = nn.cast %[[G]]#2 : tensor<2xf16> -> tensor<2xf32>
// GRAD:          return %[[Y]], %[[G]]#0, %[[G]]#1, %[[H]]
nn.parameter @w : tensor<4xf32> = <zeros>
nn.parameter frozen @fixed : tensor<4xf32> = <zeros>
nn.parameter @h : tensor<2xf16> = <zeros>
func.func private @model(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xf32> {nn.name = "y"}) attributes {nn.mode = "training"} {
  %0 = nn.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @loss(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<f32> {nn.name = "loss"}) {
  %0 = nn.get @w : tensor<4xf32>
  %1 = nn.mul %x, %0 : tensor<4xf32>
  %2 = nn.reduce_sum %1 axes [0] : tensor<4xf32> -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A loss that is that output of the model is yielded once; results without a
// name are numbered.
// CHECK-LABEL: func.func @eval
// CHECK-SAME:    -> (tensor<4xf32> {nn.name = "output0"}, tensor<f32> {nn.name = "loss"})
// GRAD-LABEL:  func.func @eval
// GRAD-SAME:     -> (tensor<4xf32> {nn.name = "output0"}, tensor<f32> {nn.name = "loss"})
func.func private @model(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32> {nn.name = "loss"}) {
  %0 = nn.reduce_sum %x axes [0] : tensor<4xf32> -> tensor<f32>
  return %x, %0 : tensor<4xf32>, tensor<f32>
}
func.func private @loss(%x: tensor<4xf32>) -> (tensor<f32> {nn.name = "loss", nn.output = "loss"}) {
  %0 = nn.reduce_sum %x axes [0] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// So is an output that the model yields twice.
// CHECK-LABEL: func.func @eval
// CHECK-SAME:    -> (tensor<4xf32> {nn.name = "y"}, tensor<f32> {nn.name = "loss"})
// GRAD-LABEL:  func.func @eval
func.func private @model(%x: tensor<4xf32>) -> (tensor<4xf32> {nn.name = "y"}, tensor<4xf32> {nn.name = "y"}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
func.func private @loss(%x: tensor<4xf32>) -> (tensor<f32> {nn.name = "loss"}) {
  %0 = nn.reduce_sum %x axes [0] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
