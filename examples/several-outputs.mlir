// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of several outputs with given cotangents.
//
// @model has two outputs and there is no loss: the step is given the cotangent
// of each output, and takes their product with the Jacobian. The cotangents are
// scaled in place of a loss, in f32, before the backward pass narrows anything;
// all else is as always.
//
//     mpc-train examples/several-outputs.mlir --precision=fp16 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @b1 : tensor<16xf32> = #nn.init<zeros>
nn.parameter @w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>
nn.parameter @b2 : tensor<4xf32> = #nn.init<zeros>

amp.scaler @scaler policy("dynamic") settings {growth_interval = 2000.0}
amp.optimizer @optimizer kind("sgd") hyper {momentum = 0.9} flags ["momentum"]
    trains [@w1, @b1, @w2, @b2]

func.func private @model(%x: tensor<16x8xf32>)
    -> (tensor<16x16xf32>, tensor<16x4xf32>) {
  %w1 = nn.get @w1 : tensor<16x8xf32>
  %b1 = nn.get @b1 : tensor<16xf32>
  %w2 = nn.get @w2 : tensor<4x16xf32>
  %b2 = nn.get @b2 : tensor<4xf32>
  %a = nn.linear %x, %w1 bias %b1 : tensor<16xf32>
      : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
  %features = nn.tanh %a : tensor<16x16xf32>
  %logits = nn.linear %features, %w2 bias %b2 : tensor<4xf32>
      : tensor<16x16xf32>, tensor<4x16xf32> -> tensor<16x4xf32>
  return %features, %logits : tensor<16x16xf32>, tensor<16x4xf32>
}

func.func @step(
    %x: tensor<16x8xf32> {nn.name = "x"},
    %d_features: tensor<16x16xf32> {nn.name = "d_features"},
    %d_logits: tensor<16x4xf32> {nn.name = "d_logits"},
    %lr: tensor<f32> {nn.name = "lr"})
    -> (tensor<f32> {nn.name = "scale"},
        tensor<i1> {nn.name = "found_inf"}, tensor<f64> {nn.name = "grad_norm"},
        tensor<f64> {nn.name = "good_steps"},
        tensor<f64> {nn.name = "scale_error"}) {
  %scale = amp.get_scale @scaler : tensor<f32>
  %s16 = nn.broadcast %scale axes [] : tensor<f32> -> tensor<16x16xf32>
  %s4 = nn.broadcast %scale axes [] : tensor<f32> -> tensor<16x4xf32>
  %seed_features = nn.mul %d_features, %s16 : tensor<16x16xf32>
  %seed_logits = nn.mul %d_logits, %s4 : tensor<16x4xf32>
  %features, %logits, %g_w1, %g_b1, %g_w2, %g_b2
      = nn.vjp @model(%x) seed(%seed_features, %seed_logits)
      wrt [@w1, @b1, @w2, @b2]
      : (tensor<16x8xf32>), (tensor<16x16xf32>, tensor<16x4xf32>)
      -> tensor<16x16xf32>, tensor<16x4xf32>,
        tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>,
        tensor<4xf32>

  %inverse = amp.inverse_scale %scale : tensor<f32>
  %gradients = amp.gather %g_w1, %g_b1, %g_w2, %g_b2
      : tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>, tensor<4xf32>
      -> !amp.gradients<@optimizer>
  %unscaled = amp.unscale %gradients by %inverse : !amp.gradients<@optimizer>
  %found, %norm = amp.check %unscaled : !amp.gradients<@optimizer>
  amp.apply %unscaled lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  %good_steps, %error = amp.update_scale @scaler found(%found)
  return %scale, %found, %norm, %good_steps, %error
      : tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>,
        tensor<f64>
}
