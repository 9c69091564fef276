// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @matrix_f32(
    %a: tensor<3x5xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf32>})
    -> (tensor<3x5xf32> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf64>}) {
  %r = nn.stop_gradient %a : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

func.func @matrix_f64(
    %a: tensor<3x5xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf64>})
    -> (tensor<3x5xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf64>}) {
  %r = nn.stop_gradient %a : tensor<3x5xf64>
  return %r : tensor<3x5xf64>
}

func.func @matrix_f16(
    %a: tensor<3x5xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf16>})
    -> (tensor<3x5xf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf64>}) {
  %r = nn.stop_gradient %a : tensor<3x5xf16>
  return %r : tensor<3x5xf16>
}

func.func @matrix_bf16(
    %a: tensor<3x5xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xbf16>})
    -> (tensor<3x5xbf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf64>}) {
  %r = nn.stop_gradient %a : tensor<3x5xbf16>
  return %r : tensor<3x5xbf16>
}

func.func @matrix_i8(
    %a: tensor<3x5xi8> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi8>})
    -> (tensor<3x5xi8> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi8>}) {
  %r = nn.stop_gradient %a : tensor<3x5xi8>
  return %r : tensor<3x5xi8>
}

func.func @matrix_i16(
    %a: tensor<3x5xi16> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi16>})
    -> (tensor<3x5xi16> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi16>}) {
  %r = nn.stop_gradient %a : tensor<3x5xi16>
  return %r : tensor<3x5xi16>
}

func.func @matrix_i32(
    %a: tensor<3x5xi32> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi32>})
    -> (tensor<3x5xi32> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi32>}) {
  %r = nn.stop_gradient %a : tensor<3x5xi32>
  return %r : tensor<3x5xi32>
}

func.func @matrix_i64(
    %a: tensor<3x5xi64> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi64>})
    -> (tensor<3x5xi64> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi64>}) {
  %r = nn.stop_gradient %a : tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func @matrix_ui8(
    %a: tensor<3x5xui8> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui8>})
    -> (tensor<3x5xui8> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui8>}) {
  %r = nn.stop_gradient %a : tensor<3x5xui8>
  return %r : tensor<3x5xui8>
}

func.func @matrix_ui16(
    %a: tensor<3x5xui16> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui16>})
    -> (tensor<3x5xui16> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui16>}) {
  %r = nn.stop_gradient %a : tensor<3x5xui16>
  return %r : tensor<3x5xui16>
}

func.func @matrix_ui32(
    %a: tensor<3x5xui32> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui32>})
    -> (tensor<3x5xui32> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui32>}) {
  %r = nn.stop_gradient %a : tensor<3x5xui32>
  return %r : tensor<3x5xui32>
}

func.func @matrix_ui64(
    %a: tensor<3x5xui64> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui64>})
    -> (tensor<3x5xui64> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui64>}) {
  %r = nn.stop_gradient %a : tensor<3x5xui64>
  return %r : tensor<3x5xui64>
}

func.func @matrix_i1(
    %a: tensor<3x5xi1> {values.are = dense<[[true, false, true, false, true], [false, true, false, true, false], [true, false, true, false, true]]> : tensor<3x5xi1>})
    -> (tensor<3x5xi1> {values.are = dense<[[true, false, true, false, true], [false, true, false, true, false], [true, false, true, false, true]]> : tensor<3x5xi1>}) {
  %r = nn.stop_gradient %a : tensor<3x5xi1>
  return %r : tensor<3x5xi1>
}

func.func private @matrix_vjp_of(%a: tensor<3x5xf32>) -> (tensor<3x5xf32>) {
  %r = nn.stop_gradient %a : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func @matrix_vjp(
    %a: tensor<3x5xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf32>},
    %b: tensor<3x5xf32> {values.are = dense<[[-2.5, -1.5, -0.5, 0.5, 1.5], [2.5, 3.5, 4.5, 5.5, 6.5], [7.5, 8.5, 9.5, 10.5, 11.5]]> : tensor<3x5xf32>})
    -> (tensor<3x5xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf64>},
        tensor<3x5xf32> {values.are = dense<[[0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<3x5xf64>}) {
  %v:2 = nn.vjp @matrix_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x5xf32>), (tensor<3x5xf32>) -> tensor<3x5xf32>, tensor<3x5xf32>
  return %v#0, %v#1 : tensor<3x5xf32>, tensor<3x5xf32>
}
