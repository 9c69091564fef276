// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-mark-entries,amp-lower-state)' | FileCheck %s

// A rule that counts skipped steps too keeps a second count, of the applied
// ones, by which the average of the weights goes.
// CHECK: amp.slab @state.optimizer : tensor<2xf64> entries [#amp.entry<"amp.optimizer.step", 0, tensor<f64>, optimizer as "step">, #amp.entry<"amp.optimizer.applied", 1, tensor<f64>, optimizer as "applied">]
nn.parameter @w : tensor<4x8xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd") hyper {ema_decay = 0.9} counts_skips trains [@w]

// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[STATE:[^ ]*]]: tensor<2xf64> {kernel.state = @state.optimizer}
func.func @step(%dw: tensor<4x8xf32> {nn.name = "dw"}, %lr: tensor<f32> {nn.name = "lr"}, %skip: tensor<i1> {nn.name = "skip"}) {
  // CHECK:     %[[APPLIED:.*]] = kernel.view %[[STATE]][1] : tensor<2xf64> -> tensor<f64>
  // CHECK:     %[[STEP:.*]] = kernel.view %[[STATE]][0] : tensor<2xf64> -> tensor<f64>
  // CHECK:     %[[SECOND:.*]] = kernel.view %[[STATE]][1] : tensor<2xf64> -> tensor<f64>
  // CHECK:     %[[NEXT:.*]]:7 = amp.prepare "sgd" {{.*}} state(%[[STEP]], %[[SECOND]]) {{.*}} counts_skips
  // CHECK:     kernel.pack %[[NEXT]]#0, %[[NEXT]]#1 at [0, 1]
  // CHECK:     amp.average_weight %{{.*}} step(%[[APPLIED]])
  %gradients = amp.gather %dw : tensor<4x8xf32> -> !amp.gradients<@optimizer>
  amp.apply %gradients lr(%lr) skip(%skip) : !amp.gradients<@optimizer>
  return
}
