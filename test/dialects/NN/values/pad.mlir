// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @around_f32(
    %a: tensor<3x5xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf32>})
    -> (tensor<6x7xf32> {values.are = dense<[[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 0.5, 0.5], [3.0, 3.5, 4.0, 4.5, 5.0, 0.5, 0.5], [5.5, 6.0, 6.5, 7.0, 7.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]> : tensor<6x7xf64>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xf32> -> tensor<6x7xf32>
  return %r : tensor<6x7xf32>
}

func.func @around_f64(
    %a: tensor<3x5xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf64>})
    -> (tensor<6x7xf64> {values.are = dense<[[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 0.5, 0.5], [3.0, 3.5, 4.0, 4.5, 5.0, 0.5, 0.5], [5.5, 6.0, 6.5, 7.0, 7.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]> : tensor<6x7xf64>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xf64> -> tensor<6x7xf64>
  return %r : tensor<6x7xf64>
}

func.func @around_f16(
    %a: tensor<3x5xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf16>})
    -> (tensor<6x7xf16> {values.are = dense<[[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 0.5, 0.5], [3.0, 3.5, 4.0, 4.5, 5.0, 0.5, 0.5], [5.5, 6.0, 6.5, 7.0, 7.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]> : tensor<6x7xf64>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xf16> -> tensor<6x7xf16>
  return %r : tensor<6x7xf16>
}

func.func @around_bf16(
    %a: tensor<3x5xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xbf16>})
    -> (tensor<6x7xbf16> {values.are = dense<[[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 0.5, 0.5], [3.0, 3.5, 4.0, 4.5, 5.0, 0.5, 0.5], [5.5, 6.0, 6.5, 7.0, 7.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]> : tensor<6x7xf64>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xbf16> -> tensor<6x7xbf16>
  return %r : tensor<6x7xbf16>
}

func.func @around_i8(
    %a: tensor<3x5xi8> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi8>})
    -> (tensor<6x7xi8> {values.are = dense<[[0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 0, 0], [6, 7, 8, 9, 10, 0, 0], [11, 12, 13, 14, 15, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]]> : tensor<6x7xi8>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xi8> -> tensor<6x7xi8>
  return %r : tensor<6x7xi8>
}

func.func @around_i16(
    %a: tensor<3x5xi16> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi16>})
    -> (tensor<6x7xi16> {values.are = dense<[[0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 0, 0], [6, 7, 8, 9, 10, 0, 0], [11, 12, 13, 14, 15, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]]> : tensor<6x7xi16>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xi16> -> tensor<6x7xi16>
  return %r : tensor<6x7xi16>
}

func.func @around_i32(
    %a: tensor<3x5xi32> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi32>})
    -> (tensor<6x7xi32> {values.are = dense<[[0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 0, 0], [6, 7, 8, 9, 10, 0, 0], [11, 12, 13, 14, 15, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]]> : tensor<6x7xi32>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xi32> -> tensor<6x7xi32>
  return %r : tensor<6x7xi32>
}

func.func @around_i64(
    %a: tensor<3x5xi64> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi64>})
    -> (tensor<6x7xi64> {values.are = dense<[[0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 0, 0], [6, 7, 8, 9, 10, 0, 0], [11, 12, 13, 14, 15, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]]> : tensor<6x7xi64>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xi64> -> tensor<6x7xi64>
  return %r : tensor<6x7xi64>
}

func.func @around_ui8(
    %a: tensor<3x5xui8> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui8>})
    -> (tensor<6x7xui8> {values.are = dense<[[0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 0, 0], [6, 7, 8, 9, 10, 0, 0], [11, 12, 13, 14, 15, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]]> : tensor<6x7xui8>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xui8> -> tensor<6x7xui8>
  return %r : tensor<6x7xui8>
}

func.func @around_ui16(
    %a: tensor<3x5xui16> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui16>})
    -> (tensor<6x7xui16> {values.are = dense<[[0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 0, 0], [6, 7, 8, 9, 10, 0, 0], [11, 12, 13, 14, 15, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]]> : tensor<6x7xui16>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xui16> -> tensor<6x7xui16>
  return %r : tensor<6x7xui16>
}

func.func @around_ui32(
    %a: tensor<3x5xui32> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui32>})
    -> (tensor<6x7xui32> {values.are = dense<[[0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 0, 0], [6, 7, 8, 9, 10, 0, 0], [11, 12, 13, 14, 15, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]]> : tensor<6x7xui32>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xui32> -> tensor<6x7xui32>
  return %r : tensor<6x7xui32>
}

func.func @around_ui64(
    %a: tensor<3x5xui64> {values.are = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xui64>})
    -> (tensor<6x7xui64> {values.are = dense<[[0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 0, 0], [6, 7, 8, 9, 10, 0, 0], [11, 12, 13, 14, 15, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]]> : tensor<6x7xui64>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xui64> -> tensor<6x7xui64>
  return %r : tensor<6x7xui64>
}

func.func @around_i1(
    %a: tensor<3x5xi1> {values.are = dense<[[true, false, true, false, true], [false, true, false, true, false], [true, false, true, false, true]]> : tensor<3x5xi1>})
    -> (tensor<6x7xi1> {values.are = dense<[[false, false, false, false, false, false, false], [true, false, true, false, true, false, false], [false, true, false, true, false, false, false], [true, false, true, false, true, false, false], [false, false, false, false, false, false, false], [false, false, false, false, false, false, false]]> : tensor<6x7xi1>}) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xi1> -> tensor<6x7xi1>
  return %r : tensor<6x7xi1>
}

func.func private @around_vjp_of(%a: tensor<3x5xf32>) -> (tensor<6x7xf32>) {
  %r = nn.pad %a low [1, 0] high [2, 2] interior [0, 0] value 0.5 : tensor<3x5xf32> -> tensor<6x7xf32>
  return %r : tensor<6x7xf32>
}
func.func @around_vjp(
    %a: tensor<3x5xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5]]> : tensor<3x5xf32>},
    %b: tensor<6x7xf32> {values.are = dense<[[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5], [4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5], [11.5, 12.5, 13.5, 14.5, 15.5, 16.5, 17.5], [18.5, 19.5, 20.5, 21.5, 22.5, 23.5, 24.5], [25.5, 26.5, 27.5, 28.5, 29.5, 30.5, 31.5], [32.5, 33.5, 34.5, 35.5, 36.5, 37.5, 38.5]]> : tensor<6x7xf32>})
    -> (tensor<6x7xf32> {values.are = dense<[[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 1.0, 1.5, 2.0, 2.5, 0.5, 0.5], [3.0, 3.5, 4.0, 4.5, 5.0, 0.5, 0.5], [5.5, 6.0, 6.5, 7.0, 7.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]> : tensor<6x7xf64>},
        tensor<3x5xf32> {values.are = dense<[[4.5, 5.5, 6.5, 7.5, 8.5], [11.5, 12.5, 13.5, 14.5, 15.5], [18.5, 19.5, 20.5, 21.5, 22.5]]> : tensor<3x5xf64>}) {
  %v:2 = nn.vjp @around_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x5xf32>), (tensor<6x7xf32>) -> tensor<6x7xf32>, tensor<3x5xf32>
  return %v#0, %v#1 : tensor<6x7xf32>, tensor<3x5xf32>
}

func.func @cropped_f32(
    %a: tensor<5x7xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5], [4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0], [7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5], [11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0], [14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5]]> : tensor<5x7xf32>})
    -> (tensor<4x5xf32> {values.are = dense<[[1.0, 1.0, 4.0, 4.5, 5.0], [1.0, 1.0, 7.5, 8.0, 8.5], [1.0, 1.0, 11.0, 11.5, 12.0], [1.0, 1.0, 14.5, 15.0, 15.5]]> : tensor<4x5xf64>}) {
  %r = nn.pad %a low [-1, 2] high [0, -4] interior [0, 0] value 1.0 : tensor<5x7xf32> -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

func.func @cropped_f16(
    %a: tensor<5x7xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5, 3.0, 3.5], [4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0], [7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5], [11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0], [14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5]]> : tensor<5x7xf16>})
    -> (tensor<4x5xf16> {values.are = dense<[[1.0, 1.0, 4.0, 4.5, 5.0], [1.0, 1.0, 7.5, 8.0, 8.5], [1.0, 1.0, 11.0, 11.5, 12.0], [1.0, 1.0, 14.5, 15.0, 15.5]]> : tensor<4x5xf64>}) {
  %r = nn.pad %a low [-1, 2] high [0, -4] interior [0, 0] value 1.0 : tensor<5x7xf16> -> tensor<4x5xf16>
  return %r : tensor<4x5xf16>
}

