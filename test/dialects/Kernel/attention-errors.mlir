// RUN: mpc-opt %s -split-input-file -verify-diagnostics
// What attention refuses: numbers, types, maps that leave their operand, and
// kernels that it is not alone in.

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @sizes(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{needs seven sizes of at least 1}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4] scale 1.0 maps [#all, #all, #all, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @groups(%q: tensor<1x3x8x4xf32>, %l: tensor<1x3x8xf32>) {
  // expected-error @+1 {{has 3 heads in 2 groups}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x3x8x4xf32>, tensor<1x3x8x4xf32>, tensor<1x3x8x4xf32>) outs(%q, %l, %l : tensor<1x3x8x4xf32>, tensor<1x3x8xf32>, tensor<1x3x8xf32>) sizes [1, 3, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #all, #rows, #rows] -> tensor<1x3x8x4xf32>, tensor<1x3x8xf32>, tensor<1x3x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @maps(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{has 4 maps for 6 operands}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #all] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @window(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{needs a window of at least 1, and causal}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 window 3 maps [#all, #all, #all, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @types(%q: tensor<1x2x8x4xf32>, %v: tensor<1x2x8x4xf16>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{operand #2 has elements of 'f16'}}
  %0:3 = kernel.attention ins(%q, %q, %v : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf16>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#far = affine_map<(b, h, i, d) -> (b, h, i + 1, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @outside(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{map #1 is no sum of products that stays inside of its operand, 'tensor<1x2x8x4xf32>'}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #far, #all, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#turned = affine_map<(b, h, i, j) -> (b, h, j, i)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @mask(%q: tensor<1x2x8x4xf32>, %m: tensor<1x2x8x8xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{map #3 is no sum of products}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) mask(%m : tensor<1x2x8x8xf32>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #turned, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#sum = affine_map<(b, h, i, d) -> (b, h, 0, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @init(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{map #3 is no permutation}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #sum, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

// Scalar loops over one statement after another do not run it.
#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
// expected-error @+1 {{states the kind 'loops', but its body is of kind 'attention'}}
kernel.func @loops(%q: tensor<1x2x8x4xf32>, %o: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) -> (tensor<1x2x8x4xf32>, tensor<1x2x8xf32>) attributes {schedule = #cpu.loops<chunks = 1>} {
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%o, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  kernel.return %0#0, %0#1 : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
kernel.func @two(%q: tensor<1x2x8x4xf32>, %o: tensor<1x2x8x4xf32>, %x: tensor<1x2x8xf32>) -> (tensor<1x2x8x4xf32>, tensor<1x2x8xf32>) {
  %l = tensor.empty() : tensor<1x2x8xf32>
  // expected-error @+1 {{must be the only op of its kernel}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%o, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 maps [#all, #all, #all, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  %1 = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0#1 : tensor<1x2x8xf32>) outs(%x : tensor<1x2x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<1x2x8xf32>
  kernel.return %0#0, %1 : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
#one = affine_map<() -> ()>
func.func @random_without_dropout(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{draws by 1 numbers, not by 0}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) random(%n : tensor<i64>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0  maps [#all, #all, #all, #one, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
#one = affine_map<() -> ()>
func.func @dropout_without_batch(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{draws by 2 numbers, not by 3}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) random(%n, %n : tensor<i64>, tensor<i64>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 dropout 0.5 maps [#all, #all, #all, #one, #one, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
#one = affine_map<() -> ()>
func.func @random_floats(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>, %n: tensor<i64>, %x: tensor<f64>) {
  // expected-error @+1 {{operand #4 must be of i64}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) random(%n, %x, %n : tensor<i64>, tensor<f64>, tensor<i64>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 dropout 0.5 maps [#all, #all, #all, #one, #one, #one, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
#one = affine_map<() -> ()>
func.func @negative_dropout(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{needs a dropout from 0 to 1}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) random(%n, %n, %n : tensor<i64>, tensor<i64>, tensor<i64>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 dropout -0.5 maps [#all, #all, #all, #one, #one, #one, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}

// -----

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
func.func @negative_cap(%q: tensor<1x2x8x4xf32>, %l: tensor<1x2x8xf32>) {
  // expected-error @+1 {{needs a softcap that is positive and finite}}
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) outs(%q, %l, %l : tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) sizes [1, 2, 2, 8, 8, 4, 4] scale 1.0 softcap -2.0 maps [#all, #all, #all, #all, #rows, #rows] -> tensor<1x2x8x4xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
  return
}
