// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(nn-add-loss)'

// expected-error @below {{has no function @model of one block}}
module {
}

// -----

// expected-error @below {{already has a symbol @loss, a name that a training gives: rename that parameter or function}}
module {
  func.func @model(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  func.func @loss() {
    return
  }
}

// -----

// expected-error @below {{the model has no floating output to take the loss of}}
func.func @model(%x: tensor<4xi32>) -> tensor<4xi32> {
  return %x : tensor<4xi32>
}

// -----

// expected-error @below {{the model has an input 'target' of its own; take its loss with --loss=output:NAME}}
func.func @model(%x: tensor<4x8xf32>, %t: tensor<4xi64> {nn.name = "target"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
