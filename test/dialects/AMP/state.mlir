// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// Ops on named state print as they are written.

nn.parameter @w : tensor<4x8xf32> = #nn.init<zeros>
nn.parameter @b : tensor<4xf32> = #nn.init<zeros>
nn.parameter @v : tensor<4xf32> = #nn.init<zeros>

// CHECK: amp.scaler @scaler policy("dynamic") settings {growth_factor = 2.000000e+00 : f64}
amp.scaler @scaler policy("dynamic") settings {growth_factor = 2.0}
// CHECK: amp.optimizer @optimizer kind("sgd") hyper {clip_norm = 1.000000e+00 : f64, momentum = 9.000000e-01 : f64} flags ["momentum"]
// CHECK-SAME: trains [@w, @b] no_decay [@b]
amp.optimizer @optimizer kind("sgd")
    hyper {clip_norm = 1.0, momentum = 0.9} flags ["momentum"]
    trains [@w, @b] no_decay [@b]

// CHECK: amp.optimizer @grouped kind("adamw") hyper {} trains [@v] groups [#amp.group<{lr_factor = 1.000000e+01 : f64}, [@v]>, #amp.group<{weight_decay = 5.000000e-01 : f64}, []>]
amp.optimizer @grouped kind("adamw") hyper {} trains [@v]
    groups [#amp.group<{lr_factor = 10.0}, [@v]>, #amp.group<{weight_decay = 0.5}, []>]

// CHECK: amp.optimizer @narrow kind("sgd") {{.*}} slots(f16) counts_skips
amp.optimizer @narrow kind("sgd") hyper {rounding_seed = 1.0} slots(f16) counts_skips

// CHECK: amp.custom_optimizer @custom rule(@rule) slots {mean = 5.000000e-01 : f64} hyper {beta = 9.000000e-01 : f64}
amp.custom_optimizer @custom rule(@rule) slots {mean = 0.5} hyper {beta = 0.9}
func.func private @rule(
    %w: tensor<f32> {nn.name = "parameter"}, %m: tensor<f32> {nn.name = "mean"},
    %beta: tensor<f64> {nn.name = "beta"}, %n: tensor<f64> {nn.name = "step"})
    -> (tensor<f32> {nn.name = "mean"}, tensor<f32> {nn.name = "parameter"}) {
  return %m, %w : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @step
func.func @step(%dw: tensor<4x8xf32>, %db: tensor<4xf16>, %lr: tensor<f32>) {
  // CHECK: amp.get_scale @scaler : tensor<f32>
  %scale = amp.get_scale @scaler : tensor<f32>
  // CHECK: amp.get_scale @scaler : tensor<f64>
  %exact = amp.get_scale @scaler : tensor<f64>
  // CHECK: amp.get_rate @scaler, %[[LR:.*]], %[[LR]] : tensor<f32>
  %rate = amp.get_rate @scaler, %lr, %lr : tensor<f32>
  // CHECK: amp.inverse_scale {{.*}} flushed : tensor<f32>
  %inverse = amp.inverse_scale %scale flushed : tensor<f32>
  // CHECK: amp.unscale %{{.*}} by %{{.*}} : tensor<4x8xf32> -> tensor<4x8xf32>
  %uw = amp.unscale %dw by %inverse : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: amp.unscale %{{.*}} by %{{.*}} divide : tensor<4xf16> -> tensor<4xf32>
  %ub = amp.unscale %db by %scale divide : tensor<4xf16> -> tensor<4xf32>
  // CHECK: %[[FOUND:.*]], %[[NORM:.*]] = amp.check {{.*}} : tensor<4x8xf32>, tensor<4xf32>
  %found, %norm = amp.check %uw, %ub : tensor<4x8xf32>, tensor<4xf32>
  // CHECK: amp.vector_norm %{{.*}} : tensor<4x8xf32>
  %single = amp.vector_norm %uw : tensor<4x8xf32>
  // CHECK: amp.max_abs {{.*}} : tensor<4x8xf32>, tensor<4xf32>
  %max_abs = amp.max_abs %uw, %ub : tensor<4x8xf32>, tensor<4xf32>
  // CHECK: amp.get_hyper @optimizer "clip_norm" : tensor<f64>
  %max = amp.get_hyper @optimizer "clip_norm" : tensor<f64>
  // CHECK: amp.clip_coefficient %[[NORM]] max(%{{.*}}) scale(%{{.*}}) keras : tensor<f64> -> tensor<f32>
  %c = amp.clip_coefficient %norm max(%max) scale(%scale) keras
      : tensor<f64> -> tensor<f32>
  // CHECK: amp.clip %{{.*}} by %{{.*}} : tensor<4x8xf32> -> tensor<4x8xf32>
  %cw = amp.clip %uw by %c : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: amp.clamp %{{.*}} by %{{.*}} : tensor<4xf32> -> tensor<4xf32>
  %cb = amp.clamp %ub by %c : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %[[G:.*]] = amp.gather %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4xf32> -> !amp.gradients<@optimizer>
  %g = amp.gather %cw, %cb : tensor<4x8xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  // CHECK: %[[U:.*]] = amp.unscale %[[G]] by %{{.*}} divide : !amp.gradients<@optimizer>
  %u = amp.unscale %g by %scale divide : !amp.gradients<@optimizer>
  // CHECK: amp.clamp %[[U]] by %{{.*}} : !amp.gradients<@optimizer>
  %clamped = amp.clamp %u by %c : !amp.gradients<@optimizer>
  // CHECK: %[[E:.*]] = amp.clip_each %{{.*}} max(%{{.*}}) keras : !amp.gradients<@optimizer>
  %e = amp.clip_each %clamped max(%max) keras : !amp.gradients<@optimizer>
  // CHECK: amp.regularize %[[E]] l1(%{{.*}}) l2(%{{.*}}) : !amp.gradients<@optimizer>
  %r = amp.regularize %e l1(%max) l2(%max) : !amp.gradients<@optimizer>
  // CHECK: amp.larc %{{.*}} eta(%{{.*}}) eps(%{{.*}}) weight_decay(%{{.*}}) lr(%{{.*}}) : !amp.gradients<@optimizer>
  %l = amp.larc %r eta(%max) eps(%max) weight_decay(%max) lr(%lr)
      : !amp.gradients<@optimizer>
  // CHECK: %[[PARTS:.*]]:2 = amp.split %{{.*}} : !amp.gradients<@optimizer> -> tensor<4x8xf32>, tensor<4xf32>
  %ew, %eb = amp.split %l : !amp.gradients<@optimizer>
      -> tensor<4x8xf32>, tensor<4xf32>
  // CHECK: amp.check %{{.*}}, %[[PARTS]]#0 : !amp.gradients<@optimizer>, tensor<4x8xf32>
  %mixed, %both = amp.check %l, %ew : !amp.gradients<@optimizer>, tensor<4x8xf32>
  // CHECK: amp.accumulate %{{.*}} : !amp.gradients<@optimizer>
  amp.accumulate %l : !amp.gradients<@optimizer>
  // CHECK: amp.accumulate %{{.*}} pairs_of(6) : !amp.gradients<@optimizer>
  amp.accumulate %l pairs_of(6) : !amp.gradients<@optimizer>
  // CHECK: amp.take_gradients pairs_of(6) : !amp.gradients<@optimizer>
  %pairs = amp.take_gradients pairs_of(6) : !amp.gradients<@optimizer>
  // CHECK: amp.exchange %{{.*}} ranks(4) : !amp.gradients<@optimizer> -> !amp.gradients<@optimizer>
  %ranks = amp.exchange %l ranks(4) : !amp.gradients<@optimizer> -> !amp.gradients<@optimizer>
  // CHECK: amp.exchange %{{.*}} ranks(4) : !amp.gradients<@optimizer> -> !amp.gradients<@optimizer part of 4>
  %part = amp.exchange %l ranks(4) : !amp.gradients<@optimizer> -> !amp.gradients<@optimizer part of 4>
  // CHECK: amp.all_gather %{{.*}} ranks(4) : tensor<2x3xf32> -> tensor<8x3xf32>
  %own = nn.constant dense<1.0> : tensor<2x3xf32>
  %rows = amp.all_gather %own ranks(4) : tensor<2x3xf32> -> tensor<8x3xf32>
  // CHECK: %[[SUM:.*]] = amp.take_gradients : !amp.gradients<@optimizer>
  %sum = amp.take_gradients : !amp.gradients<@optimizer>
  // CHECK: amp.apply %[[SUM]] lr(%{{.*}}) skip(%[[FOUND]]) : !amp.gradients<@optimizer>
  amp.apply %sum lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  // CHECK: amp.apply %[[SUM]] lr(%{{.*}} : tensor<f64>) : !amp.gradients<@optimizer>
  amp.apply %sum lr(%max : tensor<f64>) : !amp.gradients<@optimizer>
  // CHECK: amp.update_scale @scaler found(%[[FOUND]]) max_abs(%{{.*}})
  %good, %error = amp.update_scale @scaler found(%found) max_abs(%max_abs)
  // CHECK: amp.update_scale @scaler found(%[[FOUND]]) skip(%[[FOUND]])
  %good2, %error2 = amp.update_scale @scaler found(%found) skip(%found)
  // CHECK: amp.get_hyper @custom "beta" : tensor<f64>
  %beta = amp.get_hyper @custom "beta" : tensor<f64>
  // CHECK: amp.assign %{{.*}} to @w skip(%[[FOUND]]) : tensor<4x8xf32>
  amp.assign %ew to @w skip(%found) : tensor<4x8xf32>
  // CHECK: amp.assign %{{.*}} to @b : tensor<4xf32>
  amp.assign %eb to @b : tensor<4xf32>
  return
}

// Features: I8.