func.func private @cropped_vjp_of(%a: tensor<5x7xf32>) -> (tensor<4x5xf32>) {
  %r = nn.pad %a low [-1, 2] high [0, -4] interior [0, 0] value 1.0 : tensor<5x7xf32> -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @cropped_vjp(
    %a: tensor<5x7xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5], [4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0], [7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5], [11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0], [14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5]]> : tensor<5x7xf32>},
    %b: tensor<4x5xf32> {values.are = dense<[[-2.5, -1.5, -0.5, 0.5, 1.5], [2.5, 3.5, 4.5, 5.5, 6.5], [7.5, 8.5, 9.5, 10.5, 11.5], [12.5, 13.5, 14.5, 15.5, 16.5]]> : tensor<4x5xf32>})
    -> (tensor<4x5xf32> {values.are = dense<[[1.0, 1.0, 4.0, 4.5, 5.0], [1.0, 1.0, 7.5, 8.0, 8.5], [1.0, 1.0, 11.0, 11.5, 12.0], [1.0, 1.0, 14.5, 15.0, 15.5]]> : tensor<4x5xf64>},
        tensor<5x7xf32> {values.are = dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [-0.5, 0.5, 1.5, 0.0, 0.0, 0.0, 0.0], [4.5, 5.5, 6.5, 0.0, 0.0, 0.0, 0.0], [9.5, 10.5, 11.5, 0.0, 0.0, 0.0, 0.0], [14.5, 15.5, 16.5, 0.0, 0.0, 0.0, 0.0]]> : tensor<5x7xf64>}) {
  %v:2 = nn.vjp @cropped_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<5x7xf32>), (tensor<4x5xf32>) -> tensor<4x5xf32>, tensor<5x7xf32>
  return %v#0, %v#1 : tensor<4x5xf32>, tensor<5x7xf32>
}

