// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{loss=output output=cost})' | FileCheck %s
// RUN: mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{loss=cross_entropy output=logits})' | FileCheck %s --check-prefix=NAMED
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss)' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{output=nothing})' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{output=ids})' 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{loss=output output=logits})' 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{loss=cross_entropy output=scalar})' 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not mpc-opt %s --pass-pipeline='builtin.module(nn-add-loss{loss=absent output=cost})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// A named result of one element is the loss, in f32 and without axes.
// CHECK-LABEL: func.func private @loss
// CHECK-SAME:    %[[C:[^:]*]]: tensor<1xf16>
// CHECK-SAME:    -> (tensor<f32> {nn.name = "loss", nn.output = "cost"})
// CHECK:         %[[R:.*]] = nn.reshape %[[C]] {nn.loss} : tensor<1xf16> -> tensor<f16>
// CHECK:         %[[W:.*]] = nn.cast %[[R]] : tensor<f16> -> tensor<f32>
// CHECK:         return %[[W]]

// NAMED: nn.cross_entropy %arg0, {{.*}} axis(1)
// MANY: error: the model has more than one floating output: 'logits', 'cost', 'scalar', '#4'; name one, as in --loss=cross_entropy:NAME or --loss=output:NAME
// NONE: error: the model has no floating output 'nothing'; its floating outputs are 'logits', 'cost', 'scalar', '#4'
// INTEGER: error: the model has no floating output 'ids'; its floating outputs are 'logits', 'cost', 'scalar', '#4'
// SHAPE: output 'logits' is 'tensor<4x8xf32>', but a loss is a floating scalar
// SCALAR: error: cross_entropy needs logits with a class axis, not a scalar
// UNKNOWN: error: unknown loss 'absent'; known are cross_entropy, nll, {{.*}} and output
func.func @model(%x: tensor<4x8xf32>, %c: tensor<1xf16>, %s: tensor<f32>, %i: tensor<4xi64>)
    -> (tensor<4x8xf32> {nn.name = "logits"}, tensor<1xf16> {nn.name = "cost"},
        tensor<f32> {nn.name = "scalar"}, tensor<4xi64> {nn.name = "ids"}, tensor<f32>) {
  return %x, %c, %s, %i, %s : tensor<4x8xf32>, tensor<1xf16>, tensor<f32>, tensor<4xi64>, tensor<f32>
}
