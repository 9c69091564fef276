// RUN: mpc-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @bits
func.func @bits(%x: tensor<4xui8>, %y: tensor<4xui8>, %f: tensor<4xf16>) {
  // CHECK: nn.bit_and %{{.*}}, %{{.*}} : tensor<4xui8>
  %0 = nn.bit_and %x, %y : tensor<4xui8>
  // CHECK: nn.shift_right %{{.*}}, %{{.*}} : tensor<4xui8>
  %1 = nn.shift_right %0, %y : tensor<4xui8>
  // CHECK: nn.bitcast %{{.*}} : tensor<4xf16> -> tensor<4xui16>
  %2 = nn.bitcast %f : tensor<4xf16> -> tensor<4xui16>
  return
}

// -----

// A sign is part of the type.
func.func @add_of_two_signs(%x: tensor<4xi8>, %y: tensor<4xui8>) {
  // expected-error @below {{operands must have one type, or one be of f32 beside f16 or bf16, not 'i8' and 'ui8'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = nn.add %x, %y : tensor<4xi8>, tensor<4xui8> -> tensor<4xi8>
  return
}

// -----

func.func @bits_of_floats(%x: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be static tensor of integers}}
  %0 = nn.bit_or %x, %x : tensor<4xf32>
  return
}

// -----

func.func @other_number_of_bits(%x: tensor<4xf32>) {
  // expected-error @below {{changes 'f32' to 'i16', which has another number of bits}}
  %0 = nn.bitcast %x : tensor<4xf32> -> tensor<4xi16>
  return
}
