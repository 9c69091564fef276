// RUN: mpc-opt %s --split-input-file --verify-diagnostics --nn-differentiate

// An op without a gradient is an error where it stands.
func.func private @no_gradient(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'arith.negf' has no gradient}}
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = nn.vjp @no_gradient(%x) seed(%x) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}

// -----

// It is none where nothing asks for the gradient.
func.func private @not_asked(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.negf %y : tensor<4xf32>
  %1 = nn.add %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = nn.vjp @not_asked(%x, %x) seed(%x) wrt [] args [0]
      : (tensor<4xf32>, tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}

// -----

// A function cannot be built of its own gradient.
// expected-error @below {{differentiates itself}}
func.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = nn.vjp @recursive(%x) seed(%x) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}

// -----

// expected-error @below {{differentiates itself}}
func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = nn.vjp @other(%x) seed(%x) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = nn.vjp @one(%x) seed(%x) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}

// -----

func.func private @declared(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @of_declaration(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{can only differentiate a function of one block}}
  %0:2 = nn.vjp @declared(%x) seed(%x) wrt [] args [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
  return %0#1 : tensor<4xf32>
}
