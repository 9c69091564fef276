// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @box_f32(
    %a: tensor<5x7xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5], [4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0], [7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5], [11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0], [14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5]]> : tensor<5x7xf32>})
    -> (tensor<3x4xf32> {values.are = dense<[[5.0, 5.5, 6.0, 6.5], [8.5, 9.0, 9.5, 10.0], [12.0, 12.5, 13.0, 13.5]]> : tensor<3x4xf64>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xf32> -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func @box_f64(
    %a: tensor<5x7xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5], [4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0], [7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5], [11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0], [14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5]]> : tensor<5x7xf64>})
    -> (tensor<3x4xf64> {values.are = dense<[[5.0, 5.5, 6.0, 6.5], [8.5, 9.0, 9.5, 10.0], [12.0, 12.5, 13.0, 13.5]]> : tensor<3x4xf64>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xf64> -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}

func.func @box_f16(
    %a: tensor<5x7xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5, 3.0, 3.5], [4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0], [7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5], [11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0], [14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5]]> : tensor<5x7xf16>})
    -> (tensor<3x4xf16> {values.are = dense<[[5.0, 5.5, 6.0, 6.5], [8.5, 9.0, 9.5, 10.0], [12.0, 12.5, 13.0, 13.5]]> : tensor<3x4xf64>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xf16> -> tensor<3x4xf16>
  return %r : tensor<3x4xf16>
}

func.func @box_bf16(
    %a: tensor<5x7xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80, -0.0, 2.5, 3.0, 3.5], [4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0], [7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5], [11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0], [14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5]]> : tensor<5x7xbf16>})
    -> (tensor<3x4xbf16> {values.are = dense<[[5.0, 5.5, 6.0, 6.5], [8.5, 9.0, 9.5, 10.0], [12.0, 12.5, 13.0, 13.5]]> : tensor<3x4xf64>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xbf16> -> tensor<3x4xbf16>
  return %r : tensor<3x4xbf16>
}

func.func @box_i8(
    %a: tensor<5x7xi8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35]]> : tensor<5x7xi8>})
    -> (tensor<3x4xi8> {values.are = dense<[[10, 11, 12, 13], [17, 18, 19, 20], [24, 25, 26, 27]]> : tensor<3x4xi8>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xi8> -> tensor<3x4xi8>
  return %r : tensor<3x4xi8>
}

func.func @box_i16(
    %a: tensor<5x7xi16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35]]> : tensor<5x7xi16>})
    -> (tensor<3x4xi16> {values.are = dense<[[10, 11, 12, 13], [17, 18, 19, 20], [24, 25, 26, 27]]> : tensor<3x4xi16>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xi16> -> tensor<3x4xi16>
  return %r : tensor<3x4xi16>
}

func.func @box_i32(
    %a: tensor<5x7xi32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35]]> : tensor<5x7xi32>})
    -> (tensor<3x4xi32> {values.are = dense<[[10, 11, 12, 13], [17, 18, 19, 20], [24, 25, 26, 27]]> : tensor<3x4xi32>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xi32> -> tensor<3x4xi32>
  return %r : tensor<3x4xi32>
}

func.func @box_i64(
    %a: tensor<5x7xi64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35]]> : tensor<5x7xi64>})
    -> (tensor<3x4xi64> {values.are = dense<[[10, 11, 12, 13], [17, 18, 19, 20], [24, 25, 26, 27]]> : tensor<3x4xi64>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xi64> -> tensor<3x4xi64>
  return %r : tensor<3x4xi64>
}

func.func @box_ui8(
    %a: tensor<5x7xui8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35]]> : tensor<5x7xui8>})
    -> (tensor<3x4xui8> {values.are = dense<[[10, 11, 12, 13], [17, 18, 19, 20], [24, 25, 26, 27]]> : tensor<3x4xui8>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xui8> -> tensor<3x4xui8>
  return %r : tensor<3x4xui8>
}

func.func @box_ui16(
    %a: tensor<5x7xui16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35]]> : tensor<5x7xui16>})
    -> (tensor<3x4xui16> {values.are = dense<[[10, 11, 12, 13], [17, 18, 19, 20], [24, 25, 26, 27]]> : tensor<3x4xui16>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xui16> -> tensor<3x4xui16>
  return %r : tensor<3x4xui16>
}

func.func @box_ui32(
    %a: tensor<5x7xui32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35]]> : tensor<5x7xui32>})
    -> (tensor<3x4xui32> {values.are = dense<[[10, 11, 12, 13], [17, 18, 19, 20], [24, 25, 26, 27]]> : tensor<3x4xui32>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xui32> -> tensor<3x4xui32>
  return %r : tensor<3x4xui32>
}

func.func @box_ui64(
    %a: tensor<5x7xui64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], [15, 16, 17, 18, 19, 20, 21], [22, 23, 24, 25, 26, 27, 28], [29, 30, 31, 32, 33, 34, 35]]> : tensor<5x7xui64>})
    -> (tensor<3x4xui64> {values.are = dense<[[10, 11, 12, 13], [17, 18, 19, 20], [24, 25, 26, 27]]> : tensor<3x4xui64>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xui64> -> tensor<3x4xui64>
  return %r : tensor<3x4xui64>
}

func.func @box_i1(
    %a: tensor<5x7xi1> {values.are = dense<[[true, false, true, false, true, false, true], [false, true, false, true, false, true, false], [true, false, true, false, true, false, true], [false, true, false, true, false, true, false], [true, false, true, false, true, false, true]]> : tensor<5x7xi1>})
    -> (tensor<3x4xi1> {values.are = dense<[[false, true, false, true], [true, false, true, false], [false, true, false, true]]> : tensor<3x4xi1>}) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xi1> -> tensor<3x4xi1>
  return %r : tensor<3x4xi1>
}

