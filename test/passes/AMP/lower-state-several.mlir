// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(amp-mark-entries,amp-lower-state,amp-fuse-optimizer)' | FileCheck %s
// Several optimizers, scalers and steps; state that a step keeps itself.

// Each optimizer has its groups, each scaler its state, under their names.
// CHECK: amp.slab @g0.parameter : tensor<4096xf32> entries [#amp.entry<"w", 0, tensor<4xf32>, parameter>]
// CHECK: amp.slab @g0.momentum_buffer
// CHECK: amp.slab @g1.parameter : tensor<4096xf32> entries [#amp.entry<"v", 0, tensor<8xf32>, parameter>]
// CHECK-NOT: amp.slab @g1.momentum_buffer
// CHECK: #amp.entry<"amp.hyper.first.growth_interval", {{[0-9]+}}, tensor<f64>, setting of "first" as "growth_interval">
// CHECK-SAME: #amp.entry<"amp.hyper.second.growth_interval",
// CHECK-SAME: #amp.entry<"amp.hyper.a.momentum",
// CHECK-SAME: #amp.entry<"amp.hyper.b.momentum",
// CHECK: amp.slab @state.optimizer.a : {{.*}} entries [#amp.entry<"amp.optimizer.a.step",
// CHECK: amp.slab @state.optimizer.b : {{.*}} entries [#amp.entry<"amp.optimizer.b.step",
// CHECK: amp.slab @state.loss_scale.first : {{.*}} entries [#amp.entry<"amp.loss_scale.first",
// CHECK: amp.slab @state.loss_scale.second
nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
nn.parameter @v : tensor<8xf32> = #nn.init<zeros>
amp.scaler @first policy("torch") settings {}
amp.scaler @second policy("torch") settings {}
amp.optimizer @a kind("sgd") hyper {momentum = 0.9} flags ["momentum"]
    trains [@w]
amp.optimizer @b kind("sgd") hyper {} trains [@v]
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[GW:[^ ]*]]: tensor<4xf32>, %[[GV:[^ ]*]]: tensor<8xf32>
func.func @step(%gw: tensor<4xf32>, %gv: tensor<8xf32>, %lr: tensor<f32>) {
  // Each check looks at its own optimizer's gradients, in that one's order.
  // CHECK: %[[PW:.*]] = kernel.pack %[[GW]] at [0]
  // CHECK: %[[FW:.*]], %{{.*}} = amp.combine_check
  // CHECK: %[[PV:.*]] = kernel.pack %[[GV]] at [0]
  // CHECK: %[[FV:.*]], %{{.*}} = amp.combine_check
  %gradients_a = amp.gather %gw : tensor<4xf32> -> !amp.gradients<@a>
  %fw, %nw = amp.check %gradients_a : !amp.gradients<@a>
  %gradients_b = amp.gather %gv : tensor<8xf32> -> !amp.gradients<@b>
  %fv, %nv = amp.check %gradients_b : !amp.gradients<@b>
  // CHECK: amp.update "sgd" flags ["momentum"] {{.*}} gradient(%[[PW]]) skip(%[[FW]])
  // CHECK: amp.update "sgd" flags [] {{.*}} gradient(%[[PV]]) skip(%[[FV]])
  amp.apply %gradients_a lr(%lr) skip(%fw) : !amp.gradients<@a>
  amp.apply %gradients_b lr(%lr) skip(%fv) : !amp.gradients<@b>
  %c1, %e1 = amp.update_scale @first found(%fw)
  %c2, %e2 = amp.update_scale @second found(%fv)
  return
}

// -----

