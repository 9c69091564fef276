// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @split_and_join_f32(
    %a: tensor<3x4x5xf32> {values.are = dense<[[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5], [8.0, 8.5, 9.0, 9.5, 10.0]], [[10.5, 11.0, 11.5, 12.0, 12.5], [13.0, 13.5, 14.0, 14.5, 15.0], [15.5, 16.0, 16.5, 17.0, 17.5], [18.0, 18.5, 19.0, 19.5, 20.0]], [[20.5, 21.0, 21.5, 22.0, 22.5], [23.0, 23.5, 24.0, 24.5, 25.0], [25.5, 26.0, 26.5, 27.0, 27.5], [28.0, 28.5, 29.0, 29.5, 30.0]]]> : tensor<3x4x5xf32>})
    -> (tensor<6x10xf32> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0], [10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0], [15.5, 16.0, 16.5, 17.0, 17.5, 18.0, 18.5, 19.0, 19.5, 20.0], [20.5, 21.0, 21.5, 22.0, 22.5, 23.0, 23.5, 24.0, 24.5, 25.0], [25.5, 26.0, 26.5, 27.0, 27.5, 28.0, 28.5, 29.0, 29.5, 30.0]]> : tensor<6x10xf64>}) {
  %r = nn.reshape %a : tensor<3x4x5xf32> -> tensor<6x10xf32>
  return %r : tensor<6x10xf32>
}

func.func @split_and_join_f64(
    %a: tensor<3x4x5xf64> {values.are = dense<[[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5], [8.0, 8.5, 9.0, 9.5, 10.0]], [[10.5, 11.0, 11.5, 12.0, 12.5], [13.0, 13.5, 14.0, 14.5, 15.0], [15.5, 16.0, 16.5, 17.0, 17.5], [18.0, 18.5, 19.0, 19.5, 20.0]], [[20.5, 21.0, 21.5, 22.0, 22.5], [23.0, 23.5, 24.0, 24.5, 25.0], [25.5, 26.0, 26.5, 27.0, 27.5], [28.0, 28.5, 29.0, 29.5, 30.0]]]> : tensor<3x4x5xf64>})
    -> (tensor<6x10xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0], [10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0], [15.5, 16.0, 16.5, 17.0, 17.5, 18.0, 18.5, 19.0, 19.5, 20.0], [20.5, 21.0, 21.5, 22.0, 22.5, 23.0, 23.5, 24.0, 24.5, 25.0], [25.5, 26.0, 26.5, 27.0, 27.5, 28.0, 28.5, 29.0, 29.5, 30.0]]> : tensor<6x10xf64>}) {
  %r = nn.reshape %a : tensor<3x4x5xf64> -> tensor<6x10xf64>
  return %r : tensor<6x10xf64>
}

func.func @split_and_join_f16(
    %a: tensor<3x4x5xf16> {values.are = dense<[[[0.5, 0x7E00, 0xFC00, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5], [8.0, 8.5, 9.0, 9.5, 10.0]], [[10.5, 11.0, 11.5, 12.0, 12.5], [13.0, 13.5, 14.0, 14.5, 15.0], [15.5, 16.0, 16.5, 17.0, 17.5], [18.0, 18.5, 19.0, 19.5, 20.0]], [[20.5, 21.0, 21.5, 22.0, 22.5], [23.0, 23.5, 24.0, 24.5, 25.0], [25.5, 26.0, 26.5, 27.0, 27.5], [28.0, 28.5, 29.0, 29.5, 30.0]]]> : tensor<3x4x5xf16>})
    -> (tensor<6x10xf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0], [10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0], [15.5, 16.0, 16.5, 17.0, 17.5, 18.0, 18.5, 19.0, 19.5, 20.0], [20.5, 21.0, 21.5, 22.0, 22.5, 23.0, 23.5, 24.0, 24.5, 25.0], [25.5, 26.0, 26.5, 27.0, 27.5, 28.0, 28.5, 29.0, 29.5, 30.0]]> : tensor<6x10xf64>}) {
  %r = nn.reshape %a : tensor<3x4x5xf16> -> tensor<6x10xf16>
  return %r : tensor<6x10xf16>
}

