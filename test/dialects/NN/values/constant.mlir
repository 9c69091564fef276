// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @f32(
    %a: tensor<2x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf32>})
    -> (tensor<2x3xf32> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>},
        tensor<3x2xf32> {values.are = dense<[[0.5, 0x7FF8000000000000], [0xFFF0000000000000, -0.0], [2.5, 3.0]]> : tensor<3x2xf64>}) {
  %r0 = nn.constant dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf32>
  %r1 = nn.reshape %a : tensor<2x3xf32> -> tensor<3x2xf32>
  return %r0, %r1 : tensor<2x3xf32>, tensor<3x2xf32>
}

func.func @splat_f32(
    %a: tensor<2x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf32>})
    -> (tensor<4xf32> {values.are = dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf64>},
        tensor<3x2xf32> {values.are = dense<[[0.5, 0x7FF8000000000000], [0xFFF0000000000000, -0.0], [2.5, 3.0]]> : tensor<3x2xf64>}) {
  %r0 = nn.constant dense<1.0> : tensor<4xf32>
  %r1 = nn.reshape %a : tensor<2x3xf32> -> tensor<3x2xf32>
  return %r0, %r1 : tensor<4xf32>, tensor<3x2xf32>
}

func.func @f64(
    %a: tensor<2x3xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>})
    -> (tensor<2x3xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>},
        tensor<3x2xf64> {values.are = dense<[[0.5, 0x7FF8000000000000], [0xFFF0000000000000, -0.0], [2.5, 3.0]]> : tensor<3x2xf64>}) {
  %r0 = nn.constant dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>
  %r1 = nn.reshape %a : tensor<2x3xf64> -> tensor<3x2xf64>
  return %r0, %r1 : tensor<2x3xf64>, tensor<3x2xf64>
}

func.func @splat_f64(
    %a: tensor<2x3xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>})
    -> (tensor<4xf64> {values.are = dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf64>},
        tensor<3x2xf64> {values.are = dense<[[0.5, 0x7FF8000000000000], [0xFFF0000000000000, -0.0], [2.5, 3.0]]> : tensor<3x2xf64>}) {
  %r0 = nn.constant dense<1.0> : tensor<4xf64>
  %r1 = nn.reshape %a : tensor<2x3xf64> -> tensor<3x2xf64>
  return %r0, %r1 : tensor<4xf64>, tensor<3x2xf64>
}

func.func @f16(
    %a: tensor<2x3xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00], [-0.0, 2.5, 3.0]]> : tensor<2x3xf16>})
    -> (tensor<2x3xf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>},
        tensor<3x2xf16> {values.are = dense<[[0.5, 0x7FF8000000000000], [0xFFF0000000000000, -0.0], [2.5, 3.0]]> : tensor<3x2xf64>}) {
  %r0 = nn.constant dense<[[0.5, 0x7E00, 0xFC00], [-0.0, 2.5, 3.0]]> : tensor<2x3xf16>
  %r1 = nn.reshape %a : tensor<2x3xf16> -> tensor<3x2xf16>
  return %r0, %r1 : tensor<2x3xf16>, tensor<3x2xf16>
}

func.func @splat_f16(
    %a: tensor<2x3xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00], [-0.0, 2.5, 3.0]]> : tensor<2x3xf16>})
    -> (tensor<4xf16> {values.are = dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf64>},
        tensor<3x2xf16> {values.are = dense<[[0.5, 0x7FF8000000000000], [0xFFF0000000000000, -0.0], [2.5, 3.0]]> : tensor<3x2xf64>}) {
  %r0 = nn.constant dense<1.0> : tensor<4xf16>
  %r1 = nn.reshape %a : tensor<2x3xf16> -> tensor<3x2xf16>
  return %r0, %r1 : tensor<4xf16>, tensor<3x2xf16>
}

func.func @bf16(
    %a: tensor<2x3xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80], [-0.0, 2.5, 3.0]]> : tensor<2x3xbf16>})
    -> (tensor<2x3xbf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>},
        tensor<3x2xbf16> {values.are = dense<[[0.5, 0x7FF8000000000000], [0xFFF0000000000000, -0.0], [2.5, 3.0]]> : tensor<3x2xf64>}) {
  %r0 = nn.constant dense<[[0.5, 0x7FC0, 0xFF80], [-0.0, 2.5, 3.0]]> : tensor<2x3xbf16>
  %r1 = nn.reshape %a : tensor<2x3xbf16> -> tensor<3x2xbf16>
  return %r0, %r1 : tensor<2x3xbf16>, tensor<3x2xbf16>
}

