// RUN: mpc-opt %s --nn-find-ranges | FileCheck %s
// RUN: mpc-opt %s --nn-find-ranges --nn-find-ranges | FileCheck %s

// Each op that reads an argument as an index adds its range, once; what was
// said of it stays. What is computed from an argument says nothing of it.
// CHECK-LABEL: func.func @two(
// CHECK-SAME:    %{{[^:]*}}: tensor<4xi64> {nn.name = "ids", nn.ranges = [#nn.range<0, 7, except = -100>, #nn.range<-9, 9>, #nn.range<-5, 5>]}
// CHECK-SAME:    %{{[^:]*}}: tensor<4xi64> {nn.name = "free"}
func.func @two(%ids: tensor<4xi64> {nn.name = "ids", nn.ranges = [#nn.range<0, 7, except = -100>]},
               %free: tensor<4xi64> {nn.name = "free"},
               %a: tensor<9x3xf32>, %b: tensor<5x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = nn.gather %a, %ids axis(0) : tensor<9x3xf32>, tensor<4xi64> -> tensor<4x3xf32>
  %1 = nn.gather %b, %ids axis(0) : tensor<5x3xf32>, tensor<4xi64> -> tensor<4x3xf32>
  %2 = nn.gather %b, %ids axis(0) : tensor<5x3xf32>, tensor<4xi64> -> tensor<4x3xf32>
  %sum = nn.add %free, %free : tensor<4xi64>
  %3 = nn.gather %b, %sum axis(0) : tensor<5x3xf32>, tensor<4xi64> -> tensor<4x3xf32>
  return %0, %1, %2, %3 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}
