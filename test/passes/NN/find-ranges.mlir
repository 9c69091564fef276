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

// A part of an argument has the range where it is read: behind crops and
// constants around it, in any shape and order. Strided parts and products of
// other ops have none.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %{{[^:]*}}: tensor<2x4xi64> {nn.name = "shifted", nn.ranges = [#nn.range<-5, 5 unread first[0, 1] last[0, 0]>]}
// CHECK-SAME:    %{{[^:]*}}: tensor<4x3xi32> {nn.name = "turned", nn.ranges = [#nn.range<-5, 5 unread first[0, 0] last[2, 1]>]}
// CHECK-SAME:    %{{[^:]*}}: tensor<8xi64> {nn.name = "strided"}
// CHECK-SAME:    %{{[^:]*}}: tensor<2x4xi64> {nn.name = "flat"}
func.func @parts(%shifted: tensor<2x4xi64> {nn.name = "shifted"},
                 %turned: tensor<4x3xi32> {nn.name = "turned"},
                 %strided: tensor<8xi64> {nn.name = "strided"},
                 %flat: tensor<2x4xi64> {nn.name = "flat"},
                 %a: tensor<5x3xf32>) -> (tensor<8x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<7x3xf32>) {
  %0 = nn.pad %shifted low [0, 0] high [0, 1] interior [0, 0] value 7.0 : tensor<2x4xi64> -> tensor<2x5xi64>
  %1 = nn.slice %0 [0, 1] to [2, 5] by [1, 1] : tensor<2x5xi64> -> tensor<2x4xi64>
  %2 = nn.reshape %1 : tensor<2x4xi64> -> tensor<8xi64>
  %3 = nn.gather %a, %2 axis(0) : tensor<5x3xf32>, tensor<8xi64> -> tensor<8x3xf32>
  %4 = nn.slice %turned [0, 0] to [2, 2] by [1, 1] : tensor<4x3xi32> -> tensor<2x2xi32>
  %5 = nn.transpose %4 [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
  %6 = nn.cast %5 : tensor<2x2xi32> -> tensor<2x2xi64>
  %7 = nn.reshape %6 : tensor<2x2xi64> -> tensor<4xi64>
  %8 = nn.gather %a, %7 axis(0) : tensor<5x3xf32>, tensor<4xi64> -> tensor<4x3xf32>
  %9 = nn.slice %strided [0] to [8] by [2] : tensor<8xi64> -> tensor<4xi64>
  %10 = nn.gather %a, %9 axis(0) : tensor<5x3xf32>, tensor<4xi64> -> tensor<4x3xf32>
  %11 = nn.reshape %flat : tensor<2x4xi64> -> tensor<8xi64>
  %12 = nn.slice %11 [1] to [8] by [1] : tensor<8xi64> -> tensor<7xi64>
  %13 = nn.gather %a, %12 axis(0) : tensor<5x3xf32>, tensor<7xi64> -> tensor<7x3xf32>
  return %3, %8, %10, %13 : tensor<8x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<7x3xf32>
}