func.func @split_and_join_bf16(
    %a: tensor<3x4x5xbf16> {values.are = dense<[[[0.5, 0x7FC0, 0xFF80, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5], [8.0, 8.5, 9.0, 9.5, 10.0]], [[10.5, 11.0, 11.5, 12.0, 12.5], [13.0, 13.5, 14.0, 14.5, 15.0], [15.5, 16.0, 16.5, 17.0, 17.5], [18.0, 18.5, 19.0, 19.5, 20.0]], [[20.5, 21.0, 21.5, 22.0, 22.5], [23.0, 23.5, 24.0, 24.5, 25.0], [25.5, 26.0, 26.5, 27.0, 27.5], [28.0, 28.5, 29.0, 29.5, 30.0]]]> : tensor<3x4x5xbf16>})
    -> (tensor<6x10xbf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0], [10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0], [15.5, 16.0, 16.5, 17.0, 17.5, 18.0, 18.5, 19.0, 19.5, 20.0], [20.5, 21.0, 21.5, 22.0, 22.5, 23.0, 23.5, 24.0, 24.5, 25.0], [25.5, 26.0, 26.5, 27.0, 27.5, 28.0, 28.5, 29.0, 29.5, 30.0]]> : tensor<6x10xf64>}) {
  %r = nn.reshape %a : tensor<3x4x5xbf16> -> tensor<6x10xbf16>
  return %r : tensor<6x10xbf16>
}

func.func @split_and_join_i8(
    %a: tensor<3x4x5xi8> {values.are = dense<[[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]], [[21, 22, 23, 24, 25], [26, 27, 28, 29, 30], [31, 32, 33, 34, 35], [36, 37, 38, 39, 40]], [[41, 42, 43, 44, 45], [46, 47, 48, 49, 50], [51, 52, 53, 54, 55], [56, 57, 58, 59, 60]]]> : tensor<3x4x5xi8>})
    -> (tensor<6x10xi8> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [11, 12, 13, 14, 15, 16, 17, 18, 19, 20], [21, 22, 23, 24, 25, 26, 27, 28, 29, 30], [31, 32, 33, 34, 35, 36, 37, 38, 39, 40], [41, 42, 43, 44, 45, 46, 47, 48, 49, 50], [51, 52, 53, 54, 55, 56, 57, 58, 59, 60]]> : tensor<6x10xi8>}) {
  %r = nn.reshape %a : tensor<3x4x5xi8> -> tensor<6x10xi8>
  return %r : tensor<6x10xi8>
}

func.func @split_and_join_i16(
    %a: tensor<3x4x5xi16> {values.are = dense<[[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]], [[21, 22, 23, 24, 25], [26, 27, 28, 29, 30], [31, 32, 33, 34, 35], [36, 37, 38, 39, 40]], [[41, 42, 43, 44, 45], [46, 47, 48, 49, 50], [51, 52, 53, 54, 55], [56, 57, 58, 59, 60]]]> : tensor<3x4x5xi16>})
    -> (tensor<6x10xi16> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [11, 12, 13, 14, 15, 16, 17, 18, 19, 20], [21, 22, 23, 24, 25, 26, 27, 28, 29, 30], [31, 32, 33, 34, 35, 36, 37, 38, 39, 40], [41, 42, 43, 44, 45, 46, 47, 48, 49, 50], [51, 52, 53, 54, 55, 56, 57, 58, 59, 60]]> : tensor<6x10xi16>}) {
  %r = nn.reshape %a : tensor<3x4x5xi16> -> tensor<6x10xi16>
  return %r : tensor<6x10xi16>
}

func.func @split_and_join_i32(
    %a: tensor<3x4x5xi32> {values.are = dense<[[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]], [[21, 22, 23, 24, 25], [26, 27, 28, 29, 30], [31, 32, 33, 34, 35], [36, 37, 38, 39, 40]], [[41, 42, 43, 44, 45], [46, 47, 48, 49, 50], [51, 52, 53, 54, 55], [56, 57, 58, 59, 60]]]> : tensor<3x4x5xi32>})
    -> (tensor<6x10xi32> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [11, 12, 13, 14, 15, 16, 17, 18, 19, 20], [21, 22, 23, 24, 25, 26, 27, 28, 29, 30], [31, 32, 33, 34, 35, 36, 37, 38, 39, 40], [41, 42, 43, 44, 45, 46, 47, 48, 49, 50], [51, 52, 53, 54, 55, 56, 57, 58, 59, 60]]> : tensor<6x10xi32>}) {
  %r = nn.reshape %a : tensor<3x4x5xi32> -> tensor<6x10xi32>
  return %r : tensor<6x10xi32>
}

