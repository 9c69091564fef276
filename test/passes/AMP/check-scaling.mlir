// RUN: mpc-opt %s --split-input-file --amp-mark-entries --amp-check-scaling --verify-diagnostics
// Steps that train on scaled gradients, and such that only look like it.

nn.parameter @w : tensor<4xf32> = #nn.init<ones>
amp.scaler @scaler policy("dynamic") settings {}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func private @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.reduce_sum %w axes [0] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @step(%lr: tensor<f32>) {
  %scale = amp.get_scale @scaler : tensor<f32>
  %loss, %g = nn.vjp @loss() seed(%scale) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
  %gradients = amp.gather %g : tensor<4xf32> -> !amp.gradients<@optimizer>
  %found, %norm = amp.check %gradients : !amp.gradients<@optimizer>
  // expected-warning @+1 {{updates parameters by gradients that are still scaled: nothing unscales them}}
  amp.apply %gradients lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  return
}

// -----

// A bound that is not scaled, on what is.
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
amp.scaler @scaler policy("dynamic") settings {}
amp.optimizer @optimizer kind("sgd") hyper {clip_global_norm = 1.0} trains [@w]
func.func private @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.reduce_sum %w axes [0] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @step(%lr: tensor<f32>) {
  %scale = amp.get_scale @scaler : tensor<f32>
  %loss, %g = nn.vjp @loss() seed(%scale) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
  %gradients = amp.gather %g : tensor<4xf32> -> !amp.gradients<@optimizer>
  %found, %norm = amp.check %gradients : !amp.gradients<@optimizer>
  %max = amp.get_hyper @optimizer "clip_global_norm" : tensor<f64>
  // expected-warning @+1 {{takes gradients that are still scaled, and numbers that are not: unscale first, or multiply the numbers by the scale}}
  %factor = amp.clip_coefficient %norm max(%max) : tensor<f64> -> tensor<f32>
  %clipped = amp.clip %gradients by %factor : !amp.gradients<@optimizer>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  %unscaled = amp.unscale %clipped by %inverse : !amp.gradients<@optimizer>
  amp.apply %unscaled lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  return
}

// -----

// The same with all that looks at a gradient's size.
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
amp.scaler @scaler policy("dynamic") settings {}
amp.optimizer @optimizer kind("sgd") hyper {clip_norm = 1.0} trains [@w]
func.func private @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.reduce_sum %w axes [0] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @step(%lr: tensor<f32>) {
  %scale = amp.get_scale @scaler : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %seed = nn.mul %scale, %half : tensor<f32>
  %loss, %g = nn.vjp @loss() seed(%seed) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
  %max = amp.get_hyper @optimizer "clip_norm" : tensor<f64>
  %gradients = amp.gather %g : tensor<4xf32> -> !amp.gradients<@optimizer>
  // expected-warning @+1 {{takes gradients that are still scaled}}
  %a = amp.clip_each %gradients max(%max) : !amp.gradients<@optimizer>
  // expected-warning @+1 {{takes gradients that are still scaled}}
  %b = amp.clamp %a by %half : !amp.gradients<@optimizer>
  // expected-warning @+1 {{takes gradients that are still scaled}}
  %c = amp.regularize %b l1(%max) l2(%max) : !amp.gradients<@optimizer>
  // expected-warning @+1 {{takes gradients that are still scaled}}
  %d = amp.larc %c eta(%max) eps(%max) min_update(%max)
      : !amp.gradients<@optimizer>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  %unscaled = amp.unscale %d by %inverse : !amp.gradients<@optimizer>
  amp.apply %unscaled lr(%lr) : !amp.gradients<@optimizer>
  return
}

// -----

// A scale that is taken out but was never put in.
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
amp.scaler @scaler policy("dynamic") settings {}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func private @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.reduce_sum %w axes [0] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @step(%lr: tensor<f32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %loss, %g = nn.vjp @loss() seed(%one) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
  %scale = amp.get_scale @scaler : tensor<f32>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  %gradients = amp.gather %g : tensor<4xf32> -> !amp.gradients<@optimizer>
  // expected-warning @+1 {{unscales a gradient that has no scale in it: no seed of its nn.vjp depends on amp.get_scale}}
  %unscaled = amp.unscale %gradients by %inverse : !amp.gradients<@optimizer>
  amp.apply %unscaled lr(%lr) : !amp.gradients<@optimizer>
  return
}

// -----

