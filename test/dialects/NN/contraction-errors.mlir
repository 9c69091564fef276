// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @matmul_of_vectors(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{operands must have one rank, at least 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @matmul_of_two_ranks(%a: tensor<2x4x4xf32>, %b: tensor<4x4xf32>) {
  // expected-error @+2 {{operands must have one rank, at least 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %a, %b : tensor<2x4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @matmul_of_two_types(%a: tensor<4x4xf32>, %b: tensor<4x4xf16>) {
  // expected-error @+2 {{operands must have one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %a, %b : tensor<4x4xf32>, tensor<4x4xf16> -> tensor<4x4xf32>
  return
}

// -----

func.func @matmul_of_two_batches(%a: tensor<2x4x4xf32>, %b: tensor<3x4x4xf32>) {
  // expected-error @+2 {{batch axes differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %a, %b : tensor<2x4x4xf32>, tensor<3x4x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @matmul_of_two_depths(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) {
  // expected-error @+2 {{sums over 8 elements of lhs but 4 of rhs}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %a, %b : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @matmul_of_two_depths_transposed(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error @+2 {{sums over 8 elements of lhs but 6 of rhs}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %a, %b transpose_rhs : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @matmul_with_bias_of_rows(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4xf32>) {
  // expected-error @+2 {{bias must be [6] of the operands' element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %a, %b bias %c : tensor<4xf32> : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @matmul_with_bias_of_another_type(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %c: tensor<6xf32>) {
  // expected-error @+2 {{bias must be [6] of the operands' element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.matmul %a, %b bias %c : tensor<6xf32> : tensor<4x8xf16>, tensor<8x6xf16> -> tensor<4x6xf16>
  return
}

// -----

func.func @linear_of_matrix_batch(%x: tensor<4x8xf32>, %w: tensor<2x6x8xf32>) {
  // expected-error @+2 {{input needs an axis, weight must be [n, k]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.linear %x, %w : tensor<4x8xf32>, tensor<2x6x8xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @linear_of_two_depths(%x: tensor<4x8xf32>, %w: tensor<6x7xf32>) {
  // expected-error @+2 {{weight has 7 input features, input has 8}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.linear %x, %w : tensor<4x8xf32>, tensor<6x7xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @linear_of_two_types(%x: tensor<4x8xf32>, %w: tensor<6x8xf16>) {
  // expected-error @+2 {{operands must have one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.linear %x, %w : tensor<4x8xf32>, tensor<6x8xf16> -> tensor<4x6xf32>
  return
}

// -----

func.func @linear_with_other_bias(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{bias must be [6] of the operands' element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.linear %x, %w bias %b : tensor<4xf32> : tensor<4x8xf32>, tensor<6x8xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @linear_with_bias_of_other_type(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf16>) {
  // expected-error @+2 {{bias must be [6] of the operands' element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.linear %x, %w bias %b : tensor<6xf16> : tensor<4x8xf32>, tensor<6x8xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @conv_of_two_ranks(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+2 {{input and weight must have one rank, at least 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1) : tensor<2x4x9x9xf32>, tensor<6x4x3xf32> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_without_space(%x: tensor<2x4xf32>, %w: tensor<6x4xf32>) {
  // expected-error @+2 {{input and weight must have one rank, at least 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [] low [] high [] dilations [] groups(1) : tensor<2x4xf32>, tensor<6x4xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @conv_with_one_stride(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{strides, padding and dilations need one number for each of 2 spatial axes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [1] low [0, 0] high [0, 0] dilations [1, 1] groups(1) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_of_odd_groups(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{4 groups do not divide 6 output channels}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(4) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_of_no_groups(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{0 groups do not divide 6 output channels}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(0) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_of_other_channels(%x: tensor<2x4x9x9xf32>, %w: tensor<6x3x3x3xf32>) {
  // expected-error @+2 {{weight has 3 input channels, input has 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1) : tensor<2x4x9x9xf32>, tensor<6x3x3x3xf32> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_of_other_channels_in_groups(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{weight has 8 input channels, input has 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(2) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_of_two_types(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf16>) {
  // expected-error @+2 {{operands must have one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf16> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_with_other_bias(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{bias must be [6] of the operands' element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w bias %b : tensor<4xf32> strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_with_stride_zero(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{strides, dilations and windows must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [0, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_with_dilation_zero(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{strides, dilations and windows must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 0] groups(1) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_of_empty_window(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x0xf32>) {
  // expected-error @+2 {{strides, dilations and windows must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1) : tensor<2x4x9x9xf32>, tensor<6x4x3x0xf32> -> tensor<2x6x7x7xf32>
  return
}

// -----

func.func @conv_of_large_window(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{window of 9 is larger than the padded input's 8 on spatial axis 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, -1] dilations [1, 4] groups(1) : tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32> -> tensor<2x6x7x7xf32>
  return
}
