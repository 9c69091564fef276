// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @rows_f32_by_i8(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xi8> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi8>})
    -> (tensor<4x3xf32> {values.are = dense<[[13.625, 14.875, 16.125], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [4.25, 5.5, 6.75]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf32>, tensor<2x3xi8> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func @rows_f32_by_i16(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xi16> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi16>})
    -> (tensor<4x3xf32> {values.are = dense<[[13.625, 14.875, 16.125], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [4.25, 5.5, 6.75]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf32>, tensor<2x3xi16> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func @rows_f32_by_i32(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xi32> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi32>})
    -> (tensor<4x3xf32> {values.are = dense<[[13.625, 14.875, 16.125], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [4.25, 5.5, 6.75]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf32>, tensor<2x3xi32> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func @rows_f32_by_i64(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<4x3xf32> {values.are = dense<[[13.625, 14.875, 16.125], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [4.25, 5.5, 6.75]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf32>, tensor<2x3xi64> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func @rows_f32_by_ui8(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xui8> {values.are = dense<[[1, 255, 1], [9, 247, 0]]> : tensor<2x3xui8>})
    -> (tensor<4x3xf32> {values.are = dense<[[7.75, 8.375, 9.0], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [10.125, 12.0, 13.875]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf32>, tensor<2x3xui8> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func @rows_f32_by_ui16(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xui16> {values.are = dense<[[1, 65535, 1], [9, 65527, 0]]> : tensor<2x3xui16>})
    -> (tensor<4x3xf32> {values.are = dense<[[7.75, 8.375, 9.0], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [10.125, 12.0, 13.875]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf32>, tensor<2x3xui16> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func @rows_f32_by_ui32(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xui32> {values.are = dense<[[1, 4294967295, 1], [9, 4294967287, 0]]> : tensor<2x3xui32>})
    -> (tensor<4x3xf32> {values.are = dense<[[7.75, 8.375, 9.0], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [10.125, 12.0, 13.875]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf32>, tensor<2x3xui32> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func @rows_f32_by_ui64(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xui64> {values.are = dense<[[1, 18446744073709551615, 1], [9, 18446744073709551607, 0]]> : tensor<2x3xui64>})
    -> (tensor<4x3xf32> {values.are = dense<[[7.75, 8.375, 9.0], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [10.125, 12.0, 13.875]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf32>, tensor<2x3xui64> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

func.func @rows_f64_by_i64(
    %a: tensor<2x3x3xf64> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf64>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<4x3xf64> {values.are = dense<[[13.625, 14.875, 16.125], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [4.25, 5.5, 6.75]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf64>, tensor<2x3xi64> -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}

func.func @rows_f16_by_i64(
    %a: tensor<2x3x3xf16> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf16>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<4x3xf16> {values.are = dense<[[13.625, 14.875, 16.125], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [4.25, 5.5, 6.75]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf16>, tensor<2x3xi64> -> tensor<4x3xf16>
  return %r : tensor<4x3xf16>
}

func.func @rows_bf16_by_i64(
    %a: tensor<2x3x3xbf16> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xbf16>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<4x3xbf16> {values.are = dense<[[13.625, 14.875, 16.125], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [4.25, 5.5, 6.75]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xbf16>, tensor<2x3xi64> -> tensor<4x3xbf16>
  return %r : tensor<4x3xbf16>
}

func.func private @rows_vjp_of(%a: tensor<2x3x3xf32>, %b: tensor<2x3xi64>) -> (tensor<4x3xf32>) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x3xf32>, tensor<2x3xi64> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
func.func @rows_vjp(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>},
    %c: tensor<4x3xf32> {values.are = dense<[[0.5, 1.5, 2.5], [3.5, 4.5, 5.5], [6.5, 7.5, 8.5], [9.5, 10.5, 11.5]]> : tensor<4x3xf32>})
    -> (tensor<4x3xf32> {values.are = dense<[[13.625, 14.875, 16.125], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [4.25, 5.5, 6.75]]> : tensor<4x3xf64>},
        tensor<2x3x3xf32> {values.are = dense<[[[3.5, 4.5, 5.5], [9.5, 10.5, 11.5], [3.5, 4.5, 5.5]], [[9.5, 10.5, 11.5], [0.5, 1.5, 2.5], [0.5, 1.5, 2.5]]]> : tensor<2x3x3xf64>}) {
  %v:2 = nn.vjp @rows_vjp_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<2x3x3xf32>, tensor<2x3xi64>), (tensor<4x3xf32>) -> tensor<4x3xf32>, tensor<2x3x3xf32>
  return %v#0, %v#1 : tensor<4x3xf32>, tensor<2x3x3xf32>
}

func.func @behind_f32_by_i64(
    %a: tensor<2x2x3x3xf32> {values.are = dense<[[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]], [[[9.625, 10.25, 10.875], [11.5, 12.125, 12.75], [13.375, 14.0, 14.625]], [[15.25, 15.875, 16.5], [17.125, 17.75, 18.375], [19.0, 19.625, 20.25]]]]> : tensor<2x2x3x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x5x3xf32> {values.are = dense<[[[13.625, 14.875, 16.125], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [4.25, 5.5, 6.75]], [[36.125, 37.375, 38.625], [23.0, 24.25, 25.5], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [26.75, 28.0, 29.25]]]> : tensor<2x5x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(1) : tensor<2x2x3x3xf32>, tensor<2x3xi64> -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}

func.func private @behind_vjp_of(%a: tensor<2x2x3x3xf32>, %b: tensor<2x3xi64>) -> (tensor<2x5x3xf32>) {
  %r = nn.scatter_add %a, %b axis(1) : tensor<2x2x3x3xf32>, tensor<2x3xi64> -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}
func.func @behind_vjp(
    %a: tensor<2x2x3x3xf32> {values.are = dense<[[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]], [[[9.625, 10.25, 10.875], [11.5, 12.125, 12.75], [13.375, 14.0, 14.625]], [[15.25, 15.875, 16.5], [17.125, 17.75, 18.375], [19.0, 19.625, 20.25]]]]> : tensor<2x2x3x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>},
    %c: tensor<2x5x3xf32> {values.are = dense<[[[0.5, 1.5, 2.5], [3.5, 4.5, 5.5], [6.5, 7.5, 8.5], [9.5, 10.5, 11.5], [12.5, 13.5, 14.5]], [[15.5, 16.5, 17.5], [18.5, 19.5, 20.5], [21.5, 22.5, 23.5], [24.5, 25.5, 26.5], [27.5, 28.5, 29.5]]]> : tensor<2x5x3xf32>})
    -> (tensor<2x5x3xf32> {values.are = dense<[[[13.625, 14.875, 16.125], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [4.25, 5.5, 6.75]], [[36.125, 37.375, 38.625], [23.0, 24.25, 25.5], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [26.75, 28.0, 29.25]]]> : tensor<2x5x3xf64>},
        tensor<2x2x3x3xf32> {values.are = dense<[[[[3.5, 4.5, 5.5], [12.5, 13.5, 14.5], [3.5, 4.5, 5.5]], [[12.5, 13.5, 14.5], [0.5, 1.5, 2.5], [0.5, 1.5, 2.5]]], [[[18.5, 19.5, 20.5], [27.5, 28.5, 29.5], [18.5, 19.5, 20.5]], [[27.5, 28.5, 29.5], [15.5, 16.5, 17.5], [15.5, 16.5, 17.5]]]]> : tensor<2x2x3x3xf64>}) {
  %v:2 = nn.vjp @behind_vjp_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<2x2x3x3xf32>, tensor<2x3xi64>), (tensor<2x5x3xf32>) -> tensor<2x5x3xf32>, tensor<2x2x3x3xf32>
  return %v#0, %v#1 : tensor<2x5x3xf32>, tensor<2x2x3x3xf32>
}

func.func @batch_f32_by_i64(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<2x5x3xf32> {values.are = dense<[[[0.0, 0.0, 0.0], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.25, 0.875, 1.5]], [[13.625, 14.875, 16.125], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [4.0, 4.625, 5.25]]]> : tensor<2x5x3xf64>}) {
  %r = nn.scatter_add %a, %b axis(1) batch(1) : tensor<2x3x3xf32>, tensor<2x3xi64> -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}

func.func private @batch_vjp_of(%a: tensor<2x3x3xf32>, %b: tensor<2x3xi64>) -> (tensor<2x5x3xf32>) {
  %r = nn.scatter_add %a, %b axis(1) batch(1) : tensor<2x3x3xf32>, tensor<2x3xi64> -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}
func.func @batch_vjp(
    %a: tensor<2x3x3xf32> {values.are = dense<[[[-1.625, -1.0, -0.375], [0.25, 0.875, 1.5], [2.125, 2.75, 3.375]], [[4.0, 4.625, 5.25], [5.875, 6.5, 7.125], [7.75, 8.375, 9.0]]]> : tensor<2x3x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>},
    %c: tensor<2x5x3xf32> {values.are = dense<[[[0.5, 1.5, 2.5], [3.5, 4.5, 5.5], [6.5, 7.5, 8.5], [9.5, 10.5, 11.5], [12.5, 13.5, 14.5]], [[15.5, 16.5, 17.5], [18.5, 19.5, 20.5], [21.5, 22.5, 23.5], [24.5, 25.5, 26.5], [27.5, 28.5, 29.5]]]> : tensor<2x5x3xf32>})
    -> (tensor<2x5x3xf32> {values.are = dense<[[[0.0, 0.0, 0.0], [0.5, 1.75, 3.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.25, 0.875, 1.5]], [[13.625, 14.875, 16.125], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [4.0, 4.625, 5.25]]]> : tensor<2x5x3xf64>},
        tensor<2x3x3xf32> {values.are = dense<[[[3.5, 4.5, 5.5], [12.5, 13.5, 14.5], [3.5, 4.5, 5.5]], [[27.5, 28.5, 29.5], [15.5, 16.5, 17.5], [15.5, 16.5, 17.5]]]> : tensor<2x3x3xf64>}) {
  %v:2 = nn.vjp @batch_vjp_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<2x3x3xf32>, tensor<2x3xi64>), (tensor<2x5x3xf32>) -> tensor<2x5x3xf32>, tensor<2x3x3xf32>
  return %v#0, %v#1 : tensor<2x5x3xf32>, tensor<2x3x3xf32>
}

func.func @one_row_f32_by_i64(
    %a: tensor<2x3x7xf32> {values.are = dense<[[[-1.625, -1.0, -0.375, 0.25, 0.875, 1.5, 2.125], [2.75, 3.375, 4.0, 4.625, 5.25, 5.875, 6.5], [7.125, 7.75, 8.375, 9.0, 9.625, 10.25, 10.875]], [[11.5, 12.125, 12.75, 13.375, 14.0, 14.625, 15.25], [15.875, 16.5, 17.125, 17.75, 18.375, 19.0, 19.625], [20.25, 20.875, 21.5, 22.125, 22.75, 23.375, 24.0]]]> : tensor<2x3x7xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>})
    -> (tensor<1x7xf32> {values.are = dense<[[55.875, 59.625, 63.375, 67.125, 70.875, 74.625, 78.375]]> : tensor<1x7xf64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x7xf32>, tensor<2x3xi64> -> tensor<1x7xf32>
  return %r : tensor<1x7xf32>
}

func.func private @one_row_vjp_of(%a: tensor<2x3x7xf32>, %b: tensor<2x3xi64>) -> (tensor<1x7xf32>) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<2x3x7xf32>, tensor<2x3xi64> -> tensor<1x7xf32>
  return %r : tensor<1x7xf32>
}
func.func @one_row_vjp(
    %a: tensor<2x3x7xf32> {values.are = dense<[[[-1.625, -1.0, -0.375, 0.25, 0.875, 1.5, 2.125], [2.75, 3.375, 4.0, 4.625, 5.25, 5.875, 6.5], [7.125, 7.75, 8.375, 9.0, 9.625, 10.25, 10.875]], [[11.5, 12.125, 12.75, 13.375, 14.0, 14.625, 15.25], [15.875, 16.5, 17.125, 17.75, 18.375, 19.0, 19.625], [20.25, 20.875, 21.5, 22.125, 22.75, 23.375, 24.0]]]> : tensor<2x3x7xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[1, -1, 1], [9, -9, 0]]> : tensor<2x3xi64>},
    %c: tensor<1x7xf32> {values.are = dense<[[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]]> : tensor<1x7xf32>})
    -> (tensor<1x7xf32> {values.are = dense<[[55.875, 59.625, 63.375, 67.125, 70.875, 74.625, 78.375]]> : tensor<1x7xf64>},
        tensor<2x3x7xf32> {values.are = dense<[[[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]], [[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]]]> : tensor<2x3x7xf64>}) {
  %v:2 = nn.vjp @one_row_vjp_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<2x3x7xf32>, tensor<2x3xi64>), (tensor<1x7xf32>) -> tensor<1x7xf32>, tensor<2x3x7xf32>
  return %v#0, %v#1 : tensor<1x7xf32>, tensor<2x3x7xf32>
}

func.func @i8(
    %a: tensor<6x3xi8> {values.are = dense<[[0, 1, -1], [3, -7, 100], [127, -128, 0], [1, -1, 3], [-7, 100, 127], [-128, 0, 1]]> : tensor<6x3xi8>},
    %b: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi8> {values.are = dense<[[121, 100, -128], [127, -127, -1], [0, 0, 0], [4, -8, 103]]> : tensor<4x3xi8>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<6x3xi8>, tensor<6xi64> -> tensor<4x3xi8>
  return %r : tensor<4x3xi8>
}

func.func @i16(
    %a: tensor<6x3xi16> {values.are = dense<[[0, 1, -1], [3, -7, 100], [32767, -32768, 0], [1, -1, 3], [-7, 100, 32767], [-32768, 0, 1]]> : tensor<6x3xi16>},
    %b: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi16> {values.are = dense<[[32761, 100, -32768], [32767, -32767, -1], [0, 0, 0], [4, -8, 103]]> : tensor<4x3xi16>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<6x3xi16>, tensor<6xi64> -> tensor<4x3xi16>
  return %r : tensor<4x3xi16>
}

func.func @i32(
    %a: tensor<6x3xi32> {values.are = dense<[[0, 1, -1], [3, -7, 100], [2147483647, -2147483648, 0], [1, -1, 3], [-7, 100, 2147483647], [-2147483648, 0, 1]]> : tensor<6x3xi32>},
    %b: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi32> {values.are = dense<[[2147483641, 100, -2147483648], [2147483647, -2147483647, -1], [0, 0, 0], [4, -8, 103]]> : tensor<4x3xi32>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<6x3xi32>, tensor<6xi64> -> tensor<4x3xi32>
  return %r : tensor<4x3xi32>
}

func.func @i64(
    %a: tensor<6x3xi64> {values.are = dense<[[0, 1, -1], [3, -7, 100], [9223372036854775807, -9223372036854775808, 0], [1, -1, 3], [-7, 100, 9223372036854775807], [-9223372036854775808, 0, 1]]> : tensor<6x3xi64>},
    %b: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi64> {values.are = dense<[[9223372036854775801, 100, -9223372036854775808], [9223372036854775807, -9223372036854775807, -1], [0, 0, 0], [4, -8, 103]]> : tensor<4x3xi64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<6x3xi64>, tensor<6xi64> -> tensor<4x3xi64>
  return %r : tensor<4x3xi64>
}

func.func @ui8(
    %a: tensor<6x3xui8> {values.are = dense<[[0, 1, 255], [3, 249, 100], [127, 128, 0], [1, 255, 3], [249, 100, 127], [128, 0, 1]]> : tensor<6x3xui8>},
    %b: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui8> {values.are = dense<[[121, 100, 128], [127, 129, 255], [0, 0, 0], [4, 248, 103]]> : tensor<4x3xui8>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<6x3xui8>, tensor<6xi64> -> tensor<4x3xui8>
  return %r : tensor<4x3xui8>
}

func.func @ui16(
    %a: tensor<6x3xui16> {values.are = dense<[[0, 1, 65535], [3, 65529, 100], [32767, 32768, 0], [1, 65535, 3], [65529, 100, 32767], [32768, 0, 1]]> : tensor<6x3xui16>},
    %b: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui16> {values.are = dense<[[32761, 100, 32768], [32767, 32769, 65535], [0, 0, 0], [4, 65528, 103]]> : tensor<4x3xui16>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<6x3xui16>, tensor<6xi64> -> tensor<4x3xui16>
  return %r : tensor<4x3xui16>
}

func.func @ui32(
    %a: tensor<6x3xui32> {values.are = dense<[[0, 1, 4294967295], [3, 4294967289, 100], [2147483647, 2147483648, 0], [1, 4294967295, 3], [4294967289, 100, 2147483647], [2147483648, 0, 1]]> : tensor<6x3xui32>},
    %b: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui32> {values.are = dense<[[2147483641, 100, 2147483648], [2147483647, 2147483649, 4294967295], [0, 0, 0], [4, 4294967288, 103]]> : tensor<4x3xui32>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<6x3xui32>, tensor<6xi64> -> tensor<4x3xui32>
  return %r : tensor<4x3xui32>
}

func.func @ui64(
    %a: tensor<6x3xui64> {values.are = dense<[[0, 1, 18446744073709551615], [3, 18446744073709551609, 100], [9223372036854775807, 9223372036854775808, 0], [1, 18446744073709551615, 3], [18446744073709551609, 100, 9223372036854775807], [9223372036854775808, 0, 1]]> : tensor<6x3xui64>},
    %b: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui64> {values.are = dense<[[9223372036854775801, 100, 9223372036854775808], [9223372036854775807, 9223372036854775809, 18446744073709551615], [0, 0, 0], [4, 18446744073709551608, 103]]> : tensor<4x3xui64>}) {
  %r = nn.scatter_add %a, %b axis(0) : tensor<6x3xui64>, tensor<6xi64> -> tensor<4x3xui64>
  return %r : tensor<4x3xui64>
}
