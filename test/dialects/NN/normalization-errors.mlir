// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @softmax_beside_the_axes(%x: tensor<8x10xf32>) {
  // expected-error @below {{has no axis 2}}
  %0 = nn.softmax %x axis(2) : tensor<8x10xf32>
  return
}

// -----

func.func @log_softmax_of_negative_axis(%x: tensor<8x10xf32>) {
  // expected-error @below {{has no axis -1}}
  %0 = nn.log_softmax %x axis(-1) : tensor<8x10xf32>
  return
}

// -----

func.func @layer_norm_beside_the_axes(%x: tensor<2x3xf32>) {
  // expected-error @below {{has no axis 2}}
  %0 = nn.layer_norm %x axis(2) epsilon(1.0e-5) : tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_with_other_scale(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error @below {{scale and bias must have the shape of the axes from 1 on}}
  %0 = nn.layer_norm %x scale %s : tensor<2xf32> axis(1) epsilon(1.0e-5) : tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_with_other_bias(%x: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{scale and bias must have the shape of the axes from 1 on}}
  %0 = nn.layer_norm %x bias %b : tensor<2x3xf32> axis(1) epsilon(1.0e-5) : tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_of_negative_epsilon(%x: tensor<2x3xf32>) {
  // expected-error @below {{epsilon must not be negative}}
  %0 = nn.layer_norm %x axis(1) epsilon(-1.0) : tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_beside_the_axes(%x: tensor<2x3xf32>) {
  // expected-error @below {{has no axis -1}}
  %0 = nn.rms_norm %x axis(-1) epsilon(1.0e-5) : tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_with_other_scale(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error @below {{scale must have the shape of the axes from 1 on}}
  %0 = nn.rms_norm %x scale %s : tensor<2xf32> axis(1) epsilon(1.0e-5) : tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_of_negative_epsilon(%x: tensor<2x3xf32>) {
  // expected-error @below {{epsilon must not be negative}}
  %0 = nn.rms_norm %x axis(1) epsilon(-1.0) : tensor<2x3xf32>
  return
}

// -----

func.func @cross_entropy_beside_the_axes(%x: tensor<8x10xf32>, %t: tensor<8xi64>) {
  // expected-error @below {{has no axis 2}}
  %0 = nn.cross_entropy %x, %t axis(2) : tensor<8x10xf32>, tensor<8xi64> -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_of_other_target(%x: tensor<8x10xf32>, %t: tensor<10xi64>) {
  // expected-error @below {{target must have the shape of logits without axis 1}}
  %0 = nn.cross_entropy %x, %t axis(1) : tensor<8x10xf32>, tensor<10xi64> -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_of_other_loss(%x: tensor<8x10xf32>, %t: tensor<8xi64>) {
  // expected-error @below {{loss must be a scalar of the logits' element type}}
  %0 = nn.cross_entropy %x, %t axis(1) : tensor<8x10xf32>, tensor<8xi64> -> tensor<f16>
  return
}