func.func @spread_f32(
    %a: tensor<3x4xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0], [2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0]]> : tensor<3x4xf32>})
    -> (tensor<7x10xf32> {values.are = dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0x7FF8000000000000, 0.0, 0.0, 0xFFF0000000000000, 0.0, 0.0, -0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [2.5, 0.0, 0.0, 3.0, 0.0, 0.0, 3.5, 0.0, 0.0, 4.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [4.5, 0.0, 0.0, 5.0, 0.0, 0.0, 5.5, 0.0, 0.0, 6.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<7x10xf64>}) {
  %r = nn.pad %a low [1, 0] high [1, 0] interior [1, 2] value 0.0 : tensor<3x4xf32> -> tensor<7x10xf32>
  return %r : tensor<7x10xf32>
}

func.func @spread_f16(
    %a: tensor<3x4xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0], [2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0]]> : tensor<3x4xf16>})
    -> (tensor<7x10xf16> {values.are = dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0x7FF8000000000000, 0.0, 0.0, 0xFFF0000000000000, 0.0, 0.0, -0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [2.5, 0.0, 0.0, 3.0, 0.0, 0.0, 3.5, 0.0, 0.0, 4.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [4.5, 0.0, 0.0, 5.0, 0.0, 0.0, 5.5, 0.0, 0.0, 6.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<7x10xf64>}) {
  %r = nn.pad %a low [1, 0] high [1, 0] interior [1, 2] value 0.0 : tensor<3x4xf16> -> tensor<7x10xf16>
  return %r : tensor<7x10xf16>
}

func.func private @spread_vjp_of(%a: tensor<3x4xf32>) -> (tensor<7x10xf32>) {
  %r = nn.pad %a low [1, 0] high [1, 0] interior [1, 2] value 0.0 : tensor<3x4xf32> -> tensor<7x10xf32>
  return %r : tensor<7x10xf32>
}
func.func @spread_vjp(
    %a: tensor<3x4xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0], [2.5, 3.0, 3.5, 4.0], [4.5, 5.0, 5.5, 6.0]]> : tensor<3x4xf32>},
    %b: tensor<7x10xf32> {values.are = dense<[[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5], [7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, 16.5], [17.5, 18.5, 19.5, 20.5, 21.5, 22.5, 23.5, 24.5, 25.5, 26.5], [27.5, 28.5, 29.5, 30.5, 31.5, 32.5, 33.5, 34.5, 35.5, 36.5], [37.5, 38.5, 39.5, 40.5, 41.5, 42.5, 43.5, 44.5, 45.5, 46.5], [47.5, 48.5, 49.5, 50.5, 51.5, 52.5, 53.5, 54.5, 55.5, 56.5], [57.5, 58.5, 59.5, 60.5, 61.5, 62.5, 63.5, 64.5, 65.5, 66.5]]> : tensor<7x10xf32>})
    -> (tensor<7x10xf32> {values.are = dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 1.5, 0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [2.5, 0.0, 0.0, 3.0, 0.0, 0.0, 3.5, 0.0, 0.0, 4.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [4.5, 0.0, 0.0, 5.0, 0.0, 0.0, 5.5, 0.0, 0.0, 6.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<7x10xf64>},
        tensor<3x4xf32> {values.are = dense<[[7.5, 10.5, 13.5, 16.5], [27.5, 30.5, 33.5, 36.5], [47.5, 50.5, 53.5, 56.5]]> : tensor<3x4xf64>}) {
  %v:2 = nn.vjp @spread_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x4xf32>), (tensor<7x10xf32>) -> tensor<7x10xf32>, tensor<3x4xf32>
  return %v#0, %v#1 : tensor<7x10xf32>, tensor<3x4xf32>
}

func.func @spread_and_cropped_f32(
    %a: tensor<4x5xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5], [8.0, 8.5, 9.0, 9.5, 10.0]]> : tensor<4x5xf32>})
    -> (tensor<6x6xf32> {values.are = dense<[[0.5, 3.0, 0.5, 3.5, 0.5, 4.0], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 5.5, 0.5, 6.0, 0.5, 6.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 8.0, 0.5, 8.5, 0.5, 9.0], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]> : tensor<6x6xf64>}) {
  %r = nn.pad %a low [-2, 1] high [1, -4] interior [1, 1] value 0.5 : tensor<4x5xf32> -> tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}

