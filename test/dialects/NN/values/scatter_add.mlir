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
