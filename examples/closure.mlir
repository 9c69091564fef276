// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Closures: L-BFGS with a line search.
//
// Such an optimizer evaluates the loss several times within a step, at weights
// that are not the model's yet. Here the weights are an argument of @loss, so
// that nn.vjp takes its gradient where it is asked for, and its value alone
// with nothing to differentiate by; the closure is written out for every
// evaluation. Only the gradient is scaled: it alone passes through 16 bits
// backwards. The search reads unscaled numbers.
//
// The step keeps its own state, in frozen parameters: the last move and the
// last gradient. amp.assign writes weights and state, and where the gradient is
// not finite writes nothing, so that neither the weights nor the history ever
// hold what is not finite. The learning rate is that of steps without a
// history.
//
//     mpc-train examples/closure.mlir --precision=fp16 \
//         --lr=0.05 --data=data.safetensors --steps=100 --metrics=metrics.csv

nn.parameter @w : tensor<4x8xf32> = #nn.init<uniform 0.35>
nn.parameter frozen @move : tensor<4x8xf32> = #nn.init<zeros>
nn.parameter frozen @gradient : tensor<4x8xf32> = #nn.init<zeros>

amp.scaler @scaler policy("dynamic") settings {growth_interval = 2000.0}

func.func private @loss(%x: tensor<16x8xf32>, %target: tensor<16xi64>,
                        %w: tensor<4x8xf32>) -> tensor<f32> {
  %logits = nn.linear %x, %w
      : tensor<16x8xf32>, tensor<4x8xf32> -> tensor<16x4xf32>
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
  %w = nn.get @w : tensor<4x8xf32>
  %loss, %scaled = nn.vjp @loss(%x, %target, %w) seed(%scale) wrt [] args [2]
      : (tensor<16x8xf32>, tensor<16xi64>, tensor<4x8xf32>), (tensor<f32>)
      -> tensor<f32>, tensor<4x8xf32>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  %g = amp.unscale %scaled by %inverse : tensor<4x8xf32> -> tensor<4x8xf32>
  %found, %norm = amp.check %g : tensor<4x8xf32>

  // The direction, from what the last step has done: s is its move, y how much
  // that changed the gradient. Without a useful pair it is the gradient's.
  %s = nn.get @move : tensor<4x8xf32>
  %last = nn.get @gradient : tensor<4x8xf32>
  %y = nn.sub %g, %last : tensor<4x8xf32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %p_ys = nn.mul %y, %s : tensor<4x8xf32>
  %ys = nn.reduce_sum %p_ys axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %p_yy = nn.mul %y, %y : tensor<4x8xf32>
  %yy = nn.reduce_sum %p_yy axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %p_sg = nn.mul %s, %g : tensor<4x8xf32>
  %sg = nn.reduce_sum %p_sg axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %useful = nn.compare gt %ys, %zero : tensor<f32> -> tensor<i1>
  %safe_ys = nn.select %useful, %ys, %one : tensor<i1>, tensor<f32>
  %safe_yy = nn.select %useful, %yy, %one : tensor<i1>, tensor<f32>
  %alpha = nn.div %sg, %safe_ys : tensor<f32>
  %b_ay = nn.broadcast %alpha axes [] : tensor<f32> -> tensor<4x8xf32>
  %ay = nn.mul %y, %b_ay : tensor<4x8xf32>
  %q = nn.sub %g, %ay : tensor<4x8xf32>
  %gamma = nn.div %safe_ys, %safe_yy : tensor<f32>
  %b_r = nn.broadcast %gamma axes [] : tensor<f32> -> tensor<4x8xf32>
  %r = nn.mul %q, %b_r : tensor<4x8xf32>
  %p_yr = nn.mul %y, %r : tensor<4x8xf32>
  %yr = nn.reduce_sum %p_yr axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %beta = nn.div %yr, %safe_ys : tensor<f32>
  %rest = nn.sub %alpha, %beta : tensor<f32>
  %b_rs = nn.broadcast %rest axes [] : tensor<f32> -> tensor<4x8xf32>
  %rs = nn.mul %s, %b_rs : tensor<4x8xf32>
  %h = nn.add %r, %rs : tensor<4x8xf32>
  %use = nn.broadcast %useful axes [] : tensor<i1> -> tensor<4x8xi1>
  %descent = nn.select %use, %h, %g : tensor<4x8xi1>, tensor<4x8xf32>

  // The closure, at a full step, a half and a quarter: the first that keeps a
  // promise of the slope (Armijo, 1e-4) is taken, else the last.
  %p_slope = nn.mul %g, %descent : tensor<4x8xf32>
  %slope = nn.reduce_sum %p_slope axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %t0 = nn.select %useful, %one, %lr : tensor<i1>, tensor<f32>
  %t1 = nn.mul %t0, %half : tensor<f32>
  %t2 = nn.mul %t1, %half : tensor<f32>
  %b_m0 = nn.broadcast %t0 axes [] : tensor<f32> -> tensor<4x8xf32>
  %m0 = nn.mul %descent, %b_m0 : tensor<4x8xf32>
  %w0 = nn.sub %w, %m0 : tensor<4x8xf32>
  %loss0 = nn.vjp @loss(%x, %target, %w0) seed(%one) wrt []
      : (tensor<16x8xf32>, tensor<16xi64>, tensor<4x8xf32>), (tensor<f32>)
      -> tensor<f32>
  %c1_0 = nn.constant dense<1.0e-4> : tensor<f32>
  %f0 = nn.mul %t0, %slope : tensor<f32>
  %p0 = nn.mul %f0, %c1_0 : tensor<f32>
  %bound0 = nn.sub %loss, %p0 : tensor<f32>
  %good0 = nn.compare le %loss0, %bound0 : tensor<f32> -> tensor<i1>
  %take0 = nn.broadcast %good0 axes [] : tensor<i1> -> tensor<4x8xi1>
  %b_m1 = nn.broadcast %t1 axes [] : tensor<f32> -> tensor<4x8xf32>
  %m1 = nn.mul %descent, %b_m1 : tensor<4x8xf32>
  %w1 = nn.sub %w, %m1 : tensor<4x8xf32>
  %loss1 = nn.vjp @loss(%x, %target, %w1) seed(%one) wrt []
      : (tensor<16x8xf32>, tensor<16xi64>, tensor<4x8xf32>), (tensor<f32>)
      -> tensor<f32>
  %c1_1 = nn.constant dense<1.0e-4> : tensor<f32>
  %f1 = nn.mul %t1, %slope : tensor<f32>
  %p1 = nn.mul %f1, %c1_1 : tensor<f32>
  %bound1 = nn.sub %loss, %p1 : tensor<f32>
  %good1 = nn.compare le %loss1, %bound1 : tensor<f32> -> tensor<i1>
  %take1 = nn.broadcast %good1 axes [] : tensor<i1> -> tensor<4x8xi1>
  %b_m2 = nn.broadcast %t2 axes [] : tensor<f32> -> tensor<4x8xf32>
  %m2 = nn.mul %descent, %b_m2 : tensor<4x8xf32>
  %w2 = nn.sub %w, %m2 : tensor<4x8xf32>
  %w12 = nn.select %take1, %w1, %w2 : tensor<4x8xi1>, tensor<4x8xf32>
  %next = nn.select %take0, %w0, %w12 : tensor<4x8xi1>, tensor<4x8xf32>

  %moved = nn.sub %next, %w : tensor<4x8xf32>
  amp.assign %next to @w skip(%found) : tensor<4x8xf32>
  amp.assign %moved to @move skip(%found) : tensor<4x8xf32>
  amp.assign %g to @gradient skip(%found) : tensor<4x8xf32>
  %good_steps, %error = amp.update_scale @scaler found(%found)
  return %loss, %scale, %found, %norm, %good_steps, %error
      : tensor<f32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>,
        tensor<f64>
}
