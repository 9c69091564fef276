// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(amp-fuse-optimizer)'
// What amp-fuse-optimizer refuses.

amp.scaler @a policy("torch") settings {}
// expected-error @+1 {{is a second scaler; a module has one}}
amp.scaler @b policy("torch") settings {}

// -----

amp.optimizer @a kind("sgd") hyper {}
// expected-error @+1 {{is a second optimizer; a module has one}}
amp.optimizer @b kind("sgd") hyper {}

// -----

// expected-error @+1 {{has unknown policy 'magic'; known are}}
amp.scaler @scaler policy("magic") settings {}

// -----

// expected-error @+1 {{of policy 'torch' has no setting 'speed'}}
amp.scaler @scaler policy("torch") settings {speed = 1.0}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd")
    hyper {dampening = 0.0, momentum = 0.0, weight_decay = 0.0}
func.func @step(%g: tensor<4xf32>, %lr: tensor<f32>) {
  amp.apply @optimizer(%g) to [@w] lr(%lr) : tensor<4xf32>
  // expected-error @+1 {{is a second step of the optimizer; a module has one}}
  amp.apply @optimizer(%g) to [@w] lr(%lr) : tensor<4xf32>
  return
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd") hyper {momentum = 0.0}
func.func @step(%g: tensor<4xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{needs hyper-parameter 'dampening' of optimizer 'optimizer'}}
  amp.apply @optimizer(%g) to [@w] lr(%lr) : tensor<4xf32>
  return
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
func.func @step(%g: tensor<4xf32>) {
  // expected-error @+1 {{must take the parameters that amp.apply takes}}
  amp.accumulate(%g) to [@w] : tensor<4xf32>
  return
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
func.func @step(%g: tensor<4xf32>) {
  amp.accumulate(%g) to [@w] : tensor<4xf32>
  // expected-error @+1 {{is a second accumulation; a module has one}}
  amp.accumulate(%g) to [@w] : tensor<4xf32>
  return
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
func.func @step() {
  // expected-error @+1 {{takes gradients that nothing accumulates}}
  %g = amp.take_gradients [@w] : tensor<4xf32>
  return
}

// -----

func.func @step(%g: tensor<4xf32>) -> tensor<i1> {
  // expected-error @+1 {{must take the gradients that amp.apply takes}}
  %found, %norm = amp.check %g : tensor<4xf32>
  return %found : tensor<i1>
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
nn.parameter @v : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd")
    hyper {dampening = 0.0, momentum = 0.0, weight_decay = 0.0}
func.func @step(%g: tensor<4xf32>, %s: tensor<f32>, %lr: tensor<f32>) {
  %u = amp.unscale %g by %s : tensor<4xf32> -> tensor<4xf32>
  // expected-error @+1 {{must treat every gradient alike}}
  amp.apply @optimizer(%u, %g) to [@w, @v] lr(%lr)
      : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

nn.parameter @w : tensor<f32> = #nn.init<zeros>
func.func @loss() -> tensor<f32> {
  %w = nn.get @w : tensor<f32>
  return %w : tensor<f32>
}
func.func @step(%s: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{must be expanded before state is put into slabs}}
  %0:2 = nn.vjp @loss() seed(%s) wrt [@w]
      : (), (tensor<f32>) -> tensor<f32>, tensor<f32>
  return %0#1 : tensor<f32>
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
// expected-error @+1 {{takes the name of the entry that makes 16-bit copies}}
func.func @init() -> tensor<4xf16> {
  %w = nn.get @w : tensor<4xf32>
  %0 = nn.cast %w : tensor<4xf32> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
