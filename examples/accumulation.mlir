// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradient accumulation: four batches make one step.
//
// @accumulate runs on each batch and sums the scaled gradients in f32; @apply
// runs after the last. The scale stays what it is within the window, the sum is
// unscaled once and checked once, so that an overflow in any of the batches
// skips the window. Each seed is a quarter of the scale: the step is that of
// the mean loss.
//
//     mpc-train examples/accumulation.mlir --precision=fp16 --accumulate=4 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @b1 : tensor<16xf32> = #nn.init<zeros>
nn.parameter @w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>
nn.parameter @b2 : tensor<4xf32> = #nn.init<zeros>

amp.scaler @scaler policy("dynamic") settings {growth_interval = 2000.0}
amp.optimizer @optimizer kind("adamw") hyper {weight_decay = 0.01}
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

func.func @accumulate(
    %x: tensor<16x8xf32> {nn.name = "x"},
    %target: tensor<16xi64> {nn.name = "target"})
    -> (tensor<f32> {nn.name = "loss"}) {
  %scale = amp.get_scale @scaler : tensor<f32>
  %quarter = nn.constant dense<0.25> : tensor<f32>
  %seed = nn.mul %scale, %quarter : tensor<f32>
  %loss, %g_w1, %g_b1, %g_w2, %g_b2 = nn.vjp @loss(%x, %target) seed(%seed)
      wrt [@w1, @b1, @w2, @b2]
      : (tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>,
        tensor<4xf32>
  %gradients = amp.gather %g_w1, %g_b1, %g_w2, %g_b2
      : tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  amp.accumulate %gradients : !amp.gradients<@optimizer>
  return %loss : tensor<f32>
}

func.func @apply(%lr: tensor<f32> {nn.name = "lr"})
    -> (tensor<f32> {nn.name = "scale"},
        tensor<i1> {nn.name = "found_inf"}, tensor<f64> {nn.name = "grad_norm"},
        tensor<f64> {nn.name = "good_steps"},
        tensor<f64> {nn.name = "scale_error"}) {
  %gradients = amp.take_gradients : !amp.gradients<@optimizer>
  %scale = amp.get_scale @scaler : tensor<f32>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  %unscaled = amp.unscale %gradients by %inverse : !amp.gradients<@optimizer>
  %found, %norm = amp.check %unscaled : !amp.gradients<@optimizer>
  amp.apply %unscaled lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  %good_steps, %error = amp.update_scale @scaler found(%found)
  return %scale, %found, %norm, %good_steps, %error
      : tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>,
        tensor<f64>
}
