// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @f32_at_0(
    %a: tensor<3x8xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf32>})
    -> (tensor<4x6xf32> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0], [3.5, 4.0, 4.5, 5.0, 5.5, 6.0], [6.5, 7.0, 7.5, 8.0, 8.5, 9.0], [9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<4x6xf64>}) {
  %r = kernel.view %a[0] : tensor<3x8xf32> -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

func.func @f32_at_7(
    %a: tensor<3x8xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf32>})
    -> (tensor<2x3xf32> {values.are = dense<[[4.0, 4.5, 5.0], [5.5, 6.0, 6.5]]> : tensor<2x3xf64>}) {
  %r = kernel.view %a[7] : tensor<3x8xf32> -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @f32_at_23(
    %a: tensor<3x8xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf32>})
    -> (tensor<f32> {values.are = dense<12.0> : tensor<f64>}) {
  %r = kernel.view %a[23] : tensor<3x8xf32> -> tensor<f32>
  return %r : tensor<f32>
}

func.func @f32_at_24(
    %a: tensor<3x8xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf32>})
    -> (tensor<0xf32> {values.are = dense<> : tensor<0xf64>}) {
  %r = kernel.view %a[24] : tensor<3x8xf32> -> tensor<0xf32>
  return %r : tensor<0xf32>
}

func.func @f64_at_0(
    %a: tensor<3x8xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf64>})
    -> (tensor<4x6xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0], [3.5, 4.0, 4.5, 5.0, 5.5, 6.0], [6.5, 7.0, 7.5, 8.0, 8.5, 9.0], [9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<4x6xf64>}) {
  %r = kernel.view %a[0] : tensor<3x8xf64> -> tensor<4x6xf64>
  return %r : tensor<4x6xf64>
}

func.func @f64_at_7(
    %a: tensor<3x8xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf64>})
    -> (tensor<2x3xf64> {values.are = dense<[[4.0, 4.5, 5.0], [5.5, 6.0, 6.5]]> : tensor<2x3xf64>}) {
  %r = kernel.view %a[7] : tensor<3x8xf64> -> tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}

func.func @f64_at_23(
    %a: tensor<3x8xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf64>})
    -> (tensor<f64> {values.are = dense<12.0> : tensor<f64>}) {
  %r = kernel.view %a[23] : tensor<3x8xf64> -> tensor<f64>
  return %r : tensor<f64>
}

func.func @f64_at_24(
    %a: tensor<3x8xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf64>})
    -> (tensor<0xf64> {values.are = dense<> : tensor<0xf64>}) {
  %r = kernel.view %a[24] : tensor<3x8xf64> -> tensor<0xf64>
  return %r : tensor<0xf64>
}

func.func @f16_at_0(
    %a: tensor<3x8xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf16>})
    -> (tensor<4x6xf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0], [3.5, 4.0, 4.5, 5.0, 5.5, 6.0], [6.5, 7.0, 7.5, 8.0, 8.5, 9.0], [9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<4x6xf64>}) {
  %r = kernel.view %a[0] : tensor<3x8xf16> -> tensor<4x6xf16>
  return %r : tensor<4x6xf16>
}

func.func @f16_at_7(
    %a: tensor<3x8xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf16>})
    -> (tensor<2x3xf16> {values.are = dense<[[4.0, 4.5, 5.0], [5.5, 6.0, 6.5]]> : tensor<2x3xf64>}) {
  %r = kernel.view %a[7] : tensor<3x8xf16> -> tensor<2x3xf16>
  return %r : tensor<2x3xf16>
}

func.func @f16_at_23(
    %a: tensor<3x8xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf16>})
    -> (tensor<f16> {values.are = dense<12.0> : tensor<f64>}) {
  %r = kernel.view %a[23] : tensor<3x8xf16> -> tensor<f16>
  return %r : tensor<f16>
}

func.func @f16_at_24(
    %a: tensor<3x8xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xf16>})
    -> (tensor<0xf16> {values.are = dense<> : tensor<0xf64>}) {
  %r = kernel.view %a[24] : tensor<3x8xf16> -> tensor<0xf16>
  return %r : tensor<0xf16>
}

func.func @bf16_at_0(
    %a: tensor<3x8xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xbf16>})
    -> (tensor<4x6xbf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0], [3.5, 4.0, 4.5, 5.0, 5.5, 6.0], [6.5, 7.0, 7.5, 8.0, 8.5, 9.0], [9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<4x6xf64>}) {
  %r = kernel.view %a[0] : tensor<3x8xbf16> -> tensor<4x6xbf16>
  return %r : tensor<4x6xbf16>
}

