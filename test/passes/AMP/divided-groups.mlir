// RUN: mpc-opt %s --pass-pipeline='builtin.module(amp-mark-entries,amp-data-parallel,amp-lower-state)' | FileCheck %s
// The groups of an optimizer move together: gradients, the sums of their
// squares, and what is updated, each with one wait for other ranks.

// CHECK-LABEL: func.func @step
// CHECK:         kernel.collective all_to_all ranks(2) %{{.*}}, %{{.*}} : (tensor<8192xf32>, tensor<4096xf32>) -> (tensor<8192xf32>, tensor<8192xf32>)
// CHECK-NOT:     all_to_all
// CHECK:         %[[ROWS:.*]]:2 = kernel.collective all_gather ranks(2) %{{.*}}, %{{.*}} : (tensor<1xf64>, tensor<1xf64>) -> (tensor<2xf64>, tensor<1xf64>)
// CHECK:         amp.combine_check %[[ROWS]]#0, %[[ROWS]]#1
// CHECK:         %[[W:.*]]:2 = amp.update "sgd"
// CHECK:         %[[B:.*]]:2 = amp.update "sgd"
// CHECK:         kernel.collective all_gather ranks(2) %[[W]]#0, %[[B]]#0 : (tensor<4096xf32>, tensor<4096xf32>) -> (tensor<8192xf32>, tensor<4096xf32>)
// CHECK-NOT:     all_gather
amp.recipe accumulate(2) pairwise ranks(2)
nn.parameter @w : tensor<5000xf32> = #nn.init<zeros>
nn.parameter @b : tensor<8xf32> = #nn.init<zeros>
amp.optimizer @o kind("sgd") hyper {momentum = 0.9, weight_decay = 0.1} flags ["momentum"] trains [@w, @b] no_decay [@b]
func.func @step(%g: tensor<5000xf32> {nn.name = "g"}, %h: tensor<8xf32> {nn.name = "h"}, %lr: tensor<f32> {nn.name = "lr"}) {
  %own = amp.gather %g, %h : tensor<5000xf32>, tensor<8xf32> -> !amp.gradients<@o>
  %found, %norm = amp.check %own : !amp.gradients<@o>
  amp.apply %own lr(%lr) skip(%found) : !amp.gradients<@o>
  return
}
