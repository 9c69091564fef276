// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(amp-mark-entries,amp-lower-state,amp-fuse-optimizer)'
// What amp-fuse-optimizer refuses.

// expected-error @+1 {{has unknown policy 'magic'; known are}}
amp.scaler @scaler policy("magic") settings {}

// -----

// expected-error @+1 {{of policy 'torch' has no setting 'speed'}}
amp.scaler @scaler policy("torch") settings {speed = 1.0}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func @step(%g: tensor<4xf32>) {
  %gradients = amp.gather %g : tensor<4xf32> -> !amp.gradients<@optimizer>
  // expected-error @+1 {{adds up gradients that nothing applies}}
  amp.accumulate %gradients : !amp.gradients<@optimizer>
  return
}

// -----

nn.parameter @w : tensor<4xf32> = #nn.init<zeros>
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func @step() {
  // expected-error @+1 {{takes gradients that nothing accumulates}}
  %g = amp.take_gradients : !amp.gradients<@optimizer>
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
amp.optimizer @a kind("sgd") hyper {} trains [@w, @v]
// expected-error @+1 {{trains 'v', which 'a' trains already}}
amp.optimizer @b kind("sgd") hyper {} trains [@v]

// -----

func.func private @model(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has no place in an entry; nn.vjp calls a function, with or without gradients}}
  %0 = func.call @model(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