func.func @bf16_at_7(
    %a: tensor<3x8xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xbf16>})
    -> (tensor<2x3xbf16> {values.are = dense<[[4.0, 4.5, 5.0], [5.5, 6.0, 6.5]]> : tensor<2x3xf64>}) {
  %r = kernel.view %a[7] : tensor<3x8xbf16> -> tensor<2x3xbf16>
  return %r : tensor<2x3xbf16>
}

func.func @bf16_at_23(
    %a: tensor<3x8xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xbf16>})
    -> (tensor<bf16> {values.are = dense<12.0> : tensor<f64>}) {
  %r = kernel.view %a[23] : tensor<3x8xbf16> -> tensor<bf16>
  return %r : tensor<bf16>
}

func.func @bf16_at_24(
    %a: tensor<3x8xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80, -0.0, 2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0], [8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]]> : tensor<3x8xbf16>})
    -> (tensor<0xbf16> {values.are = dense<> : tensor<0xf64>}) {
  %r = kernel.view %a[24] : tensor<3x8xbf16> -> tensor<0xbf16>
  return %r : tensor<0xbf16>
}

func.func @i8_at_0(
    %a: tensor<3x8xi8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi8>})
    -> (tensor<4x6xi8> {values.are = dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18], [19, 20, 21, 22, 23, 24]]> : tensor<4x6xi8>}) {
  %r = kernel.view %a[0] : tensor<3x8xi8> -> tensor<4x6xi8>
  return %r : tensor<4x6xi8>
}

func.func @i8_at_7(
    %a: tensor<3x8xi8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi8>})
    -> (tensor<2x3xi8> {values.are = dense<[[8, 9, 10], [11, 12, 13]]> : tensor<2x3xi8>}) {
  %r = kernel.view %a[7] : tensor<3x8xi8> -> tensor<2x3xi8>
  return %r : tensor<2x3xi8>
}

func.func @i8_at_23(
    %a: tensor<3x8xi8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi8>})
    -> (tensor<i8> {values.are = dense<24> : tensor<i8>}) {
  %r = kernel.view %a[23] : tensor<3x8xi8> -> tensor<i8>
  return %r : tensor<i8>
}

func.func @i8_at_24(
    %a: tensor<3x8xi8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi8>})
    -> (tensor<0xi8> {values.are = dense<> : tensor<0xi8>}) {
  %r = kernel.view %a[24] : tensor<3x8xi8> -> tensor<0xi8>
  return %r : tensor<0xi8>
}

func.func @i16_at_0(
    %a: tensor<3x8xi16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi16>})
    -> (tensor<4x6xi16> {values.are = dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18], [19, 20, 21, 22, 23, 24]]> : tensor<4x6xi16>}) {
  %r = kernel.view %a[0] : tensor<3x8xi16> -> tensor<4x6xi16>
  return %r : tensor<4x6xi16>
}

func.func @i16_at_7(
    %a: tensor<3x8xi16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi16>})
    -> (tensor<2x3xi16> {values.are = dense<[[8, 9, 10], [11, 12, 13]]> : tensor<2x3xi16>}) {
  %r = kernel.view %a[7] : tensor<3x8xi16> -> tensor<2x3xi16>
  return %r : tensor<2x3xi16>
}

func.func @i16_at_23(
    %a: tensor<3x8xi16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi16>})
    -> (tensor<i16> {values.are = dense<24> : tensor<i16>}) {
  %r = kernel.view %a[23] : tensor<3x8xi16> -> tensor<i16>
  return %r : tensor<i16>
}

func.func @i16_at_24(
    %a: tensor<3x8xi16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi16>})
    -> (tensor<0xi16> {values.are = dense<> : tensor<0xi16>}) {
  %r = kernel.view %a[24] : tensor<3x8xi16> -> tensor<0xi16>
  return %r : tensor<0xi16>
}

func.func @i32_at_0(
    %a: tensor<3x8xi32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi32>})
    -> (tensor<4x6xi32> {values.are = dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18], [19, 20, 21, 22, 23, 24]]> : tensor<4x6xi32>}) {
  %r = kernel.view %a[0] : tensor<3x8xi32> -> tensor<4x6xi32>
  return %r : tensor<4x6xi32>
}

func.func @i32_at_7(
    %a: tensor<3x8xi32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi32>})
    -> (tensor<2x3xi32> {values.are = dense<[[8, 9, 10], [11, 12, 13]]> : tensor<2x3xi32>}) {
  %r = kernel.view %a[7] : tensor<3x8xi32> -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

func.func @i32_at_23(
    %a: tensor<3x8xi32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi32>})
    -> (tensor<i32> {values.are = dense<24> : tensor<i32>}) {
  %r = kernel.view %a[23] : tensor<3x8xi32> -> tensor<i32>
  return %r : tensor<i32>
}

