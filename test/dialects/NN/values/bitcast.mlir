// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @f16_to_i16(
    %a: tensor<7xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.0999755859375, 65504.0, -0.00010001659393310547]> : tensor<7xf16>})
    -> (tensor<7xi16> {values.are = dense<[0, -32768, 15360, -16128, 11878, 31743, -31090]> : tensor<7xi16>}) {
  %r = nn.bitcast %a : tensor<7xf16> -> tensor<7xi16>
  return %r : tensor<7xi16>
}

func.func @i16_to_f16(
    %a: tensor<7xi16> {values.are = dense<[0, -32768, 15360, -16128, 11878, 31743, -31090]> : tensor<7xi16>})
    -> (tensor<7xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.0999755859375, 65504.0, -0.00010001659393310547]> : tensor<7xf64>}) {
  %r = nn.bitcast %a : tensor<7xi16> -> tensor<7xf16>
  return %r : tensor<7xf16>
}

func.func @f16_to_ui16(
    %a: tensor<7xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.0999755859375, 65504.0, -0.00010001659393310547]> : tensor<7xf16>})
    -> (tensor<7xui16> {values.are = dense<[0, 32768, 15360, 49408, 11878, 31743, 34446]> : tensor<7xui16>}) {
  %r = nn.bitcast %a : tensor<7xf16> -> tensor<7xui16>
  return %r : tensor<7xui16>
}

func.func @ui16_to_f16(
    %a: tensor<7xui16> {values.are = dense<[0, 32768, 15360, 49408, 11878, 31743, 34446]> : tensor<7xui16>})
    -> (tensor<7xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.0999755859375, 65504.0, -0.00010001659393310547]> : tensor<7xf64>}) {
  %r = nn.bitcast %a : tensor<7xui16> -> tensor<7xf16>
  return %r : tensor<7xf16>
}

func.func @bf16_to_i16(
    %a: tensor<7xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10009765625, 65536.0, -0.00010013580322265625]> : tensor<7xbf16>})
    -> (tensor<7xi16> {values.are = dense<[0, -32768, 16256, -16352, 15821, 18304, -18222]> : tensor<7xi16>}) {
  %r = nn.bitcast %a : tensor<7xbf16> -> tensor<7xi16>
  return %r : tensor<7xi16>
}

func.func @i16_to_bf16(
    %a: tensor<7xi16> {values.are = dense<[0, -32768, 16256, -16352, 15821, 18304, -18222]> : tensor<7xi16>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10009765625, 65536.0, -0.00010013580322265625]> : tensor<7xf64>}) {
  %r = nn.bitcast %a : tensor<7xi16> -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}

func.func @bf16_to_ui16(
    %a: tensor<7xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10009765625, 65536.0, -0.00010013580322265625]> : tensor<7xbf16>})
    -> (tensor<7xui16> {values.are = dense<[0, 32768, 16256, 49184, 15821, 18304, 47314]> : tensor<7xui16>}) {
  %r = nn.bitcast %a : tensor<7xbf16> -> tensor<7xui16>
  return %r : tensor<7xui16>
}

func.func @ui16_to_bf16(
    %a: tensor<7xui16> {values.are = dense<[0, 32768, 16256, 49184, 15821, 18304, 47314]> : tensor<7xui16>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10009765625, 65536.0, -0.00010013580322265625]> : tensor<7xf64>}) {
  %r = nn.bitcast %a : tensor<7xui16> -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}

func.func @f32_to_i32(
    %a: tensor<7xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10000000149011612, 65504.0, -9.999999747378752e-05]> : tensor<7xf32>})
    -> (tensor<7xi32> {values.are = dense<[0, -2147483648, 1065353216, -1071644672, 1036831949, 1199562752, -1194215657]> : tensor<7xi32>}) {
  %r = nn.bitcast %a : tensor<7xf32> -> tensor<7xi32>
  return %r : tensor<7xi32>
}

