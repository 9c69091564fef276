// A step with marked ops yields how many infinities their results in 16 bits
// have; marks of f32, and functions that are no entries, are none.
// RUN: mpc-opt %s --amp-count-hidden-infinities | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK-SAME: -> (tensor<2x3xf32>, tensor<f64> {nn.name = "hidden_inf"})
// CHECK: %[[P:.*]] = nn.mul %arg0, %arg1 : tensor<2x3xf16>
// CHECK: %[[Q:.*]] = nn.mul %arg2, %arg2 : tensor<2x3xf32>
// CHECK: %[[WIDE:.*]] = nn.cast %[[P]] : tensor<2x3xf16> -> tensor<2x3xf32>
// CHECK-NEXT: %[[SIZE:.*]] = nn.abs %[[WIDE]]
// CHECK-NEXT: %[[INF:.*]] = nn.constant dense<0x7F800000>
// CHECK-NEXT: %[[IS:.*]] = nn.compare eq %[[SIZE]], %[[INF]]
// CHECK-NEXT: %[[ONE:.*]] = nn.cast %[[IS]] : tensor<2x3xi1> -> tensor<2x3xf64>
// CHECK-NEXT: %[[SUM:.*]] = nn.reduce_sum %[[ONE]] axes [0, 1]
// CHECK-NEXT: %[[ALL:.*]] = nn.add %{{.*}}, %[[SUM]]
// CHECK-NEXT: return %[[Q]], %[[ALL]]
func.func @step(%a: tensor<2x3xf16>, %b: tensor<2x3xf16>, %c: tensor<2x3xf32>)
    -> tensor<2x3xf32> attributes {amp.entry = #amp.entry_kind<step>} {
  %0 = nn.mul %a, %b {nn.hidden_infinity = "'div' (div)"} : tensor<2x3xf16>
  %1 = nn.mul %c, %c {nn.hidden_infinity = "'div' (div)"} : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @other
// CHECK-SAME: -> tensor<2x3xf16> {
func.func @other(%a: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %0 = nn.mul %a, %a {nn.hidden_infinity = "'div' (div)"} : tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}
