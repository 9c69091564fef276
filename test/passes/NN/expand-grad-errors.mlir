// RUN: mpc-opt %s --split-input-file --verify-diagnostics --nn-expand-grad

// An op without a gradient is an error where it stands.
func.func @no_gradient(%p: tensor<4xf32>) -> tensor<4xf32> {
  %x = nn.variable %p : tensor<4xf32>
  // expected-error @below {{'arith.negf' has no gradient}}
  %0 = arith.negf %x : tensor<4xf32>
  %g = nn.grad(%0) seed(%p) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// It is none where the value does not depend on it.
func.func @not_asked(%p: tensor<4xf32>) -> tensor<4xf32> {
  %x = nn.variable %p : tensor<4xf32>
  %0 = arith.negf %x : tensor<4xf32>
  %1 = nn.exp %x : tensor<4xf32>
  %g = nn.grad(%1) seed(%0) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @no_variable(%p: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.exp %p : tensor<4xf32>
  // expected-error @below {{takes a gradient with respect to a value that is no nn.variable}}
  %g = nn.grad(%0) seed(%p) wrt(%p) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @seeds(%p: tensor<4xf32>, %s: tensor<4xf16>) -> tensor<4xf32> {
  %x = nn.variable %p : tensor<4xf32>
  // expected-error @below {{needs one seed for each value, in its type}}
  %g = nn.grad(%x) seed(%s) wrt(%x) : (tensor<4xf32>, tensor<4xf16>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

func.func @results(%p: tensor<4xf32>) -> tensor<4xf16> {
  %x = nn.variable %p : tensor<4xf32>
  // expected-error @below {{must yield one gradient for each value of 'wrt', in its type}}
  %g = nn.grad(%x) seed(%p) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf16>
  return %g : tensor<4xf16>
}