func.func @splat_bf16(
    %a: tensor<2x3xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80], [-0.0, 2.5, 3.0]]> : tensor<2x3xbf16>})
    -> (tensor<4xbf16> {values.are = dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf64>},
        tensor<3x2xbf16> {values.are = dense<[[0.5, 0x7FF8000000000000], [0xFFF0000000000000, -0.0], [2.5, 3.0]]> : tensor<3x2xf64>}) {
  %r0 = nn.constant dense<1.0> : tensor<4xbf16>
  %r1 = nn.reshape %a : tensor<2x3xbf16> -> tensor<3x2xbf16>
  return %r0, %r1 : tensor<4xbf16>, tensor<3x2xbf16>
}

func.func @i8(
    %a: tensor<2x3xi8> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>})
    -> (tensor<2x3xi8> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>},
        tensor<3x2xi8> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>}) {
  %r0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %r1 = nn.reshape %a : tensor<2x3xi8> -> tensor<3x2xi8>
  return %r0, %r1 : tensor<2x3xi8>, tensor<3x2xi8>
}

func.func @splat_i8(
    %a: tensor<2x3xi8> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>})
    -> (tensor<4xi8> {values.are = dense<[1, 1, 1, 1]> : tensor<4xi8>},
        tensor<3x2xi8> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>}) {
  %r0 = nn.constant dense<1> : tensor<4xi8>
  %r1 = nn.reshape %a : tensor<2x3xi8> -> tensor<3x2xi8>
  return %r0, %r1 : tensor<4xi8>, tensor<3x2xi8>
}

func.func @i16(
    %a: tensor<2x3xi16> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>})
    -> (tensor<2x3xi16> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>},
        tensor<3x2xi16> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>}) {
  %r0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>
  %r1 = nn.reshape %a : tensor<2x3xi16> -> tensor<3x2xi16>
  return %r0, %r1 : tensor<2x3xi16>, tensor<3x2xi16>
}

func.func @splat_i16(
    %a: tensor<2x3xi16> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>})
    -> (tensor<4xi16> {values.are = dense<[1, 1, 1, 1]> : tensor<4xi16>},
        tensor<3x2xi16> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>}) {
  %r0 = nn.constant dense<1> : tensor<4xi16>
  %r1 = nn.reshape %a : tensor<2x3xi16> -> tensor<3x2xi16>
  return %r0, %r1 : tensor<4xi16>, tensor<3x2xi16>
}

func.func @i32(
    %a: tensor<2x3xi32> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>})
    -> (tensor<2x3xi32> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>},
        tensor<3x2xi32> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>}) {
  %r0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r1 = nn.reshape %a : tensor<2x3xi32> -> tensor<3x2xi32>
  return %r0, %r1 : tensor<2x3xi32>, tensor<3x2xi32>
}

func.func @splat_i32(
    %a: tensor<2x3xi32> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>})
    -> (tensor<4xi32> {values.are = dense<[1, 1, 1, 1]> : tensor<4xi32>},
        tensor<3x2xi32> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>}) {
  %r0 = nn.constant dense<1> : tensor<4xi32>
  %r1 = nn.reshape %a : tensor<2x3xi32> -> tensor<3x2xi32>
  return %r0, %r1 : tensor<4xi32>, tensor<3x2xi32>
}

func.func @i64(
    %a: tensor<2x3xi64> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>})
    -> (tensor<2x3xi64> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>},
        tensor<3x2xi64> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>}) {
  %r0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %r1 = nn.reshape %a : tensor<2x3xi64> -> tensor<3x2xi64>
  return %r0, %r1 : tensor<2x3xi64>, tensor<3x2xi64>
}

func.func @splat_i64(
    %a: tensor<2x3xi64> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>})
    -> (tensor<4xi64> {values.are = dense<[1, 1, 1, 1]> : tensor<4xi64>},
        tensor<3x2xi64> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>}) {
  %r0 = nn.constant dense<1> : tensor<4xi64>
  %r1 = nn.reshape %a : tensor<2x3xi64> -> tensor<3x2xi64>
  return %r0, %r1 : tensor<4xi64>, tensor<3x2xi64>
}

func.func @ui8(
    %a: tensor<2x3xui8> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui8>})
    -> (tensor<2x3xui8> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui8>},
        tensor<3x2xui8> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui8>}) {
  %r0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui8>
  %r1 = nn.reshape %a : tensor<2x3xui8> -> tensor<3x2xui8>
  return %r0, %r1 : tensor<2x3xui8>, tensor<3x2xui8>
}