func.func @i32_to_f32(
    %a: tensor<7xi32> {values.are = dense<[0, -2147483648, 1065353216, -1071644672, 1036831949, 1199562752, -1194215657]> : tensor<7xi32>})
    -> (tensor<7xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10000000149011612, 65504.0, -9.999999747378752e-05]> : tensor<7xf64>}) {
  %r = nn.bitcast %a : tensor<7xi32> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @f32_to_ui32(
    %a: tensor<7xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10000000149011612, 65504.0, -9.999999747378752e-05]> : tensor<7xf32>})
    -> (tensor<7xui32> {values.are = dense<[0, 2147483648, 1065353216, 3223322624, 1036831949, 1199562752, 3100751639]> : tensor<7xui32>}) {
  %r = nn.bitcast %a : tensor<7xf32> -> tensor<7xui32>
  return %r : tensor<7xui32>
}

func.func @ui32_to_f32(
    %a: tensor<7xui32> {values.are = dense<[0, 2147483648, 1065353216, 3223322624, 1036831949, 1199562752, 3100751639]> : tensor<7xui32>})
    -> (tensor<7xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10000000149011612, 65504.0, -9.999999747378752e-05]> : tensor<7xf64>}) {
  %r = nn.bitcast %a : tensor<7xui32> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @f64_to_i64(
    %a: tensor<7xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.1, 65504.0, -0.0001]> : tensor<7xf64>})
    -> (tensor<7xi64> {values.are = dense<[0, -9223372036854775808, 4607182418800017408, -4610560118520545280, 4591870180066957722, 4679235614791434240, -4676364914835832019]> : tensor<7xi64>}) {
  %r = nn.bitcast %a : tensor<7xf64> -> tensor<7xi64>
  return %r : tensor<7xi64>
}

func.func @i64_to_f64(
    %a: tensor<7xi64> {values.are = dense<[0, -9223372036854775808, 4607182418800017408, -4610560118520545280, 4591870180066957722, 4679235614791434240, -4676364914835832019]> : tensor<7xi64>})
    -> (tensor<7xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.1, 65504.0, -0.0001]> : tensor<7xf64>}) {
  %r = nn.bitcast %a : tensor<7xi64> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @f64_to_ui64(
    %a: tensor<7xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.1, 65504.0, -0.0001]> : tensor<7xf64>})
    -> (tensor<7xui64> {values.are = dense<[0, 9223372036854775808, 4607182418800017408, 13836183955189006336, 4591870180066957722, 4679235614791434240, 13770379158873719597]> : tensor<7xui64>}) {
  %r = nn.bitcast %a : tensor<7xf64> -> tensor<7xui64>
  return %r : tensor<7xui64>
}

