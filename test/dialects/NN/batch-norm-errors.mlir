// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @beside_the_axes(%x: tensor<4x3xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{has no axis 2}}
  %0 = nn.batch_norm %x, %v, %v, %v, %v axis(2) epsilon(1.0e-5) momentum(0.1)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @vector_of_another_axis(%x: tensor<4x3xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error @below {{operand #2 must have the shape of 'axis', 3, and be computed in 'f32', but is 'tensor<4xf32>'}}
  %0 = nn.batch_norm %x, %v, %w, %v, %v axis(1) epsilon(1.0e-5) momentum(0.1)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @vector_of_another_precision(%x: tensor<4x3xf32>, %v: tensor<3xf32>, %w: tensor<3xf64>) {
  // expected-error @below {{operand #4 must have the shape of 'axis', 3, and be computed in 'f32', but is 'tensor<3xf64>'}}
  %0 = nn.batch_norm %x, %v, %v, %v, %w axis(1) epsilon(1.0e-5) momentum(0.1)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @output_of_another_type(%x: tensor<4x3xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{output must have the input's type, 'tensor<4x3xf32>'}}
  %0 = nn.batch_norm %x, %v, %v, %v, %v axis(1) epsilon(1.0e-5) momentum(0.1)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf16>
  return
}

// -----

func.func @negative_epsilon(%x: tensor<4x3xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{epsilon must not be negative}}
  %0 = nn.batch_norm %x, %v, %v, %v, %v axis(1) epsilon(-1.0e-5) momentum(0.1)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @momentum_beyond_one(%x: tensor<4x3xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{momentum must be from 0 to 1}}
  %0 = nn.batch_norm %x, %v, %v, %v, %v axis(1) epsilon(1.0e-5) momentum(1.5)
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @no_sample_variance(%x: tensor<1x3xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{has 1 element for each place on axis 1, which has no sample variance: train with a larger batch}}
  %0:5 = nn.batch_norm_training %x, %v, %v, %v, %v axis(1) epsilon(1.0e-5) momentum(0.1) sample_variance
      : (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @narrow_mean(%x: tensor<4x3xf16>, %v: tensor<3xf32>) {
  // expected-error @below {{mean and rstd must be 'tensor<3xf32>'}}
  %0:5 = nn.batch_norm_training %x, %v, %v, %v, %v axis(1) epsilon(1.0e-5) momentum(0.1)
      : (tensor<4x3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3xf16>, tensor<3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @other_statistics(%x: tensor<4x3xf16>, %v: tensor<3xf32>) {
  // expected-error @below {{new statistics must have the types of the old ones}}
  %0:5 = nn.batch_norm_training %x, %v, %v, %v, %v axis(1) epsilon(1.0e-5) momentum(0.1)
      : (tensor<4x3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf16>)
  return
}
