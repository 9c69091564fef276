// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> optimizer<sgd>/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s
// RUN: sed 's/^amp.recipe$/& optimizer<sgd>/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=NONE
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> optimizer<sgd> accumulate(4)/' %s | mpc-opt --split-input-file --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=WINDOW
// State that the loss yields is kept where the step is not skipped, and no
// gradient flows through it.

amp.recipe
nn.parameter frozen @mean : tensor<3xf32> = #nn.init<zeros>
nn.parameter @scale : tensor<3xf32> = #nn.init<ones>
func.func private @loss(%x: tensor<4x3xf32> {nn.name = "x"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<3xf32> {nn.buffer = @mean, nn.name = "stat.mean"}) {
  %m = nn.get @mean : tensor<3xf32>
  %s = nn.get @scale : tensor<3xf32>
  %0:5 = nn.batch_norm_training %x, %s, %s, %m, %s axis(1) epsilon(1.0e-3) momentum(0.25)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  %1 = nn.reduce_sum %0#0 axes [0, 1] : tensor<4x3xf32> -> tensor<f32>
  return %1, %0#3 : tensor<f32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @step
// CHECK:         %[[ZERO:.*]] = nn.constant dense<0.0{{.*}}> : tensor<3xf32>
// CHECK:         %[[V:.*]]:3 = nn.vjp @loss(%{{.*}}) seed(%{{.*}}, %[[ZERO]]) wrt [@scale]
// CHECK:         %[[G:.*]] = amp.gather %[[V]]#2
// CHECK:         amp.unscale %[[G]] by
// CHECK:         %[[FOUND:.*]], %{{.*}} = amp.check
// CHECK:         amp.apply
// CHECK:         amp.assign %[[V]]#1 to @mean skip(%[[FOUND]]) : tensor<3xf32>

// NONE-LABEL: func.func @step
// NONE:         %[[V:.*]]:3 = nn.vjp @loss
// NONE:         amp.assign %[[V]]#1 to @mean : tensor<3xf32>

// What the batches of a window add waits, and each sees what the last has left.
// WINDOW:       nn.parameter frozen @mean
// WINDOW:       nn.parameter frozen @"mean/pending" : tensor<3xf32> = <zeros>
// WINDOW-LABEL: func.func private @loss
// WINDOW:         %[[OLD:.*]] = nn.get @mean
// WINDOW:         %[[WAIT:.*]] = nn.get @"mean/pending"
// WINDOW:         %[[NOW:.*]] = nn.add %[[OLD]], %[[WAIT]]
// WINDOW:         nn.batch_norm_training %{{.*}}, %{{.*}}, %{{.*}}, %[[NOW]],
// WINDOW-LABEL: func.func @accumulate
// WINDOW:         %[[V:.*]]:3 = nn.vjp @loss
// WINDOW:         %[[OLD:.*]] = nn.get @mean
// WINDOW:         %[[CHANGE:.*]] = nn.sub %[[V]]#1, %[[OLD]]
// WINDOW:         amp.assign %[[CHANGE]] to @"mean/pending" : tensor<3xf32>
// WINDOW-LABEL: func.func @apply
// WINDOW:         %[[OLD:.*]] = nn.get @mean
// WINDOW:         %[[WAIT:.*]] = nn.get @"mean/pending"
// WINDOW:         %[[NEW:.*]] = nn.add %[[OLD]], %[[WAIT]]
// WINDOW:         %[[FOUND:.*]], %{{.*}} = amp.check
// WINDOW:         amp.assign %[[NEW]] to @mean skip(%[[FOUND]])
// WINDOW:         %[[ZERO:.*]] = nn.constant dense<0.0{{.*}}> : tensor<3xf32>
// WINDOW:         amp.assign %[[ZERO]] to @"mean/pending" : tensor<3xf32>

// -----

// Kept in f32, whatever the model says.
// CHECK:       nn.parameter frozen @mean : tensor<3xf32>
// CHECK-LABEL: func.func @step
// CHECK:         %[[WIDE:.*]] = nn.cast %{{.*}}#1 : tensor<3xf16> -> tensor<3xf32>
// CHECK:         amp.assign %[[WIDE]] to @mean
amp.recipe
nn.parameter @mean : tensor<3xf16> = #nn.init<zeros>
nn.parameter @scale : tensor<3xf32> = #nn.init<ones>
func.func private @loss() -> (tensor<f32>, tensor<3xf16> {nn.buffer = @mean}) {
  %m = nn.get @mean : tensor<3xf16>
  %s = nn.get @scale : tensor<3xf32>
  %0 = nn.reduce_sum %s axes [0] : tensor<3xf32> -> tensor<f32>
  return %0, %m : tensor<f32>, tensor<3xf16>
}

// -----

// A count stays an integer, also while it waits for the end of a window.
amp.recipe
nn.parameter frozen @seen : tensor<i64> = #nn.init<zeros>
nn.parameter @w : tensor<f32> = #nn.init<ones>
func.func private @loss(%x: tensor<f32> {nn.name = "x"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<i64> {nn.buffer = @seen, nn.name = "stat.seen"}) {
  %s = nn.get @seen : tensor<i64>
  %w = nn.get @w : tensor<f32>
  %one = nn.constant dense<1> : tensor<i64>
  %0 = nn.add %s, %one : tensor<i64>
  %1 = nn.mul %x, %w : tensor<f32>
  return %1, %0 : tensor<f32>, tensor<i64>
}

// CHECK-LABEL: func.func @step
// CHECK:         %[[V:.*]]:3 = nn.vjp @loss
// CHECK:         amp.assign %[[V]]#1 to @seen skip(%{{.*}}) : tensor<i64>
// WINDOW-LABEL: nn.parameter frozen @seen : tensor<i64>
// WINDOW:       nn.parameter frozen @"seen/pending" : tensor<i64> = <zeros>
// WINDOW:       func.func @accumulate
// WINDOW:         amp.assign %{{.*}} to @"seen/pending" : tensor<i64>
