// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{loss=output output=loss outputs=true})' | FileCheck %s

// All results stay behind the loss; a gradient flows through the loss alone.
// CHECK-LABEL: func.func private @loss
// CHECK-SAME:    -> (tensor<f32> {nn.name = "loss", nn.output = "loss"}, tensor<8xf32> {nn.name = "logits"}, tensor<8xi64> {nn.name = "ids"})
// CHECK:         %[[Y:.*]] = nn.relu
// CHECK:         %[[L:.*]] = nn.reduce_sum %[[Y]]
// CHECK:         %[[S:.*]] = nn.stop_gradient %[[Y]]
// CHECK:         return %[[L]], %[[S]], %{{.*}} : tensor<f32>, tensor<8xf32>, tensor<8xi64>
func.func @model(%x: tensor<8xf32> {nn.name = "x"}, %i: tensor<8xi64>)
    -> (tensor<8xf32> {nn.name = "logits"}, tensor<f32> {nn.name = "loss"},
        tensor<8xi64> {nn.name = "ids"}) {
  %0 = nn.relu %x : tensor<8xf32>
  %1 = nn.reduce_sum %0 axes [0] : tensor<8xf32> -> tensor<f32>
  return %0, %1, %i : tensor<8xf32>, tensor<f32>, tensor<8xi64>
}
