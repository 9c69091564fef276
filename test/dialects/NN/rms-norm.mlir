// What exporters write for a normalization by the root of the mean square is
// nn.rms_norm.
// RUN: mpc-opt %s --pass-pipeline='builtin.module(func.func(canonicalize,nn-find-norms))' | FileCheck %s

// As PyTorch's exporter writes Llama's and T5's, each with a weight. 1/n is a
// number of f32 that is rounded, too.
// CHECK-LABEL: func.func @llama
// CHECK-NEXT: %[[R:.*]] = nn.rms_norm %arg0 scale %arg1 : tensor<6xf32> axis(2) epsilon(9.99{{.*}}E-7) : tensor<2x3x6xf32>
// CHECK-NEXT: return %[[R]]
func.func @llama(%x: tensor<2x3x6xf32>, %w: tensor<6xf32>) -> tensor<2x3x6xf32> {
  %n = nn.constant dense<6.0> : tensor<2x3xf32>
  %eps = nn.constant dense<1.0e-6> : tensor<2x3x1xf32>
  %0 = nn.mul %x, %x : tensor<2x3x6xf32>
  %1 = nn.reduce_sum %0 axes [2] : tensor<2x3x6xf32> -> tensor<2x3xf32>
  %2 = nn.div %1, %n : tensor<2x3xf32>
  %3 = nn.reshape %2 : tensor<2x3xf32> -> tensor<2x3x1xf32>
  %4 = nn.add %3, %eps : tensor<2x3x1xf32>
  %5 = nn.sqrt %4 : tensor<2x3x1xf32>
  %6 = nn.reciprocal %5 : tensor<2x3x1xf32>
  %7 = nn.reshape %6 : tensor<2x3x1xf32> -> tensor<2x3xf32>
  %8 = nn.broadcast %7 axes [0, 1] : tensor<2x3xf32> -> tensor<2x3x6xf32>
  %9 = nn.mul %x, %8 : tensor<2x3x6xf32>
  %10 = nn.broadcast %w axes [2] : tensor<6xf32> -> tensor<2x3x6xf32>
  %11 = nn.mul %10, %9 : tensor<2x3x6xf32>
  return %11 : tensor<2x3x6xf32>
}

// Over two axes, with a root that divides, and a factor of 1/n.
// CHECK-LABEL: func.func @quotient
// CHECK-NEXT: nn.rms_norm %arg0 axis(1) epsilon(1.000000e-03) : tensor<4x3x6xf64>
func.func @quotient(%x: tensor<4x3x6xf64>) -> tensor<4x3x6xf64> {
  %n = nn.constant dense<0.05555555555555555> : tensor<4xf64>
  %eps = nn.constant dense<1.0e-3> : tensor<4xf64>
  %0 = nn.mul %x, %x : tensor<4x3x6xf64>
  %1 = nn.reduce_sum %0 axes [1, 2] : tensor<4x3x6xf64> -> tensor<4xf64>
  %2 = nn.mul %1, %n : tensor<4xf64>
  %3 = nn.add %eps, %2 : tensor<4xf64>
  %4 = nn.sqrt %3 : tensor<4xf64>
  %5 = nn.broadcast %4 axes [0] : tensor<4xf64> -> tensor<4x3x6xf64>
  %6 = nn.div %x, %5 : tensor<4x3x6xf64>
  return %6 : tensor<4x3x6xf64>
}

// What is not one stays: another divisor, the squares of another value, rows
// that come to other places, a mean that something else reads, roundings in
// between.
// CHECK-LABEL: func.func @others
// CHECK-NOT: nn.rms_norm
func.func @others(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %h: tensor<4x4xf16>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf16>) {
  %three = nn.constant dense<3.0> : tensor<4xf32>
  %four = nn.constant dense<4.0> : tensor<4xf32>
  %eps = nn.constant dense<1.0e-3> : tensor<4xf32>
  %0 = nn.mul %x, %x : tensor<4x4xf32>
  %1 = nn.reduce_sum %0 axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  %2 = nn.div %1, %three : tensor<4xf32>
  %3 = nn.add %2, %eps : tensor<4xf32>
  %4 = nn.rsqrt %3 : tensor<4xf32>
  %5 = nn.broadcast %4 axes [0] : tensor<4xf32> -> tensor<4x4xf32>
  %divisor = nn.mul %x, %5 : tensor<4x4xf32>

  %10 = nn.mul %y, %y : tensor<4x4xf32>
  %11 = nn.reduce_sum %10 axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  %12 = nn.div %11, %four : tensor<4xf32>
  %13 = nn.add %12, %eps : tensor<4xf32>
  %14 = nn.rsqrt %13 : tensor<4xf32>
  %15 = nn.broadcast %14 axes [0] : tensor<4xf32> -> tensor<4x4xf32>
  %value = nn.mul %x, %15 : tensor<4x4xf32>

  %20 = nn.mul %x, %x : tensor<4x4xf32>
  %21 = nn.reduce_sum %20 axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  %22 = nn.div %21, %four : tensor<4xf32>
  %23 = nn.add %22, %eps : tensor<4xf32>
  %24 = nn.rsqrt %23 : tensor<4xf32>
  %25 = nn.broadcast %24 axes [1] : tensor<4xf32> -> tensor<4x4xf32>
  %rows = nn.mul %x, %25 : tensor<4x4xf32>

  %30 = nn.mul %y, %y : tensor<4x4xf32>
  %31 = nn.reduce_sum %30 axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  %32 = nn.div %31, %four : tensor<4xf32>
  %33 = nn.add %32, %eps : tensor<4xf32>
  %34 = nn.rsqrt %33 : tensor<4xf32>
  %35 = nn.broadcast %34 axes [0] : tensor<4xf32> -> tensor<4x4xf32>
  %read = nn.mul %y, %35 : tensor<4x4xf32>

  %h4 = nn.constant dense<4.0> : tensor<4xf16>
  %heps = nn.constant dense<1.0e-3> : tensor<4xf16>
  %40 = nn.mul %h, %h : tensor<4x4xf16>
  %41 = nn.reduce_sum %40 axes [1] : tensor<4x4xf16> -> tensor<4xf16>
  %42 = nn.div %41, %h4 : tensor<4xf16>
  %43 = nn.add %42, %heps : tensor<4xf16>
  %44 = nn.rsqrt %43 : tensor<4xf16>
  %45 = nn.broadcast %44 axes [0] : tensor<4xf16> -> tensor<4x4xf16>
  %rounded = nn.mul %h, %45 : tensor<4x4xf16>
  return %divisor, %value, %rows, %read, %34, %rounded
    : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf16>
}

// A scale that differs from row to row stays a product.
// CHECK-LABEL: func.func @scale_of_columns
// CHECK: nn.rms_norm %arg0 axis(1)
// CHECK: nn.mul
func.func @scale_of_columns(%x: tensor<4x4xf32>, %w: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = nn.rms_norm %x axis(1) epsilon(1.0e-3) : tensor<4x4xf32>
  %1 = nn.broadcast %w axes [0] : tensor<4xf32> -> tensor<4x4xf32>
  %2 = nn.mul %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
