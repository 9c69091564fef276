// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(amp-mark-entries,amp-data-parallel,amp-lower-state)' | FileCheck %s
// Features: L4.

// Each of three ranks has a block of the slots, as two blocks are divided, and
// all have the weights. It updates its part, and gathers those of all. The sums
// of squares are those of the two blocks that there are.
// CHECK:       amp.slab @g0.parameter : tensor<8192xf32> entries
// CHECK:       amp.slab @g0.exp_avg : tensor<4096xf32> parts(3) entries [#amp.entry<"w/exp_avg", 0, tensor<5000xf32>, slot of "w" as "exp_avg">]
// CHECK:       amp.slab @g0.exp_avg_sq : tensor<4096xf32> parts(3)
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[W:[^:]*]]: tensor<8192xf32> {kernel.state = @g0.parameter}, %[[M:[^:]*]]: tensor<4096xf32> {kernel.state = @g0.exp_avg}
// CHECK:         kernel.collective all_to_all ranks(3)
// CHECK:         %[[SUM:.*]] = nn.add
// CHECK-NOT:     all_gather ranks(3) %[[SUM]]
// CHECK:         %[[OWN:.*]] = amp.square_sums %{{.*}} : tensor<1x4096xf32> -> tensor<1xf64>
// CHECK:         %[[ROWS:.*]] = kernel.collective all_gather ranks(3) %[[OWN]] : (tensor<1xf64>) -> tensor<2xf64>
// CHECK:         amp.combine_check %[[ROWS]] : tensor<2xf64>
// CHECK:         %[[P:.*]] = kernel.collective take_part ranks(3) %[[W]] : (tensor<8192xf32>) -> tensor<4096xf32>
// CHECK:         %[[NEW:.*]]:3 = amp.update "adam" {{.*}} gradient(%{{.*}}) {{.*}} parameter(%[[P]]) slots(%[[M]],
// CHECK:         kernel.collective all_gather ranks(3) %[[NEW]]#0 : (tensor<4096xf32>) -> tensor<8192xf32>
amp.recipe accumulate(3) pairwise ranks(3)
nn.parameter @w : tensor<5000xf32> = #nn.init<zeros>
amp.optimizer @o kind("adam") hyper {beta1 = 0.9, beta2 = 0.999, eps = 1.0e-8, weight_decay = 0.0} trains [@w]
func.func @step(%g: tensor<5000xf32> {nn.name = "g"}, %lr: tensor<f32> {nn.name = "lr"}) {
  %own = amp.gather %g : tensor<5000xf32> -> !amp.gradients<@o>
  %found, %norm = amp.check %own : !amp.gradients<@o>
  amp.apply %own lr(%lr) skip(%found) : !amp.gradients<@o>
  return
}

// -----

// Where entries read 16-bit copies alone, the weights are divided too, and the
// copies are gathered, also those of the first weights.
// CHECK:       amp.slab @g0.parameter : tensor<4096xf32> parts(2)
// CHECK:       amp.slab @g0.bf16 : tensor<8192xbf16> entries
// CHECK-LABEL: func.func @step
// CHECK-SAME:    %[[W:[^:]*]]: tensor<4096xf32> {kernel.state = @g0.parameter}
// CHECK-NOT:     take_part ranks(2) %[[W]]
// CHECK:         kernel.collective all_gather ranks(2) %{{.*}} : (tensor<4096xbf16>) -> tensor<8192xbf16>
// CHECK-LABEL: func.func @init
// CHECK-SAME:    %[[W:[^:]*]]: tensor<4096xf32> {kernel.state = @g0.parameter}
// CHECK:         %[[COPY:.*]] = amp.saturate_cast %[[W]] : tensor<4096xf32> -> tensor<4096xbf16>
// CHECK:         %[[ALL:.*]] = kernel.collective all_gather ranks(2) %[[COPY]] : (tensor<4096xbf16>) -> tensor<8192xbf16>
// CHECK:         return %[[ALL]]
amp.recipe accumulate(2) pairwise ranks(2)
nn.parameter @w : tensor<5000xf32> = #nn.init<zeros>
amp.optimizer @o kind("sgd") hyper {momentum = 0.9} flags ["momentum"] trains [@w]
func.func @step(%x: tensor<5000xbf16> {nn.name = "x"}, %lr: tensor<f32> {nn.name = "lr"}) -> (tensor<5000xbf16> {nn.name = "y"}) {
  %w = nn.get @w : tensor<5000xf32>
  %c = nn.cast %w : tensor<5000xf32> -> tensor<5000xbf16>
  %y = nn.mul %c, %x : tensor<5000xbf16>
  %own = amp.gather %x : tensor<5000xbf16> -> !amp.gradients<@o>
  amp.apply %own lr(%lr) : !amp.gradients<@o>
  return %y : tensor<5000xbf16>
}