func.func @ui64_to_f64(
    %a: tensor<7xui64> {values.are = dense<[0, 9223372036854775808, 4607182418800017408, 13836183955189006336, 4591870180066957722, 4679235614791434240, 13770379158873719597]> : tensor<7xui64>})
    -> (tensor<7xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.1, 65504.0, -0.0001]> : tensor<7xf64>}) {
  %r = nn.bitcast %a : tensor<7xui64> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @i8_to_ui8(
    %a: tensor<8xi8> {values.are = dense<[0, 1, -1, 3, -7, 100, 127, -128]> : tensor<8xi8>})
    -> (tensor<8xui8> {values.are = dense<[0, 1, 255, 3, 249, 100, 127, 128]> : tensor<8xui8>}) {
  %r = nn.bitcast %a : tensor<8xi8> -> tensor<8xui8>
  return %r : tensor<8xui8>
}

func.func @ui8_to_i8(
    %a: tensor<8xui8> {values.are = dense<[0, 1, 255, 3, 249, 100, 127, 128]> : tensor<8xui8>})
    -> (tensor<8xi8> {values.are = dense<[0, 1, -1, 3, -7, 100, 127, -128]> : tensor<8xi8>}) {
  %r = nn.bitcast %a : tensor<8xui8> -> tensor<8xi8>
  return %r : tensor<8xi8>
}

func.func @i16_to_ui16(
    %a: tensor<8xi16> {values.are = dense<[0, 1, -1, 3, -7, 100, 32767, -32768]> : tensor<8xi16>})
    -> (tensor<8xui16> {values.are = dense<[0, 1, 65535, 3, 65529, 100, 32767, 32768]> : tensor<8xui16>}) {
  %r = nn.bitcast %a : tensor<8xi16> -> tensor<8xui16>
  return %r : tensor<8xui16>
}

func.func @ui16_to_i16(
    %a: tensor<8xui16> {values.are = dense<[0, 1, 65535, 3, 65529, 100, 32767, 32768]> : tensor<8xui16>})
    -> (tensor<8xi16> {values.are = dense<[0, 1, -1, 3, -7, 100, 32767, -32768]> : tensor<8xi16>}) {
  %r = nn.bitcast %a : tensor<8xui16> -> tensor<8xi16>
  return %r : tensor<8xi16>
}

func.func @i32_to_ui32(
    %a: tensor<8xi32> {values.are = dense<[0, 1, -1, 3, -7, 100, 2147483647, -2147483648]> : tensor<8xi32>})
    -> (tensor<8xui32> {values.are = dense<[0, 1, 4294967295, 3, 4294967289, 100, 2147483647, 2147483648]> : tensor<8xui32>}) {
  %r = nn.bitcast %a : tensor<8xi32> -> tensor<8xui32>
  return %r : tensor<8xui32>
}

func.func @ui32_to_i32(
    %a: tensor<8xui32> {values.are = dense<[0, 1, 4294967295, 3, 4294967289, 100, 2147483647, 2147483648]> : tensor<8xui32>})
    -> (tensor<8xi32> {values.are = dense<[0, 1, -1, 3, -7, 100, 2147483647, -2147483648]> : tensor<8xi32>}) {
  %r = nn.bitcast %a : tensor<8xui32> -> tensor<8xi32>
  return %r : tensor<8xi32>
}

func.func @i64_to_ui64(
    %a: tensor<8xi64> {values.are = dense<[0, 1, -1, 3, -7, 100, 9223372036854775807, -9223372036854775808]> : tensor<8xi64>})
    -> (tensor<8xui64> {values.are = dense<[0, 1, 18446744073709551615, 3, 18446744073709551609, 100, 9223372036854775807, 9223372036854775808]> : tensor<8xui64>}) {
  %r = nn.bitcast %a : tensor<8xi64> -> tensor<8xui64>
  return %r : tensor<8xui64>
}

func.func @ui64_to_i64(
    %a: tensor<8xui64> {values.are = dense<[0, 1, 18446744073709551615, 3, 18446744073709551609, 100, 9223372036854775807, 9223372036854775808]> : tensor<8xui64>})
    -> (tensor<8xi64> {values.are = dense<[0, 1, -1, 3, -7, 100, 9223372036854775807, -9223372036854775808]> : tensor<8xi64>}) {
  %r = nn.bitcast %a : tensor<8xui64> -> tensor<8xi64>
  return %r : tensor<8xi64>
}

func.func @i1_to_ui8(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xui8> {values.are = dense<[1, 0]> : tensor<2xui8>}) {
  %r = nn.bitcast %a : tensor<2xi1> -> tensor<2xui8>
  return %r : tensor<2xui8>
}

func.func @ui8_to_i1(
    %a: tensor<4xui8> {values.are = dense<[0, 1, 2, 255]> : tensor<4xui8>})
    -> (tensor<4xi1> {values.are = dense<[false, true, true, true]> : tensor<4xi1>}) {
  %r = nn.bitcast %a : tensor<4xui8> -> tensor<4xi1>
  return %r : tensor<4xi1>
}
