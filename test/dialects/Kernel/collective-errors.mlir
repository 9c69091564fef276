// RUN: mpc-opt %s --split-input-file --verify-diagnostics

func.func @none(%g: tensor<8xf32>) {
  // expected-error @below {{is among 0 ranks}}
  %a = kernel.collective all_to_all ranks(0) %g : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @both(%g: tensor<8xf32>, %m: memref<8xf32>) {
  // expected-error @below {{on tensors has a result, and on memrefs none}}
  %a = kernel.collective all_to_all ranks(2) %g out(%m) : (tensor<8xf32>, memref<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @types(%g: tensor<8xf32>) {
  // expected-error @below {{moves 'tensor<8xf32>' to 'tensor<8xf16>'}}
  %a = kernel.collective all_to_all ranks(2) %g : (tensor<8xf32>) -> tensor<8xf16>
  return
}

// -----

func.func @uneven(%g: tensor<8xf32>) {
  // expected-error @below {{has no 2 parts of equal size for 8 elements}}
  %a = kernel.collective all_to_all ranks(2) %g : (tensor<8xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @short(%p: tensor<3xf32>) {
  // expected-error @below {{has no 2 parts of equal size for 8 elements}}
  %a = kernel.collective all_gather ranks(2) %p : (tensor<3xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @count(%g: tensor<8xf32>) {
  // expected-error @below {{has 2 inputs and 1 targets}}
  %a = kernel.collective all_to_all ranks(2) %g, %g : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @second(%g: tensor<8xf32>) {
  // expected-error @below {{has no 2 parts of equal size for 8 elements}}
  %a:2 = kernel.collective take_part ranks(2) %g, %g : (tensor<8xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<3xf32>)
  return
}