// A read after an update has the new value, one before it the old.
nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @a kind("sgd") hyper {} trains [@w]
// CHECK-LABEL: func.func @step
func.func @step(%g: tensor<4xf32>, %lr: tensor<f32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[OLD:.*]] = kernel.view %[[SLAB:arg[0-9]+]][0]
  // CHECK: %[[NEW:.*]] = amp.update {{.*}} parameter(%[[SLAB]])
  // CHECK: %[[READ:.*]] = kernel.view %[[NEW]][0]
  // CHECK: return %[[OLD]], %[[READ]]
  %old = nn.get @w : tensor<4xf32>
  %gradients = amp.gather %g : tensor<4xf32> -> !amp.gradients<@a>
  amp.apply %gradients lr(%lr) : !amp.gradients<@a>
  %new = nn.get @w : tensor<4xf32>
  return %old, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// What amp.assign writes lies alone; it is a buffer where nothing trains it,
// and keeps its value where the step is skipped.
// CHECK: amp.slab @g0.parameter : {{.*}} entries [#amp.entry<"h", 0, tensor<4xf32>, buffer>]
// CHECK: amp.slab @g1.parameter : {{.*}} entries [#amp.entry<"w", 0, tensor<4xf32>, parameter>]
nn.parameter frozen @h : tensor<4xf32> = #nn.init<zeros>
nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @a kind("sgd") hyper {} trains [@w]
// CHECK-LABEL: func.func @step
func.func @step(%g: tensor<4xf32>, %skip: tensor<i1>, %lr: tensor<f32>) {
  // CHECK: %[[MASK:.*]] = nn.broadcast %{{.*}} axes [] : tensor<i1> -> tensor<4xi1>
  // CHECK: %[[OLD:.*]] = kernel.view %[[H:arg[0-9]+]][0] : tensor<4096xf32> -> tensor<4xf32>
  // CHECK: %[[VALUE:.*]] = nn.select %[[MASK]], %[[OLD]], %{{.*}}
  // CHECK: %[[NEW:.*]] = kernel.pack %[[VALUE]] at [0]
  // CHECK: return {{.*}}%[[NEW]]
  %gradients = amp.gather %g : tensor<4xf32> -> !amp.gradients<@a>
  amp.apply %gradients lr(%lr) : !amp.gradients<@a>
  amp.assign %g to @h skip(%skip) : tensor<4xf32>
  return
}

// -----

// Gradients that are not treated alike are taken as they are, and so are those
// that an optimizer does not take.
nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
nn.parameter @v : tensor<8xf32> = #nn.init<zeros>
amp.optimizer @a kind("sgd") hyper {} trains [@w, @v]
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[GW:[^ ]*]]: tensor<4xf32>, %[[GV:[^ ]*]]: tensor<8xf32>
func.func @step(%gw: tensor<4xf32>, %gv: tensor<8xf32>, %s: tensor<f32>,
                %lr: tensor<f32>) -> (tensor<i1>, tensor<8xf32>) {
  // CHECK: %[[UW:.*]] = amp.unscale %[[GW]]
  %uw = amp.unscale %gw by %s : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %[[PACK:.*]] = kernel.pack %[[UW]], %[[GV]] at [0, 32]
  // CHECK: amp.update {{.*}} gradient(%[[PACK]])
  %gradients = amp.gather %uw, %gv : tensor<4xf32>, tensor<8xf32>
      -> !amp.gradients<@a>
  amp.apply %gradients lr(%lr) : !amp.gradients<@a>
  // CHECK: %[[ONE:.*]] = kernel.pack %[[GV]] at [0]
  // CHECK: kernel.view %[[ONE]][0]
  // CHECK: %[[FOUND:.*]], %{{.*}} = amp.combine_check
  %found, %norm = amp.check %gv : tensor<8xf32>
  // CHECK: return %[[FOUND]]
  return %found, %gv : tensor<i1>, tensor<8xf32>
}

// -----

// A rule for one element runs on slabs: what is the same for all elements stays
// a scalar, and a skipped step keeps the old values.
// CHECK: amp.slab @g0.velocity : tensor<4096xf32> entries [#amp.entry<"w/velocity", 0, tensor<4xf32>, slot of "w" as "velocity">] initial [5.000000e-01]
nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.custom_optimizer @custom rule(@rule) slots {velocity = 0.5}
    hyper {beta = 0.9} trains [@w]
