// RUN: sed 's/^amp.recipe$/& groups([<"^b", lr_factor = 0.5, weight_decay = 0.25>, <"c", no_decay>])/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s
// RUN: sed 's/^amp.recipe$/& groups([<"b", lr_factor = 0.5>]) gradients(f32) gradient_sets(["^b2$"])/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=SETS
// RUN: sed 's/^amp.recipe$/& groups([<"^b", lr_factor = 0.5>]) optimizer<sgd, momentum = 0.5>/' %s | mpc-opt --pass-pipeline='builtin.module(amp-mark-entries,amp-build-step,nn-differentiate,amp-lower-state)' | FileCheck %s --check-prefix=LOWER
// RUN: sed 's/^amp.recipe$/& groups([<"*", lr_factor = 0.5>])/' %s | not mpc-opt --pass-pipeline='builtin.module(amp-build-step)' 2>&1 | FileCheck %s --check-prefix=REGEX
// REGEX: error: {{.*}}'*'

// The first group whose pattern matches has a parameter. One without weight
// decay is as no_decay.
// CHECK:      amp.optimizer @optimizer kind("adamw") hyper {beta1 = {{.*}}, weight_decay = 1.000000e-02 : f64} trains [@w, @b, @bc, @b2, @c] no_decay [@c]
// CHECK-SAME: groups [#amp.group<{lr_factor = 5.000000e-01 : f64, weight_decay = 2.500000e-01 : f64}, [@b, @bc, @b2]>, #amp.group<{}, [@c]>]

// Each set has all groups, so that a number has one name.
// SETS: amp.optimizer @optimizer kind({{.*}} trains [@w, @b, @bc, @c] groups [#amp.group<{lr_factor = 5.000000e-01 : f64}, [@b, @bc]>]
// SETS: amp.optimizer @optimizer2 kind({{.*}} trains [@b2] groups [#amp.group<{lr_factor = 5.000000e-01 : f64}, [@b2]>]

// A group has slabs and scalars of its own, and the state of the rule is one.
// LOWER: amp.slab @g0.parameter : {{.*}} entries [#amp.entry<"w", {{.*}}#amp.entry<"c"
// LOWER: amp.slab @g1.parameter : {{.*}} entries [#amp.entry<"b", {{.*}}#amp.entry<"bc", {{.*}}#amp.entry<"b2"
// LOWER: #amp.entry<"amp.hyper.group1.lr_factor", [[PLACE:[0-9]+]], tensor<f64>, hyperparameters as "group1.lr_factor">
// LOWER-LABEL: func.func @step
// LOWER-SAME:    %[[LR:arg[0-9]+]]: tensor<f32> {nn.name = "lr"}
// LOWER:         %[[BASE:.*]]:6 = amp.prepare "sgd" flags ["momentum"] lr(%[[LR]])
// LOWER:         kernel.pack %[[BASE]]#0 at [0]
// LOWER:         amp.update "sgd" {{.*}} scalars(%[[BASE]]#1
// LOWER:         %[[FACTOR:.*]] = kernel.view %{{.*}}[[[PLACE]]]
// LOWER:         %[[WIDE:.*]] = nn.cast %[[LR]] : tensor<f32> -> tensor<f64>
// LOWER:         %[[RATE:.*]] = nn.mul %[[WIDE]], %[[FACTOR]] : tensor<f64>
// LOWER:         %[[OWN:.*]] = nn.cast %[[RATE]] : tensor<f64> -> tensor<f32>
// LOWER:         %[[GROUP:.*]]:6 = amp.prepare "sgd" flags ["momentum"] lr(%[[OWN]])
// LOWER:         amp.update "sgd" {{.*}} scalars(%[[GROUP]]#1
amp.recipe
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
nn.parameter @b : tensor<4xf32> = #nn.init<ones>
nn.parameter @bc : tensor<4xf32> = #nn.init<ones>
nn.parameter @b2 : tensor<4xf32> = #nn.init<ones>
nn.parameter @c : tensor<4xf32> = #nn.init<ones>
func.func @loss(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<f32> {nn.name = "loss"}) {
  %w = nn.get @w : tensor<4xf32>
  %b = nn.get @b : tensor<4xf32>
  %bc = nn.get @bc : tensor<4xf32>
  %b2 = nn.get @b2 : tensor<4xf32>
  %c = nn.get @c : tensor<4xf32>
  %0 = nn.mul %x, %w : tensor<4xf32>
  %1 = nn.add %0, %b : tensor<4xf32>
  %2 = nn.add %1, %bc : tensor<4xf32>
  %3 = nn.add %2, %b2 : tensor<4xf32>
  %4 = nn.add %3, %c : tensor<4xf32>
  %5 = nn.reduce_sum %4 axes [0] : tensor<4xf32> -> tensor<f32>
  return %5 : tensor<f32>
}
