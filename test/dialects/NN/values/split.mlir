// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @uneven_f32(
    %a: tensor<5x3xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5]]> : tensor<5x3xf32>})
    -> (tensor<2x3xf32> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>},
        tensor<1x3xf32> {values.are = dense<[[3.5, 4.0, 4.5]]> : tensor<1x3xf64>},
        tensor<2x3xf32> {values.are = dense<[[5.0, 5.5, 6.0], [6.5, 7.0, 7.5]]> : tensor<2x3xf64>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xf32> -> tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>
  return %r0, %r1, %r2 : tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>
}

func.func @uneven_f64(
    %a: tensor<5x3xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5]]> : tensor<5x3xf64>})
    -> (tensor<2x3xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>},
        tensor<1x3xf64> {values.are = dense<[[3.5, 4.0, 4.5]]> : tensor<1x3xf64>},
        tensor<2x3xf64> {values.are = dense<[[5.0, 5.5, 6.0], [6.5, 7.0, 7.5]]> : tensor<2x3xf64>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xf64> -> tensor<2x3xf64>, tensor<1x3xf64>, tensor<2x3xf64>
  return %r0, %r1, %r2 : tensor<2x3xf64>, tensor<1x3xf64>, tensor<2x3xf64>
}

func.func @uneven_f16(
    %a: tensor<5x3xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5]]> : tensor<5x3xf16>})
    -> (tensor<2x3xf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>},
        tensor<1x3xf16> {values.are = dense<[[3.5, 4.0, 4.5]]> : tensor<1x3xf64>},
        tensor<2x3xf16> {values.are = dense<[[5.0, 5.5, 6.0], [6.5, 7.0, 7.5]]> : tensor<2x3xf64>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xf16> -> tensor<2x3xf16>, tensor<1x3xf16>, tensor<2x3xf16>
  return %r0, %r1, %r2 : tensor<2x3xf16>, tensor<1x3xf16>, tensor<2x3xf16>
}

func.func @uneven_bf16(
    %a: tensor<5x3xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80], [-0.0, 2.5, 3.0], [3.5, 4.0, 4.5], [5.0, 5.5, 6.0], [6.5, 7.0, 7.5]]> : tensor<5x3xbf16>})
    -> (tensor<2x3xbf16> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000], [-0.0, 2.5, 3.0]]> : tensor<2x3xf64>},
        tensor<1x3xbf16> {values.are = dense<[[3.5, 4.0, 4.5]]> : tensor<1x3xf64>},
        tensor<2x3xbf16> {values.are = dense<[[5.0, 5.5, 6.0], [6.5, 7.0, 7.5]]> : tensor<2x3xf64>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xbf16> -> tensor<2x3xbf16>, tensor<1x3xbf16>, tensor<2x3xbf16>
  return %r0, %r1, %r2 : tensor<2x3xbf16>, tensor<1x3xbf16>, tensor<2x3xbf16>
}

func.func @uneven_i8(
    %a: tensor<5x3xi8> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xi8>})
    -> (tensor<2x3xi8> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>},
        tensor<1x3xi8> {values.are = dense<[[7, 8, 9]]> : tensor<1x3xi8>},
        tensor<2x3xi8> {values.are = dense<[[10, 11, 12], [13, 14, 15]]> : tensor<2x3xi8>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xi8> -> tensor<2x3xi8>, tensor<1x3xi8>, tensor<2x3xi8>
  return %r0, %r1, %r2 : tensor<2x3xi8>, tensor<1x3xi8>, tensor<2x3xi8>
}

func.func @uneven_i16(
    %a: tensor<5x3xi16> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xi16>})
    -> (tensor<2x3xi16> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>},
        tensor<1x3xi16> {values.are = dense<[[7, 8, 9]]> : tensor<1x3xi16>},
        tensor<2x3xi16> {values.are = dense<[[10, 11, 12], [13, 14, 15]]> : tensor<2x3xi16>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xi16> -> tensor<2x3xi16>, tensor<1x3xi16>, tensor<2x3xi16>
  return %r0, %r1, %r2 : tensor<2x3xi16>, tensor<1x3xi16>, tensor<2x3xi16>
}

func.func @uneven_i32(
    %a: tensor<5x3xi32> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xi32>})
    -> (tensor<2x3xi32> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>},
        tensor<1x3xi32> {values.are = dense<[[7, 8, 9]]> : tensor<1x3xi32>},
        tensor<2x3xi32> {values.are = dense<[[10, 11, 12], [13, 14, 15]]> : tensor<2x3xi32>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xi32> -> tensor<2x3xi32>, tensor<1x3xi32>, tensor<2x3xi32>
  return %r0, %r1, %r2 : tensor<2x3xi32>, tensor<1x3xi32>, tensor<2x3xi32>
}

func.func @uneven_i64(
    %a: tensor<5x3xi64> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xi64>})
    -> (tensor<2x3xi64> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>},
        tensor<1x3xi64> {values.are = dense<[[7, 8, 9]]> : tensor<1x3xi64>},
        tensor<2x3xi64> {values.are = dense<[[10, 11, 12], [13, 14, 15]]> : tensor<2x3xi64>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xi64> -> tensor<2x3xi64>, tensor<1x3xi64>, tensor<2x3xi64>
  return %r0, %r1, %r2 : tensor<2x3xi64>, tensor<1x3xi64>, tensor<2x3xi64>
}