func.func @spread_and_cropped_f16(
    %a: tensor<4x5xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5], [8.0, 8.5, 9.0, 9.5, 10.0]]> : tensor<4x5xf16>})
    -> (tensor<6x6xf16> {values.are = dense<[[0.5, 3.0, 0.5, 3.5, 0.5, 4.0], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 5.5, 0.5, 6.0, 0.5, 6.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 8.0, 0.5, 8.5, 0.5, 9.0], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]> : tensor<6x6xf64>}) {
  %r = nn.pad %a low [-2, 1] high [1, -4] interior [1, 1] value 0.5 : tensor<4x5xf16> -> tensor<6x6xf16>
  return %r : tensor<6x6xf16>
}

func.func private @spread_and_cropped_vjp_of(%a: tensor<4x5xf32>) -> (tensor<6x6xf32>) {
  %r = nn.pad %a low [-2, 1] high [1, -4] interior [1, 1] value 0.5 : tensor<4x5xf32> -> tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}
func.func @spread_and_cropped_vjp(
    %a: tensor<4x5xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5], [8.0, 8.5, 9.0, 9.5, 10.0]]> : tensor<4x5xf32>},
    %b: tensor<6x6xf32> {values.are = dense<[[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], [3.5, 4.5, 5.5, 6.5, 7.5, 8.5], [9.5, 10.5, 11.5, 12.5, 13.5, 14.5], [15.5, 16.5, 17.5, 18.5, 19.5, 20.5], [21.5, 22.5, 23.5, 24.5, 25.5, 26.5], [27.5, 28.5, 29.5, 30.5, 31.5, 32.5]]> : tensor<6x6xf32>})
    -> (tensor<6x6xf32> {values.are = dense<[[0.5, 3.0, 0.5, 3.5, 0.5, 4.0], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 5.5, 0.5, 6.0, 0.5, 6.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 8.0, 0.5, 8.5, 0.5, 9.0], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]> : tensor<6x6xf64>},
        tensor<4x5xf32> {values.are = dense<[[0.0, 0.0, 0.0, 0.0, 0.0], [-1.5, 0.5, 2.5, 0.0, 0.0], [10.5, 12.5, 14.5, 0.0, 0.0], [22.5, 24.5, 26.5, 0.0, 0.0]]> : tensor<4x5xf64>}) {
  %v:2 = nn.vjp @spread_and_cropped_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<4x5xf32>), (tensor<6x6xf32>) -> tensor<6x6xf32>, tensor<4x5xf32>
  return %v#0, %v#1 : tensor<6x6xf32>, tensor<4x5xf32>
}

