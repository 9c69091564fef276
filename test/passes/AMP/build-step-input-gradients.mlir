// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> input_gradients(["x", "x"]) optimizer<callback>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s
// RUN: sed 's/^amp.recipe$/& input_gradients(["x"]) freeze([".*"])/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=FROZEN
// RUN: sed 's/^amp.recipe$/& input_gradients(["y"])/' %s | not mpc-opt --pass-pipeline='builtin.module(amp-build-step)' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: sed 's/^amp.recipe$/& input_gradients(["i"])/' %s | not mpc-opt --pass-pipeline='builtin.module(amp-build-step)' 2>&1 | FileCheck %s --check-prefix=TYPE
// A step yields the gradients of inputs that are asked for, without the loss scale, also where nothing is trained.

// NAME: error: has no input 'y', of which a gradient is wanted
// TYPE: error: input 'i' is 'tensor<2xi64>', which has no gradient
amp.recipe
nn.parameter @scale : tensor<3xf32> = #nn.init<ones>
func.func private @loss(%i: tensor<2xi64> {nn.name = "i"}, %x: tensor<3xf16> {nn.name = "x"}) -> (tensor<f32> {nn.name = "loss"}) {
  %s = nn.get @scale : tensor<3xf32>
  %0 = nn.cast %x : tensor<3xf16> -> tensor<3xf32>
  %1 = nn.mul %0, %s : tensor<3xf32>
  %2 = nn.reduce_sum %1 axes [0] : tensor<3xf32> -> tensor<f32>
  return %2 : tensor<f32>
}

// CHECK-LABEL: func.func @step
// CHECK-SAME:    tensor<3xf32> {nn.name = "input_grad.x"}
// CHECK:         %[[SCALE:.*]] = amp.get_scale
// CHECK:         %[[V:.*]]:3 = nn.vjp @loss({{.*}}) seed({{.*}}) wrt [@scale] args [1]
// CHECK:         %[[G:.*]] = nn.cast %[[V]]#2 : tensor<3xf16> -> tensor<3xf32>
// CHECK:         %[[S:.*]] = nn.broadcast %[[SCALE]]
// CHECK:         %[[D:.*]] = nn.div %[[G]], %[[S]]
// CHECK:         return {{.*}}%[[D]]

// FROZEN-LABEL: func.func @step
// FROZEN:         %[[V:.*]]:2 = nn.vjp @loss({{.*}}) wrt [] args [1]
// FROZEN:         %[[G:.*]] = nn.cast %[[V]]#1
// FROZEN:         return {{.*}}%[[G]]
