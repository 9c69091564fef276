// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An optimizer of one's own: AdaBelief (Zhuang et al., 2020).
//
// @adabelief is the rule for one element, on scalars, by the names that the
// optimizer gives them: parameter, gradient, the slots `mean` and `variance`,
// the number of the step, the learning rate and the hyper-parameters. The
// compiler runs it on every element of every parameter and keeps the old values
// where a step is skipped; `step` counts the steps that were applied.
//
//     mpc-train examples/custom-optimizer.mlir --precision=fp16 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @b1 : tensor<16xf32> = #nn.init<zeros>
nn.parameter @w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>
nn.parameter @b2 : tensor<4xf32> = #nn.init<zeros>

amp.scaler @scaler policy("dynamic") settings {growth_interval = 2000.0}
amp.custom_optimizer @optimizer rule(@adabelief) slots {mean = 0.0, variance = 0.0}
    hyper {beta1 = 0.9, beta2 = 0.99, eps = 1.0e-4} trains [@w1, @b1, @w2, @b2]

func.func private @adabelief(
    %w: tensor<f32> {nn.name = "parameter"},
    %g: tensor<f32> {nn.name = "gradient"},
    %mean: tensor<f32> {nn.name = "mean"},
    %variance: tensor<f32> {nn.name = "variance"},
    %lr: tensor<f64> {nn.name = "lr"},
    %step: tensor<f64> {nn.name = "step"},
    %beta1: tensor<f64> {nn.name = "beta1"},
    %beta2: tensor<f64> {nn.name = "beta2"},
    %eps: tensor<f32> {nn.name = "eps"})
    -> (tensor<f32> {nn.name = "parameter"}, tensor<f32> {nn.name = "mean"},
        tensor<f32> {nn.name = "variance"}) {
  // What is the same for all elements is computed once, here in f64.
  %one = nn.constant dense<1.0> : tensor<f64>
  %new1 = nn.sub %one, %beta1 : tensor<f64>
  %new2 = nn.sub %one, %beta2 : tensor<f64>
  %power1 = nn.pow %beta1, %step : tensor<f64>
  %power2 = nn.pow %beta2, %step : tensor<f64>
  %rest1 = nn.sub %one, %power1 : tensor<f64>
  %rest2 = nn.sub %one, %power2 : tensor<f64>
  %exact_size = nn.div %lr, %rest1 : tensor<f64>
  %size = nn.cast %exact_size : tensor<f64> -> tensor<f32>
  %correction = nn.cast %rest2 : tensor<f64> -> tensor<f32>
  %weight1 = nn.cast %new1 : tensor<f64> -> tensor<f32>
  %weight2 = nn.cast %new2 : tensor<f64> -> tensor<f32>

  // mean += (1 - beta1) (g - mean)
  %surprise1 = nn.sub %g, %mean : tensor<f32>
  %move1 = nn.mul %weight1, %surprise1 : tensor<f32>
  %next_mean = nn.add %mean, %move1 : tensor<f32>
  // variance += (1 - beta2) ((g - mean)^2 - variance)
  %error = nn.sub %g, %next_mean : tensor<f32>
  %square = nn.mul %error, %error : tensor<f32>
  %surprise2 = nn.sub %square, %variance : tensor<f32>
  %move2 = nn.mul %weight2, %surprise2 : tensor<f32>
  %next_variance = nn.add %variance, %move2 : tensor<f32>
  // w -= lr mean' / (sqrt(variance') + eps), both corrected for their start
  %corrected = nn.div %next_variance, %correction : tensor<f32>
  %root = nn.sqrt %corrected : tensor<f32>
  %denominator = nn.add %root, %eps : tensor<f32>
  %numerator = nn.mul %size, %next_mean : tensor<f32>
  %move = nn.div %numerator, %denominator : tensor<f32>
  %next = nn.sub %w, %move : tensor<f32>
  return %next, %next_mean, %next_variance
      : tensor<f32>, tensor<f32>, tensor<f32>
}

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
