// RUN: mpc-opt %s --split-input-file --verify-diagnostics --nn-build-eval=gradients=true

// expected-error @below {{has no function @model}}
module {
}

// -----

// expected-error @below {{already has a symbol @eval, a name that a training gives: rename that parameter or function}}
module {
  func.func @model(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  func.func @eval() {
    return
  }
}

// -----

// expected-error @below {{has no @loss to take gradients of}}
module {
  func.func @model(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// The computed loss is another value than the output of that name.
module {
  // expected-error @below {{output 'loss' has the name of the computed loss; give it another name, or take it as the loss: --loss=output:loss}}
  func.func private @model(%x: tensor<4xf32>) -> (tensor<4xf32> {nn.name = "loss"}) {
    return %x : tensor<4xf32>
  }
  func.func private @loss(%x: tensor<4xf32>) -> (tensor<f32> {nn.name = "loss", nn.output = "other"}) {
    %0 = nn.reduce_sum %x axes [0] : tensor<4xf32> -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

module {
  nn.parameter @w : tensor<f32> = <zeros>
  // expected-error @below {{output 'grad.w' has the name of another result of the evaluation; give it another name}}
  func.func private @model(%x: tensor<4xf32>) -> (tensor<4xf32> {nn.name = "grad.w"}) {
    return %x : tensor<4xf32>
  }
  func.func private @loss(%x: tensor<4xf32>) -> (tensor<f32> {nn.name = "loss"}) {
    %0 = nn.get @w : tensor<f32>
    return %0 : tensor<f32>
  }
}
