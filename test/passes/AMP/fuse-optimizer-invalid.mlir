// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(amp-fuse-optimizer)'
// What amp-fuse-optimizer refuses.

// expected-error @+1 {{has unknown policy 'magic'; known are}}
amp.scaler @scaler policy("magic") settings {}

// -----

// expected-error @+1 {{of policy 'torch' has no setting 'speed'}}
amp.scaler @scaler policy("torch") settings {speed = 1.0}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
func.func @step(%g: tensor<4xf32>) {
  // expected-error @+1 {{must take the parameters that amp.apply takes}}
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

// -----

// expected-error @+1 {{cannot train: --growth-factor=0.5: must be finite and above 1}}
amp.scaler @scaler policy("torch") settings {growth_factor = 0.5}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
nn.parameter @v : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd") hyper {}
func.func @step(%g: tensor<4xf32>, %lr: tensor<f32>) {
  amp.apply @optimizer(%g) to [@w] lr(%lr) : tensor<4xf32>
  // expected-error @+1 {{must update the parameters that optimizer 'optimizer' updates elsewhere, with the same decay}}
  amp.apply @optimizer(%g) to [@v] lr(%lr) : tensor<4xf32>
  return
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
nn.parameter @v : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @a kind("sgd") hyper {}
amp.optimizer @b kind("sgd") hyper {}
func.func @step(%g: tensor<4xf32>, %lr: tensor<f32>) {
  amp.apply @a(%g, %g) to [@w, @v] lr(%lr) : tensor<4xf32>, tensor<4xf32>
  // expected-error @+1 {{updates 'v', which is updated already}}
  amp.apply @b(%g) to [@v] lr(%lr) : tensor<4xf32>
  return
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.custom_optimizer @optimizer rule(@rule) slots {} hyper {}
func.func private @rule(%g: tensor<f32> {nn.name = "gradient"})
    -> (tensor<f32> {nn.name = "parameter"}) {
  // expected-error @+1 {{is not elementwise, and has no place in an optimizer's rule}}
  %0 = nn.reduce_sum %g axes [] : tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @step(%g: tensor<4xf32>, %lr: tensor<f32>) {
  // expected-note @+1 {{which is applied here}}
  amp.apply @optimizer(%g) to [@w] lr(%lr) : tensor<4xf32>
  return
}

// -----

func.func private @model(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has no place in an entry; nn.vjp calls a function, with or without gradients}}
  %0 = func.call @model(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
