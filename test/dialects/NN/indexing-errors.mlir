// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @iota_beside_the_axes() {
  // expected-error @below {{has no axis 2}}
  %0 = nn.iota axis(2) : tensor<4x8xi32>
  return
}

// -----

func.func @iota_of_negative_axis() {
  // expected-error @below {{has no axis -1}}
  %0 = nn.iota axis(-1) : tensor<4x8xi32>
  return
}

// -----

func.func @gather_beside_the_axes(%x: tensor<6x5xf32>, %ids: tensor<3xi64>) {
  // expected-error @+2 {{has no axis 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather %x, %ids axis(2) : tensor<6x5xf32>, tensor<3xi64> -> tensor<3x5xf32>
  return
}

// -----

func.func @gather_with_some_batch_axes(%x: tensor<2x4x5xf32>, %ids: tensor<2x3xi64>) {
  // expected-error @+2 {{batch axes must be none or all before axis 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather %x, %ids axis(2) batch(1) : tensor<2x4x5xf32>, tensor<2x3xi64> -> tensor<2x4x3xf32>
  return
}

// -----

func.func @gather_of_other_batch(%x: tensor<2x5xf32>, %ids: tensor<3x1xi64>) {
  // expected-error @+2 {{indices do not match the batch axes}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather %x, %ids axis(1) batch(1) : tensor<2x5xf32>, tensor<3x1xi64> -> tensor<2x1xf32>
  return
}

// -----

func.func @gather_from_nothing(%x: tensor<0x5xf32>, %ids: tensor<3xi64>) {
  // expected-error @+2 {{reads from an empty axis}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.gather %x, %ids axis(0) : tensor<0x5xf32>, tensor<3xi64> -> tensor<3x5xf32>
  return
}

// -----

func.func @scatter_of_other_shape(%x: tensor<3x4xf32>, %ids: tensor<3xi64>) {
  // expected-error @below {{updates do not have the shape that a gather of the result would have}}
  %0 = nn.scatter_add %x, %ids axis(0) : tensor<3x4xf32>, tensor<3xi64> -> tensor<6x5xf32>
  return
}

// -----

func.func @scatter_changes_type(%x: tensor<3x5xf16>, %ids: tensor<3xi64>) {
  // expected-error @below {{cannot change the element type}}
  %0 = nn.scatter_add %x, %ids axis(0) : tensor<3x5xf16>, tensor<3xi64> -> tensor<6x5xf32>
  return
}

// -----

func.func @scatter_reduce_of_two_types(%x: tensor<3x5xf16>, %u: tensor<2x5xf32>, %ids: tensor<2xi64>) {
  // expected-error @below {{input and updates must have one element type}}
  %0 = nn.scatter_reduce mul %x, %u, %ids : tensor<3x5xf16>, tensor<2x5xf32>, tensor<2xi64>
  return
}

// -----

func.func @scatter_reduce_of_other_shape(%x: tensor<3x5xf32>, %u: tensor<2x4xf32>, %ids: tensor<2xi64>) {
  // expected-error @below {{input, updates and indices must be [size, ...], [count, ...] and [count]}}
  %0 = nn.scatter_reduce mul %x, %u, %ids : tensor<3x5xf32>, tensor<2x4xf32>, tensor<2xi64>
  return
}

// -----

func.func @scatter_reduce_into_nothing(%x: tensor<0x5xf32>, %u: tensor<2x5xf32>, %ids: tensor<2xi64>) {
  // expected-error @below {{writes to an empty axis}}
  %0 = nn.scatter_reduce mul %x, %u, %ids : tensor<0x5xf32>, tensor<2x5xf32>, tensor<2xi64>
  return
}

// -----

func.func @rank_of_a_scalar(%x: tensor<f32>) {
  // expected-error @+2 {{input needs an axis}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = nn.rank %x : tensor<f32> -> tensor<i64>
  return
}

// -----

func.func @scatter_beside_the_axes(%x: tensor<3x5xf32>, %ids: tensor<3xi64>) {
  // expected-error @below {{has no axis 2}}
  %0 = nn.scatter_add %x, %ids axis(2) : tensor<3x5xf32>, tensor<3xi64> -> tensor<6x5xf32>
  return
}
