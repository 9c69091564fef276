// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> step_outputs always_write_buffers optimizer<callback>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> optimizer<callback>/' %s | not mpc-opt --pass-pipeline='builtin.module(amp-build-step)' 2>&1 | FileCheck %s --check-prefix=NONE
// What the loss yields beside its value and its state the step yields too, under
// names of its own. Statistics are written whether it is skipped or not.

// NONE: error: must yield one floating scalar; result 1 is not the next value of a parameter (nn.buffer)
amp.recipe
nn.parameter frozen @mean : tensor<3xf32> = #nn.init<zeros>
nn.parameter @scale : tensor<3xf32> = #nn.init<ones>
func.func private @loss(%x: tensor<4x3xf32> {nn.name = "x"}, %i: tensor<2xi64> {nn.name = "i"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<4x3xf32> {nn.name = "logits"},
        tensor<3xf32> {nn.buffer = @mean, nn.name = "stat.mean"}, tensor<2xi64> {nn.name = "ids"}) {
  %m = nn.get @mean : tensor<3xf32>
  %s = nn.get @scale : tensor<3xf32>
  %0:5 = nn.batch_norm_training %x, %s, %s, %m, %s axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  %1 = nn.reduce_sum %0#0 axes [0, 1] : tensor<4x3xf32> -> tensor<f32>
  return %1, %0#0, %0#3, %i : tensor<f32>, tensor<4x3xf32>, tensor<3xf32>, tensor<2xi64>
}

// CHECK-LABEL: func.func @step
// CHECK-SAME:    nn.name = "output.logits"
// CHECK-SAME:    nn.name = "output.ids"
// CHECK:         %[[V:.*]]:5 = nn.vjp @loss(%{{.*}}) seed(%{{.*}}, %{{.*}}, %{{.*}}) wrt [@scale]
// CHECK:         amp.assign %[[V]]#2 to @mean : tensor<3xf32>
// CHECK:         return {{.*}}%[[V]]#1{{.*}}%[[V]]#3
