// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @f32(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xf32> {values.are = dense<[1.0, 2.0, 3.0, -0.0]> : tensor<4xf32>},
    %c: tensor<4xf32> {values.are = dense<[-1.0, 0x7FC00000, 0xFF800000, 7.0]> : tensor<4xf32>})
    -> (tensor<4xf32> {values.are = dense<[1.0, 0x7FF8000000000000, 0xFFF0000000000000, -0.0]> : tensor<4xf64>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @f64(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xf64> {values.are = dense<[1.0, 2.0, 3.0, -0.0]> : tensor<4xf64>},
    %c: tensor<4xf64> {values.are = dense<[-1.0, 0x7FF8000000000000, 0xFFF0000000000000, 7.0]> : tensor<4xf64>})
    -> (tensor<4xf64> {values.are = dense<[1.0, 0x7FF8000000000000, 0xFFF0000000000000, -0.0]> : tensor<4xf64>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func @f16(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xf16> {values.are = dense<[1.0, 2.0, 3.0, -0.0]> : tensor<4xf16>},
    %c: tensor<4xf16> {values.are = dense<[-1.0, 0x7E00, 0xFC00, 7.0]> : tensor<4xf16>})
    -> (tensor<4xf16> {values.are = dense<[1.0, 0x7FF8000000000000, 0xFFF0000000000000, -0.0]> : tensor<4xf64>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xf16>
  return %r : tensor<4xf16>
}

func.func @bf16(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xbf16> {values.are = dense<[1.0, 2.0, 3.0, -0.0]> : tensor<4xbf16>},
    %c: tensor<4xbf16> {values.are = dense<[-1.0, 0x7FC0, 0xFF80, 7.0]> : tensor<4xbf16>})
    -> (tensor<4xbf16> {values.are = dense<[1.0, 0x7FF8000000000000, 0xFFF0000000000000, -0.0]> : tensor<4xf64>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xbf16>
  return %r : tensor<4xbf16>
}

func.func @i8(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xi8> {values.are = dense<[1, 2, 3, 4]> : tensor<4xi8>},
    %c: tensor<4xi8> {values.are = dense<[-7, 100, 127, -128]> : tensor<4xi8>})
    -> (tensor<4xi8> {values.are = dense<[1, 100, 127, 4]> : tensor<4xi8>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xi8>
  return %r : tensor<4xi8>
}

func.func @i16(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xi16> {values.are = dense<[1, 2, 3, 4]> : tensor<4xi16>},
    %c: tensor<4xi16> {values.are = dense<[-7, 100, 32767, -32768]> : tensor<4xi16>})
    -> (tensor<4xi16> {values.are = dense<[1, 100, 32767, 4]> : tensor<4xi16>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xi16>
  return %r : tensor<4xi16>
}

func.func @i32(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xi32> {values.are = dense<[1, 2, 3, 4]> : tensor<4xi32>},
    %c: tensor<4xi32> {values.are = dense<[-7, 100, 2147483647, -2147483648]> : tensor<4xi32>})
    -> (tensor<4xi32> {values.are = dense<[1, 100, 2147483647, 4]> : tensor<4xi32>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xi32>
  return %r : tensor<4xi32>
}

func.func @i64(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xi64> {values.are = dense<[1, 2, 3, 4]> : tensor<4xi64>},
    %c: tensor<4xi64> {values.are = dense<[-7, 100, 9223372036854775807, -9223372036854775808]> : tensor<4xi64>})
    -> (tensor<4xi64> {values.are = dense<[1, 100, 9223372036854775807, 4]> : tensor<4xi64>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xi64>
  return %r : tensor<4xi64>
}

func.func @ui8(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xui8> {values.are = dense<[1, 2, 3, 4]> : tensor<4xui8>},
    %c: tensor<4xui8> {values.are = dense<[249, 100, 127, 128]> : tensor<4xui8>})
    -> (tensor<4xui8> {values.are = dense<[1, 100, 127, 4]> : tensor<4xui8>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xui8>
  return %r : tensor<4xui8>
}

func.func @ui16(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xui16> {values.are = dense<[1, 2, 3, 4]> : tensor<4xui16>},
    %c: tensor<4xui16> {values.are = dense<[65529, 100, 32767, 32768]> : tensor<4xui16>})
    -> (tensor<4xui16> {values.are = dense<[1, 100, 32767, 4]> : tensor<4xui16>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xui16>
  return %r : tensor<4xui16>
}

func.func @ui32(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xui32> {values.are = dense<[1, 2, 3, 4]> : tensor<4xui32>},
    %c: tensor<4xui32> {values.are = dense<[4294967289, 100, 2147483647, 2147483648]> : tensor<4xui32>})
    -> (tensor<4xui32> {values.are = dense<[1, 100, 2147483647, 4]> : tensor<4xui32>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xui32>
  return %r : tensor<4xui32>
}

func.func @ui64(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xui64> {values.are = dense<[1, 2, 3, 4]> : tensor<4xui64>},
    %c: tensor<4xui64> {values.are = dense<[18446744073709551609, 100, 9223372036854775807, 9223372036854775808]> : tensor<4xui64>})
    -> (tensor<4xui64> {values.are = dense<[1, 100, 9223372036854775807, 4]> : tensor<4xui64>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xui64>
  return %r : tensor<4xui64>
}

func.func @i1(
    %a: tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
    %b: tensor<4xi1> {values.are = dense<[true, false, true, true]> : tensor<4xi1>},
    %c: tensor<4xi1> {values.are = dense<[false, true, false, false]> : tensor<4xi1>})
    -> (tensor<4xi1> {values.are = dense<[true, true, false, true]> : tensor<4xi1>}) {
  %r = nn.select %a, %b, %c : tensor<4xi1>, tensor<4xi1>
  return %r : tensor<4xi1>
}

func.func private @f32_vjp_of(%a: tensor<2xi1>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> (tensor<2xf32>) {
  %r = nn.select %a, %b, %c : tensor<2xi1>, tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @f32_vjp(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>},
    %b: tensor<2xf32> {values.are = dense<[3.0, 4.0]> : tensor<2xf32>},
    %c: tensor<2xf32> {values.are = dense<[3.0, 4.0]> : tensor<2xf32>},
    %d: tensor<2xf32> {values.are = dense<[0.5, 0x7FC00000]> : tensor<2xf32>})
    -> (tensor<2xf32> {values.are = dense<[3.0, 4.0]> : tensor<2xf64>},
        tensor<2xf32> {values.are = dense<[0.5, 0.0]> : tensor<2xf64>},
        tensor<2xf32> {values.are = dense<[0.0, 0x7FF8000000000000]> : tensor<2xf64>}) {
  %v:3 = nn.vjp @f32_vjp_of(%a, %b, %c) seed(%d) wrt [] args [1, 2]
      : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>), (tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return %v#0, %v#1, %v#2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
