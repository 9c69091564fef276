// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> gradients(f32) gradient_sets(["^b$"]) no_decay(["b"])/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s
// RUN: sed 's/^amp.recipe$/& gradients(f32) gradient_sets(["^w$", "^b$"])/' %s | mpc-opt --pass-pipeline='builtin.module(amp-build-step)' | FileCheck %s --check-prefix=ALL
// RUN: sed 's/^amp.recipe$/& loss_scale<dynamic> gradients(f32) gradient_sets(["*"])/' %s | not mpc-opt --pass-pipeline='builtin.module(amp-build-step)' 2>&1 | FileCheck %s --check-prefix=REGEX
// REGEX: error: {{.*}}'*'

// Parameters whose gradients come and go have an optimizer of their own, that
// is left alone where an input says that they are not there.
// CHECK:       amp.optimizer @optimizer kind("adamw") [[HYPER:hyper {.*}]] trains [@w]{{$}}
// CHECK:       amp.optimizer @optimizer2 kind("adamw") [[HYPER]] trains [@b] no_decay [@b]{{$}}
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[PRESENT:[a-z0-9]+]]: tensor<i1> {nn.name = "present.0"}
// CHECK:         %[[FOUND:.*]], %{{.*}} = amp.check %[[W:.*]], %[[B:[^ ]*]] :
// CHECK:         amp.apply %[[W]] lr(%{{.*}}) skip(%[[FOUND]]) : !amp.gradients<@optimizer>
// CHECK-DAG:     %[[TRUE:.*]] = nn.constant dense<true>
// CHECK-DAG:     %[[SKIP:.*]] = nn.select %[[PRESENT]], %[[FOUND]], %[[TRUE]]
// CHECK:         amp.apply %[[B]] lr(%{{.*}}) skip(%[[SKIP]]) : !amp.gradients<@optimizer2>

// Without a scaler only what is not there is skipped; where all come and go the
// first set has the first optimizer.
// ALL-LABEL: func.func @step
// ALL-SAME:    "present.0"}, %{{.*}} "present.1"}
// ALL:         %[[A:.*]] = nn.select
// ALL:         amp.apply %{{.*}} lr(%{{.*}}) skip(%[[A]]) : !amp.gradients<@optimizer>
// ALL:         %[[B:.*]] = nn.select
// ALL:         amp.apply %{{.*}} lr(%{{.*}}) skip(%[[B]]) : !amp.gradients<@optimizer2>
amp.recipe
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
nn.parameter @b : tensor<4xf32> = #nn.init<ones>
