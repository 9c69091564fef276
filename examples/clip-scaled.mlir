// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clipping gradients that are still scaled.
//
// Some clip before the unscale: then the maximum is scaled too, max_norm *
// scale. With a scale that is a power of two the result is that of clipping
// afterwards. The finite check is that of what is applied.
//
//     mpc-train examples/clip-scaled.mlir --precision=fp16 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @b1 : tensor<16xf32> = #nn.init<zeros>
nn.parameter @w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>
nn.parameter @b2 : tensor<4xf32> = #nn.init<zeros>

amp.scaler @scaler policy("dynamic") settings {growth_interval = 2000.0}
amp.optimizer @optimizer kind("sgd")
    hyper {momentum = 0.9, clip_global_norm = 0.1} flags ["momentum"]
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
  %scale = amp.get_scale @scaler : tensor<f32>
  %loss, %g_w1, %g_b1, %g_w2, %g_b2 = nn.vjp @loss(%x, %target) seed(%scale)
      wrt [@w1, @b1, @w2, @b2]
      : (tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>,
        tensor<4xf32>
  %gradients = amp.gather %g_w1, %g_b1, %g_w2, %g_b2
      : tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  %overflow, %scaled_norm = amp.check %gradients : !amp.gradients<@optimizer>

  %max = amp.get_hyper @optimizer "clip_global_norm" : tensor<f64>
  %exact_scale = amp.get_scale @scaler : tensor<f64>
  %scaled_max = nn.mul %max, %exact_scale : tensor<f64>
  %coefficient = amp.clip_coefficient %scaled_norm max(%scaled_max)
      : tensor<f64> -> tensor<f32>
  %clipped = amp.clip %gradients by %coefficient : !amp.gradients<@optimizer>

  %inverse = amp.inverse_scale %scale : tensor<f32>
  %unscaled = amp.unscale %clipped by %inverse : !amp.gradients<@optimizer>
  %found, %clipped_norm = amp.check %unscaled : !amp.gradients<@optimizer>
  amp.apply %unscaled lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  %good_steps, %error = amp.update_scale @scaler found(%found)
  %norm = nn.div %scaled_norm, %exact_scale : tensor<f64>
  return %loss, %scale, %found, %norm, %good_steps, %error
      : tensor<f32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>,
        tensor<f64>
}