func.func private @box_vjp_of(%a: tensor<5x7xf32>) -> (tensor<3x4xf32>) {
  %r = nn.slice %a [1, 2] to [4, 6] by [1, 1] : tensor<5x7xf32> -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
func.func @box_vjp(
    %a: tensor<5x7xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5], [4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0], [7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5], [11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0], [14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5]]> : tensor<5x7xf32>},
    %b: tensor<3x4xf32> {values.are = dense<[[-2.5, -1.5, -0.5, 0.5], [1.5, 2.5, 3.5, 4.5], [5.5, 6.5, 7.5, 8.5]]> : tensor<3x4xf32>})
    -> (tensor<3x4xf32> {values.are = dense<[[5.0, 5.5, 6.0, 6.5], [8.5, 9.0, 9.5, 10.0], [12.0, 12.5, 13.0, 13.5]]> : tensor<3x4xf64>},
        tensor<5x7xf32> {values.are = dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, -2.5, -1.5, -0.5, 0.5, 0.0], [0.0, 0.0, 1.5, 2.5, 3.5, 4.5, 0.0], [0.0, 0.0, 5.5, 6.5, 7.5, 8.5, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<5x7xf64>}) {
  %v:2 = nn.vjp @box_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<5x7xf32>), (tensor<3x4xf32>) -> tensor<3x4xf32>, tensor<5x7xf32>
  return %v#0, %v#1 : tensor<3x4xf32>, tensor<5x7xf32>
}

func.func @strides_f32(
    %a: tensor<7x9xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5], [5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0], [9.5, 10.0, 10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5], [14.0, 14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5, 18.0], [18.5, 19.0, 19.5, 20.0, 20.5, 21.0, 21.5, 22.0, 22.5], [23.0, 23.5, 24.0, 24.5, 25.0, 25.5, 26.0, 26.5, 27.0], [27.5, 28.0, 28.5, 29.0, 29.5, 30.0, 30.5, 31.0, 31.5]]> : tensor<7x9xf32>})
    -> (tensor<3x3xf32> {values.are = dense<[[5.0, 6.5, 8.0], [14.0, 15.5, 17.0], [23.0, 24.5, 26.0]]> : tensor<3x3xf64>}) {
  %r = nn.slice %a [1, 0] to [7, 8] by [2, 3] : tensor<7x9xf32> -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

func.func @strides_f16(
    %a: tensor<7x9xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5], [5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0], [9.5, 10.0, 10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5], [14.0, 14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5, 18.0], [18.5, 19.0, 19.5, 20.0, 20.5, 21.0, 21.5, 22.0, 22.5], [23.0, 23.5, 24.0, 24.5, 25.0, 25.5, 26.0, 26.5, 27.0], [27.5, 28.0, 28.5, 29.0, 29.5, 30.0, 30.5, 31.0, 31.5]]> : tensor<7x9xf16>})
    -> (tensor<3x3xf16> {values.are = dense<[[5.0, 6.5, 8.0], [14.0, 15.5, 17.0], [23.0, 24.5, 26.0]]> : tensor<3x3xf64>}) {
  %r = nn.slice %a [1, 0] to [7, 8] by [2, 3] : tensor<7x9xf16> -> tensor<3x3xf16>
  return %r : tensor<3x3xf16>
}

func.func private @strides_vjp_of(%a: tensor<7x9xf32>) -> (tensor<3x3xf32>) {
  %r = nn.slice %a [1, 0] to [7, 8] by [2, 3] : tensor<7x9xf32> -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}
