// RUN: sed 's/^amp.recipe$/& optimizer<sgd> seed(7)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s
// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(4)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=WINDOW
// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(4)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,mpc-autodiff-pipeline,amp-lower-state)' | FileCheck %s --check-prefix=STATE
// What a loss draws by is state of the step.

// CHECK:         amp.optimizer @optimizer kind("sgd") hyper {{.*}}random_seed = 7.0{{.*}} : f64
// CHECK-LABEL: func.func @step
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4xf32> {nn.name = "x"}, %[[LR:[^:]*]]: tensor<f32> {nn.name = "lr"})
// CHECK:         %[[K:.*]], %[[S:.*]], %[[B:.*]] = amp.random_state @optimizer
// CHECK:         nn.vjp @loss(%[[X]], %[[K]], %[[S]], %[[B]])

// WINDOW-LABEL: func.func @accumulate
// WINDOW-SAME:    (%[[X:[^:]*]]: tensor<4xf32> {nn.name = "x"})
// WINDOW:         amp.random_state @optimizer
// WINDOW-LABEL: func.func @apply
// WINDOW-NOT:     amp.random_state

// Each batch counts up, the end of a window starts anew.
// STATE: amp.slab @state.batches : tensor<1xf64> entries [#amp.entry<"amp.optimizer.batches", 0, tensor<f64>, optimizer as "batches">] initial [0.0{{.*}}]
// STATE-LABEL: func.func @accumulate
// STATE-SAME:    %[[N:[^ ]*]]: tensor<1xf64> {kernel.state = @state.batches}
// STATE:         nn.dropout {{.*}} key(
// STATE:         %[[OLD:.*]] = kernel.view %[[N]]
// STATE:         %[[NEXT:.*]] = nn.add %[[OLD]],
// STATE:         %[[ALL:.*]] = kernel.pack %[[NEXT]]
// STATE:         return {{.*}}%[[ALL]]
// STATE-LABEL: func.func @apply
amp.recipe
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
func.func private @loss(%x: tensor<4xf32> {nn.name = "x"}, %k: tensor<i64> {nn.random = "key"},
                        %s: tensor<i64> {nn.random = "step"}, %b: tensor<i64> {nn.random = "batch"})
    -> (tensor<f32> {nn.name = "loss"}) {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.mul %x, %w : tensor<4xf32>
  %c = nn.random_counters %s : tensor<1xi64>
  %1 = nn.dropout %0 ratio 0.5 stream 0 key(%k, %c, %b : tensor<i64>, tensor<1xi64>, tensor<i64>) : tensor<4xf32>
  %2 = nn.reduce_sum %1 axes [0] : tensor<4xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
