// RUN: mpc-opt %s --split-input-file --verify-diagnostics

#id = affine_map<(i) -> (i)>
func.func @too_wide(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{cannot have 'kernel.border'}}
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
      attrs = {kernel.border = #kernel.border<low = [3], high = [2]>} {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @other_rank(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{cannot have 'kernel.input_borders'}}
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
      attrs = {kernel.input_borders = [#kernel.border<low = [0, 1], high = [0, 1]>]} {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @pads_another(%x: tensor<4x8xf32>) -> tensor<4x11xf32> {
  // expected-error @+1 {{has a border around 'tensor<4x9xf32>', but pads 'tensor<4x8xf32>'}}
  %p = kernel.pad %x border <low = [0, 1], high = [0, 1]> : tensor<4x8xf32> -> tensor<4x11xf32>
  return %p : tensor<4x11xf32>
}

// -----

func.func @does_not_fit(%x: tensor<4x8xf32>) -> tensor<4x11xf32> {
  // expected-error @+1 {{has a border that does not fit into 'tensor<4x11xf32>'}}
  %p = kernel.pad %x border <low = [0], high = [1]> : tensor<4x8xf32> -> tensor<4x11xf32>
  return %p : tensor<4x11xf32>
}

// -----

func.func @number(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{cannot have 'kernel.border' = 1 : i64}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) attrs = {kernel.border = 1} {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{cannot have 'kernel.border' = #kernel.border<low = [0], high = [0]>}}
func.func private @no_result() attributes {kernel.border = #kernel.border<low = [0], high = [0]>}

// -----

func.func @more_than_inputs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{cannot have 'kernel.input_borders'}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
      attrs = {kernel.input_borders = [#kernel.border<low = [0], high = [0]>, #kernel.border<low = [0], high = [0]>]} {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
