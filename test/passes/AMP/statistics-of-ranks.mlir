// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(2) pairwise ranks(2)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-data-parallel)' | FileCheck %s
// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(4) pairwise ranks(2)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-data-parallel)' | FileCheck %s --check-prefix=WINDOW
// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(4) pairwise ranks(2)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-data-parallel,mpc-autodiff-pipeline,amp-lower-state)' | FileCheck %s --check-prefix=STATE
// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(2) pairwise/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-data-parallel)' | FileCheck %s --check-prefix=ALONE

// Features: L4.

// A batch says what it adds: statistics that start from zeros.
// CHECK-LABEL: func.func private @loss
// CHECK:         %[[ZERO:.*]] = nn.constant dense<0.0{{.*}}> : tensor<2xf32>
// CHECK:         nn.batch_norm_training %{{.*}}, %{{.*}}, %{{.*}}, %[[ZERO]], %
// CHECK:         %[[ONE:.*]] = nn.constant dense<1> : tensor<i64>
// CHECK:         return %{{.*}}, %{{.*}}, %{{.*}}, %[[ONE]] :

// All ranks add what the batches of all say, one after the other. The change of
// a window is there, and zero, since one process has it.
// CHECK-LABEL: func.func @step
// CHECK:         %[[STEP:.*]] = nn.constant dense<1> : tensor<i64>
// CHECK:         %[[COUNT:.*]] = nn.get @count
// CHECK:         %[[TWO:.*]] = nn.constant dense<2> : tensor<i64>
// CHECK:         %[[TIMES:.*]] = nn.mul %[[STEP]], %[[TWO]]
// CHECK:         %[[NEXT:.*]] = nn.add %[[COUNT]], %[[TIMES]]
// CHECK:         %[[OWN:.*]] = nn.concat
// CHECK-SAME:      tensor<1x4xf32>
// CHECK:         %[[ALL:.*]] = amp.all_gather %[[OWN]] ranks(2) : tensor<1x4xf32> -> tensor<2x4xf32>
// CHECK:         %[[OLD:.*]] = nn.concat
// CHECK:         %[[DECAY:.*]] = nn.constant dense<7.5{{.*}}> : tensor<4xf32>
// CHECK:         nn.add %[[OLD]]
// CHECK:         nn.mul %{{.*}}, %[[DECAY]]
// CHECK:         nn.sub %{{.*}}, %[[OLD]]
// CHECK:         nn.mul %{{.*}}, %[[DECAY]]
// CHECK:         %[[CHANGE:.*]] = nn.sub %{{.*}}, %[[OLD]]
// CHECK:         nn.add %[[OLD]], %[[CHANGE]]
// CHECK:         amp.assign %{{.*}} to @mean :
// CHECK:         amp.assign %{{.*}} to @variance :
// CHECK:         amp.assign %[[NEXT]] to @count :
// CHECK:         amp.assign %{{.*}} to @"mean/pending" :

// A rank with two batches keeps both, the later one last. A count needs none.
// WINDOW:       nn.parameter frozen @"mean/batches" : tensor<2x2xf32> {{.*}}amp.batches_of = @mean
// WINDOW-NOT:   @"count/batches"
// WINDOW-LABEL: func.func @accumulate
// WINDOW:         %[[KEPT:.*]] = nn.get @"mean/batches"
// WINDOW:         %[[LATER:.*]] = nn.slice %[[KEPT]]
// WINDOW:         %[[ROW:.*]] = nn.reshape %{{.*}} : tensor<2xf32> -> tensor<1x2xf32>
// WINDOW:         %[[BOTH:.*]] = nn.concat %[[LATER]], %[[ROW]]
// WINDOW:         amp.assign %[[BOTH]] to @"mean/batches"
// WINDOW-LABEL: func.func @apply
// WINDOW:         amp.all_gather %{{.*}} ranks(2) : tensor<2x4xf32> -> tensor<4x4xf32>
// WINDOW-COUNT-4: nn.sub

// Checkpoints do not have it.
// STATE:       #amp.entry<"mean/batches", 0, tensor<2x2xf32>, gradient of "mean" as "batches">
// STATE:       kernel.collective all_gather ranks(2) %{{.*}} : (tensor<2x4xf32>) -> tensor<4x4xf32>

// ALONE-NOT: all_gather
// ALONE-NOT: batches_of
amp.recipe
nn.parameter @scale : tensor<2xf32> = #nn.init<ones>
nn.parameter @bias : tensor<2xf32> = #nn.init<zeros>
nn.parameter frozen @mean : tensor<2xf32> = #nn.init<zeros>
nn.parameter frozen @variance : tensor<2xf32> = #nn.init<ones>
nn.parameter frozen @count : tensor<i64> = #nn.init<zeros>
func.func private @loss(%x: tensor<3x2xf32> {nn.name = "x"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<2xf32> {nn.buffer = @mean}, tensor<2xf32> {nn.buffer = @variance},
        tensor<i64> {nn.buffer = @count}) {
  %s = nn.get @scale : tensor<2xf32>
  %b = nn.get @bias : tensor<2xf32>
  %m = nn.get @mean : tensor<2xf32>
  %v = nn.get @variance : tensor<2xf32>
  %y, %mean, %rstd, %nm, %nv = nn.batch_norm_training %x, %s, %b, %m, %v axis(1) epsilon(1.0e-5) momentum(0.25) sample_variance
      : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
      -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c = nn.get @count : tensor<i64>
  %one = nn.constant dense<1> : tensor<i64>
  %n = nn.add %c, %one : tensor<i64>
  %l = nn.reduce_sum %y axes [0, 1] : tensor<3x2xf32> -> tensor<f32>
  return %l, %nm, %nv, %n : tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<i64>
}