func.func @splat_ui8(
    %a: tensor<2x3xui8> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui8>})
    -> (tensor<4xui8> {values.are = dense<[1, 1, 1, 1]> : tensor<4xui8>},
        tensor<3x2xui8> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui8>}) {
  %r0 = nn.constant dense<1> : tensor<4xui8>
  %r1 = nn.reshape %a : tensor<2x3xui8> -> tensor<3x2xui8>
  return %r0, %r1 : tensor<4xui8>, tensor<3x2xui8>
}

func.func @ui16(
    %a: tensor<2x3xui16> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui16>})
    -> (tensor<2x3xui16> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui16>},
        tensor<3x2xui16> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui16>}) {
  %r0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui16>
  %r1 = nn.reshape %a : tensor<2x3xui16> -> tensor<3x2xui16>
  return %r0, %r1 : tensor<2x3xui16>, tensor<3x2xui16>
}

func.func @splat_ui16(
    %a: tensor<2x3xui16> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui16>})
    -> (tensor<4xui16> {values.are = dense<[1, 1, 1, 1]> : tensor<4xui16>},
        tensor<3x2xui16> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui16>}) {
  %r0 = nn.constant dense<1> : tensor<4xui16>
  %r1 = nn.reshape %a : tensor<2x3xui16> -> tensor<3x2xui16>
  return %r0, %r1 : tensor<4xui16>, tensor<3x2xui16>
}

func.func @ui32(
    %a: tensor<2x3xui32> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui32>})
    -> (tensor<2x3xui32> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui32>},
        tensor<3x2xui32> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui32>}) {
  %r0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui32>
  %r1 = nn.reshape %a : tensor<2x3xui32> -> tensor<3x2xui32>
  return %r0, %r1 : tensor<2x3xui32>, tensor<3x2xui32>
}

func.func @splat_ui32(
    %a: tensor<2x3xui32> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui32>})
    -> (tensor<4xui32> {values.are = dense<[1, 1, 1, 1]> : tensor<4xui32>},
        tensor<3x2xui32> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui32>}) {
  %r0 = nn.constant dense<1> : tensor<4xui32>
  %r1 = nn.reshape %a : tensor<2x3xui32> -> tensor<3x2xui32>
  return %r0, %r1 : tensor<4xui32>, tensor<3x2xui32>
}

func.func @ui64(
    %a: tensor<2x3xui64> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui64>})
    -> (tensor<2x3xui64> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui64>},
        tensor<3x2xui64> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui64>}) {
  %r0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui64>
  %r1 = nn.reshape %a : tensor<2x3xui64> -> tensor<3x2xui64>
  return %r0, %r1 : tensor<2x3xui64>, tensor<3x2xui64>
}

func.func @splat_ui64(
    %a: tensor<2x3xui64> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui64>})
    -> (tensor<4xui64> {values.are = dense<[1, 1, 1, 1]> : tensor<4xui64>},
        tensor<3x2xui64> {values.are = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui64>}) {
  %r0 = nn.constant dense<1> : tensor<4xui64>
  %r1 = nn.reshape %a : tensor<2x3xui64> -> tensor<3x2xui64>
  return %r0, %r1 : tensor<4xui64>, tensor<3x2xui64>
}

func.func @i1(
    %a: tensor<2x3xi1> {values.are = dense<[[true, false, true], [false, true, false]]> : tensor<2x3xi1>})
    -> (tensor<2x3xi1> {values.are = dense<[[true, false, true], [false, true, false]]> : tensor<2x3xi1>},
        tensor<3x2xi1> {values.are = dense<[[true, false], [true, false], [true, false]]> : tensor<3x2xi1>}) {
  %r0 = nn.constant dense<[[true, false, true], [false, true, false]]> : tensor<2x3xi1>
  %r1 = nn.reshape %a : tensor<2x3xi1> -> tensor<3x2xi1>
  return %r0, %r1 : tensor<2x3xi1>, tensor<3x2xi1>
}

func.func @splat_i1(
    %a: tensor<2x3xi1> {values.are = dense<[[true, false, true], [false, true, false]]> : tensor<2x3xi1>})
    -> (tensor<4xi1> {values.are = dense<[true, true, true, true]> : tensor<4xi1>},
        tensor<3x2xi1> {values.are = dense<[[true, false], [true, false], [true, false]]> : tensor<3x2xi1>}) {
  %r0 = nn.constant dense<true> : tensor<4xi1>
  %r1 = nn.reshape %a : tensor<2x3xi1> -> tensor<3x2xi1>
  return %r0, %r1 : tensor<4xi1>, tensor<3x2xi1>
}