func.func private @rule(
    %w: tensor<f32> {nn.name = "parameter"},
    %g: tensor<f32> {nn.name = "gradient"},
    %v: tensor<f32> {nn.name = "velocity"}, %lr: tensor<f32> {nn.name = "lr"},
    %beta: tensor<f32> {nn.name = "beta"})
    -> (tensor<f32> {nn.name = "velocity"},
        tensor<f32> {nn.name = "parameter"}) {
  %rate = nn.mul %lr, %beta : tensor<f32>
  %next = nn.add %v, %g : tensor<f32>
  %move = nn.mul %rate, %next : tensor<f32>
  %new = nn.sub %w, %move : tensor<f32>
  return %next, %new : tensor<f32>, tensor<f32>
}
// CHECK-NOT:   @rule
// CHECK-LABEL: func.func @step
func.func @step(%g: tensor<4xf32>, %skip: tensor<i1>, %lr: tensor<f32>) {
  // CHECK: %[[COUNT:.*]] = nn.select %{{.*}} : tensor<i1>, tensor<f64>
  // CHECK: %[[RATE:.*]] = nn.mul %{{.*}} : tensor<f32>
  // CHECK: %[[NEXT:.*]] = nn.add %{{.*}} : tensor<4096xf32>
  // CHECK: %[[RATES:.*]] = nn.broadcast %[[RATE]] axes [] : tensor<f32> -> tensor<4096xf32>
  // CHECK: %[[MOVE:.*]] = nn.mul %[[RATES]], %[[NEXT]] : tensor<4096xf32>
  // CHECK: %[[NEW:.*]] = nn.sub %{{.*}}, %[[MOVE]] : tensor<4096xf32>
  // CHECK: nn.select %{{.*}}, %{{.*}}, %[[NEXT]]
  // CHECK: nn.select %{{.*}}, %{{.*}}, %[[NEW]]
  %gradients = amp.gather %g : tensor<4xf32> -> !amp.gradients<@custom>
  amp.apply %gradients lr(%lr) skip(%skip) : !amp.gradients<@custom>
  return
}

// -----

// A rule is told which parameters see decay.
nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
nn.parameter @b : tensor<2xf32> = #nn.init<zeros>
amp.custom_optimizer @custom rule(@rule) slots {} hyper {} trains [@w, @b]
    no_decay [@b]
func.func private @rule(
    %w: tensor<f32> {nn.name = "parameter"},
    %decay: tensor<f32> {nn.name = "decay"})
    -> (tensor<f32> {nn.name = "parameter"}) {
  %new = nn.sub %w, %decay : tensor<f32>
  return %new : tensor<f32>
}
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[W:[^ ]*]]: tensor<4096xf32> {kernel.state = @g0.parameter}
// CHECK-SAME:    %[[B:[^ ]*]]: tensor<4096xf32> {kernel.state = @g1.parameter}
func.func @step(%gw: tensor<4xf32>, %gb: tensor<2xf32>, %lr: tensor<f32>) {
  // CHECK: %[[ONE:.*]] = nn.constant dense<1.000000e+00> : tensor<f32>
  // CHECK: %[[ONES:.*]] = nn.broadcast %[[ONE]]
  // CHECK: nn.sub %[[W]], %[[ONES]]
  // CHECK: %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<f32>
  // CHECK: %[[ZEROS:.*]] = nn.broadcast %[[ZERO]]
  // CHECK: nn.sub %[[B]], %[[ZEROS]]
  %gradients = amp.gather %gw, %gb : tensor<4xf32>, tensor<2xf32>
      -> !amp.gradients<@custom>
  amp.apply %gradients lr(%lr) : !amp.gradients<@custom>
  return
}

// -----

