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