func.func @i32_at_24(
    %a: tensor<3x8xi32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi32>})
    -> (tensor<0xi32> {values.are = dense<> : tensor<0xi32>}) {
  %r = kernel.view %a[24] : tensor<3x8xi32> -> tensor<0xi32>
  return %r : tensor<0xi32>
}

func.func @i64_at_0(
    %a: tensor<3x8xi64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi64>})
    -> (tensor<4x6xi64> {values.are = dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18], [19, 20, 21, 22, 23, 24]]> : tensor<4x6xi64>}) {
  %r = kernel.view %a[0] : tensor<3x8xi64> -> tensor<4x6xi64>
  return %r : tensor<4x6xi64>
}

func.func @i64_at_7(
    %a: tensor<3x8xi64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi64>})
    -> (tensor<2x3xi64> {values.are = dense<[[8, 9, 10], [11, 12, 13]]> : tensor<2x3xi64>}) {
  %r = kernel.view %a[7] : tensor<3x8xi64> -> tensor<2x3xi64>
  return %r : tensor<2x3xi64>
}

func.func @i64_at_23(
    %a: tensor<3x8xi64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi64>})
    -> (tensor<i64> {values.are = dense<24> : tensor<i64>}) {
  %r = kernel.view %a[23] : tensor<3x8xi64> -> tensor<i64>
  return %r : tensor<i64>
}

func.func @i64_at_24(
    %a: tensor<3x8xi64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xi64>})
    -> (tensor<0xi64> {values.are = dense<> : tensor<0xi64>}) {
  %r = kernel.view %a[24] : tensor<3x8xi64> -> tensor<0xi64>
  return %r : tensor<0xi64>
}

func.func @ui8_at_0(
    %a: tensor<3x8xui8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui8>})
    -> (tensor<4x6xui8> {values.are = dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18], [19, 20, 21, 22, 23, 24]]> : tensor<4x6xui8>}) {
  %r = kernel.view %a[0] : tensor<3x8xui8> -> tensor<4x6xui8>
  return %r : tensor<4x6xui8>
}

func.func @ui8_at_7(
    %a: tensor<3x8xui8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui8>})
    -> (tensor<2x3xui8> {values.are = dense<[[8, 9, 10], [11, 12, 13]]> : tensor<2x3xui8>}) {
  %r = kernel.view %a[7] : tensor<3x8xui8> -> tensor<2x3xui8>
  return %r : tensor<2x3xui8>
}

func.func @ui8_at_23(
    %a: tensor<3x8xui8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui8>})
    -> (tensor<ui8> {values.are = dense<24> : tensor<ui8>}) {
  %r = kernel.view %a[23] : tensor<3x8xui8> -> tensor<ui8>
  return %r : tensor<ui8>
}

func.func @ui8_at_24(
    %a: tensor<3x8xui8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui8>})
    -> (tensor<0xui8> {values.are = dense<> : tensor<0xui8>}) {
  %r = kernel.view %a[24] : tensor<3x8xui8> -> tensor<0xui8>
  return %r : tensor<0xui8>
}

func.func @ui16_at_0(
    %a: tensor<3x8xui16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui16>})
    -> (tensor<4x6xui16> {values.are = dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18], [19, 20, 21, 22, 23, 24]]> : tensor<4x6xui16>}) {
  %r = kernel.view %a[0] : tensor<3x8xui16> -> tensor<4x6xui16>
  return %r : tensor<4x6xui16>
}

func.func @ui16_at_7(
    %a: tensor<3x8xui16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui16>})
    -> (tensor<2x3xui16> {values.are = dense<[[8, 9, 10], [11, 12, 13]]> : tensor<2x3xui16>}) {
  %r = kernel.view %a[7] : tensor<3x8xui16> -> tensor<2x3xui16>
  return %r : tensor<2x3xui16>
}

func.func @ui16_at_23(
    %a: tensor<3x8xui16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui16>})
    -> (tensor<ui16> {values.are = dense<24> : tensor<ui16>}) {
  %r = kernel.view %a[23] : tensor<3x8xui16> -> tensor<ui16>
  return %r : tensor<ui16>
}

func.func @ui16_at_24(
    %a: tensor<3x8xui16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui16>})
    -> (tensor<0xui16> {values.are = dense<> : tensor<0xui16>}) {
  %r = kernel.view %a[24] : tensor<3x8xui16> -> tensor<0xui16>
  return %r : tensor<0xui16>
}