func.func @all_axes_f32(
    %a: tensor<1x2x1xf32> {values.are = dense<[[[0.5], [1.0]]]> : tensor<1x2x1xf32>})
    -> (tensor<3x6x4xf32> {values.are = dense<[[[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.5], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]]> : tensor<3x6x4xf64>}) {
  %r = nn.pad %a low [0, 1, 3] high [2, 0, 0] interior [0, 3, 0] value 1.0 : tensor<1x2x1xf32> -> tensor<3x6x4xf32>
  return %r : tensor<3x6x4xf32>
}

func.func @all_axes_f16(
    %a: tensor<1x2x1xf16> {values.are = dense<[[[0.5], [1.0]]]> : tensor<1x2x1xf16>})
    -> (tensor<3x6x4xf16> {values.are = dense<[[[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.5], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]]> : tensor<3x6x4xf64>}) {
  %r = nn.pad %a low [0, 1, 3] high [2, 0, 0] interior [0, 3, 0] value 1.0 : tensor<1x2x1xf16> -> tensor<3x6x4xf16>
  return %r : tensor<3x6x4xf16>
}

func.func private @all_axes_vjp_of(%a: tensor<1x2x1xf32>) -> (tensor<3x6x4xf32>) {
  %r = nn.pad %a low [0, 1, 3] high [2, 0, 0] interior [0, 3, 0] value 1.0 : tensor<1x2x1xf32> -> tensor<3x6x4xf32>
  return %r : tensor<3x6x4xf32>
}
func.func @all_axes_vjp(
    %a: tensor<1x2x1xf32> {values.are = dense<[[[0.5], [1.0]]]> : tensor<1x2x1xf32>},
    %b: tensor<3x6x4xf32> {values.are = dense<[[[-2.5, -1.5, -0.5, 0.5], [1.5, 2.5, 3.5, 4.5], [5.5, 6.5, 7.5, 8.5], [9.5, 10.5, 11.5, 12.5], [13.5, 14.5, 15.5, 16.5], [17.5, 18.5, 19.5, 20.5]], [[21.5, 22.5, 23.5, 24.5], [25.5, 26.5, 27.5, 28.5], [29.5, 30.5, 31.5, 32.5], [33.5, 34.5, 35.5, 36.5], [37.5, 38.5, 39.5, 40.5], [41.5, 42.5, 43.5, 44.5]], [[45.5, 46.5, 47.5, 48.5], [49.5, 50.5, 51.5, 52.5], [53.5, 54.5, 55.5, 56.5], [57.5, 58.5, 59.5, 60.5], [61.5, 62.5, 63.5, 64.5], [65.5, 66.5, 67.5, 68.5]]]> : tensor<3x6x4xf32>})
    -> (tensor<3x6x4xf32> {values.are = dense<[[[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.5], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]]> : tensor<3x6x4xf64>},
        tensor<1x2x1xf32> {values.are = dense<[[[4.5], [20.5]]]> : tensor<1x2x1xf64>}) {
  %v:2 = nn.vjp @all_axes_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<1x2x1xf32>), (tensor<3x6x4xf32>) -> tensor<3x6x4xf32>, tensor<1x2x1xf32>
  return %v#0, %v#1 : tensor<3x6x4xf32>, tensor<1x2x1xf32>
}
