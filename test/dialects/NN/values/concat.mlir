// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @axis_1_f32(
    %a: tensor<2x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf32>},
    %b: tensor<2x1xf32> {values.are = dense<[[0.5], [1.0]]> : tensor<2x1xf32>},
    %c: tensor<2x4xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0], [2.5, 3.0, 3.5, 4.0]]> : tensor<2x4xf32>})
    -> (tensor<2x8xf32> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, 0.5, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0], [-0.0, 2.5, 3.0, 1.0, 2.5, 3.0, 3.5, 4.0]]> : tensor<2x8xf64>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x4xf32> -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

func.func @axis_1_f64(
    %a: tensor<2x3xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>},
    %b: tensor<2x1xf64> {values.are = dense<[[0.5], [1.0]]> : tensor<2x1xf64>},
    %c: tensor<2x4xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0], [2.5, 3.0, 3.5, 4.0]]> : tensor<2x4xf64>})
    -> (tensor<2x8xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, 0.5, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0], [-0.0, 2.5, 3.0, 1.0, 2.5, 3.0, 3.5, 4.0]]> : tensor<2x8xf64>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x4xf64> -> tensor<2x8xf64>
  return %r : tensor<2x8xf64>
}

func.func @axis_1_f16(
    %a: tensor<2x3xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00], [-0.0, 2.5, 3.0]]> : tensor<2x3xf16>},
    %b: tensor<2x1xf16> {values.are = dense<[[0.5], [1.0]]> : tensor<2x1xf16>},
    %c: tensor<2x4xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0], [2.5, 3.0, 3.5, 4.0]]> : tensor<2x4xf16>})
    -> (tensor<2x8xf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, 0.5, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0], [-0.0, 2.5, 3.0, 1.0, 2.5, 3.0, 3.5, 4.0]]> : tensor<2x8xf64>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xf16>, tensor<2x1xf16>, tensor<2x4xf16> -> tensor<2x8xf16>
  return %r : tensor<2x8xf16>
}

func.func @axis_1_bf16(
    %a: tensor<2x3xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80], [-0.0, 2.5, 3.0]]> : tensor<2x3xbf16>},
    %b: tensor<2x1xbf16> {values.are = dense<[[0.5], [1.0]]> : tensor<2x1xbf16>},
    %c: tensor<2x4xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80, -0.0], [2.5, 3.0, 3.5, 4.0]]> : tensor<2x4xbf16>})
    -> (tensor<2x8xbf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, 0.5, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0], [-0.0, 2.5, 3.0, 1.0, 2.5, 3.0, 3.5, 4.0]]> : tensor<2x8xf64>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xbf16>, tensor<2x1xbf16>, tensor<2x4xbf16> -> tensor<2x8xbf16>
  return %r : tensor<2x8xbf16>
}