func.func @ui32_at_0(
    %a: tensor<3x8xui32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui32>})
    -> (tensor<4x6xui32> {values.are = dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18], [19, 20, 21, 22, 23, 24]]> : tensor<4x6xui32>}) {
  %r = kernel.view %a[0] : tensor<3x8xui32> -> tensor<4x6xui32>
  return %r : tensor<4x6xui32>
}

func.func @ui32_at_7(
    %a: tensor<3x8xui32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui32>})
    -> (tensor<2x3xui32> {values.are = dense<[[8, 9, 10], [11, 12, 13]]> : tensor<2x3xui32>}) {
  %r = kernel.view %a[7] : tensor<3x8xui32> -> tensor<2x3xui32>
  return %r : tensor<2x3xui32>
}

func.func @ui32_at_23(
    %a: tensor<3x8xui32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui32>})
    -> (tensor<ui32> {values.are = dense<24> : tensor<ui32>}) {
  %r = kernel.view %a[23] : tensor<3x8xui32> -> tensor<ui32>
  return %r : tensor<ui32>
}

func.func @ui32_at_24(
    %a: tensor<3x8xui32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui32>})
    -> (tensor<0xui32> {values.are = dense<> : tensor<0xui32>}) {
  %r = kernel.view %a[24] : tensor<3x8xui32> -> tensor<0xui32>
  return %r : tensor<0xui32>
}

func.func @ui64_at_0(
    %a: tensor<3x8xui64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui64>})
    -> (tensor<4x6xui64> {values.are = dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18], [19, 20, 21, 22, 23, 24]]> : tensor<4x6xui64>}) {
  %r = kernel.view %a[0] : tensor<3x8xui64> -> tensor<4x6xui64>
  return %r : tensor<4x6xui64>
}

func.func @ui64_at_7(
    %a: tensor<3x8xui64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui64>})
    -> (tensor<2x3xui64> {values.are = dense<[[8, 9, 10], [11, 12, 13]]> : tensor<2x3xui64>}) {
  %r = kernel.view %a[7] : tensor<3x8xui64> -> tensor<2x3xui64>
  return %r : tensor<2x3xui64>
}

func.func @ui64_at_23(
    %a: tensor<3x8xui64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui64>})
    -> (tensor<ui64> {values.are = dense<24> : tensor<ui64>}) {
  %r = kernel.view %a[23] : tensor<3x8xui64> -> tensor<ui64>
  return %r : tensor<ui64>
}

func.func @ui64_at_24(
    %a: tensor<3x8xui64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], [17, 18, 19, 20, 21, 22, 23, 24]]> : tensor<3x8xui64>})
    -> (tensor<0xui64> {values.are = dense<> : tensor<0xui64>}) {
  %r = kernel.view %a[24] : tensor<3x8xui64> -> tensor<0xui64>
  return %r : tensor<0xui64>
}

func.func @i1_at_0(
    %a: tensor<3x8xi1> {values.are = dense<[[true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false]]> : tensor<3x8xi1>})
    -> (tensor<4x6xi1> {values.are = dense<[[true, false, true, false, true, false], [true, false, true, false, true, false], [true, false, true, false, true, false], [true, false, true, false, true, false]]> : tensor<4x6xi1>}) {
  %r = kernel.view %a[0] : tensor<3x8xi1> -> tensor<4x6xi1>
  return %r : tensor<4x6xi1>
}

func.func @i1_at_7(
    %a: tensor<3x8xi1> {values.are = dense<[[true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false]]> : tensor<3x8xi1>})
    -> (tensor<2x3xi1> {values.are = dense<[[false, true, false], [true, false, true]]> : tensor<2x3xi1>}) {
  %r = kernel.view %a[7] : tensor<3x8xi1> -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

func.func @i1_at_23(
    %a: tensor<3x8xi1> {values.are = dense<[[true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false]]> : tensor<3x8xi1>})
    -> (tensor<i1> {values.are = dense<false> : tensor<i1>}) {
  %r = kernel.view %a[23] : tensor<3x8xi1> -> tensor<i1>
  return %r : tensor<i1>
}

func.func @i1_at_24(
    %a: tensor<3x8xi1> {values.are = dense<[[true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false]]> : tensor<3x8xi1>})
    -> (tensor<0xi1> {values.are = dense<> : tensor<0xi1>}) {
  %r = kernel.view %a[24] : tensor<3x8xi1> -> tensor<0xi1>
  return %r : tensor<0xi1>
}