// What is made of all gradients may be taken apart: each is a part of a slab.
nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
nn.parameter @v : tensor<8xf32> = #nn.init<zeros>
amp.optimizer @a kind("sgd") hyper {} trains [@w, @v]
// CHECK-LABEL: func.func @step
func.func @step(%gw: tensor<4xf32>, %gv: tensor<8xf32>, %max: tensor<f64>,
                %lr: tensor<f32>) -> tensor<8xf32> {
  // CHECK: kernel.pack %{{.*}}, %{{.*}} at [0, 4096]
  // CHECK: amp.clip_coefficient
  // CHECK: %[[SCALED:.*]] = amp.scale_segments
  // CHECK: %[[FLAT:.*]] = kernel.view %[[SCALED]][0] : tensor<2x4096xf32> -> tensor<8192xf32>
  // CHECK: %[[CV:.*]] = kernel.view %[[FLAT]][4096] : tensor<8192xf32> -> tensor<8xf32>
  %g = amp.gather %gw, %gv : tensor<4xf32>, tensor<8xf32>
      -> !amp.gradients<@a>
  %c = amp.clip_each %g max(%max) : !amp.gradients<@a>
  %cw, %cv = amp.split %c : !amp.gradients<@a> -> tensor<4xf32>, tensor<8xf32>
  // CHECK: %[[TWICE:.*]] = nn.add %[[CV]], %[[CV]]
  %twice = nn.add %cv, %cv : tensor<8xf32>
  // CHECK: amp.update
  amp.apply %c lr(%lr) : !amp.gradients<@a>
  // CHECK: return %[[TWICE]]
  return %twice : tensor<8xf32>
}

// -----

// A check of two optimizers' gradients looks at the penalties of each; what sees
// no decay has none.
nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
nn.parameter @v : tensor<8xf32> = #nn.init<zeros>
amp.optimizer @a kind("sgd") hyper {} trains [@w] no_decay [@w]
amp.optimizer @b kind("sgd") hyper {} trains [@v]
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[GW:[^ ]*]]: tensor<4xf32>, %[[GV:[^ ]*]]: tensor<8xf32>
func.func @step(%gw: tensor<4xf32>, %gv: tensor<8xf32>, %l: tensor<f64>,
                %lr: tensor<f32>) {
  // CHECK: %[[PW:.*]] = kernel.pack %[[GW]] at [0]
  %a = amp.gather %gw : tensor<4xf32> -> !amp.gradients<@a>
  %ra = amp.regularize %a l1(%l) l2(%l) : !amp.gradients<@a>
  // CHECK: %[[PV:.*]] = kernel.pack %[[GV]] at [0]
  %b = amp.gather %gv : tensor<8xf32> -> !amp.gradients<@b>
  %rb = amp.regularize %b l1(%l) l2(%l) : !amp.gradients<@b>
  // CHECK: %[[BLOCKS:.*]] = kernel.view %[[PW]][0] : tensor<4096xf32> -> tensor<1x4096xf32>
  // CHECK: %[[SA:.*]] = amp.square_sums %[[BLOCKS]]
  // CHECK: %[[PENALTY:.*]] = amp.add_penalty %{{.*}} -> tensor<1x4096xf32>
  // CHECK: %[[SB:.*]] = amp.square_sums %[[PENALTY]]
  // CHECK: %[[FOUND:.*]], %{{.*}} = amp.combine_check %[[SA]], %[[SB]]
  %found, %norm = amp.check %ra, %rb
      : !amp.gradients<@a>, !amp.gradients<@b>
  // CHECK: amp.update {{.*}} gradient(%[[PW]]) skip(%[[FOUND]])
  // CHECK: %[[OWN:.*]] = amp.add_penalty %[[PV]] of {{.*}} -> tensor<4096xf32>
  // CHECK: amp.update {{.*}} gradient(%[[OWN]]) skip(%[[FOUND]])
  amp.apply %ra lr(%lr) skip(%found) : !amp.gradients<@a>
  amp.apply %rb lr(%lr) skip(%found) : !amp.gradients<@b>
  return
}

// Features: G7.