func.func @uneven_ui8(
    %a: tensor<5x3xui8> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xui8>})
    -> (tensor<2x3xui8> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui8>},
        tensor<1x3xui8> {values.are = dense<[[7, 8, 9]]> : tensor<1x3xui8>},
        tensor<2x3xui8> {values.are = dense<[[10, 11, 12], [13, 14, 15]]> : tensor<2x3xui8>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xui8> -> tensor<2x3xui8>, tensor<1x3xui8>, tensor<2x3xui8>
  return %r0, %r1, %r2 : tensor<2x3xui8>, tensor<1x3xui8>, tensor<2x3xui8>
}

func.func @uneven_ui16(
    %a: tensor<5x3xui16> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xui16>})
    -> (tensor<2x3xui16> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui16>},
        tensor<1x3xui16> {values.are = dense<[[7, 8, 9]]> : tensor<1x3xui16>},
        tensor<2x3xui16> {values.are = dense<[[10, 11, 12], [13, 14, 15]]> : tensor<2x3xui16>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xui16> -> tensor<2x3xui16>, tensor<1x3xui16>, tensor<2x3xui16>
  return %r0, %r1, %r2 : tensor<2x3xui16>, tensor<1x3xui16>, tensor<2x3xui16>
}

func.func @uneven_ui32(
    %a: tensor<5x3xui32> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xui32>})
    -> (tensor<2x3xui32> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui32>},
        tensor<1x3xui32> {values.are = dense<[[7, 8, 9]]> : tensor<1x3xui32>},
        tensor<2x3xui32> {values.are = dense<[[10, 11, 12], [13, 14, 15]]> : tensor<2x3xui32>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xui32> -> tensor<2x3xui32>, tensor<1x3xui32>, tensor<2x3xui32>
  return %r0, %r1, %r2 : tensor<2x3xui32>, tensor<1x3xui32>, tensor<2x3xui32>
}

func.func @uneven_ui64(
    %a: tensor<5x3xui64> {values.are = dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xui64>})
    -> (tensor<2x3xui64> {values.are = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui64>},
        tensor<1x3xui64> {values.are = dense<[[7, 8, 9]]> : tensor<1x3xui64>},
        tensor<2x3xui64> {values.are = dense<[[10, 11, 12], [13, 14, 15]]> : tensor<2x3xui64>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xui64> -> tensor<2x3xui64>, tensor<1x3xui64>, tensor<2x3xui64>
  return %r0, %r1, %r2 : tensor<2x3xui64>, tensor<1x3xui64>, tensor<2x3xui64>
}

func.func @uneven_i1(
    %a: tensor<5x3xi1> {values.are = dense<[[true, false, true], [false, true, false], [true, false, true], [false, true, false], [true, false, true]]> : tensor<5x3xi1>})
    -> (tensor<2x3xi1> {values.are = dense<[[true, false, true], [false, true, false]]> : tensor<2x3xi1>},
        tensor<1x3xi1> {values.are = dense<[[true, false, true]]> : tensor<1x3xi1>},
        tensor<2x3xi1> {values.are = dense<[[false, true, false], [true, false, true]]> : tensor<2x3xi1>}) {
  %r0, %r1, %r2 = nn.split %a axis(0) : tensor<5x3xi1> -> tensor<2x3xi1>, tensor<1x3xi1>, tensor<2x3xi1>
  return %r0, %r1, %r2 : tensor<2x3xi1>, tensor<1x3xi1>, tensor<2x3xi1>
}

func.func @inner_f32(
    %a: tensor<2x1x9xf32> {values.are = dense<[[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5]], [[5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0]]]> : tensor<2x1x9xf32>})
    -> (tensor<2x1x1xf32> {values.are = dense<[[[0.5]], [[5.0]]]> : tensor<2x1x1xf64>},
        tensor<2x1x8xf32> {values.are = dense<[[[0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5]], [[5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0]]]> : tensor<2x1x8xf64>}) {
  %r0, %r1 = nn.split %a axis(2) : tensor<2x1x9xf32> -> tensor<2x1x1xf32>, tensor<2x1x8xf32>
  return %r0, %r1 : tensor<2x1x1xf32>, tensor<2x1x8xf32>
}

func.func private @vjp_of(%a: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>) {
  %r0, %r1 = nn.split %a axis(1) : tensor<2x3xf32> -> tensor<2x1xf32>, tensor<2x2xf32>
  return %r0, %r1 : tensor<2x1xf32>, tensor<2x2xf32>
}
func.func @vjp(
    %a: tensor<2x3xf32> {values.are = dense<[[0.5, 1.0, 1.5], [2.0, 2.5, 3.0]]> : tensor<2x3xf32>},
    %b: tensor<2x1xf32> {values.are = dense<[[1.0], [2.0]]> : tensor<2x1xf32>},
    %c: tensor<2x2xf32> {values.are = dense<[[3.0, -4.0], [5.0, 6.0]]> : tensor<2x2xf32>})
    -> (tensor<2x1xf32> {values.are = dense<[[0.5], [2.0]]> : tensor<2x1xf64>},
        tensor<2x2xf32> {values.are = dense<[[1.0, 1.5], [2.5, 3.0]]> : tensor<2x2xf64>},
        tensor<2x3xf32> {values.are = dense<[[1.0, 3.0, -4.0], [2.0, 5.0, 6.0]]> : tensor<2x3xf64>}) {
  %v:3 = nn.vjp @vjp_of(%a) seed(%b, %c) wrt [] args [0]
      : (tensor<2x3xf32>), (tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>
  return %v#0, %v#1, %v#2 : tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>
}