// -----

// A reader of the f32 weights keeps them whole.
// CHECK:       amp.slab @g0.parameter : tensor<8192xf32> entries
// CHECK:       amp.slab @g0.momentum_buffer : tensor<4096xf32> parts(2)
// CHECK-LABEL: func.func @step
// CHECK:         %[[ALL:.*]] = kernel.collective all_gather ranks(2) %{{.*}} : (tensor<4096xf32>) -> tensor<8192xf32>
// CHECK:         amp.saturate_cast %[[ALL]] : tensor<8192xf32> -> tensor<8192xbf16>
amp.recipe accumulate(2) pairwise ranks(2)
nn.parameter @w : tensor<5000xf32> = #nn.init<zeros>
amp.optimizer @o kind("sgd") hyper {momentum = 0.9} flags ["momentum"] trains [@w]
func.func @step(%x: tensor<5000xbf16> {nn.name = "x"}, %lr: tensor<f32> {nn.name = "lr"}) -> (tensor<5000xbf16> {nn.name = "y"}, tensor<5000xf32> {nn.name = "z"}) {
  %w = nn.get @w : tensor<5000xf32>
  %c = nn.cast %w : tensor<5000xf32> -> tensor<5000xbf16>
  %y = nn.mul %c, %x : tensor<5000xbf16>
  %z = nn.neg %w : tensor<5000xf32>
  %own = amp.gather %x : tensor<5000xbf16> -> !amp.gradients<@o>
  amp.apply %own lr(%lr) : !amp.gradients<@o>
  return %y, %z : tensor<5000xbf16>, tensor<5000xf32>
}

// -----

// An op on whole tensors, and updates by the norms of such.
amp.recipe accumulate(2) pairwise ranks(2)
nn.parameter @w : tensor<8xf32> = #nn.init<zeros>
// expected-remark @below {{the state is not divided among ranks: 'amp.clip_each' needs the gradients of whole tensors}}
amp.optimizer @o kind("sgd") hyper {} trains [@w]
func.func @step(%g: tensor<8xf32> {nn.name = "g"}, %lr: tensor<f32> {nn.name = "lr"}) {
  %own = amp.gather %g : tensor<8xf32> -> !amp.gradients<@o>
  %max = nn.constant dense<1.0> : tensor<f64>
  %c = amp.clip_each %own max(%max) : !amp.gradients<@o>
  amp.apply %c lr(%lr) : !amp.gradients<@o>
  return
}

// -----

amp.recipe accumulate(2) pairwise ranks(2)
nn.parameter @w : tensor<8xf32> = #nn.init<zeros>
// expected-remark @below {{the state is not divided among ranks: its updates go by norms of whole tensors}}
amp.optimizer @o kind("lamb") hyper {beta1 = 0.9, beta2 = 0.999, eps = 1.0e-6, weight_decay = 0.0} trains [@w]
func.func @step(%g: tensor<8xf32> {nn.name = "g"}, %lr: tensor<f32> {nn.name = "lr"}) {
  %own = amp.gather %g : tensor<8xf32> -> !amp.gradients<@o>
  amp.apply %own lr(%lr) : !amp.gradients<@o>
  return
}

// -----

// Numbers that are rounded at random have their bits by the place in a slab.
amp.recipe accumulate(2) pairwise ranks(2)
nn.parameter @w : tensor<8xbf16> = #nn.init<zeros>
// expected-remark @below {{the state is not divided among ranks: weights of 16 bits are rounded by the place of an element}}
amp.optimizer @o kind("sgd") hyper {rounding_seed = 1.0} trains [@w]
func.func @step(%g: tensor<8xf32> {nn.name = "g"}, %lr: tensor<f32> {nn.name = "lr"}) {
  %own = amp.gather %g : tensor<8xf32> -> !amp.gradients<@o>
  amp.apply %own lr(%lr) : !amp.gradients<@o>
  return
}
