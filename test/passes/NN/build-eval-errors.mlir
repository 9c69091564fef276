// RUN: mpc-opt %s --split-input-file --verify-diagnostics --nn-build-eval=gradients=true

// expected-error @below {{has no function @model}}
module {
}

// -----

// expected-error @below {{already has a symbol @eval}}
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