func.func @split_and_join_i64(
    %a: tensor<3x4x5xi64> {values.are = dense<[[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [16, 17, 18, 19, 20]], [[21, 22, 23, 24, 25], [26, 27, 28, 29, 30], [31, 32, 33, 34, 35], [36, 37, 38, 39, 40]], [[41, 42, 43, 44, 45], [46, 47, 48, 49, 50], [51, 52, 53, 54, 55], [56, 57, 58, 59, 60]]]> : tensor<3x4x5xi64>})
    -> (tensor<6x10xi64> {values.are = dense<[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [11, 12, 13, 14, 15, 16, 17, 18, 19, 20], [21, 22, 23, 24, 25, 26, 27, 28, 29, 30], [31, 32, 33, 34, 35, 36, 37, 38, 39, 40], [41, 42, 43, 44, 45, 46, 47, 48, 49, 50], [51, 52, 53, 54, 55, 56, 57, 58, 59, 60]]> : tensor<6x10xi64>}) {
  %r = nn.reshape %a : tensor<3x4x5xi64> -> tensor<6x10xi64>
  return %r : tensor<6x10xi64>
}

func.func @split_and_join_i1(
    %a: tensor<3x4x5xi1> {values.are = dense<[[[true, false, true, false, true], [false, true, false, true, false], [true, false, true, false, true], [false, true, false, true, false]], [[true, false, true, false, true], [false, true, false, true, false], [true, false, true, false, true], [false, true, false, true, false]], [[true, false, true, false, true], [false, true, false, true, false], [true, false, true, false, true], [false, true, false, true, false]]]> : tensor<3x4x5xi1>})
    -> (tensor<6x10xi1> {values.are = dense<[[true, false, true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false, true, false], [true, false, true, false, true, false, true, false, true, false]]> : tensor<6x10xi1>}) {
  %r = nn.reshape %a : tensor<3x4x5xi1> -> tensor<6x10xi1>
  return %r : tensor<6x10xi1>
}

func.func private @split_and_join_vjp_of(%a: tensor<3x4x5xf32>) -> (tensor<6x10xf32>) {
  %r = nn.reshape %a : tensor<3x4x5xf32> -> tensor<6x10xf32>
  return %r : tensor<6x10xf32>
}
func.func @split_and_join_vjp(
    %a: tensor<3x4x5xf32> {values.are = dense<[[[0.5, 1.0, 1.5, 2.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5], [8.0, 8.5, 9.0, 9.5, 10.0]], [[10.5, 11.0, 11.5, 12.0, 12.5], [13.0, 13.5, 14.0, 14.5, 15.0], [15.5, 16.0, 16.5, 17.0, 17.5], [18.0, 18.5, 19.0, 19.5, 20.0]], [[20.5, 21.0, 21.5, 22.0, 22.5], [23.0, 23.5, 24.0, 24.5, 25.0], [25.5, 26.0, 26.5, 27.0, 27.5], [28.0, 28.5, 29.0, 29.5, 30.0]]]> : tensor<3x4x5xf32>},
    %b: tensor<6x10xf32> {values.are = dense<[[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5], [7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, 16.5], [17.5, 18.5, 19.5, 20.5, 21.5, 22.5, 23.5, 24.5, 25.5, 26.5], [27.5, 28.5, 29.5, 30.5, 31.5, 32.5, 33.5, 34.5, 35.5, 36.5], [37.5, 38.5, 39.5, 40.5, 41.5, 42.5, 43.5, 44.5, 45.5, 46.5], [47.5, 48.5, 49.5, 50.5, 51.5, 52.5, 53.5, 54.5, 55.5, 56.5]]> : tensor<6x10xf32>})
    -> (tensor<6x10xf32> {values.are = dense<[[0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0], [5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0], [10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0], [15.5, 16.0, 16.5, 17.0, 17.5, 18.0, 18.5, 19.0, 19.5, 20.0], [20.5, 21.0, 21.5, 22.0, 22.5, 23.0, 23.5, 24.0, 24.5, 25.0], [25.5, 26.0, 26.5, 27.0, 27.5, 28.0, 28.5, 29.0, 29.5, 30.0]]> : tensor<6x10xf64>},
        tensor<3x4x5xf32> {values.are = dense<[[[-2.5, -1.5, -0.5, 0.5, 1.5], [2.5, 3.5, 4.5, 5.5, 6.5], [7.5, 8.5, 9.5, 10.5, 11.5], [12.5, 13.5, 14.5, 15.5, 16.5]], [[17.5, 18.5, 19.5, 20.5, 21.5], [22.5, 23.5, 24.5, 25.5, 26.5], [27.5, 28.5, 29.5, 30.5, 31.5], [32.5, 33.5, 34.5, 35.5, 36.5]], [[37.5, 38.5, 39.5, 40.5, 41.5], [42.5, 43.5, 44.5, 45.5, 46.5], [47.5, 48.5, 49.5, 50.5, 51.5], [52.5, 53.5, 54.5, 55.5, 56.5]]]> : tensor<3x4x5xf64>}) {
  %v:2 = nn.vjp @split_and_join_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x4x5xf32>), (tensor<6x10xf32>) -> tensor<6x10xf32>, tensor<3x4x5xf32>
  return %v#0, %v#1 : tensor<6x10xf32>, tensor<3x4x5xf32>
}

