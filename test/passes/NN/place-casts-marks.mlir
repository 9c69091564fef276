// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(nn-simplify-casts))' | FileCheck %s

nn.parameter @w : tensor<64x64xf32> = <zeros>

// A mark on what has no precision rule, with what is no low type, or on what is
// in a third type says nothing, and goes.
// CHECK-LABEL: func.func @meaningless_marks
// CHECK-NOT:   nn.free
func.func @meaningless_marks(%d: tensor<64x64xf64>, %b: tensor<64x64xbf16>) -> (tensor<64x64xf16>, tensor<64x64xf64>, tensor<64x64xbf16>) {
  // CHECK: nn.get @w : tensor<64x64xf32>
  // CHECK: nn.tanh {{.*}} : tensor<64x64xf32>
  // CHECK: nn.relu {{.*}} : tensor<64x64xf32>
  // CHECK: nn.cast {{.*}} : tensor<64x64xf32> -> tensor<64x64xf16>
  // CHECK: nn.relu {{.*}} : tensor<64x64xf64>
  // CHECK: nn.relu {{.*}} : tensor<64x64xbf16>
  %0 = nn.get @w : tensor<64x64xf32> {nn.free = f16}
  %1 = nn.tanh %0 {nn.free = f64} : tensor<64x64xf32>
  %2 = nn.relu %1 {nn.free = f32} : tensor<64x64xf32>
  %3 = nn.cast %2 {nn.free = f16} : tensor<64x64xf32> -> tensor<64x64xf16>
  %4 = nn.relu %d {nn.free = f16} : tensor<64x64xf64>
  %5 = nn.relu %b {nn.free = f16} : tensor<64x64xbf16>
  return %3, %4, %5 : tensor<64x64xf16>, tensor<64x64xf64>, tensor<64x64xbf16>
}

// The same with marks that mean something.
// CHECK-LABEL: func.func @marks
// CHECK:         nn.get @w
// CHECK:         nn.cast {{.*}} : tensor<64x64xf32> -> tensor<64x64xf16>
// CHECK:         nn.tanh {{.*}} : tensor<64x64xf16>
// CHECK:         nn.relu {{.*}} : tensor<64x64xf16>
func.func @marks() -> tensor<64x64xf16> {
  %0 = nn.get @w : tensor<64x64xf32>
  %1 = nn.tanh %0 {nn.free = f16} : tensor<64x64xf32>
  %2 = nn.relu %1 {nn.free = f16} : tensor<64x64xf32>
  %3 = nn.cast %2 : tensor<64x64xf32> -> tensor<64x64xf16>
  return %3 : tensor<64x64xf16>
}

// A rounding that the model asks for stays, although an equal cast that was
// made for the refused op goes.
// CHECK-LABEL: func.func @own_and_refusable_cast
// CHECK-SAME:    %[[X:.*]]: tensor<8x8xf32>
// CHECK:         %[[R:.*]] = nn.cast %[[X]]
// CHECK:         nn.matmul %[[X]], %[[X]]
// CHECK:         %[[W:.*]] = nn.cast %[[R]]
// CHECK:         nn.softmax %[[W]]
func.func @own_and_refusable_cast(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = nn.cast %x {nn.refusable = f16} : tensor<8x8xf32> -> tensor<8x8xf16>
  %1 = nn.matmul %0, %0 {nn.refusable = f16} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf16>
  %2 = nn.cast %1 : tensor<8x8xf16> -> tensor<8x8xf32>
  %3 = nn.cast %x : tensor<8x8xf32> -> tensor<8x8xf16>
  %4 = nn.cast %3 : tensor<8x8xf16> -> tensor<8x8xf32>
  %5 = nn.softmax %4 axis(1) : tensor<8x8xf32>
  return %2, %5 : tensor<8x8xf32>, tensor<8x8xf32>
}
