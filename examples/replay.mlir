// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch replay: a batch that overflowed is tried again at once, at the lower
// scale.
//
// The step is written out three times. An attempt that overflows changes
// nothing but the scale, so that the next one runs on the same weights; one
// that follows a success changes nothing at all: its optimizer and its scaler
// skip. No batch is lost to the scale where three attempts are enough.
//
// All attempts are always computed. To pay for a replay only where there is
// one, let the loop repeat the step instead: mpc-train --replay=2 does so for
// any model and any program, basic.mlir for one, with the same result.
//
//     mpc-train examples/replay.mlir --precision=fp16 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @b1 : tensor<16xf32> = #nn.init<zeros>
nn.parameter @w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>
nn.parameter @b2 : tensor<4xf32> = #nn.init<zeros>

amp.scaler @scaler policy("dynamic")
      settings {init_scale = 16777216.0, growth_factor = 1024.0,
    backoff_factor = 9.765625e-4, growth_interval = 3.0}
amp.optimizer @optimizer kind("sgd") hyper {momentum = 0.9} flags ["momentum"]
    trains [@w1, @b1, @w2, @b2]

func.func private @loss(%x: tensor<16x8xf32>, %target: tensor<16xi64>)
    -> tensor<f32> {
  %w1 = nn.get @w1 : tensor<16x8xf32>
  %b1 = nn.get @b1 : tensor<16xf32>
  %w2 = nn.get @w2 : tensor<4x16xf32>
  %b2 = nn.get @b2 : tensor<4xf32>
  %a = nn.linear %x, %w1 bias %b1 : tensor<16xf32>
      : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
  %h = nn.tanh %a : tensor<16x16xf32>
  %logits = nn.linear %h, %w2 bias %b2 : tensor<4xf32>
      : tensor<16x16xf32>, tensor<4x16xf32> -> tensor<16x4xf32>
  %loss = nn.cross_entropy %logits, %target axis(1)
      : tensor<16x4xf32>, tensor<16xi64> -> tensor<f32>
  return %loss : tensor<f32>
}

func.func @step(
    %x: tensor<16x8xf32> {nn.name = "x"},
    %target: tensor<16xi64> {nn.name = "target"},
    %lr: tensor<f32> {nn.name = "lr"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "scale"},
        tensor<i1> {nn.name = "found_inf"}, tensor<f64> {nn.name = "grad_norm"},
        tensor<f64> {nn.name = "good_steps"},
        tensor<f64> {nn.name = "scale_error"}) {
  %yes = nn.constant dense<true> : tensor<i1>
  %no = nn.constant dense<false> : tensor<i1>

  // The first attempt.
  %scale = amp.get_scale @scaler : tensor<f32>
  %loss, %g0_w1, %g0_b1, %g0_w2, %g0_b2 = nn.vjp @loss(%x, %target) seed(%scale)
      wrt [@w1, @b1, @w2, @b2]
      : (tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>,
        tensor<4xf32>
  %inverse0 = amp.inverse_scale %scale : tensor<f32>
  %gradients0 = amp.gather %g0_w1, %g0_b1, %g0_w2, %g0_b2
      : tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  %unscaled0 = amp.unscale %gradients0 by %inverse0 : !amp.gradients<@optimizer>
  %bad0, %norm0 = amp.check %unscaled0 : !amp.gradients<@optimizer>
  amp.apply %unscaled0 lr(%lr) skip(%bad0) : !amp.gradients<@optimizer>
  %good0, %error0 = amp.update_scale @scaler found(%bad0)
  %done1 = nn.select %bad0, %no, %yes : tensor<i1>, tensor<i1>

  // The second, where the first has failed.
  %scale1 = amp.get_scale @scaler : tensor<f32>
  %loss1, %g1_w1, %g1_b1, %g1_w2, %g1_b2 = nn.vjp @loss(%x, %target)
      seed(%scale1)
      wrt [@w1, @b1, @w2, @b2]
      : (tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>,
        tensor<4xf32>
  %inverse1 = amp.inverse_scale %scale1 : tensor<f32>
  %gradients1 = amp.gather %g1_w1, %g1_b1, %g1_w2, %g1_b2
      : tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  %unscaled1 = amp.unscale %gradients1 by %inverse1 : !amp.gradients<@optimizer>
  %bad1, %norm1 = amp.check %unscaled1 : !amp.gradients<@optimizer>
  %skip1 = nn.select %done1, %yes, %bad1 : tensor<i1>, tensor<i1>
  amp.apply %unscaled1 lr(%lr) skip(%skip1) : !amp.gradients<@optimizer>
  %good1, %error1 = amp.update_scale @scaler found(%bad1) skip(%done1)
  %done2 = nn.select %skip1, %done1, %yes : tensor<i1>, tensor<i1>
  %norm_1 = nn.select %done1, %norm0, %norm1 : tensor<i1>, tensor<f64>
  %scale_1 = nn.select %done1, %scale, %scale1 : tensor<i1>, tensor<f32>

  // The third.
  %scale2 = amp.get_scale @scaler : tensor<f32>
  %loss2, %g2_w1, %g2_b1, %g2_w2, %g2_b2 = nn.vjp @loss(%x, %target)
      seed(%scale2)
      wrt [@w1, @b1, @w2, @b2]
      : (tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>,
        tensor<4xf32>
  %inverse2 = amp.inverse_scale %scale2 : tensor<f32>
  %gradients2 = amp.gather %g2_w1, %g2_b1, %g2_w2, %g2_b2
      : tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  %unscaled2 = amp.unscale %gradients2 by %inverse2 : !amp.gradients<@optimizer>
  %bad2, %norm2 = amp.check %unscaled2 : !amp.gradients<@optimizer>
  %skip2 = nn.select %done2, %yes, %bad2 : tensor<i1>, tensor<i1>
  amp.apply %unscaled2 lr(%lr) skip(%skip2) : !amp.gradients<@optimizer>
  %good2, %error2 = amp.update_scale @scaler found(%bad2) skip(%done2)
  %done3 = nn.select %skip2, %done2, %yes : tensor<i1>, tensor<i1>
  %norm_2 = nn.select %done2, %norm_1, %norm2 : tensor<i1>, tensor<f64>
  %scale_2 = nn.select %done2, %scale_1, %scale2 : tensor<i1>, tensor<f32>

  %found = nn.select %done3, %no, %yes : tensor<i1>, tensor<i1>
  return %loss, %scale_2, %found, %norm_2, %good2, %error2
      : tensor<f32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>,
        tensor<f64>
}