// A window of batches keeps the scale in the sum.
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
amp.scaler @scaler policy("dynamic") settings {}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func private @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.reduce_sum %w axes [0] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @accumulate() {
  %scale = amp.get_scale @scaler : tensor<f32>
  %loss, %g = nn.vjp @loss() seed(%scale) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
  %gradients = amp.gather %g : tensor<4xf32> -> !amp.gradients<@optimizer>
  amp.accumulate %gradients : !amp.gradients<@optimizer>
  return
}
func.func @apply(%lr: tensor<f32>) {
  %gradients = amp.take_gradients : !amp.gradients<@optimizer>
  // expected-warning @+1 {{updates parameters by gradients that are still scaled}}
  amp.apply %gradients lr(%lr) : !amp.gradients<@optimizer>
  return
}

// -----

// Nothing is known of a sum of scaled and unscaled gradients, whichever comes
// first: no warning of either kind.
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
amp.scaler @scaler policy("dynamic") settings {}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func private @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.reduce_sum %w axes [0] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @accumulate() {
  %scale = amp.get_scale @scaler : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %a, %g = nn.vjp @loss() seed(%scale) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
  %b, %h = nn.vjp @loss() seed(%one) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
  %scaled = amp.gather %g : tensor<4xf32> -> !amp.gradients<@optimizer>
  %free = amp.gather %h : tensor<4xf32> -> !amp.gradients<@optimizer>
  amp.accumulate %scaled : !amp.gradients<@optimizer>
  amp.accumulate %free : !amp.gradients<@optimizer>
  return
}
func.func @apply(%lr: tensor<f32>) {
  %gradients = amp.take_gradients : !amp.gradients<@optimizer>
  amp.apply %gradients lr(%lr) : !amp.gradients<@optimizer>
  return
}

// -----

// The other way round.
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
amp.scaler @scaler policy("dynamic") settings {}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func private @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.reduce_sum %w axes [0] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @accumulate() {
  %scale = amp.get_scale @scaler : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %a, %g = nn.vjp @loss() seed(%scale) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
  %b, %h = nn.vjp @loss() seed(%one) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
  %scaled = amp.gather %g : tensor<4xf32> -> !amp.gradients<@optimizer>
  %free = amp.gather %h : tensor<4xf32> -> !amp.gradients<@optimizer>
  amp.accumulate %free : !amp.gradients<@optimizer>
  amp.accumulate %scaled : !amp.gradients<@optimizer>
  return
}
func.func @apply(%lr: tensor<f32>) {
  %gradients = amp.take_gradients : !amp.gradients<@optimizer>
  %scale = amp.get_scale @scaler : tensor<f32>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  %unscaled = amp.unscale %gradients by %inverse : !amp.gradients<@optimizer>
  amp.apply %unscaled lr(%lr) : !amp.gradients<@optimizer>
  return
}

// -----

// No warning: scaled bounds, an unscale of one's own, gradients that are
// inputs, and no scale at all.
nn.parameter @w : tensor<4xf32> = #nn.init<ones>
amp.scaler @scaler policy("dynamic") settings {}
amp.optimizer @a kind("sgd") hyper {clip_global_norm = 1.0} trains [@w]
amp.optimizer @b kind("sgd") hyper {} trains [@v]
nn.parameter @v : tensor<4xf32> = #nn.init<ones>
func.func private @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.reduce_sum %w axes [0] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @step(%input: tensor<4xf32>, %lr: tensor<f32>) {
  %scale = amp.get_scale @scaler : tensor<f32>
  %wide = amp.get_scale @scaler : tensor<f64>
  %loss, %g = nn.vjp @loss() seed(%scale) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<4xf32>
  %found, %norm = amp.check %g : tensor<4xf32>
  %max = amp.get_hyper @a "clip_global_norm" : tensor<f64>
  %scaled_max = nn.mul %max, %wide : tensor<f64>
  %factor = amp.clip_coefficient %norm max(%scaled_max)
      : tensor<f64> -> tensor<f32>
  %c = amp.clip %g by %factor : tensor<4xf32> -> tensor<4xf32>
  %scales = nn.broadcast %scale axes [] : tensor<f32> -> tensor<4xf32>
  %u = nn.div %c, %scales : tensor<4xf32>
  %gradients_a = amp.gather %u : tensor<4xf32> -> !amp.gradients<@a>
  amp.apply %gradients_a lr(%lr) skip(%found) : !amp.gradients<@a>
  %gradients_b = amp.gather %input : tensor<4xf32> -> !amp.gradients<@b>
  amp.apply %gradients_b lr(%lr) : !amp.gradients<@b>
  return
}

// Features: G8, X7.
