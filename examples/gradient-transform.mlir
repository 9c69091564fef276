// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradient transforms between unscale and update.
//
// Whatever nn ops stand there: they see true gradients in f32. Here the
// gradients of each weight matrix are centred (each row loses its mean; Yong et
// al., 2020) and those of the biases are doubled. The finite check looks at
// what is applied.
//
//     mpc-train examples/gradient-transform.mlir --precision=fp16 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @b1 : tensor<16xf32> = #nn.init<zeros>
nn.parameter @w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>
nn.parameter @b2 : tensor<4xf32> = #nn.init<zeros>

amp.scaler @scaler policy("dynamic") settings {growth_interval = 2000.0}
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
  %scale = amp.get_scale @scaler : tensor<f32>
  %loss, %g_w1, %g_b1, %g_w2, %g_b2 = nn.vjp @loss(%x, %target) seed(%scale)
      wrt [@w1, @b1, @w2, @b2]
      : (tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>,
        tensor<4xf32>

  %inverse = amp.inverse_scale %scale : tensor<f32>
  %u_w1 = amp.unscale %g_w1 by %inverse : tensor<16x8xf32> -> tensor<16x8xf32>
  %u_b1 = amp.unscale %g_b1 by %inverse : tensor<16xf32> -> tensor<16xf32>
  %u_w2 = amp.unscale %g_w2 by %inverse : tensor<4x16xf32> -> tensor<4x16xf32>
  %u_b2 = amp.unscale %g_b2 by %inverse : tensor<4xf32> -> tensor<4xf32>

  %sum_w1 = nn.reduce_sum %u_w1 axes [1] : tensor<16x8xf32> -> tensor<16xf32>
  %eighth = nn.constant dense<0.125> : tensor<16xf32>
  %mean_w1 = nn.mul %sum_w1, %eighth : tensor<16xf32>
  %row_w1 = nn.broadcast %mean_w1 axes [0] : tensor<16xf32> -> tensor<16x8xf32>
  %t_w1 = nn.sub %u_w1, %row_w1 : tensor<16x8xf32>
  %sum_w2 = nn.reduce_sum %u_w2 axes [1] : tensor<4x16xf32> -> tensor<4xf32>
  %sixteenth = nn.constant dense<0.0625> : tensor<4xf32>
  %mean_w2 = nn.mul %sum_w2, %sixteenth : tensor<4xf32>
  %row_w2 = nn.broadcast %mean_w2 axes [0] : tensor<4xf32> -> tensor<4x16xf32>
  %t_w2 = nn.sub %u_w2, %row_w2 : tensor<4x16xf32>
  %t_b1 = nn.add %u_b1, %u_b1 : tensor<16xf32>
  %t_b2 = nn.add %u_b2, %u_b2 : tensor<4xf32>

  %gradients = amp.gather %t_w1, %t_b1, %t_w2, %t_b2
      : tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  %found, %norm = amp.check %gradients : !amp.gradients<@optimizer>
  amp.apply %gradients lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  %good_steps, %error = amp.update_scale @scaler found(%found)
  return %loss, %scale, %found, %norm, %good_steps, %error
      : tensor<f32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>,
        tensor<f64>
}
