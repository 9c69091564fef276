// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several models, losses and optimizers under one scale.
//
// Both losses are taken of both models, as in PyTorch's example, and their
// scaled gradients add up. Each optimizer has its own finite check and skips
// alone; the scale is updated once, and backs off once however many of them
// skip. Within a step all losses have one scale, or gradients of different
// scales would be added.
//
// The metrics have the first loss, the norm of all gradients, and a step as
// skipped where either optimizer skipped.
//
//     mpc-train examples/multiple.mlir --precision=fp16 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @a.w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @a.w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>
nn.parameter @b.w1 : tensor<16x8xf32> = #nn.init<uniform 0.35>
nn.parameter @b.w2 : tensor<4x16xf32> = #nn.init<uniform 0.25>

amp.scaler @scaler policy("dynamic") settings {init_scale = 4096.0}
amp.optimizer @first kind("sgd") hyper {momentum = 0.9} flags ["momentum"]
    trains [@a.w1, @a.w2]
amp.optimizer @second kind("adamw") hyper {weight_decay = 0.01}
    trains [@b.w1, @b.w2]

// Of 2a + 3b and of 3a - 5b.
func.func private @loss0(%x: tensor<16x8xf32>, %z: tensor<16x8xf32>,
                         %target: tensor<16xi64>) -> tensor<f32> {
  %a.w1 = nn.get @a.w1 : tensor<16x8xf32>
  %a.w2 = nn.get @a.w2 : tensor<4x16xf32>
  %a.a = nn.linear %x, %a.w1
      : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
  %a.h = nn.tanh %a.a : tensor<16x16xf32>
  %a.y = nn.linear %a.h, %a.w2
      : tensor<16x16xf32>, tensor<4x16xf32> -> tensor<16x4xf32>
  %b.w1 = nn.get @b.w1 : tensor<16x8xf32>
  %b.w2 = nn.get @b.w2 : tensor<4x16xf32>
  %b.a = nn.linear %z, %b.w1
      : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
  %b.h = nn.tanh %b.a : tensor<16x16xf32>
  %b.y = nn.linear %b.h, %b.w2
      : tensor<16x16xf32>, tensor<4x16xf32> -> tensor<16x4xf32>
  %two = nn.constant dense<2.0> : tensor<16x4xf32>
  %three = nn.constant dense<3.0> : tensor<16x4xf32>
  %a2 = nn.mul %a.y, %two : tensor<16x4xf32>
  %b3 = nn.mul %b.y, %three : tensor<16x4xf32>
  %y = nn.add %a2, %b3 : tensor<16x4xf32>
  %loss = nn.cross_entropy %y, %target axis(1)
      : tensor<16x4xf32>, tensor<16xi64> -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @loss1(%x: tensor<16x8xf32>, %z: tensor<16x8xf32>,
                         %target: tensor<16xi64>) -> tensor<f32> {
  %a.w1 = nn.get @a.w1 : tensor<16x8xf32>
  %a.w2 = nn.get @a.w2 : tensor<4x16xf32>
  %a.a = nn.linear %x, %a.w1
      : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
  %a.h = nn.tanh %a.a : tensor<16x16xf32>
  %a.y = nn.linear %a.h, %a.w2
      : tensor<16x16xf32>, tensor<4x16xf32> -> tensor<16x4xf32>
  %b.w1 = nn.get @b.w1 : tensor<16x8xf32>
  %b.w2 = nn.get @b.w2 : tensor<4x16xf32>
  %b.a = nn.linear %z, %b.w1
      : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
  %b.h = nn.tanh %b.a : tensor<16x16xf32>
  %b.y = nn.linear %b.h, %b.w2
      : tensor<16x16xf32>, tensor<4x16xf32> -> tensor<16x4xf32>
  %three = nn.constant dense<3.0> : tensor<16x4xf32>
  %five = nn.constant dense<5.0> : tensor<16x4xf32>
  %a3 = nn.mul %a.y, %three : tensor<16x4xf32>
  %b5 = nn.mul %b.y, %five : tensor<16x4xf32>
  %y = nn.sub %a3, %b5 : tensor<16x4xf32>
  %loss = nn.cross_entropy %y, %target axis(1)
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
        tensor<f64> {nn.name = "scale_error"}) {
  %scale = amp.get_scale @scaler : tensor<f32>
  %loss0, %a0.w1, %a0.w2, %b0.w1, %b0.w2
      = nn.vjp @loss0(%x, %z, %target) seed(%scale)
      wrt [@a.w1, @a.w2, @b.w1, @b.w2]
      : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<4x16xf32>,
        tensor<16x8xf32>, tensor<4x16xf32>
  %loss1, %a1.w1, %a1.w2, %b1.w1, %b1.w2
      = nn.vjp @loss1(%x, %z, %target) seed(%scale)
      wrt [@a.w1, @a.w2, @b.w1, @b.w2]
      : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16xi64>), (tensor<f32>)
      -> tensor<f32>, tensor<16x8xf32>, tensor<4x16xf32>,
        tensor<16x8xf32>, tensor<4x16xf32>
  %a.w1 = nn.add %a0.w1, %a1.w1 : tensor<16x8xf32>
  %a.w2 = nn.add %a0.w2, %a1.w2 : tensor<4x16xf32>
  %b.w1 = nn.add %b0.w1, %b1.w1 : tensor<16x8xf32>
  %b.w2 = nn.add %b0.w2, %b1.w2 : tensor<4x16xf32>

  %inverse = amp.inverse_scale %scale : tensor<f32>
  %gradients_first = amp.gather %a.w1, %a.w2
      : tensor<16x8xf32>, tensor<4x16xf32> -> !amp.gradients<@first>
  %unscaled_first = amp.unscale %gradients_first by %inverse
      : !amp.gradients<@first>
  %gradients_second = amp.gather %b.w1, %b.w2
      : tensor<16x8xf32>, tensor<4x16xf32> -> !amp.gradients<@second>
  %unscaled_second = amp.unscale %gradients_second by %inverse
      : !amp.gradients<@second>
  %found_a, %norm_a = amp.check %unscaled_first : !amp.gradients<@first>
  %found_b, %norm_b = amp.check %unscaled_second : !amp.gradients<@second>
  amp.apply %unscaled_first lr(%lr) skip(%found_a) : !amp.gradients<@first>
  amp.apply %unscaled_second lr(%lr) skip(%found_b) : !amp.gradients<@second>

  %yes = nn.constant dense<true> : tensor<i1>
  %found = nn.select %found_a, %yes, %found_b : tensor<i1>, tensor<i1>
  %square_a = nn.mul %norm_a, %norm_a : tensor<f64>
  %square_b = nn.mul %norm_b, %norm_b : tensor<f64>
  %square = nn.add %square_a, %square_b : tensor<f64>
  %norm = nn.sqrt %square : tensor<f64>
  %good_steps, %error = amp.update_scale @scaler found(%found)
  return %loss0, %scale, %found, %norm, %good_steps, %error
      : tensor<f32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>,
        tensor<f64>
}
