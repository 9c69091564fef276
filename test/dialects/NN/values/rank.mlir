// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @ascending_f32(
    %a: tensor<3x5xf32> {values.are = dense<[[3.0, -1.0, 2.0, -1.0, 7.0], [0.0, 0.0, 0.0, 5.0, -4.0], [0x7FC00000, 1.0, 0xFF800000, 0x7FC00000, 0x7F800000]]> : tensor<3x5xf32>})
    -> (tensor<3x5xi64> {values.are = dense<[[3, 0, 2, 1, 4], [1, 2, 3, 4, 0], [3, 1, 0, 4, 2]]> : tensor<3x5xi64>}) {
  %r = nn.rank %a : tensor<3x5xf32> -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func @descending_f32(
    %a: tensor<3x5xf32> {values.are = dense<[[3.0, -1.0, 2.0, -1.0, 7.0], [0.0, 0.0, 0.0, 5.0, -4.0], [0x7FC00000, 1.0, 0xFF800000, 0x7FC00000, 0x7F800000]]> : tensor<3x5xf32>})
    -> (tensor<3x5xi64> {values.are = dense<[[1, 3, 2, 4, 0], [1, 2, 3, 0, 4], [0, 3, 4, 1, 2]]> : tensor<3x5xi64>}) {
  %r = nn.rank %a descending : tensor<3x5xf32> -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func @ascending_f64(
    %a: tensor<3x5xf64> {values.are = dense<[[3.0, -1.0, 2.0, -1.0, 7.0], [0.0, 0.0, 0.0, 5.0, -4.0], [0x7FF8000000000000, 1.0, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF0000000000000]]> : tensor<3x5xf64>})
    -> (tensor<3x5xi64> {values.are = dense<[[3, 0, 2, 1, 4], [1, 2, 3, 4, 0], [3, 1, 0, 4, 2]]> : tensor<3x5xi64>}) {
  %r = nn.rank %a : tensor<3x5xf64> -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func @descending_f64(
    %a: tensor<3x5xf64> {values.are = dense<[[3.0, -1.0, 2.0, -1.0, 7.0], [0.0, 0.0, 0.0, 5.0, -4.0], [0x7FF8000000000000, 1.0, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF0000000000000]]> : tensor<3x5xf64>})
    -> (tensor<3x5xi64> {values.are = dense<[[1, 3, 2, 4, 0], [1, 2, 3, 0, 4], [0, 3, 4, 1, 2]]> : tensor<3x5xi64>}) {
  %r = nn.rank %a descending : tensor<3x5xf64> -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func @ascending_f16(
    %a: tensor<3x5xf16> {values.are = dense<[[3.0, -1.0, 2.0, -1.0, 7.0], [0.0, 0.0, 0.0, 5.0, -4.0], [0x7E00, 1.0, 0xFC00, 0x7E00, 0x7C00]]> : tensor<3x5xf16>})
    -> (tensor<3x5xi64> {values.are = dense<[[3, 0, 2, 1, 4], [1, 2, 3, 4, 0], [3, 1, 0, 4, 2]]> : tensor<3x5xi64>}) {
  %r = nn.rank %a : tensor<3x5xf16> -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func @descending_f16(
    %a: tensor<3x5xf16> {values.are = dense<[[3.0, -1.0, 2.0, -1.0, 7.0], [0.0, 0.0, 0.0, 5.0, -4.0], [0x7E00, 1.0, 0xFC00, 0x7E00, 0x7C00]]> : tensor<3x5xf16>})
    -> (tensor<3x5xi64> {values.are = dense<[[1, 3, 2, 4, 0], [1, 2, 3, 0, 4], [0, 3, 4, 1, 2]]> : tensor<3x5xi64>}) {
  %r = nn.rank %a descending : tensor<3x5xf16> -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func @ascending_bf16(
    %a: tensor<3x5xbf16> {values.are = dense<[[3.0, -1.0, 2.0, -1.0, 7.0], [0.0, 0.0, 0.0, 5.0, -4.0], [0x7FC0, 1.0, 0xFF80, 0x7FC0, 0x7F80]]> : tensor<3x5xbf16>})
    -> (tensor<3x5xi64> {values.are = dense<[[3, 0, 2, 1, 4], [1, 2, 3, 4, 0], [3, 1, 0, 4, 2]]> : tensor<3x5xi64>}) {
  %r = nn.rank %a : tensor<3x5xbf16> -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func @descending_bf16(
    %a: tensor<3x5xbf16> {values.are = dense<[[3.0, -1.0, 2.0, -1.0, 7.0], [0.0, 0.0, 0.0, 5.0, -4.0], [0x7FC0, 1.0, 0xFF80, 0x7FC0, 0x7F80]]> : tensor<3x5xbf16>})
    -> (tensor<3x5xi64> {values.are = dense<[[1, 3, 2, 4, 0], [1, 2, 3, 0, 4], [0, 3, 4, 1, 2]]> : tensor<3x5xi64>}) {
  %r = nn.rank %a descending : tensor<3x5xbf16> -> tensor<3x5xi64>
  return %r : tensor<3x5xi64>
}

func.func @ascending_i8(
    %a: tensor<2x5xi8> {values.are = dense<[[3, -1, 2, -1, 7], [0, 0, 0, 5, -4]]> : tensor<2x5xi8>})
    -> (tensor<2x5xi64> {values.are = dense<[[3, 0, 2, 1, 4], [1, 2, 3, 4, 0]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a : tensor<2x5xi8> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @descending_i8(
    %a: tensor<2x5xi8> {values.are = dense<[[3, -1, 2, -1, 7], [0, 0, 0, 5, -4]]> : tensor<2x5xi8>})
    -> (tensor<2x5xi64> {values.are = dense<[[1, 3, 2, 4, 0], [1, 2, 3, 0, 4]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a descending : tensor<2x5xi8> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @ascending_i16(
    %a: tensor<2x5xi16> {values.are = dense<[[3, -1, 2, -1, 7], [0, 0, 0, 5, -4]]> : tensor<2x5xi16>})
    -> (tensor<2x5xi64> {values.are = dense<[[3, 0, 2, 1, 4], [1, 2, 3, 4, 0]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a : tensor<2x5xi16> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @descending_i16(
    %a: tensor<2x5xi16> {values.are = dense<[[3, -1, 2, -1, 7], [0, 0, 0, 5, -4]]> : tensor<2x5xi16>})
    -> (tensor<2x5xi64> {values.are = dense<[[1, 3, 2, 4, 0], [1, 2, 3, 0, 4]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a descending : tensor<2x5xi16> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @ascending_i32(
    %a: tensor<2x5xi32> {values.are = dense<[[3, -1, 2, -1, 7], [0, 0, 0, 5, -4]]> : tensor<2x5xi32>})
    -> (tensor<2x5xi64> {values.are = dense<[[3, 0, 2, 1, 4], [1, 2, 3, 4, 0]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a : tensor<2x5xi32> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @descending_i32(
    %a: tensor<2x5xi32> {values.are = dense<[[3, -1, 2, -1, 7], [0, 0, 0, 5, -4]]> : tensor<2x5xi32>})
    -> (tensor<2x5xi64> {values.are = dense<[[1, 3, 2, 4, 0], [1, 2, 3, 0, 4]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a descending : tensor<2x5xi32> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @ascending_i64(
    %a: tensor<2x5xi64> {values.are = dense<[[3, -1, 2, -1, 7], [0, 0, 0, 5, -4]]> : tensor<2x5xi64>})
    -> (tensor<2x5xi64> {values.are = dense<[[3, 0, 2, 1, 4], [1, 2, 3, 4, 0]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a : tensor<2x5xi64> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @descending_i64(
    %a: tensor<2x5xi64> {values.are = dense<[[3, -1, 2, -1, 7], [0, 0, 0, 5, -4]]> : tensor<2x5xi64>})
    -> (tensor<2x5xi64> {values.are = dense<[[1, 3, 2, 4, 0], [1, 2, 3, 0, 4]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a descending : tensor<2x5xi64> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @ascending_ui8(
    %a: tensor<2x5xui8> {values.are = dense<[[3, 255, 2, 255, 7], [0, 0, 0, 5, 252]]> : tensor<2x5xui8>})
    -> (tensor<2x5xi64> {values.are = dense<[[1, 3, 0, 4, 2], [0, 1, 2, 3, 4]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a : tensor<2x5xui8> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @descending_ui8(
    %a: tensor<2x5xui8> {values.are = dense<[[3, 255, 2, 255, 7], [0, 0, 0, 5, 252]]> : tensor<2x5xui8>})
    -> (tensor<2x5xi64> {values.are = dense<[[3, 0, 4, 1, 2], [2, 3, 4, 1, 0]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a descending : tensor<2x5xui8> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @ascending_ui16(
    %a: tensor<2x5xui16> {values.are = dense<[[3, 65535, 2, 65535, 7], [0, 0, 0, 5, 65532]]> : tensor<2x5xui16>})
    -> (tensor<2x5xi64> {values.are = dense<[[1, 3, 0, 4, 2], [0, 1, 2, 3, 4]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a : tensor<2x5xui16> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @descending_ui16(
    %a: tensor<2x5xui16> {values.are = dense<[[3, 65535, 2, 65535, 7], [0, 0, 0, 5, 65532]]> : tensor<2x5xui16>})
    -> (tensor<2x5xi64> {values.are = dense<[[3, 0, 4, 1, 2], [2, 3, 4, 1, 0]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a descending : tensor<2x5xui16> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @ascending_ui32(
    %a: tensor<2x5xui32> {values.are = dense<[[3, 4294967295, 2, 4294967295, 7], [0, 0, 0, 5, 4294967292]]> : tensor<2x5xui32>})
    -> (tensor<2x5xi64> {values.are = dense<[[1, 3, 0, 4, 2], [0, 1, 2, 3, 4]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a : tensor<2x5xui32> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @descending_ui32(
    %a: tensor<2x5xui32> {values.are = dense<[[3, 4294967295, 2, 4294967295, 7], [0, 0, 0, 5, 4294967292]]> : tensor<2x5xui32>})
    -> (tensor<2x5xi64> {values.are = dense<[[3, 0, 4, 1, 2], [2, 3, 4, 1, 0]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a descending : tensor<2x5xui32> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @ascending_ui64(
    %a: tensor<2x5xui64> {values.are = dense<[[3, 18446744073709551615, 2, 18446744073709551615, 7], [0, 0, 0, 5, 18446744073709551612]]> : tensor<2x5xui64>})
    -> (tensor<2x5xi64> {values.are = dense<[[1, 3, 0, 4, 2], [0, 1, 2, 3, 4]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a : tensor<2x5xui64> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}

func.func @descending_ui64(
    %a: tensor<2x5xui64> {values.are = dense<[[3, 18446744073709551615, 2, 18446744073709551615, 7], [0, 0, 0, 5, 18446744073709551612]]> : tensor<2x5xui64>})
    -> (tensor<2x5xi64> {values.are = dense<[[3, 0, 4, 1, 2], [2, 3, 4, 1, 0]]> : tensor<2x5xi64>}) {
  %r = nn.rank %a descending : tensor<2x5xui64> -> tensor<2x5xi64>
  return %r : tensor<2x5xi64>
}
