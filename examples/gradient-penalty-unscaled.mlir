// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradient penalty of gradients that are not scaled.
//
// As gradient-penalty.mlir, but the inner gradients are taken with a seed of 1:
// less to write, and right where they are large enough for 16 bits. What the
// outer pass sends through them is scaled all the same, and not made small by
// an unscale on its way: the scale starts lower, or the first steps would
// overflow until it is.
//
//     mpc-train examples/gradient-penalty-unscaled.mlir --precision=fp16 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @b1 : tensor<16xf32> = #nn.init<zeros>
nn.parameter @w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>
nn.parameter @b2 : tensor<4xf32> = #nn.init<zeros>

amp.scaler @scaler policy("dynamic") settings {init_scale = 1024.0}
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

func.func private @penalized(
    %x: tensor<16x8xf32>, %target: tensor<16xi64>) -> tensor<f32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %loss, %g_w1, %g_b1, %g_w2, %g_b2 = nn.vjp @loss(%x, %target) seed(%one)
      wrt [@w1, @b1, @w2, @b2]
      : (tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>,
        tensor<4xf32>
  %q_w1 = nn.mul %g_w1, %g_w1 : tensor<16x8xf32>
  %s_w1 = nn.reduce_sum %q_w1 axes [0, 1] : tensor<16x8xf32> -> tensor<f32>
  %q_b1 = nn.mul %g_b1, %g_b1 : tensor<16xf32>
  %s_b1 = nn.reduce_sum %q_b1 axes [0] : tensor<16xf32> -> tensor<f32>
  %q_w2 = nn.mul %g_w2, %g_w2 : tensor<4x16xf32>
  %s_w2 = nn.reduce_sum %q_w2 axes [0, 1] : tensor<4x16xf32> -> tensor<f32>
  %q_b2 = nn.mul %g_b2, %g_b2 : tensor<4xf32>
  %s_b2 = nn.reduce_sum %q_b2 axes [0] : tensor<4xf32> -> tensor<f32>
  %s1 = nn.add %s_w1, %s_b1 : tensor<f32>
  %s2 = nn.add %s_w2, %s_b2 : tensor<f32>
  %sum = nn.add %s1, %s2 : tensor<f32>
  %norm = nn.sqrt %sum : tensor<f32>
  %penalized = nn.add %loss, %norm : tensor<f32>
  return %penalized : tensor<f32>
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
  %loss, %g_w1, %g_b1, %g_w2, %g_b2 = nn.vjp @penalized(%x, %target)
      seed(%scale)
      wrt [@w1, @b1, @w2, @b2]
      : (tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>,
        tensor<4xf32>

  %inverse = amp.inverse_scale %scale : tensor<f32>
  %gradients = amp.gather %g_w1, %g_b1, %g_w2, %g_b2
      : tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  %unscaled = amp.unscale %gradients by %inverse : !amp.gradients<@optimizer>
  %found, %norm = amp.check %unscaled : !amp.gradients<@optimizer>
  amp.apply %unscaled lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  %good_steps, %error = amp.update_scale @scaler found(%found)
  return %loss, %scale, %found, %norm, %good_steps, %error
      : tensor<f32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>,
        tensor<f64>
}
