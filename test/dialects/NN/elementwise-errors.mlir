// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @exp_of_integers(%x: tensor<4xi32>) {
  // expected-error @below {{operand #0 must be static tensor of f16, bf16, f32 or f64}}
  %y = nn.exp %x : tensor<4xi32>
  return
}

// -----

// Broadcasting is an op of its own.
func.func @add_of_two_shapes(%x: tensor<4xf32>, %y: tensor<1xf32>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %z = "nn.add"(%x, %y) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// f32 may meet 16 bits, but no type a third.
func.func @add_of_two_types(%x: tensor<4xf16>, %y: tensor<4xbf16>) {
  // expected-error @below {{operands must have one type, or one be of f32 beside f16 or bf16, not 'f16' and 'bf16'}}
  // expected-error @below {{failed to infer returned types}}
  %z = nn.add %x, %y : tensor<4xf16>, tensor<4xbf16> -> tensor<4xf16>
  return
}

// -----

func.func @mul_of_f64_and_f32(%x: tensor<4xf64>, %y: tensor<4xf32>) {
  // expected-error @below {{operands must have one type, or one be of f32 beside f16 or bf16, not 'f64' and 'f32'}}
  // expected-error @below {{failed to infer returned types}}
  %z = nn.mul %x, %y : tensor<4xf64>, tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// The result has the 16 bits.
func.func @sub_into_f32(%x: tensor<4xf16>, %y: tensor<4xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<4xf16>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %z = nn.sub %x, %y : tensor<4xf16>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @compare_of_two_types(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @below {{requires all operands to have the same type}}
  %z = "nn.compare"(%x, %y) {kind = 0 : i32} : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xi1>
  return
}

// -----

func.func @select_by_two_shapes(%m: tensor<2xi1>, %x: tensor<4xf32>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %z = nn.select %m, %x, %x : tensor<2xi1>, tensor<4xf32>
  return
}

// -----

func.func @cast_to_other_shape(%x: tensor<4xf32>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %y = nn.cast %x : tensor<4xf32> -> tensor<2x2xf16>
  return
}