func.func @axis_1_i8(
    %a: tensor<2x3xi8> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>},
    %b: tensor<2x1xi8> {values.are = dense<[[1], [2]]> : tensor<2x1xi8>},
    %c: tensor<2x4xi8> {values.are = dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>})
    -> (tensor<2x8xi8> {values.are = dense<[[1, 2, 3, 1, 1, 2, 3, 4], [4, 5, 6, 2, 5, 6, 7, 8]]> : tensor<2x8xi8>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xi8>, tensor<2x1xi8>, tensor<2x4xi8> -> tensor<2x8xi8>
  return %r : tensor<2x8xi8>
}

func.func @axis_1_i16(
    %a: tensor<2x3xi16> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>},
    %b: tensor<2x1xi16> {values.are = dense<[[1], [2]]> : tensor<2x1xi16>},
    %c: tensor<2x4xi16> {values.are = dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi16>})
    -> (tensor<2x8xi16> {values.are = dense<[[1, 2, 3, 1, 1, 2, 3, 4], [4, 5, 6, 2, 5, 6, 7, 8]]> : tensor<2x8xi16>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xi16>, tensor<2x1xi16>, tensor<2x4xi16> -> tensor<2x8xi16>
  return %r : tensor<2x8xi16>
}

func.func @axis_1_i32(
    %a: tensor<2x3xi32> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>},
    %b: tensor<2x1xi32> {values.are = dense<[[1], [2]]> : tensor<2x1xi32>},
    %c: tensor<2x4xi32> {values.are = dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>})
    -> (tensor<2x8xi32> {values.are = dense<[[1, 2, 3, 1, 1, 2, 3, 4], [4, 5, 6, 2, 5, 6, 7, 8]]> : tensor<2x8xi32>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xi32>, tensor<2x1xi32>, tensor<2x4xi32> -> tensor<2x8xi32>
  return %r : tensor<2x8xi32>
}

func.func @axis_1_i64(
    %a: tensor<2x3xi64> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>},
    %b: tensor<2x1xi64> {values.are = dense<[[1], [2]]> : tensor<2x1xi64>},
    %c: tensor<2x4xi64> {values.are = dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>})
    -> (tensor<2x8xi64> {values.are = dense<[[1, 2, 3, 1, 1, 2, 3, 4], [4, 5, 6, 2, 5, 6, 7, 8]]> : tensor<2x8xi64>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xi64>, tensor<2x1xi64>, tensor<2x4xi64> -> tensor<2x8xi64>
  return %r : tensor<2x8xi64>
}

func.func @axis_1_ui8(
    %a: tensor<2x3xui8> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui8>},
    %b: tensor<2x1xui8> {values.are = dense<[[1], [2]]> : tensor<2x1xui8>},
    %c: tensor<2x4xui8> {values.are = dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xui8>})
    -> (tensor<2x8xui8> {values.are = dense<[[1, 2, 3, 1, 1, 2, 3, 4], [4, 5, 6, 2, 5, 6, 7, 8]]> : tensor<2x8xui8>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xui8>, tensor<2x1xui8>, tensor<2x4xui8> -> tensor<2x8xui8>
  return %r : tensor<2x8xui8>
}

func.func @axis_1_ui16(
    %a: tensor<2x3xui16> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui16>},
    %b: tensor<2x1xui16> {values.are = dense<[[1], [2]]> : tensor<2x1xui16>},
    %c: tensor<2x4xui16> {values.are = dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xui16>})
    -> (tensor<2x8xui16> {values.are = dense<[[1, 2, 3, 1, 1, 2, 3, 4], [4, 5, 6, 2, 5, 6, 7, 8]]> : tensor<2x8xui16>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xui16>, tensor<2x1xui16>, tensor<2x4xui16> -> tensor<2x8xui16>
  return %r : tensor<2x8xui16>
}

func.func @axis_1_ui32(
    %a: tensor<2x3xui32> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui32>},
    %b: tensor<2x1xui32> {values.are = dense<[[1], [2]]> : tensor<2x1xui32>},
    %c: tensor<2x4xui32> {values.are = dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xui32>})
    -> (tensor<2x8xui32> {values.are = dense<[[1, 2, 3, 1, 1, 2, 3, 4], [4, 5, 6, 2, 5, 6, 7, 8]]> : tensor<2x8xui32>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xui32>, tensor<2x1xui32>, tensor<2x4xui32> -> tensor<2x8xui32>
  return %r : tensor<2x8xui32>
}

func.func @axis_1_ui64(
    %a: tensor<2x3xui64> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui64>},
    %b: tensor<2x1xui64> {values.are = dense<[[1], [2]]> : tensor<2x1xui64>},
    %c: tensor<2x4xui64> {values.are = dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xui64>})
    -> (tensor<2x8xui64> {values.are = dense<[[1, 2, 3, 1, 1, 2, 3, 4], [4, 5, 6, 2, 5, 6, 7, 8]]> : tensor<2x8xui64>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xui64>, tensor<2x1xui64>, tensor<2x4xui64> -> tensor<2x8xui64>
  return %r : tensor<2x8xui64>
}

func.func @axis_1_i1(
    %a: tensor<2x3xi1> {values.are = dense<[[true, false, true], [false, true, false]]> : tensor<2x3xi1>},
    %b: tensor<2x1xi1> {values.are = dense<[[true], [false]]> : tensor<2x1xi1>},
    %c: tensor<2x4xi1> {values.are = dense<[[true, false, true, false], [true, false, true, false]]> : tensor<2x4xi1>})
    -> (tensor<2x8xi1> {values.are = dense<[[true, false, true, true, true, false, true, false], [false, true, false, false, true, false, true, false]]> : tensor<2x8xi1>}) {
  %r = nn.concat %a, %b, %c axis(1) : tensor<2x3xi1>, tensor<2x1xi1>, tensor<2x4xi1> -> tensor<2x8xi1>
  return %r : tensor<2x8xi1>
}

func.func @axis_0_f32(
    %a: tensor<1x5xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5]]> : tensor<1x5xf32>},
    %b: tensor<3x5xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf32>})
    -> (tensor<4x5xf32> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<4x5xf64>}) {
  %r = nn.concat %a, %b axis(0) : tensor<1x5xf32>, tensor<3x5xf32> -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @axis_2_f32(
    %a: tensor<2x1x8xf32> {values.are = dense<[[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5, 4.0]], [[4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0]]]> : tensor<2x1x8xf32>},
    %b: tensor<2x1x8xf32> {values.are = dense<[[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5, 4.0]], [[4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0]]]> : tensor<2x1x8xf32>})
    -> (tensor<2x1x16xf32> {values.are = dense<[[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0]], [[4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0]]]> : tensor<2x1x16xf64>}) {
  %r = nn.concat %a, %b axis(2) : tensor<2x1x8xf32>, tensor<2x1x8xf32> -> tensor<2x1x16xf32>
  return %r : tensor<2x1x16xf32>
}

func.func private @vjp_of(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> (tensor<2x4xf32>) {
  %r = nn.concat %a, %b axis(1) : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @vjp(
    %a: tensor<2x3xf32> {values.are = dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0]]> : tensor<2x3xf32>},
    %b: tensor<2x1xf32> {values.are = dense<[[0.5], [1.0]]> : tensor<2x1xf32>},
    %c: tensor<2x4xf32> {values.are = dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<2x4xf32>})
    -> (tensor<2x4xf32> {values.are = dense<[[0.5, 1.0, 1.5, 0.5], [2.0, 2.5, 3.0, 1.0]]> : tensor<2x4xf64>},
        tensor<2x3xf32> {values.are = dense<[[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>},
        tensor<2x1xf32> {values.are = dense<[[3.0], [7.0]]> : tensor<2x1xf64>}) {
  %v:3 = nn.vjp @vjp_of(%a, %b) seed(%c) wrt [] args [0, 1]
      : (tensor<2x3xf32>, tensor<2x1xf32>), (tensor<2x4xf32>) -> tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x1xf32>
  return %v#0, %v#1, %v#2 : tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x1xf32>
}
