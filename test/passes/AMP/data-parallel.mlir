// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(4) pairwise ranks(4) replicated seed(7)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-data-parallel)' | FileCheck %s
// RUN: sed 's/^amp.recipe$/& optimizer<adam> clip<global = 1.0> ema(0.9) accumulate(4) pairwise ranks(4) seed(7)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-data-parallel)' | FileCheck %s --check-prefix=PART
// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(4) pairwise ranks(2) replicated seed(7)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-data-parallel)' | FileCheck %s --check-prefix=WINDOW
// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(4) pairwise seed(7)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-data-parallel)' | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(4) pairwise ranks(4) replicated seed(7)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-data-parallel,mpc-autodiff-pipeline,amp-lower-state)' | FileCheck %s --check-prefix=STATE
// RUN: sed 's/^amp.recipe$/& optimizer<sgd> accumulate(6) pairwise seed(7)/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step,amp-data-parallel,mpc-autodiff-pipeline,amp-lower-state)' | FileCheck %s --check-prefix=SIX

// Features: L4, L5.

// A rank with one batch has a step, whose batch has the rank's number. The loss
// is divided by the batches of all.
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %{{[^:]*}}: tensor<4xf32> {nn.name = "x"}, %{{[^:]*}}: tensor<f32> {nn.name = "lr"}, %[[FIRST:[^:]*]]: tensor<i64> {nn.name = "first_batch"}
// CHECK:         %{{.*}}, %{{.*}}, %[[B:.*]] = amp.random_state @optimizer
// CHECK:         %[[N:.*]] = nn.add %[[B]], %[[FIRST]]
// CHECK:         nn.constant dense<4.0{{.*}}> : tensor<f32>
// CHECK:         nn.vjp @loss(%{{.*}}, %{{.*}}, %{{.*}}, %[[N]])
// CHECK:         %[[OWN:.*]] = amp.gather
// CHECK-NEXT:    %[[ALL:.*]] = amp.exchange %[[OWN]] ranks(4)
// CHECK-NOT:     %[[OWN]] :
// CHECK:         amp.check %[[ALL]]
// CHECK:         amp.apply %[[ALL]]

// Unless the state is to be whole on each, a rank updates the part that it
// sums.
// PART-LABEL: func.func @step
// PART:         %[[SUM:.*]] = amp.exchange %{{.*}} ranks(4) : !amp.gradients<@optimizer> -> !amp.gradients<@optimizer part of 4>
// PART:         amp.check %[[SUM]] : !amp.gradients<@optimizer part of 4>
// PART:         %[[CLIPPED:.*]] = amp.clip %[[SUM]] by %{{.*}} : !amp.gradients<@optimizer part of 4>
// PART:         amp.apply %[[CLIPPED]] {{.*}} : !amp.gradients<@optimizer part of 4>

// One with two sums its own first.
// WINDOW-LABEL: func.func @accumulate
// WINDOW-SAME:    {nn.name = "first_batch"}
// WINDOW:         %[[ONE:.*]] = amp.gather
// WINDOW-NOT:     amp.exchange
// WINDOW:         amp.accumulate %[[ONE]] pairs_of(2)
// WINDOW-LABEL: func.func @apply
// WINDOW:         %[[OWN:.*]] = amp.take_gradients pairs_of(2)
// WINDOW-NEXT:    %[[ALL:.*]] = amp.exchange %[[OWN]] ranks(2)
// WINDOW:         amp.check %[[ALL]]

// ALONE-NOT: exchange
// ALONE-NOT: first_batch
// ALONE:     amp.accumulate %{{.*}} pairs_of(4)

// The counter of batches is in the state of every rank, as in that of one
// process. Four parts of one block hold a slab of one block.
// STATE:         amp.slab @state.batches
// STATE-LABEL: func.func @step
// STATE:         %[[SENT:.*]] = kernel.pack
// STATE:         %[[PARTS:.*]] = kernel.collective all_to_all ranks(4) %[[SENT]] : (tensor<4096xf32>) -> tensor<16384xf32>
// STATE-DAG:     %[[P0:.*]] = kernel.view %[[PARTS]][0]
// STATE-DAG:     %[[P1:.*]] = kernel.view %[[PARTS]][4096]
// STATE-DAG:     %[[P2:.*]] = kernel.view %[[PARTS]][8192]
// STATE-DAG:     %[[P3:.*]] = kernel.view %[[PARTS]][12288]
// STATE-DAG:     %[[A:.*]] = nn.add %[[P0]], %[[P1]]
// STATE-DAG:     %[[B:.*]] = nn.add %[[P2]], %[[P3]]
// STATE:         %[[SUM:.*]] = nn.add %[[A]], %[[B]]
// STATE:         kernel.collective all_gather ranks(4) %[[SUM]] : (tensor<4096xf32>) -> tensor<4096xf32>

// A window of six has parts of 1, 2 and 4; at its end those of 2 and 4 are in
// use.
// SIX-DAG:     amp.slab @g0.gradient :
// SIX-DAG:     amp.slab @g0.gradient.2 :
// SIX-DAG:     amp.slab @g0.gradient.4 :
// SIX-NOT:     @g0.gradient.8
// SIX-LABEL: func.func @accumulate
// SIX:         amp.add_pairs %{{.*}} count(%{{.*}}) to %{{.*}}, %{{.*}}, %{{.*}} :
// SIX-LABEL: func.func @apply
// SIX-SAME:    %[[TWO:[^: ]*]]: tensor<4096xf32> {kernel.state = @g0.gradient.2}
// SIX-SAME:    %[[FOUR:[^: ]*]]: tensor<4096xf32> {kernel.state = @g0.gradient.4}
// SIX:         nn.add %[[FOUR]], %[[TWO]]
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
