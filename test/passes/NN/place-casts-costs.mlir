// What the rows of the table in docs/rationale/cast-placement.md come to, in
// 64ths of a byte: 4096 elements of f32 are 1048576, of f16 524288, and a cast
// between them, which reads one and writes the other, 1572864.
// RUN: mpc-opt %s -o %t --pass-pipeline='builtin.module(nn-autocast{precision=fp16 leave-open=true},func.func(nn-simplify-casts{print-graph=true}))' 2>&1 | %python -m json.tool | FileCheck %s

nn.parameter @w : tensor<64x64xf32> = <zeros>

// CHECK: "function": "costs"
// CHECK: "low": "f16"
func.func @costs(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %w = nn.get @w : tensor<64x64xf32>
  // Two nodes stand for what is decided.
  // CHECK:      "ops": [
  // CHECK:      "can_be_f32": false,
  // CHECK-NEXT: "can_be_low": true,
  // CHECK:      "can_be_f32": true,
  // CHECK-NEXT: "can_be_low": false,

  // It reads x; what it hands to one elementwise op is never in memory, and so a
  // cast behind it costs less than one of x.
  // CHECK:      "f32_cost": 1048576,
  // CHECK-NEXT: "is_low": false,
  // CHECK-NEXT: "low_cost": 524288,
  // CHECK-NEXT: "name": "nn.tanh"
  %0 = nn.tanh %x : tensor<64x64xf32>

  // It writes what a transpose reads.
  // CHECK:      "f32_cost": 1048576,
  // CHECK-NEXT: "is_low": true,
  // CHECK-NEXT: "low_cost": 524288,
  // CHECK-NEXT: "name": "nn.relu"
  %1 = nn.relu %0 : tensor<64x64xf32>

  // It reads and writes.
  // CHECK:      "f32_cost": 2097152,
  // CHECK-NEXT: "is_low": true,
  // CHECK-NEXT: "low_cost": 1048576,
  // CHECK-NEXT: "name": "nn.transpose"
  %2 = nn.transpose %1 [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>

  // A constant of one value costs nothing: one operand and the result.
  // CHECK:      "f32_cost": 3145728,
  // CHECK-NEXT: "is_low": true,
  // CHECK-NEXT: "low_cost": 1572864,
  // CHECK-NEXT: "name": "nn.concat"
  %c = nn.constant dense<0.5> : tensor<64x64xf32>
  %3 = nn.concat %2, %c axis(0) : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<128x64xf32>

  // 524288 multiply-adds, 1/8 byte each in f32 and 1/64 in f16; 20480 elements.
  // CHECK:      "f32_cost": 9437184,
  // CHECK-NEXT: "is_low": true,
  // CHECK-NEXT: "low_cost": 3145728,
  // CHECK-NEXT: "name": "nn.matmul"
  %4 = nn.matmul %3, %w : tensor<128x64xf32>, tensor<64x64xf32> -> tensor<128x64xf32>
  %5 = nn.slice %4 [0, 0] to [64, 64] by [1, 1] : tensor<128x64xf32> -> tensor<64x64xf32>
  return %5 : tensor<64x64xf32>
}

// x, which is f32, is narrowed once for its reader.
// CHECK:      "values": [
// CHECK:      "narrowing": 1572864,
// CHECK:      "widening": 1572864,
// CHECK-NEXT: "writer": 1

// The optimizer writes the parameter's copy: its f32 is not read again.
// CHECK:      "narrowing": 524288,
// CHECK:      "widening": 1572864,
// CHECK-NEXT: "writer": 1

// tanh's result.
// CHECK:      "narrowing": 0,
// CHECK:      "widening": 0,
// CHECK-NEXT: "writer": 2

// relu's and transpose's results; the constant; concat's result.
// CHECK:      "narrowing": 1572864,
// CHECK:      "widening": 1572864,
// CHECK-NEXT: "writer": 3
// CHECK:      "narrowing": 1572864,
// CHECK:      "widening": 1572864,
// CHECK-NEXT: "writer": 4
// CHECK:      "narrowing": 0,
// CHECK:      "widening": 0,
// CHECK-NEXT: "writer": 1
// CHECK:      "narrowing": 3145728,
// CHECK:      "widening": 3145728,
// CHECK-NEXT: "writer": 5