func.func @strides_vjp(
    %a: tensor<7x9xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5], [5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0], [9.5, 10.0, 10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5], [14.0, 14.5, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5, 18.0], [18.5, 19.0, 19.5, 20.0, 20.5, 21.0, 21.5, 22.0, 22.5], [23.0, 23.5, 24.0, 24.5, 25.0, 25.5, 26.0, 26.5, 27.0], [27.5, 28.0, 28.5, 29.0, 29.5, 30.0, 30.5, 31.0, 31.5]]> : tensor<7x9xf32>},
    %b: tensor<3x3xf32> {values.are = dense<[[-2.5, -1.5, -0.5], [0.5, 1.5, 2.5], [3.5, 4.5, 5.5]]> : tensor<3x3xf32>})
    -> (tensor<3x3xf32> {values.are = dense<[[5.0, 6.5, 8.0], [14.0, 15.5, 17.0], [23.0, 24.5, 26.0]]> : tensor<3x3xf64>},
        tensor<7x9xf32> {values.are = dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [-2.5, 0.0, 0.0, -1.5, 0.0, 0.0, -0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 1.5, 0.0, 0.0, 2.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [3.5, 0.0, 0.0, 4.5, 0.0, 0.0, 5.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<7x9xf64>}) {
  %v:2 = nn.vjp @strides_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<7x9xf32>), (tensor<3x3xf32>) -> tensor<3x3xf32>, tensor<7x9xf32>
  return %v#0, %v#1 : tensor<3x3xf32>, tensor<7x9xf32>
}

func.func @last_f32(
    %a: tensor<6x2xf32> {values.are = dense<[[0.5, 0x7FC00000], [0xFF800000, -0.0], [2.5, 3.0], [3.5, 4.0], [4.5, 5.0], [5.5, 6.0]]> : tensor<6x2xf32>})
    -> (tensor<1x1xf32> {values.are = dense<[[6.0]]> : tensor<1x1xf64>}) {
  %r = nn.slice %a [5, 1] to [6, 2] by [1, 1] : tensor<6x2xf32> -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

func.func @last_f16(
    %a: tensor<6x2xf16> {values.are = dense<[[0.5, 0x7E00], [0xFC00, -0.0], [2.5, 3.0], [3.5, 4.0], [4.5, 5.0], [5.5, 6.0]]> : tensor<6x2xf16>})
    -> (tensor<1x1xf16> {values.are = dense<[[6.0]]> : tensor<1x1xf64>}) {
  %r = nn.slice %a [5, 1] to [6, 2] by [1, 1] : tensor<6x2xf16> -> tensor<1x1xf16>
  return %r : tensor<1x1xf16>
}

func.func private @last_vjp_of(%a: tensor<6x2xf32>) -> (tensor<1x1xf32>) {
  %r = nn.slice %a [5, 1] to [6, 2] by [1, 1] : tensor<6x2xf32> -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}
func.func @last_vjp(
    %a: tensor<6x2xf32> {values.are = dense<[[0.5, 1.0], [1.5, 2.0], [2.5, 3.0], [3.5, 4.0], [4.5, 5.0], [5.5, 6.0]]> : tensor<6x2xf32>},
    %b: tensor<1x1xf32> {values.are = dense<[[-2.5]]> : tensor<1x1xf32>})
    -> (tensor<1x1xf32> {values.are = dense<[[6.0]]> : tensor<1x1xf64>},
        tensor<6x2xf32> {values.are = dense<[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, -2.5]]> : tensor<6x2xf64>}) {
  %v:2 = nn.vjp @last_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<6x2xf32>), (tensor<1x1xf32>) -> tensor<1x1xf32>, tensor<6x2xf32>
  return %v#0, %v#1 : tensor<1x1xf32>, tensor<6x2xf32>
}

func.func @nothing_f32(
    %a: tensor<4x6x3xf32> {values.are = dense<[[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5], [8.0, 8.5, 9.0]], [[9.5, 10.0, 10.5], [11.0, 11.5, 12.0], [12.5, 13.0, 13.5], [14.0, 14.5, 15.0], [15.5, 16.0, 16.5], [17.0, 17.5, 18.0]], [[18.5, 19.0, 19.5], [20.0, 20.5, 21.0], [21.5, 22.0, 22.5], [23.0, 23.5, 24.0], [24.5, 25.0, 25.5], [26.0, 26.5, 27.0]], [[27.5, 28.0, 28.5], [29.0, 29.5, 30.0], [30.5, 31.0, 31.5], [32.0, 32.5, 33.0], [33.5, 34.0, 34.5], [35.0, 35.5, 36.0]]]> : tensor<4x6x3xf32>})
    -> (tensor<4x0x3xf32> {values.are = dense<> : tensor<4x0x3xf64>}) {
  %r = nn.slice %a [0, 6, 0] to [4, 6, 3] by [1, 1, 1] : tensor<4x6x3xf32> -> tensor<4x0x3xf32>
  return %r : tensor<4x0x3xf32>
}

