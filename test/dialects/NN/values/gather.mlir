// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @rows_f32_by_i8(
    %a: tensor<4x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf32>},
    %b: tensor<2x3xi8> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi8>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf32>, tensor<2x3xi8> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @rows_f32_by_i16(
    %a: tensor<4x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf32>},
    %b: tensor<2x3xi16> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi16>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf32>, tensor<2x3xi16> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @rows_f32_by_i32(
    %a: tensor<4x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf32>},
    %b: tensor<2x3xi32> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi32>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf32>, tensor<2x3xi32> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @rows_f32_by_i64(
    %a: tensor<4x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf32>, tensor<2x3xi64> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @rows_f32_by_ui8(
    %a: tensor<4x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf32>},
    %b: tensor<2x3xui8> {values.are = dense<[[1, 255, 1], [9, 247, 0]]> : tensor<2x3xui8>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf32>, tensor<2x3xui8> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @rows_f32_by_ui16(
    %a: tensor<4x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf32>},
    %b: tensor<2x3xui16> {values.are = dense<[[1, 65535, 1], [9, 65527, 0]]> : tensor<2x3xui16>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf32>, tensor<2x3xui16> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @rows_f32_by_ui32(
    %a: tensor<4x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf32>},
    %b: tensor<2x3xui32> {values.are = dense<[[1, 4294967295, 1], [9, 4294967287, 0]]> : tensor<2x3xui32>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf32>, tensor<2x3xui32> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @rows_f32_by_ui64(
    %a: tensor<4x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf32>},
    %b: tensor<2x3xui64> {values.are = dense<[[1, 18446744073709551615, 1], [9, 18446744073709551607, 0]]> : tensor<2x3xui64>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf32>, tensor<2x3xui64> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func @rows_f64_by_i64(
    %a: tensor<4x3xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf64>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xf64> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf64>, tensor<2x3xi64> -> tensor<2x3x3xf64>
  return %r : tensor<2x3x3xf64>
}

func.func @rows_f16_by_i64(
    %a: tensor<4x3xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf16>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xf16> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf16>, tensor<2x3xi64> -> tensor<2x3x3xf16>
  return %r : tensor<2x3x3xf16>
}

func.func @rows_bf16_by_i64(
    %a: tensor<4x3xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xbf16>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xbf16> {values.are = dense<[[[-0.0, 2.5, 3.0], [5.0, 5.5, 6.0], [-0.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [0.5, 0x7FF8000000000000, 0xFFF0000000000000], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xbf16>, tensor<2x3xi64> -> tensor<2x3x3xbf16>
  return %r : tensor<2x3x3xbf16>
}

func.func @rows_i8_by_i64(
    %a: tensor<4x3xi8> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi8>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xi8> {values.are = dense<[[[4, 5, 6], [10, 11, 12], [4, 5, 6]], [[10, 11, 12], [1, 2, 3], [1, 2, 3]]]> : tensor<2x3x3xi8>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xi8>, tensor<2x3xi64> -> tensor<2x3x3xi8>
  return %r : tensor<2x3x3xi8>
}

func.func @rows_i16_by_i64(
    %a: tensor<4x3xi16> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi16>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xi16> {values.are = dense<[[[4, 5, 6], [10, 11, 12], [4, 5, 6]], [[10, 11, 12], [1, 2, 3], [1, 2, 3]]]> : tensor<2x3x3xi16>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xi16>, tensor<2x3xi64> -> tensor<2x3x3xi16>
  return %r : tensor<2x3x3xi16>
}

func.func @rows_i32_by_i64(
    %a: tensor<4x3xi32> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xi32> {values.are = dense<[[[4, 5, 6], [10, 11, 12], [4, 5, 6]], [[10, 11, 12], [1, 2, 3], [1, 2, 3]]]> : tensor<2x3x3xi32>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xi32>, tensor<2x3xi64> -> tensor<2x3x3xi32>
  return %r : tensor<2x3x3xi32>
}

func.func @rows_i64_by_i64(
    %a: tensor<4x3xi64> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi64>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xi64> {values.are = dense<[[[4, 5, 6], [10, 11, 12], [4, 5, 6]], [[10, 11, 12], [1, 2, 3], [1, 2, 3]]]> : tensor<2x3x3xi64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xi64>, tensor<2x3xi64> -> tensor<2x3x3xi64>
  return %r : tensor<2x3x3xi64>
}

func.func @rows_ui8_by_i64(
    %a: tensor<4x3xui8> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xui8>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xui8> {values.are = dense<[[[4, 5, 6], [10, 11, 12], [4, 5, 6]], [[10, 11, 12], [1, 2, 3], [1, 2, 3]]]> : tensor<2x3x3xui8>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xui8>, tensor<2x3xi64> -> tensor<2x3x3xui8>
  return %r : tensor<2x3x3xui8>
}

func.func @rows_ui16_by_i64(
    %a: tensor<4x3xui16> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xui16>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xui16> {values.are = dense<[[[4, 5, 6], [10, 11, 12], [4, 5, 6]], [[10, 11, 12], [1, 2, 3], [1, 2, 3]]]> : tensor<2x3x3xui16>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xui16>, tensor<2x3xi64> -> tensor<2x3x3xui16>
  return %r : tensor<2x3x3xui16>
}

func.func @rows_ui32_by_i64(
    %a: tensor<4x3xui32> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xui32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xui32> {values.are = dense<[[[4, 5, 6], [10, 11, 12], [4, 5, 6]], [[10, 11, 12], [1, 2, 3], [1, 2, 3]]]> : tensor<2x3x3xui32>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xui32>, tensor<2x3xi64> -> tensor<2x3x3xui32>
  return %r : tensor<2x3x3xui32>
}

func.func @rows_ui64_by_i64(
    %a: tensor<4x3xui64> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xui64>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xui64> {values.are = dense<[[[4, 5, 6], [10, 11, 12], [4, 5, 6]], [[10, 11, 12], [1, 2, 3], [1, 2, 3]]]> : tensor<2x3x3xui64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xui64>, tensor<2x3xi64> -> tensor<2x3x3xui64>
  return %r : tensor<2x3x3xui64>
}

func.func @rows_i1_by_i64(
    %a: tensor<4x3xi1> {values.are = dense<[[true, false, true], [false, true, false], [true, false, true], [false, true, false]]> : tensor<4x3xi1>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xi1> {values.are = dense<[[[false, true, false], [false, true, false], [false, true, false]], [[false, true, false], [true, false, true], [true, false, true]]]> : tensor<2x3x3xi1>}) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xi1>, tensor<2x3xi64> -> tensor<2x3x3xi1>
  return %r : tensor<2x3x3xi1>
}

func.func private @rows_vjp_of(%a: tensor<4x3xf32>, %b: tensor<2x3xi64>) -> (tensor<2x3x3xf32>) {
  %r = nn.gather %a, %b axis(0) : tensor<4x3xf32>, tensor<2x3xi64> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}
func.func @rows_vjp(
    %a: tensor<4x3xf32> {values.are = dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>},
    %c: tensor<2x3x3xf32> {values.are = dense<[[[-3.0, -2.0, -1.0], [0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [[6.0, 7.0, 8.0], [9.0, 10.0, 11.0], [12.0, 13.0, 14.0]]]> : tensor<2x3x3xf32>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[2.0, 2.5, 3.0], [5.0, 5.5, 6.0], [2.0, 2.5, 3.0]], [[5.0, 5.5, 6.0], [0.5, 1.0, 1.5], [0.5, 1.0, 1.5]]]> : tensor<2x3x3xf64>},
        tensor<4x3xf32> {values.are = dense<[[21.0, 23.0, 25.0], [0.0, 2.0, 4.0], [0.0, 0.0, 0.0], [6.0, 8.0, 10.0]]> : tensor<4x3xf64>}) {
  %v:2 = nn.vjp @rows_vjp_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<4x3xf32>, tensor<2x3xi64>), (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>, tensor<4x3xf32>
  return %v#0, %v#1 : tensor<2x3x3xf32>, tensor<4x3xf32>
}

func.func @behind_f32_by_i64(
    %a: tensor<2x5x3xf32> {values.are = dense<[[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5]], [[8.0, 8.5, 9.0], [9.5, 10.0, 10.5], [11.0, 11.5, 12.0], [12.5, 13.0, 13.5], [14.0, 14.5, 15.0]]]> : tensor<2x5x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x2x3x3xf32> {values.are = dense<[[[[-0.0, 2.5, 3.0], [6.5, 7.0, 7.5], [-0.0, 2.5, 3.0]], [[6.5, 7.0, 7.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000], [0.5, 0x7FF8000000000000, 0xFFF0000000000000]]], [[[9.5, 10.0, 10.5], [14.0, 14.5, 15.0], [9.5, 10.0, 10.5]], [[14.0, 14.5, 15.0], [8.0, 8.5, 9.0], [8.0, 8.5, 9.0]]]]> : tensor<2x2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(1) : tensor<2x5x3xf32>, tensor<2x3xi64> -> tensor<2x2x3x3xf32>
  return %r : tensor<2x2x3x3xf32>
}

func.func private @behind_vjp_of(%a: tensor<2x5x3xf32>, %b: tensor<2x3xi64>) -> (tensor<2x2x3x3xf32>) {
  %r = nn.gather %a, %b axis(1) : tensor<2x5x3xf32>, tensor<2x3xi64> -> tensor<2x2x3x3xf32>
  return %r : tensor<2x2x3x3xf32>
}
func.func @behind_vjp(
    %a: tensor<2x5x3xf32> {values.are = dense<[[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5]], [[8.0, 8.5, 9.0], [9.5, 10.0, 10.5], [11.0, 11.5, 12.0], [12.5, 13.0, 13.5], [14.0, 14.5, 15.0]]]> : tensor<2x5x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>},
    %c: tensor<2x2x3x3xf32> {values.are = dense<[[[[-3.0, -2.0, -1.0], [0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [[6.0, 7.0, 8.0], [9.0, 10.0, 11.0], [12.0, 13.0, 14.0]]], [[[15.0, 16.0, 17.0], [18.0, 19.0, 20.0], [21.0, 22.0, 23.0]], [[24.0, 25.0, 26.0], [27.0, 28.0, 29.0], [30.0, 31.0, 32.0]]]]> : tensor<2x2x3x3xf32>})
    -> (tensor<2x2x3x3xf32> {values.are = dense<[[[[2.0, 2.5, 3.0], [6.5, 7.0, 7.5], [2.0, 2.5, 3.0]], [[6.5, 7.0, 7.5], [0.5, 1.0, 1.5], [0.5, 1.0, 1.5]]], [[[9.5, 10.0, 10.5], [14.0, 14.5, 15.0], [9.5, 10.0, 10.5]], [[14.0, 14.5, 15.0], [8.0, 8.5, 9.0], [8.0, 8.5, 9.0]]]]> : tensor<2x2x3x3xf64>},
        tensor<2x5x3xf32> {values.are = dense<[[[21.0, 23.0, 25.0], [0.0, 2.0, 4.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [6.0, 8.0, 10.0]], [[57.0, 59.0, 61.0], [36.0, 38.0, 40.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [42.0, 44.0, 46.0]]]> : tensor<2x5x3xf64>}) {
  %v:2 = nn.vjp @behind_vjp_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<2x5x3xf32>, tensor<2x3xi64>), (tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>, tensor<2x5x3xf32>
  return %v#0, %v#1 : tensor<2x2x3x3xf32>, tensor<2x5x3xf32>
}

func.func @batch_f32_by_i64(
    %a: tensor<2x5x3xf32> {values.are = dense<[[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5]], [[8.0, 8.5, 9.0], [9.5, 10.0, 10.5], [11.0, 11.5, 12.0], [12.5, 13.0, 13.5], [14.0, 14.5, 15.0]]]> : tensor<2x5x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[-0.0, 2.5, 3.0], [6.5, 7.0, 7.5], [-0.0, 2.5, 3.0]], [[14.0, 14.5, 15.0], [8.0, 8.5, 9.0], [8.0, 8.5, 9.0]]]> : tensor<2x3x3xf64>}) {
  %r = nn.gather %a, %b axis(1) batch(1) : tensor<2x5x3xf32>, tensor<2x3xi64> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

func.func private @batch_vjp_of(%a: tensor<2x5x3xf32>, %b: tensor<2x3xi64>) -> (tensor<2x3x3xf32>) {
  %r = nn.gather %a, %b axis(1) batch(1) : tensor<2x5x3xf32>, tensor<2x3xi64> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}
func.func @batch_vjp(
    %a: tensor<2x5x3xf32> {values.are = dense<[[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5]], [[8.0, 8.5, 9.0], [9.5, 10.0, 10.5], [11.0, 11.5, 12.0], [12.5, 13.0, 13.5], [14.0, 14.5, 15.0]]]> : tensor<2x5x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>},
    %c: tensor<2x3x3xf32> {values.are = dense<[[[-3.0, -2.0, -1.0], [0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [[6.0, 7.0, 8.0], [9.0, 10.0, 11.0], [12.0, 13.0, 14.0]]]> : tensor<2x3x3xf32>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[2.0, 2.5, 3.0], [6.5, 7.0, 7.5], [2.0, 2.5, 3.0]], [[14.0, 14.5, 15.0], [8.0, 8.5, 9.0], [8.0, 8.5, 9.0]]]> : tensor<2x3x3xf64>},
        tensor<2x5x3xf32> {values.are = dense<[[[0.0, 0.0, 0.0], [0.0, 2.0, 4.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 2.0]], [[21.0, 23.0, 25.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [6.0, 7.0, 8.0]]]> : tensor<2x5x3xf64>}) {
  %v:2 = nn.vjp @batch_vjp_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<2x5x3xf32>, tensor<2x3xi64>), (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>, tensor<2x5x3xf32>
  return %v#0, %v#1 : tensor<2x3x3xf32>, tensor<2x5x3xf32>
}

func.func @one_row_f32_by_i64(
    %a: tensor<1x7xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5]]> : tensor<1x7xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x3x7xf32> {values.are = dense<[[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5]], [[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5]]]> : tensor<2x3x7xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<1x7xf32>, tensor<2x3xi64> -> tensor<2x3x7xf32>
  return %r : tensor<2x3x7xf32>
}

func.func private @one_row_vjp_of(%a: tensor<1x7xf32>, %b: tensor<2x3xi64>) -> (tensor<2x3x7xf32>) {
  %r = nn.gather %a, %b axis(0) : tensor<1x7xf32>, tensor<2x3xi64> -> tensor<2x3x7xf32>
  return %r : tensor<2x3x7xf32>
}
func.func @one_row_vjp(
    %a: tensor<1x7xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]]> : tensor<1x7xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>},
    %c: tensor<2x3x7xf32> {values.are = dense<[[[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], [11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0]], [[18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0], [25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0], [32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0]]]> : tensor<2x3x7xf32>})
    -> (tensor<2x3x7xf32> {values.are = dense<[[[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5], [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5], [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]], [[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5], [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5], [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]]]> : tensor<2x3x7xf64>},
        tensor<1x7xf32> {values.are = dense<[[87.0, 93.0, 99.0, 105.0, 111.0, 117.0, 123.0]]> : tensor<1x7xf64>}) {
  %v:2 = nn.vjp @one_row_vjp_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<1x7xf32>, tensor<2x3xi64>), (tensor<2x3x7xf32>) -> tensor<2x3x7xf32>, tensor<1x7xf32>
  return %v#0, %v#1 : tensor<2x3x7xf32>, tensor<1x7xf32>
}

func.func private @frozen_vjp_of(%a: tensor<4x3xf32>, %b: tensor<2x3xi64>) -> (tensor<2x3x3xf32>) {
  %r = nn.gather %a, %b axis(0) frozen(1) : tensor<4x3xf32>, tensor<2x3xi64> -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}
func.func @frozen_vjp(
    %a: tensor<4x3xf32> {values.are = dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]]> : tensor<4x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, 2, 1], [0, 3, 1]]> : tensor<2x3xi64>},
    %c: tensor<2x3x3xf32> {values.are = dense<[[[-3.0, -2.0, -1.0], [0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [[6.0, 7.0, 8.0], [9.0, 10.0, 11.0], [12.0, 13.0, 14.0]]]> : tensor<2x3x3xf32>})
    -> (tensor<2x3x3xf32> {values.are = dense<[[[2.0, 2.5, 3.0], [3.5, 4.0, 4.5], [2.0, 2.5, 3.0]], [[0.5, 1.0, 1.5], [5.0, 5.5, 6.0], [2.0, 2.5, 3.0]]]> : tensor<2x3x3xf64>},
        tensor<4x3xf32> {values.are = dense<[[6.0, 7.0, 8.0], [0.0, 0.0, 0.0], [0.0, 1.0, 2.0], [9.0, 10.0, 11.0]]> : tensor<4x3xf64>}) {
  %v:2 = nn.vjp @frozen_vjp_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<4x3xf32>, tensor<2x3xi64>), (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>, tensor<4x3xf32>
  return %v#0, %v#1 : tensor<2x3x3xf32>, tensor<4x3xf32>
}

func.func private @frozen_batch_vjp_of(%a: tensor<3x4x3xf32>, %b: tensor<3x3xi64>) -> (tensor<3x3x3xf32>) {
  %r = nn.gather %a, %b axis(1) batch(1) frozen(1) : tensor<3x4x3xf32>, tensor<3x3xi64> -> tensor<3x3x3xf32>
  return %r : tensor<3x3x3xf32>
}
func.func @frozen_batch_vjp(
    %a: tensor<3x4x3xf32> {values.are = dense<[[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0]], [[6.5, 7.0, 7.5], [8.0, 8.5, 9.0], [9.5, 10.0, 10.5], [11.0, 11.5, 12.0]], [[12.5, 13.0, 13.5], [14.0, 14.5, 15.0], [15.5, 16.0, 16.5], [17.0, 17.5, 18.0]]]> : tensor<3x4x3xf32>},
    %b: tensor<3x3xi64> {values.are = dense<[[1, 2, 1], [0, 1, 3], [3, 0, 2]]> : tensor<3x3xi64>},
    %c: tensor<3x3x3xf32> {values.are = dense<[[[-3.0, -2.0, -1.0], [0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [[6.0, 7.0, 8.0], [9.0, 10.0, 11.0], [12.0, 13.0, 14.0]], [[15.0, 16.0, 17.0], [18.0, 19.0, 20.0], [21.0, 22.0, 23.0]]]> : tensor<3x3x3xf32>})
    -> (tensor<3x3x3xf32> {values.are = dense<[[[2.0, 2.5, 3.0], [3.5, 4.0, 4.5], [2.0, 2.5, 3.0]], [[6.5, 7.0, 7.5], [8.0, 8.5, 9.0], [11.0, 11.5, 12.0]], [[17.0, 17.5, 18.0], [12.5, 13.0, 13.5], [15.5, 16.0, 16.5]]]> : tensor<3x3x3xf64>},
        tensor<3x4x3xf32> {values.are = dense<[[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 0.0, 0.0]], [[6.0, 7.0, 8.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [12.0, 13.0, 14.0]], [[18.0, 19.0, 20.0], [0.0, 0.0, 0.0], [21.0, 22.0, 23.0], [15.0, 16.0, 17.0]]]> : tensor<3x4x3xf64>}) {
  %v:2 = nn.vjp @frozen_batch_vjp_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<3x4x3xf32>, tensor<3x3xi64>), (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>, tensor<3x4x3xf32>
  return %v#0, %v#1 : tensor<3x3x3xf32>, tensor<3x4x3xf32>
}

func.func @long_ui8(
    %a: tensor<253xf32> {values.are = dense<[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5, 18.0, 18.5, 19.0, 19.5, 20.0, 20.5, 21.0, 21.5, 22.0, 22.5, 23.0, 23.5, 24.0, 24.5, 25.0, 25.5, 26.0, 26.5, 27.0, 27.5, 28.0, 28.5, 29.0, 29.5, 30.0, 30.5, 31.0, 31.5, 32.0, 32.5, 33.0, 33.5, 34.0, 34.5, 35.0, 35.5, 36.0, 36.5, 37.0, 37.5, 38.0, 38.5, 39.0, 39.5, 40.0, 40.5, 41.0, 41.5, 42.0, 42.5, 43.0, 43.5, 44.0, 44.5, 45.0, 45.5, 46.0, 46.5, 47.0, 47.5, 48.0, 48.5, 49.0, 49.5, 50.0, 50.5, 51.0, 51.5, 52.0, 52.5, 53.0, 53.5, 54.0, 54.5, 55.0, 55.5, 56.0, 56.5, 57.0, 57.5, 58.0, 58.5, 59.0, 59.5, 60.0, 60.5, 61.0, 61.5, 62.0, 62.5, 63.0, 63.5, 64.0, 64.5, 65.0, 65.5, 66.0, 66.5, 67.0, 67.5, 68.0, 68.5, 69.0, 69.5, 70.0, 70.5, 71.0, 71.5, 72.0, 72.5, 73.0, 73.5, 74.0, 74.5, 75.0, 75.5, 76.0, 76.5, 77.0, 77.5, 78.0, 78.5, 79.0, 79.5, 80.0, 80.5, 81.0, 81.5, 82.0, 82.5, 83.0, 83.5, 84.0, 84.5, 85.0, 85.5, 86.0, 86.5, 87.0, 87.5, 88.0, 88.5, 89.0, 89.5, 90.0, 90.5, 91.0, 91.5, 92.0, 92.5, 93.0, 93.5, 94.0, 94.5, 95.0, 95.5, 96.0, 96.5, 97.0, 97.5, 98.0, 98.5, 99.0, 99.5, 100.0, 100.5, 101.0, 101.5, 102.0, 102.5, 103.0, 103.5, 104.0, 104.5, 105.0, 105.5, 106.0, 106.5, 107.0, 107.5, 108.0, 108.5, 109.0, 109.5, 110.0, 110.5, 111.0, 111.5, 112.0, 112.5, 113.0, 113.5, 114.0, 114.5, 115.0, 115.5, 116.0, 116.5, 117.0, 117.5, 118.0, 118.5, 119.0, 119.5, 120.0, 120.5, 121.0, 121.5, 122.0, 122.5, 123.0, 123.5, 124.0, 124.5, 125.0, 125.5, 126.0]> : tensor<253xf32>},
    %b: tensor<4xui8> {values.are = dense<[0, 128, 251, 255]> : tensor<4xui8>})
    -> (tensor<4xf32> {values.are = dense<[0.0, 64.0, 125.5, 126.0]> : tensor<4xf64>}) {
  %r = nn.gather %a, %b axis(0) : tensor<253xf32>, tensor<4xui8> -> tensor<4xf32>
  return %r : tensor<4xf32>
}