func.func @units_f32(
    %a: tensor<1x5x1xf32> {values.are = dense<[[[0.5], [0x7FC00000], [0xFF800000], [-0.0], [2.5]]]> : tensor<1x5x1xf32>})
    -> (tensor<5xf32> {values.are = dense<[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]> : tensor<5xf64>}) {
  %r = nn.reshape %a : tensor<1x5x1xf32> -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @units_f16(
    %a: tensor<1x5x1xf16> {values.are = dense<[[[0.5], [0x7E00], [0xFC00], [-0.0], [2.5]]]> : tensor<1x5x1xf16>})
    -> (tensor<5xf16> {values.are = dense<[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5]> : tensor<5xf64>}) {
  %r = nn.reshape %a : tensor<1x5x1xf16> -> tensor<5xf16>
  return %r : tensor<5xf16>
}

func.func private @units_vjp_of(%a: tensor<1x5x1xf32>) -> (tensor<5xf32>) {
  %r = nn.reshape %a : tensor<1x5x1xf32> -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @units_vjp(
    %a: tensor<1x5x1xf32> {values.are = dense<[[[0.5], [1.0], [1.5], [2.0], [2.5]]]> : tensor<1x5x1xf32>},
    %b: tensor<5xf32> {values.are = dense<[-2.5, -1.5, -0.5, 0.5, 1.5]> : tensor<5xf32>})
    -> (tensor<5xf32> {values.are = dense<[0.5, 1.0, 1.5, 2.0, 2.5]> : tensor<5xf64>},
        tensor<1x5x1xf32> {values.are = dense<[[[-2.5], [-1.5], [-0.5], [0.5], [1.5]]]> : tensor<1x5x1xf64>}) {
  %v:2 = nn.vjp @units_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<1x5x1xf32>), (tensor<5xf32>) -> tensor<5xf32>, tensor<1x5x1xf32>
  return %v#0, %v#1 : tensor<5xf32>, tensor<1x5x1xf32>
}

func.func @scalar_f32(
    %a: tensor<1x1xf32> {values.are = dense<[[0.5]]> : tensor<1x1xf32>})
    -> (tensor<f32> {values.are = dense<0.5> : tensor<f64>}) {
  %r = nn.reshape %a : tensor<1x1xf32> -> tensor<f32>
  return %r : tensor<f32>
}

func.func @scalar_f16(
    %a: tensor<1x1xf16> {values.are = dense<[[0.5]]> : tensor<1x1xf16>})
    -> (tensor<f16> {values.are = dense<0.5> : tensor<f64>}) {
  %r = nn.reshape %a : tensor<1x1xf16> -> tensor<f16>
  return %r : tensor<f16>
}

func.func private @scalar_vjp_of(%a: tensor<1x1xf32>) -> (tensor<f32>) {
  %r = nn.reshape %a : tensor<1x1xf32> -> tensor<f32>
  return %r : tensor<f32>
}
func.func @scalar_vjp(
    %a: tensor<1x1xf32> {values.are = dense<[[0.5]]> : tensor<1x1xf32>},
    %b: tensor<f32> {values.are = dense<-2.5> : tensor<f32>})
    -> (tensor<f32> {values.are = dense<0.5> : tensor<f64>},
        tensor<1x1xf32> {values.are = dense<[[-2.5]]> : tensor<1x1xf64>}) {
  %v:2 = nn.vjp @scalar_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<1x1xf32>), (tensor<f32>) -> tensor<f32>, tensor<1x1xf32>
  return %v#0, %v#1 : tensor<f32>, tensor<1x1xf32>
}
