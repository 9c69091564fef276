// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scale for each loss.
//
// Two losses that share no parameter need not share a scale: each has its own
// scaler, which backs off for its own overflows alone. The state of each is
// under its name, amp.loss_scale.NAME.
//
// The metrics follow the first loss; loss_b, scale_b and found_inf_b are
// columns of their own.
//
//     mpc-train examples/per-loss-scale.mlir --precision=fp16 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @a.w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @a.w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>
nn.parameter @b.w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @b.w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>

amp.scaler @for_a policy("dynamic") settings {init_scale = 65536.0}
amp.scaler @for_b policy("dynamic") settings {init_scale = 1024.0}
amp.optimizer @first kind("sgd") hyper {momentum = 0.9} flags ["momentum"]
    trains [@a.w1, @a.w2]
amp.optimizer @second kind("adamw") hyper {weight_decay = 0.01}
    trains [@b.w1, @b.w2]

func.func private @loss_a(%x: tensor<16x8xf32>, %target: tensor<16xi64>)
    -> tensor<f32> {
  %a.w1 = nn.get @a.w1 : tensor<16x8xf32>
  %a.w2 = nn.get @a.w2 : tensor<4x16xf32>
  %a.a = nn.linear %x, %a.w1
      : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
  %a.h = nn.tanh %a.a : tensor<16x16xf32>
  %a.y = nn.linear %a.h, %a.w2
      : tensor<16x16xf32>, tensor<4x16xf32> -> tensor<16x4xf32>
  %loss = nn.cross_entropy %a.y, %target axis(1)
      : tensor<16x4xf32>, tensor<16xi64> -> tensor<f32>
  return %loss : tensor<f32>
}

func.func private @loss_b(%x: tensor<16x8xf32>, %target: tensor<16xi64>)
    -> tensor<f32> {
  %b.w1 = nn.get @b.w1 : tensor<16x8xf32>
  %b.w2 = nn.get @b.w2 : tensor<4x16xf32>
  %b.a = nn.linear %x, %b.w1
      : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
  %b.h = nn.tanh %b.a : tensor<16x16xf32>
  %b.y = nn.linear %b.h, %b.w2
      : tensor<16x16xf32>, tensor<4x16xf32> -> tensor<16x4xf32>
  %loss = nn.cross_entropy %b.y, %target axis(1)
      : tensor<16x4xf32>, tensor<16xi64> -> tensor<f32>
  return %loss : tensor<f32>
}

func.func @step(
    %x: tensor<16x8xf32> {nn.name = "x"},
    %z: tensor<16x8xf32> {nn.name = "z"},
    %target: tensor<16xi64> {nn.name = "target"},
    %lr: tensor<f32> {nn.name = "lr"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "scale"},
        tensor<i1> {nn.name = "found_inf"}, tensor<f64> {nn.name = "grad_norm"},
        tensor<f64> {nn.name = "good_steps"},
        tensor<f64> {nn.name = "scale_error"},
        tensor<f32> {nn.name = "loss_b"}, tensor<f32> {nn.name = "scale_b"},
        tensor<i1> {nn.name = "found_inf_b"}) {
  %scale_a = amp.get_scale @for_a : tensor<f32>
  %loss_a, %a.w1, %a.w2 = nn.vjp @loss_a(%x, %target) seed(%scale_a)
      wrt [@a.w1, @a.w2] : (tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<4x16xf32>
  %inverse_a = amp.inverse_scale %scale_a : tensor<f32>
  %gradients_first = amp.gather %a.w1, %a.w2
      : tensor<16x8xf32>, tensor<4x16xf32> -> !amp.gradients<@first>
  %unscaled_first = amp.unscale %gradients_first by %inverse_a
      : !amp.gradients<@first>
  %found_a, %norm_a = amp.check %unscaled_first : !amp.gradients<@first>
  amp.apply %unscaled_first lr(%lr) skip(%found_a) : !amp.gradients<@first>
  %good_a, %error_a = amp.update_scale @for_a found(%found_a)

  %scale_b = amp.get_scale @for_b : tensor<f32>
  %loss_b, %b.w1, %b.w2 = nn.vjp @loss_b(%z, %target) seed(%scale_b)
      wrt [@b.w1, @b.w2] : (tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<4x16xf32>
  %inverse_b = amp.inverse_scale %scale_b : tensor<f32>
  %gradients_second = amp.gather %b.w1, %b.w2
      : tensor<16x8xf32>, tensor<4x16xf32> -> !amp.gradients<@second>
  %unscaled_second = amp.unscale %gradients_second by %inverse_b
      : !amp.gradients<@second>
  %found_b, %norm_b = amp.check %unscaled_second : !amp.gradients<@second>
  amp.apply %unscaled_second lr(%lr) skip(%found_b) : !amp.gradients<@second>
  %good_b, %error_b = amp.update_scale @for_b found(%found_b)

  return %loss_a, %scale_a, %found_a, %norm_a, %good_a, %error_a,
      %loss_b, %scale_b, %found_b
      : tensor<f32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>,
        tensor<f64>, tensor<f32>, tensor<f32>, tensor<i1>
}
