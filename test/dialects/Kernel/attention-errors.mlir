// RUN: mpc-opt %s -split-input-file -verify-diagnostics
// What attention refuses: numbers, types, and maps that leave their operand.

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @sizes(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{needs seven sizes of at least 1}}
  %0:2 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4] scale 1.0 maps [#all, #all, #all, #all, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @groups(%q: tensor<1x3x8x4xf32>, %l: tensor<1x3x8xf32>) {
  // expected-error @+1 {{has 3 heads in 2 groups}}
  %0:2 = kernel.attention ins(%q, %q, %q : tensor<1x3x8x4xf32>, tensor<1x3x8x4xf32>, tensor<1x3x8x4xf32>) outs(%q, %l : tensor<1x3x8x4xf32>, tensor<1x3x8xf32>) sizes [1, 3, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #all, #rows] -> tensor<1x3x8x4xf32>, tensor<1x3x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @maps(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{has 4 maps for 5 operands}}
  %0:2 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #all] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @window(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{needs a window of at least 1, and causal}}
  %0:2 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 window 3 maps [#all, #all, #all, #all, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @types(%q: tensor<1x2x8x4xf32>, %v: tensor<1x2x8x4xf16>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{operand #2 has elements of 'f16'}}
  %0:2 = kernel.attention ins(%q, %q, %v : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf16>) outs(%q, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #all, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#far = affine_map<(b, h, i, d) -> (b, h, i + 1, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @outside(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{map #1 is no sum of products that stays inside of its operand, 'tensor<1x2x8x4xf32>'}}
  %0:2 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #far, #all, #all, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#turned = affine_map<(b, h, i, j) -> (b, h, j, i)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @mask(%q: tensor<1x2x8x4xf32>, %m: tensor<1x2x8x8xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{map #3 is no sum of products}}
  %0:2 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) mask(%m : tensor<1x2x8x8xf32>) outs(%q, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #turned, #all, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#sum = affine_map<(b, h, i, d) -> (b, h, 0, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @init(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{map #3 is no permutation}}
  %0:2 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #sum, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>
  return
}