func.func @nothing_f16(
    %a: tensor<4x6x3xf16> {values.are = dense<[[[0.5, 0x7E00, 0xFC00], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5], [8.0, 8.5, 9.0]], [[9.5, 10.0, 10.5], [11.0, 11.5, 12.0], [12.5, 13.0, 13.5], [14.0, 14.5, 15.0], [15.5, 16.0, 16.5], [17.0, 17.5, 18.0]], [[18.5, 19.0, 19.5], [20.0, 20.5, 21.0], [21.5, 22.0, 22.5], [23.0, 23.5, 24.0], [24.5, 25.0, 25.5], [26.0, 26.5, 27.0]], [[27.5, 28.0, 28.5], [29.0, 29.5, 30.0], [30.5, 31.0, 31.5], [32.0, 32.5, 33.0], [33.5, 34.0, 34.5], [35.0, 35.5, 36.0]]]> : tensor<4x6x3xf16>})
    -> (tensor<4x0x3xf16> {values.are = dense<> : tensor<4x0x3xf64>}) {
  %r = nn.slice %a [0, 6, 0] to [4, 6, 3] by [1, 1, 1] : tensor<4x6x3xf16> -> tensor<4x0x3xf16>
  return %r : tensor<4x0x3xf16>
}

func.func private @nothing_vjp_of(%a: tensor<4x6x3xf32>) -> (tensor<4x0x3xf32>) {
  %r = nn.slice %a [0, 6, 0] to [4, 6, 3] by [1, 1, 1] : tensor<4x6x3xf32> -> tensor<4x0x3xf32>
  return %r : tensor<4x0x3xf32>
}
func.func @nothing_vjp(
    %a: tensor<4x6x3xf32> {values.are = dense<[[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5], [8.0, 8.5, 9.0]], [[9.5, 10.0, 10.5], [11.0, 11.5, 12.0], [12.5, 13.0, 13.5], [14.0, 14.5, 15.0], [15.5, 16.0, 16.5], [17.0, 17.5, 18.0]], [[18.5, 19.0, 19.5], [20.0, 20.5, 21.0], [21.5, 22.0, 22.5], [23.0, 23.5, 24.0], [24.5, 25.0, 25.5], [26.0, 26.5, 27.0]], [[27.5, 28.0, 28.5], [29.0, 29.5, 30.0], [30.5, 31.0, 31.5], [32.0, 32.5, 33.0], [33.5, 34.0, 34.5], [35.0, 35.5, 36.0]]]> : tensor<4x6x3xf32>},
    %b: tensor<4x0x3xf32> {values.are = dense<> : tensor<4x0x3xf32>})
    -> (tensor<4x0x3xf32> {values.are = dense<> : tensor<4x0x3xf64>},
        tensor<4x6x3xf32> {values.are = dense<[[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]> : tensor<4x6x3xf64>}) {
  %v:2 = nn.vjp @nothing_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<4x6x3xf32>), (tensor<4x0x3xf32>) -> tensor<4x0x3xf32>, tensor<4x6x3xf32>
  return %v#0, %v#1 : tensor<4x0x3xf32>, tensor<4x6x3xf32>
}

func.func @ragged_f32(
    %a: tensor<8xf32> {values.are = dense<[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5, 4.0]> : tensor<8xf32>})
    -> (tensor<3xf32> {values.are = dense<[0x7FF8000000000000, 2.5, 4.0]> : tensor<3xf64>}) {
  %r = nn.slice %a [1] to [8] by [3] : tensor<8xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @ragged_f16(
    %a: tensor<8xf16> {values.are = dense<[0.5, 0x7E00, 0xFC00, -0.0, 2.5, 3.0, 3.5, 4.0]> : tensor<8xf16>})
    -> (tensor<3xf16> {values.are = dense<[0x7FF8000000000000, 2.5, 4.0]> : tensor<3xf64>}) {
  %r = nn.slice %a [1] to [8] by [3] : tensor<8xf16> -> tensor<3xf16>
  return %r : tensor<3xf16>
}

func.func private @ragged_vjp_of(%a: tensor<8xf32>) -> (tensor<3xf32>) {
  %r = nn.slice %a [1] to [8] by [3] : tensor<8xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @ragged_vjp(
    %a: tensor<8xf32> {values.are = dense<[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]> : tensor<8xf32>},
    %b: tensor<3xf32> {values.are = dense<[-2.5, -1.5, -0.5]> : tensor<3xf32>})
    -> (tensor<3xf32> {values.are = dense<[1.0, 2.5, 4.0]> : tensor<3xf64>},
        tensor<8xf32> {values.are = dense<[0.0, -2.5, 0.0, 0.0, -1.5, 0.0, 0.0, -0.5]> : tensor<8xf64>}) {
  %v:2 = nn.vjp @ragged_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<8xf32>), (tensor<3xf32>) -> tensor<3xf32>, tensor<8xf32>
  return %v#0, %v#1 : tensor<3xf32>, tensor<8xf32>
}
