// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @new_axes_f32(
    %a: tensor<5xf32> {values.are = dense<[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5]> : tensor<5xf32>})
    -> (tensor<3x5x2xf32> {values.are = dense<[[[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]], [[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]], [[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]]]> : tensor<3x5x2xf64>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xf32> -> tensor<3x5x2xf32>
  return %r : tensor<3x5x2xf32>
}

func.func @new_axes_f64(
    %a: tensor<5xf64> {values.are = dense<[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]> : tensor<5xf64>})
    -> (tensor<3x5x2xf64> {values.are = dense<[[[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]], [[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]], [[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]]]> : tensor<3x5x2xf64>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xf64> -> tensor<3x5x2xf64>
  return %r : tensor<3x5x2xf64>
}

func.func @new_axes_f16(
    %a: tensor<5xf16> {values.are = dense<[0.5, 0x7E00, 0xFC00, -0.0, 2.5]> : tensor<5xf16>})
    -> (tensor<3x5x2xf16> {values.are = dense<[[[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]], [[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]], [[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]]]> : tensor<3x5x2xf64>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xf16> -> tensor<3x5x2xf16>
  return %r : tensor<3x5x2xf16>
}

func.func @new_axes_bf16(
    %a: tensor<5xbf16> {values.are = dense<[0.5, 0x7FC0, 0xFF80, -0.0, 2.5]> : tensor<5xbf16>})
    -> (tensor<3x5x2xbf16> {values.are = dense<[[[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]], [[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]], [[0.5, 0.5], [0x7FF8000000000000, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [-0.0, -0.0], [2.5, 2.5]]]> : tensor<3x5x2xf64>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xbf16> -> tensor<3x5x2xbf16>
  return %r : tensor<3x5x2xbf16>
}

func.func @new_axes_i8(
    %a: tensor<5xi8> {values.are = dense<[1, 2, 3, 4, 5]> : tensor<5xi8>})
    -> (tensor<3x5x2xi8> {values.are = dense<[[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]]> : tensor<3x5x2xi8>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xi8> -> tensor<3x5x2xi8>
  return %r : tensor<3x5x2xi8>
}

func.func @new_axes_i16(
    %a: tensor<5xi16> {values.are = dense<[1, 2, 3, 4, 5]> : tensor<5xi16>})
    -> (tensor<3x5x2xi16> {values.are = dense<[[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]]> : tensor<3x5x2xi16>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xi16> -> tensor<3x5x2xi16>
  return %r : tensor<3x5x2xi16>
}

func.func @new_axes_i32(
    %a: tensor<5xi32> {values.are = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>})
    -> (tensor<3x5x2xi32> {values.are = dense<[[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]]> : tensor<3x5x2xi32>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xi32> -> tensor<3x5x2xi32>
  return %r : tensor<3x5x2xi32>
}

func.func @new_axes_i64(
    %a: tensor<5xi64> {values.are = dense<[1, 2, 3, 4, 5]> : tensor<5xi64>})
    -> (tensor<3x5x2xi64> {values.are = dense<[[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]]> : tensor<3x5x2xi64>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xi64> -> tensor<3x5x2xi64>
  return %r : tensor<3x5x2xi64>
}

func.func @new_axes_ui8(
    %a: tensor<5xui8> {values.are = dense<[1, 2, 3, 4, 5]> : tensor<5xui8>})
    -> (tensor<3x5x2xui8> {values.are = dense<[[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]]> : tensor<3x5x2xui8>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xui8> -> tensor<3x5x2xui8>
  return %r : tensor<3x5x2xui8>
}

func.func @new_axes_ui16(
    %a: tensor<5xui16> {values.are = dense<[1, 2, 3, 4, 5]> : tensor<5xui16>})
    -> (tensor<3x5x2xui16> {values.are = dense<[[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]]> : tensor<3x5x2xui16>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xui16> -> tensor<3x5x2xui16>
  return %r : tensor<3x5x2xui16>
}

func.func @new_axes_ui32(
    %a: tensor<5xui32> {values.are = dense<[1, 2, 3, 4, 5]> : tensor<5xui32>})
    -> (tensor<3x5x2xui32> {values.are = dense<[[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]]> : tensor<3x5x2xui32>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xui32> -> tensor<3x5x2xui32>
  return %r : tensor<3x5x2xui32>
}

func.func @new_axes_ui64(
    %a: tensor<5xui64> {values.are = dense<[1, 2, 3, 4, 5]> : tensor<5xui64>})
    -> (tensor<3x5x2xui64> {values.are = dense<[[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]]> : tensor<3x5x2xui64>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xui64> -> tensor<3x5x2xui64>
  return %r : tensor<3x5x2xui64>
}

func.func @new_axes_i1(
    %a: tensor<5xi1> {values.are = dense<[true, false, true, false, true]> : tensor<5xi1>})
    -> (tensor<3x5x2xi1> {values.are = dense<[[[true, true], [false, false], [true, true], [false, false], [true, true]], [[true, true], [false, false], [true, true], [false, false], [true, true]], [[true, true], [false, false], [true, true], [false, false], [true, true]]]> : tensor<3x5x2xi1>}) {
  %r = nn.broadcast %a axes [1] : tensor<5xi1> -> tensor<3x5x2xi1>
  return %r : tensor<3x5x2xi1>
}

func.func private @new_axes_vjp_of(%a: tensor<5xf32>) -> (tensor<3x5x2xf32>) {
  %r = nn.broadcast %a axes [1] : tensor<5xf32> -> tensor<3x5x2xf32>
  return %r : tensor<3x5x2xf32>
}
func.func @new_axes_vjp(
    %a: tensor<5xf32> {values.are = dense<[0.5, 1.0, 1.5, 2.0, 2.5]> : tensor<5xf32>},
    %b: tensor<3x5x2xf32> {values.are = dense<[[[-2.5, -1.5], [-0.5, 0.5], [1.5, 2.5], [3.5, 4.5], [5.5, 6.5]], [[7.5, 8.5], [9.5, 10.5], [11.5, 12.5], [13.5, 14.5], [15.5, 16.5]], [[17.5, 18.5], [19.5, 20.5], [21.5, 22.5], [23.5, 24.5], [25.5, 26.5]]]> : tensor<3x5x2xf32>})
    -> (tensor<3x5x2xf32> {values.are = dense<[[[0.5, 0.5], [1.0, 1.0], [1.5, 1.5], [2.0, 2.0], [2.5, 2.5]], [[0.5, 0.5], [1.0, 1.0], [1.5, 1.5], [2.0, 2.0], [2.5, 2.5]], [[0.5, 0.5], [1.0, 1.0], [1.5, 1.5], [2.0, 2.0], [2.5, 2.5]]]> : tensor<3x5x2xf64>},
        tensor<5xf32> {values.are = dense<[48.0, 60.0, 72.0, 84.0, 96.0]> : tensor<5xf64>}) {
  %v:2 = nn.vjp @new_axes_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<5xf32>), (tensor<3x5x2xf32>) -> tensor<3x5x2xf32>, tensor<5xf32>
  return %v#0, %v#1 : tensor<3x5x2xf32>, tensor<5xf32>
}

func.func @unit_axes_f32(
    %a: tensor<3x1x5xf32> {values.are = dense<[[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5]], [[3.0, 3.5, 4.0, 4.5, 5.0]], [[5.5, 6.0, 6.5, 7.0, 7.5]]]> : tensor<3x1x5xf32>})
    -> (tensor<3x4x5xf32> {values.are = dense<[[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]], [[3.0, 3.5, 4.0, 4.5, 5.0], [3.0, 3.5, 4.0, 4.5, 5.0], [3.0, 3.5, 4.0, 4.5, 5.0], [3.0, 3.5, 4.0, 4.5, 5.0]], [[5.5, 6.0, 6.5, 7.0, 7.5], [5.5, 6.0, 6.5, 7.0, 7.5], [5.5, 6.0, 6.5, 7.0, 7.5], [5.5, 6.0, 6.5, 7.0, 7.5]]]> : tensor<3x4x5xf64>}) {
  %r = nn.broadcast %a axes [0, 1, 2] : tensor<3x1x5xf32> -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}

func.func @unit_axes_f16(
    %a: tensor<3x1x5xf16> {values.are = dense<[[[0.5, 0x7E00, 0xFC00, -0.0, 2.5]], [[3.0, 3.5, 4.0, 4.5, 5.0]], [[5.5, 6.0, 6.5, 7.0, 7.5]]]> : tensor<3x1x5xf16>})
    -> (tensor<3x4x5xf16> {values.are = dense<[[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]], [[3.0, 3.5, 4.0, 4.5, 5.0], [3.0, 3.5, 4.0, 4.5, 5.0], [3.0, 3.5, 4.0, 4.5, 5.0], [3.0, 3.5, 4.0, 4.5, 5.0]], [[5.5, 6.0, 6.5, 7.0, 7.5], [5.5, 6.0, 6.5, 7.0, 7.5], [5.5, 6.0, 6.5, 7.0, 7.5], [5.5, 6.0, 6.5, 7.0, 7.5]]]> : tensor<3x4x5xf64>}) {
  %r = nn.broadcast %a axes [0, 1, 2] : tensor<3x1x5xf16> -> tensor<3x4x5xf16>
  return %r : tensor<3x4x5xf16>
}

func.func private @unit_axes_vjp_of(%a: tensor<3x1x5xf32>) -> (tensor<3x4x5xf32>) {
  %r = nn.broadcast %a axes [0, 1, 2] : tensor<3x1x5xf32> -> tensor<3x4x5xf32>
  return %r : tensor<3x4x5xf32>
}
func.func @unit_axes_vjp(
    %a: tensor<3x1x5xf32> {values.are = dense<[[[0.5, 1.0, 1.5, 2.0, 2.5]], [[3.0, 3.5, 4.0, 4.5, 5.0]], [[5.5, 6.0, 6.5, 7.0, 7.5]]]> : tensor<3x1x5xf32>},
    %b: tensor<3x4x5xf32> {values.are = dense<[[[-2.5, -1.5, -0.5, 0.5, 1.5], [2.5, 3.5, 4.5, 5.5, 6.5], [7.5, 8.5, 9.5, 10.5, 11.5], [12.5, 13.5, 14.5, 15.5, 16.5]], [[17.5, 18.5, 19.5, 20.5, 21.5], [22.5, 23.5, 24.5, 25.5, 26.5], [27.5, 28.5, 29.5, 30.5, 31.5], [32.5, 33.5, 34.5, 35.5, 36.5]], [[37.5, 38.5, 39.5, 40.5, 41.5], [42.5, 43.5, 44.5, 45.5, 46.5], [47.5, 48.5, 49.5, 50.5, 51.5], [52.5, 53.5, 54.5, 55.5, 56.5]]]> : tensor<3x4x5xf32>})
    -> (tensor<3x4x5xf32> {values.are = dense<[[[0.5, 1.0, 1.5, 2.0, 2.5], [0.5, 1.0, 1.5, 2.0, 2.5], [0.5, 1.0, 1.5, 2.0, 2.5], [0.5, 1.0, 1.5, 2.0, 2.5]], [[3.0, 3.5, 4.0, 4.5, 5.0], [3.0, 3.5, 4.0, 4.5, 5.0], [3.0, 3.5, 4.0, 4.5, 5.0], [3.0, 3.5, 4.0, 4.5, 5.0]], [[5.5, 6.0, 6.5, 7.0, 7.5], [5.5, 6.0, 6.5, 7.0, 7.5], [5.5, 6.0, 6.5, 7.0, 7.5], [5.5, 6.0, 6.5, 7.0, 7.5]]]> : tensor<3x4x5xf64>},
        tensor<3x1x5xf32> {values.are = dense<[[[20.0, 24.0, 28.0, 32.0, 36.0]], [[100.0, 104.0, 108.0, 112.0, 116.0]], [[180.0, 184.0, 188.0, 192.0, 196.0]]]> : tensor<3x1x5xf64>}) {
  %v:2 = nn.vjp @unit_axes_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x1x5xf32>), (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>, tensor<3x1x5xf32>
  return %v#0, %v#1 : tensor<3x4x5xf32>, tensor<3x1x5xf32>
}

func.func @unit_and_new_f32(
    %a: tensor<1x5xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5]]> : tensor<1x5xf32>})
    -> (tensor<4x2x5xf32> {values.are = dense<[[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]], [[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]], [[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]], [[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]]]> : tensor<4x2x5xf64>}) {
  %r = nn.broadcast %a axes [0, 2] : tensor<1x5xf32> -> tensor<4x2x5xf32>
  return %r : tensor<4x2x5xf32>
}

func.func @unit_and_new_f16(
    %a: tensor<1x5xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5]]> : tensor<1x5xf16>})
    -> (tensor<4x2x5xf16> {values.are = dense<[[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]], [[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]], [[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]], [[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]]]> : tensor<4x2x5xf64>}) {
  %r = nn.broadcast %a axes [0, 2] : tensor<1x5xf16> -> tensor<4x2x5xf16>
  return %r : tensor<4x2x5xf16>
}

func.func private @unit_and_new_vjp_of(%a: tensor<1x5xf32>) -> (tensor<4x2x5xf32>) {
  %r = nn.broadcast %a axes [0, 2] : tensor<1x5xf32> -> tensor<4x2x5xf32>
  return %r : tensor<4x2x5xf32>
}
func.func @unit_and_new_vjp(
    %a: tensor<1x5xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0, 2.5]]> : tensor<1x5xf32>},
    %b: tensor<4x2x5xf32> {values.are = dense<[[[-2.5, -1.5, -0.5, 0.5, 1.5], [2.5, 3.5, 4.5, 5.5, 6.5]], [[7.5, 8.5, 9.5, 10.5, 11.5], [12.5, 13.5, 14.5, 15.5, 16.5]], [[17.5, 18.5, 19.5, 20.5, 21.5], [22.5, 23.5, 24.5, 25.5, 26.5]], [[27.5, 28.5, 29.5, 30.5, 31.5], [32.5, 33.5, 34.5, 35.5, 36.5]]]> : tensor<4x2x5xf32>})
    -> (tensor<4x2x5xf32> {values.are = dense<[[[0.5, 1.0, 1.5, 2.0, 2.5], [0.5, 1.0, 1.5, 2.0, 2.5]], [[0.5, 1.0, 1.5, 2.0, 2.5], [0.5, 1.0, 1.5, 2.0, 2.5]], [[0.5, 1.0, 1.5, 2.0, 2.5], [0.5, 1.0, 1.5, 2.0, 2.5]], [[0.5, 1.0, 1.5, 2.0, 2.5], [0.5, 1.0, 1.5, 2.0, 2.5]]]> : tensor<4x2x5xf64>},
        tensor<1x5xf32> {values.are = dense<[[120.0, 128.0, 136.0, 144.0, 152.0]]> : tensor<1x5xf64>}) {
  %v:2 = nn.vjp @unit_and_new_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<1x5xf32>), (tensor<4x2x5xf32>) -> tensor<4x2x5xf32>, tensor<1x5xf32>
  return %v#0, %v#1 : tensor<4x2x5xf32>, tensor<1x5xf32>
}

