// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two players that take turns: a step may update one model and then use it.
//
// The critic is updated first, on real samples and on those that the generator
// makes; then the generator is, through the critic as it is by then. An nn.get
// reads a parameter as it is at that point of the step, so the order of the
// lines is the order of events. Each player has its optimizer and its finite
// check, both share the scale.
//
// The critic's loss takes samples, not a generator: nothing flows back into the
// generator there. The metrics have the generator's loss and the norm of its
// gradient.
//
//     mpc-train examples/adversarial.mlir --precision=fp16 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @generator : tensor<8x4xf32> = #nn.init<uniform 0.35>
nn.parameter @critic : tensor<1x8xf32> = #nn.init<uniform 0.35>

amp.scaler @scaler policy("dynamic") settings {init_scale = 1024.0}
amp.optimizer @for_critic kind("sgd") hyper {} trains [@critic]
amp.optimizer @for_generator kind("sgd") hyper {momentum = 0.9}
    flags ["momentum"] trains [@generator]

func.func private @generate(%z: tensor<16x4xf32>) -> tensor<16x8xf32> {
  %w = nn.get @generator : tensor<8x4xf32>
  %a = nn.linear %z, %w : tensor<16x4xf32>, tensor<8x4xf32> -> tensor<16x8xf32>
  %sample = nn.tanh %a : tensor<16x8xf32>
  return %sample : tensor<16x8xf32>
}

// The mean of (critic(sample) - label)^2 (least squares; Mao et al., 2017).
func.func private @judge(%sample: tensor<16x8xf32>, %label: tensor<f32>)
    -> tensor<f32> {
  %w = nn.get @critic : tensor<1x8xf32>
  %score = nn.linear %sample, %w
      : tensor<16x8xf32>, tensor<1x8xf32> -> tensor<16x1xf32>
  %labels = nn.broadcast %label axes [] : tensor<f32> -> tensor<16x1xf32>
  %error = nn.sub %score, %labels : tensor<16x1xf32>
  %square = nn.mul %error, %error : tensor<16x1xf32>
  %sum = nn.reduce_sum %square axes [0, 1] : tensor<16x1xf32> -> tensor<f32>
  %sixteenth = nn.constant dense<0.0625> : tensor<f32>
  %mean = nn.mul %sum, %sixteenth : tensor<f32>
  return %mean : tensor<f32>
}

func.func @step(
    %x: tensor<16x8xf32> {nn.name = "x"}, %z: tensor<16x4xf32> {nn.name = "z"},
    %lr: tensor<f32> {nn.name = "lr"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "scale"},
        tensor<i1> {nn.name = "found_inf"}, tensor<f64> {nn.name = "grad_norm"},
        tensor<f64> {nn.name = "good_steps"},
        tensor<f64> {nn.name = "scale_error"}) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %scale = amp.get_scale @scaler : tensor<f32>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  %ones = nn.constant dense<1.0> : tensor<16x8xf32>
  %fake = nn.vjp @generate(%z) seed(%ones) wrt []
      : (tensor<16x4xf32>), (tensor<16x8xf32>) -> tensor<16x8xf32>

  // The critic: real samples are 1, made ones 0.
  %loss_real, %d_real = nn.vjp @judge(%x, %one) seed(%scale) wrt [@critic]
      : (tensor<16x8xf32>, tensor<f32>), (tensor<f32>)
      -> tensor<f32>, tensor<1x8xf32>
  %loss_fake, %d_fake = nn.vjp @judge(%fake, %zero) seed(%scale) wrt [@critic]
      : (tensor<16x8xf32>, tensor<f32>), (tensor<f32>)
      -> tensor<f32>, tensor<1x8xf32>
  %d_critic = nn.add %d_real, %d_fake : tensor<1x8xf32>
  %gradients_for_critic = amp.gather %d_critic : tensor<1x8xf32>
      -> !amp.gradients<@for_critic>
  %unscaled_for_critic = amp.unscale %gradients_for_critic by %inverse
      : !amp.gradients<@for_critic>
  %bad_critic, %norm_critic = amp.check %unscaled_for_critic
      : !amp.gradients<@for_critic>
  amp.apply %unscaled_for_critic lr(%lr) skip(%bad_critic)
      : !amp.gradients<@for_critic>

  // The generator: what it makes should be 1 to the critic, as it is now. The
  // chain has two links: through the critic to the sample, from there on.
  %loss, %d_sample = nn.vjp @judge(%fake, %one) seed(%scale) wrt [] args [0]
      : (tensor<16x8xf32>, tensor<f32>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>
  %sample, %d_generator = nn.vjp @generate(%z) seed(%d_sample)
      wrt [@generator] : (tensor<16x4xf32>), (tensor<16x8xf32>)
      -> tensor<16x8xf32>, tensor<8x4xf32>
  %gradients_for_generator = amp.gather %d_generator : tensor<8x4xf32>
      -> !amp.gradients<@for_generator>
  %unscaled_for_generator = amp.unscale %gradients_for_generator by %inverse
      : !amp.gradients<@for_generator>
  %bad_generator, %norm = amp.check %unscaled_for_generator
      : !amp.gradients<@for_generator>
  amp.apply %unscaled_for_generator lr(%lr) skip(%bad_generator)
      : !amp.gradients<@for_generator>

  %yes = nn.constant dense<true> : tensor<i1>
  %found = nn.select %bad_critic, %yes, %bad_generator
      : tensor<i1>, tensor<i1>
  %good_steps, %error = amp.update_scale @scaler found(%found)
  return %loss, %scale, %found, %norm, %good_steps, %error
      : tensor<f32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>,
        tensor<f64>
}
