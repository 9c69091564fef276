// RUN: mpc-opt %s --split-input-file --verify-diagnostics

func.func @none(%h: tensor<4xf32>) {
  // expected-error @below {{runs 0 times}}
  %a = kernel.repeat @turn turns(0) inits(%h) : (tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @few(%h: tensor<4xf32>) {
  // expected-error @below {{yields 0 results, but carries 1}}
  kernel.repeat @turn turns(5) inits(%h) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @planned(%h: tensor<4xf32>, %m: memref<8xi8>) {
  // expected-error @below {{on memrefs has no results}}
  %a = kernel.repeat @turn turns(5) inits(%h) outs(%m) : (tensor<4xf32>, memref<8xi8>) -> tensor<2x4xf32>
  return
}

// -----

func.func @missing(%h: tensor<4xf32>) {
  // expected-error @below {{repeats 'turn', which is not a function of this module}}
  %a = kernel.repeat @turn turns(5) inits(%h) : (tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func private @turn(%h: tensor<4xf32>) -> tensor<4xf32> {
  return %h : tensor<4xf32>
}
func.func @number(%h: tensor<4xf32>) {
  // expected-error @below {{has 2 operands and 1 results, but 'turn' has 1 arguments and 1 results}}
  %a = kernel.repeat @turn turns(5) inits(%h) constants(%h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func private @turn(%h: tensor<4xf32>, %x: tensor<3xf32>) -> tensor<4xf32> {
  return %h : tensor<4xf32>
}
func.func @stack(%h: tensor<4xf32>, %x: tensor<4x3xf32>) {
  // expected-error @below {{stack #0 has no entry of 'turn' for each turn}}
  %a = kernel.repeat @turn turns(5) inits(%h) stacks(%x) : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func private @turn(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @short(%x: tensor<5x3xf32>) {
  // expected-error @below {{result #0 has no entry of 'turn' for each turn}}
  %a = kernel.repeat @turn turns(5) stacks(%x) : (tensor<5x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// expected-error @below {{argument #0 cannot have 'kernel.invariant'}}
kernel.func @kernel(%x: tensor<3xf32> {kernel.invariant}, %d: tensor<3xf32>) -> tensor<3xf32> {
  kernel.return %x : tensor<3xf32>
}

// -----

// expected-error @below {{argument #0 cannot have 'kernel.invariant' = 1 : i64}}
func.func @number(%x: tensor<3xf32> {kernel.invariant = 1}) {
  return
}