func.func @scalar_f32(
    %a: tensor<f32> {values.are = dense<0.5> : tensor<f32>})
    -> (tensor<3x2xf32> {values.are = dense<[[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]> : tensor<3x2xf64>}) {
  %r = nn.broadcast %a axes [] : tensor<f32> -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @scalar_f16(
    %a: tensor<f16> {values.are = dense<0.5> : tensor<f16>})
    -> (tensor<3x2xf16> {values.are = dense<[[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]> : tensor<3x2xf64>}) {
  %r = nn.broadcast %a axes [] : tensor<f16> -> tensor<3x2xf16>
  return %r : tensor<3x2xf16>
}

func.func private @scalar_vjp_of(%a: tensor<f32>) -> (tensor<3x2xf32>) {
  %r = nn.broadcast %a axes [] : tensor<f32> -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
func.func @scalar_vjp(
    %a: tensor<f32> {values.are = dense<0.5> : tensor<f32>},
    %b: tensor<3x2xf32> {values.are = dense<[[-2.5, -1.5], [-0.5, 0.5], [1.5, 2.5]]> : tensor<3x2xf32>})
    -> (tensor<3x2xf32> {values.are = dense<[[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]> : tensor<3x2xf64>},
        tensor<f32> {values.are = dense<0.0> : tensor<f64>}) {
  %v:2 = nn.vjp @scalar_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<f32>), (tensor<3x2xf32>) -> tensor<3x2xf32>, tensor<f32>
  return %v#0, %v#1 : tensor<3x2xf32>, tensor<f32>
}
