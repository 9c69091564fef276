// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @reshape_changes_type(%x: tensor<4xf32>) {
  // expected-error @below {{cannot change the element type}}
  %0 = nn.reshape %x : tensor<4xf32> -> tensor<2x2xf16>
  return
}

// -----

func.func @reshape_changes_size(%x: tensor<4xf32>) {
  // expected-error @below {{has 4 elements in and 6 out}}
  %0 = nn.reshape %x : tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_repeats_an_axis(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{permutation must name each of the 2 axes once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.transpose %x [1, 1] : tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @transpose_lacks_an_axis(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{permutation must name each of the 2 axes once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.transpose %x [0] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @transpose_to_other_shape(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<8x4xf32>' are incompatible with return type(s) of operation 'tensor<4x8xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_changes_type(%x: tensor<8xf32>) {
  // expected-error @below {{cannot change the element type}}
  %0 = nn.broadcast %x axes [1] : tensor<8xf32> -> tensor<4x8xf16>
  return
}

// -----

func.func @broadcast_lacks_an_axis(%x: tensor<8xf32>) {
  // expected-error @below {{needs one axis for each of the input's 1}}
  %0 = nn.broadcast %x axes [] : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_swaps_axes(%x: tensor<4x8xf32>) {
  // expected-error @below {{axes must be ascending axes of the result}}
  %0 = nn.broadcast %x axes [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_beyond_the_result(%x: tensor<8xf32>) {
  // expected-error @below {{axes must be ascending axes of the result}}
  %0 = nn.broadcast %x axes [2] : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_stretches(%x: tensor<2xf32>) {
  // expected-error @below {{cannot repeat an axis of size 2 to size 8}}
  %0 = nn.broadcast %x axes [1] : tensor<2xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_lacks_an_axis(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{needs a start, limit and stride for each of the 2 axes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x [0] to [4] by [1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_beyond_the_input(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{box 0 to 9 by 1 on axis 1 does not lie within size 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x [0, 0] to [4, 9] by [1, 1] : tensor<4x8xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @slice_backwards(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{box 0 to 4 by -1 on axis 0 does not lie within size 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.slice %x [0, 0] to [4, 8] by [-1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @pad_lacks_an_axis(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{needs low, high and interior padding for each of the 2 axes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.pad %x low [0] high [0] interior [0] value 0.0 : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @pad_crops_too_much(%x: tensor<4xf32>) {
  // expected-error @+2 {{padding leaves axis 0 with size -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.pad %x low [-3] high [-2] interior [0] value 0.0 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @concat_beside_the_axes(%x: tensor<4xf32>) {
  // expected-error @+2 {{has no axis 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.concat %x, %x axis(1) : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @concat_of_nothing() {
  // expected-error @+2 {{needs at least one input}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "nn.concat"() {axis = 0 : i64} : () -> tensor<8xf32>
  return
}

// -----

func.func @concat_of_two_types(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+2 {{inputs differ in rank or element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.concat %x, %y axis(0) : tensor<4xf32>, tensor<4xf16> -> tensor<8xf32>
  return
}

// -----

func.func @concat_of_two_shapes(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+2 {{inputs differ beside axis 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.concat %x, %y axis(0) : tensor<4x2xf32>, tensor<4x3xf32> -> tensor<8x2xf32>
  return
}

// -----

func.func @reverse_of_no_axis(%x: tensor<4x2xf32>) {
  // expected-error @below {{axes must be distinct axes of the input}}
  %0 = nn.reverse %x axes [2] : tensor<4x2xf32>
  return
}

// -----

func.func @reverse_twice(%x: tensor<4x2xf32>) {
  // expected-error @below {{axes must be distinct axes of the input}}
  %0 = nn.reverse %x axes [1, 1] : tensor<4x2xf32>
  return
}

// -----

func.func @split_beside_the_axes(%x: tensor<4x6xf32>) {
  // expected-error @below {{has no axis -1}}
  %0 = nn.split %x axis(-1) : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @split_changes_type(%x: tensor<4x6xf32>) {
  // expected-error @below {{parts differ from the input in rank or type}}
  %0 = nn.split %x axis(1) : tensor<4x6xf32> -> tensor<4x6xf16>
  return
}

// -----

func.func @split_changes_other_axis(%x: tensor<4x6xf32>) {
  // expected-error @below {{parts differ from the input beside axis 1}}
  %0 = nn.split %x axis(1) : tensor<4x6xf32> -> tensor<3x6xf32>
  return
}

// -----

func.func @split_leaves_a_rest(%x: tensor<4x6xf32>) {
  // expected-error @below {{parts cover 5 of the 6 elements along axis 1}}
  %0:2 = nn.split %x axis(1) : tensor<4x6xf32> -> tensor<4x2xf32>, tensor<4x3xf32>
  return
}
