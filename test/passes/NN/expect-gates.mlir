// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(nn-expect-gates)' | FileCheck %s

// Drop path as transformers writes it: floor(keep + rand).
// CHECK-LABEL: func.func @model
// CHECK:         %[[C:.*]] = nn.constant dense<7.500000e-01> : tensor<4xf32>
// CHECK-NOT:     nn.random_bits
// CHECK:         nn.mul %{{.*}}, %[[C]]
func.func @model(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = nn.constant dense<0.75> : tensor<4xf32>
  %bits = nn.random_bits stream 0 : tensor<4xi32>
  %u = nn.uniform %bits : tensor<4xi32> -> tensor<4xf32>
  %s = nn.add %u, %c : tensor<4xf32>
  %gate = nn.floor %s : tensor<4xf32>
  %d = nn.div %x, %c : tensor<4xf32>
  %y = nn.mul %d, %gate : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// bernoulli_(keep) as exporters write it: (u < p) as a number; p is an input
// here, and no chance is beyond 1.
// CHECK-LABEL: func.func @model
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[P:[^:]*]]: tensor<4xf32>
// CHECK:         %[[LOW:.*]] = nn.maximum %[[P]],
// CHECK:         %[[CHANCE:.*]] = nn.minimum %[[LOW]],
// CHECK:         nn.mul %[[X]], %[[CHANCE]]
func.func @model(%x: tensor<4xf32>, %p: tensor<4xf32>) -> tensor<4xf32> {
  %bits = nn.random_bits stream 0 : tensor<4xi32>
  %u = nn.uniform %bits : tensor<4xi32> -> tensor<4xf32>
  %k = nn.compare lt %u, %p : tensor<4xf32> -> tensor<4xi1>
  %gate = nn.cast %k : tensor<4xi1> -> tensor<4xf32>
  %y = nn.mul %x, %gate : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// where(rand > p, x, 0): the chance is 1 - p.
// CHECK-LABEL: func.func @model
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>
// CHECK:         %[[P:.*]] = nn.minimum
// CHECK:         %[[CHANCE:.*]] = nn.sub %{{.*}}, %[[P]]
// CHECK:         nn.mul %[[X]], %[[CHANCE]]
// CHECK-NOT:     nn.select
func.func @model(%x: tensor<4xf32>, %p: tensor<4xf32>) -> tensor<4xf32> {
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %bits = nn.random_bits stream 0 : tensor<4xi32>
  %u = nn.uniform %bits : tensor<4xi32> -> tensor<4xf32>
  %k = nn.compare gt %u, %p : tensor<4xf32> -> tensor<4xi1>
  %y = nn.select %k, %x, %zero : tensor<4xi1>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// What is no gate stays random, and so does what has a key.
// CHECK-LABEL: func.func @model
// CHECK:         nn.random_bits stream 0 : tensor<4xi32>
// CHECK:         nn.random_bits stream 1 key(
// CHECK:         nn.floor
func.func @model(%x: tensor<4xf32>, %k: tensor<i64>, %c: tensor<2xi64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %bits = nn.random_bits stream 0 : tensor<4xi32>
  %u = nn.uniform %bits : tensor<4xi32> -> tensor<4xf32>
  %y = nn.mul %x, %u : tensor<4xf32>
  %keyed = nn.random_bits stream 1 key(%k, %c, %k : tensor<i64>, tensor<2xi64>, tensor<i64>) : tensor<4xi32>
  %v = nn.uniform %keyed : tensor<4xi32> -> tensor<4xf32>
  %s = nn.add %v, %x : tensor<4xf32>
  %z = nn.floor %s : tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// Random numbers may be moved, and cast, before they are compared.
// CHECK-LABEL: func.func @model
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x2xf16>, %[[P:[^:]*]]: tensor<4x2xf16>
// CHECK:         nn.maximum %[[P]],
// CHECK:         %[[CHANCE:.*]] = nn.minimum
// CHECK:         nn.mul %[[X]], %[[CHANCE]]
func.func @model(%x: tensor<4x2xf16>, %p: tensor<4x2xf16>) -> tensor<4x2xf16> {
  %bits = nn.random_bits stream 0 : tensor<2x4xi32>
  %u = nn.uniform %bits : tensor<2x4xi32> -> tensor<2x4xf32>
  %t = nn.transpose %u [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  %n = nn.cast %t : tensor<4x2xf32> -> tensor<4x2xf16>
  %k = nn.compare lt %n, %p : tensor<4x2xf16> -> tensor<4x2xi1>
  %gate = nn.cast %k : tensor<4x2xi1> -> tensor<4x2xf16>
  %y = nn.mul %x, %gate : tensor<4x2xf16>
  return %y : tensor<4x2xf16>
}
