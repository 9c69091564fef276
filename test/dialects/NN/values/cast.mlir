// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @f32_to_f64(
    %a: tensor<25xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10000000149011612, 0x7F800000, 0xFF800000, 0x7FC00000, 3.4028234663852886e+38, 1.401298464324817e-45, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0x7F800000, 0x7F800000, 0x7F800000]> : tensor<25xf32>})
    -> (tensor<25xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10000000149011612, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 3.4028234663852886e+38, 1.401298464324817e-45, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xf32> -> tensor<25xf64>
  return %r : tensor<25xf64>
}

func.func @f32_to_f16(
    %a: tensor<25xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10000000149011612, 0x7F800000, 0xFF800000, 0x7FC00000, 3.4028234663852886e+38, 1.401298464324817e-45, 1.00048828125, 1.00146484375, 1.000488519668579, -2.9990234375, -2.9970703125, -2.999022960662842, 6.10649585723877e-05, 6.112456321716309e-05, 6.106497312430292e-05, 7.659196853637695e-06, 7.718801498413086e-06, 7.659211405552924e-06, 65504.0, 65520.0, 65519.6796875]> : tensor<25xf32>})
    -> (tensor<25xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10000000149011612, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 3.4028234663852886e+38, 1.401298464324817e-45, 1.00048828125, 1.00146484375, 1.000488519668579, -2.9990234375, -2.9970703125, -2.999022960662842, 6.10649585723877e-05, 6.112456321716309e-05, 6.106497312430292e-05, 7.659196853637695e-06, 7.718801498413086e-06, 7.659211405552924e-06, 65504.0, 65520.0, 65519.6796875]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xf32> -> tensor<25xf16>
  return %r : tensor<25xf16>
}

func.func @f32_to_bf16(
    %a: tensor<25xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10000000149011612, 0x7F800000, 0xFF800000, 0x7FC00000, 3.4028234663852886e+38, 1.401298464324817e-45, 1.00390625, 1.01171875, 1.0039215087890625, -2.9921875, -2.9765625, -2.992156982421875, 1.180086125630187e-38, 1.1892696752459862e-38, 1.1801040622505304e-38, 1.515285686606855e-39, 1.6071211827648462e-39, 1.5154650528102886e-39, 3.3895313892515355e+38, 3.39617752923046e+38, 3.396044679447556e+38]> : tensor<25xf32>})
    -> (tensor<25xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10000000149011612, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 3.4028234663852886e+38, 1.401298464324817e-45, 1.00390625, 1.01171875, 1.0039215087890625, -2.9921875, -2.9765625, -2.992156982421875, 1.180086125630187e-38, 1.1892696752459862e-38, 1.1801040622505304e-38, 1.515285686606855e-39, 1.6071211827648462e-39, 1.5154650528102886e-39, 3.3895313892515355e+38, 3.39617752923046e+38, 3.396044679447556e+38]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xf32> -> tensor<25xbf16>
  return %r : tensor<25xbf16>
}

func.func @f32_to_i1(
    %a: tensor<6xf32> {values.are = dense<[0.0, -0.0, 0.5, -1.0, 0x7F800000, 0x7FC00000]> : tensor<6xf32>})
    -> (tensor<6xi1> {values.are = dense<[false, false, true, true, true, true]> : tensor<6xi1>}) {
  %r = nn.cast %a : tensor<6xf32> -> tensor<6xi1>
  return %r : tensor<6xi1>
}

func.func @f32_to_i8(
    %a: tensor<9xf32> {values.are = dense<[0.0, -0.0, 0.9900000095367432, -0.9900000095367432, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf32>})
    -> (tensor<9xi8> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi8>}) {
  %r = nn.cast %a : tensor<9xf32> -> tensor<9xi8>
  return %r : tensor<9xi8>
}

func.func @f32_to_i16(
    %a: tensor<9xf32> {values.are = dense<[0.0, -0.0, 0.9900000095367432, -0.9900000095367432, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf32>})
    -> (tensor<9xi16> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi16>}) {
  %r = nn.cast %a : tensor<9xf32> -> tensor<9xi16>
  return %r : tensor<9xi16>
}

func.func @f32_to_i32(
    %a: tensor<9xf32> {values.are = dense<[0.0, -0.0, 0.9900000095367432, -0.9900000095367432, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf32>})
    -> (tensor<9xi32> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi32>}) {
  %r = nn.cast %a : tensor<9xf32> -> tensor<9xi32>
  return %r : tensor<9xi32>
}

func.func @f32_to_i64(
    %a: tensor<9xf32> {values.are = dense<[0.0, -0.0, 0.9900000095367432, -0.9900000095367432, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf32>})
    -> (tensor<9xi64> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi64>}) {
  %r = nn.cast %a : tensor<9xf32> -> tensor<9xi64>
  return %r : tensor<9xi64>
}

func.func @f32_to_ui8(
    %a: tensor<9xf32> {values.are = dense<[0.0, -0.0, 0.9900000095367432, -0.9900000095367432, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf32>})
    -> (tensor<9xui8> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui8>}) {
  %r = nn.cast %a : tensor<9xf32> -> tensor<9xui8>
  return %r : tensor<9xui8>
}

func.func @f32_to_ui16(
    %a: tensor<9xf32> {values.are = dense<[0.0, -0.0, 0.9900000095367432, -0.9900000095367432, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf32>})
    -> (tensor<9xui16> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui16>}) {
  %r = nn.cast %a : tensor<9xf32> -> tensor<9xui16>
  return %r : tensor<9xui16>
}

func.func @f32_to_ui32(
    %a: tensor<9xf32> {values.are = dense<[0.0, -0.0, 0.9900000095367432, -0.9900000095367432, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf32>})
    -> (tensor<9xui32> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui32>}) {
  %r = nn.cast %a : tensor<9xf32> -> tensor<9xui32>
  return %r : tensor<9xui32>
}

func.func @f32_to_ui64(
    %a: tensor<9xf32> {values.are = dense<[0.0, -0.0, 0.9900000095367432, -0.9900000095367432, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf32>})
    -> (tensor<9xui64> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui64>}) {
  %r = nn.cast %a : tensor<9xf32> -> tensor<9xui64>
  return %r : tensor<9xui64>
}

func.func @f32_to_ui32_large(
    %a: tensor<2xf32> {values.are = dense<[2147483648.0, 4294967040.0]> : tensor<2xf32>})
    -> (tensor<2xui32> {values.are = dense<[2147483648, 4294967040]> : tensor<2xui32>}) {
  %r = nn.cast %a : tensor<2xf32> -> tensor<2xui32>
  return %r : tensor<2xui32>
}

func.func @f32_to_ui64_large(
    %a: tensor<4xf32> {values.are = dense<[2147483648.0, 4294967040.0, 9.223372036854776e+18, 1.8446742974197924e+19]> : tensor<4xf32>})
    -> (tensor<4xui64> {values.are = dense<[2147483648, 4294967040, 9223372036854775808, 18446742974197923840]> : tensor<4xui64>}) {
  %r = nn.cast %a : tensor<4xf32> -> tensor<4xui64>
  return %r : tensor<4xui64>
}

func.func @f64_to_f32(
    %a: tensor<25xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.1, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.7976931348623157e+308, 5.0e-324, 1.0000000596046448, 1.0000001788139343, 1.0000000596046483, -2.9999998807907104, -2.9999996423721313, -2.9999998807907033, 1.1754944208872107e-38, 1.1754945610170572e-38, 1.175494420887215e-38, 1.4693686391770915e-39, 1.469370040475556e-39, 1.4693686391771333e-39, 3.4028234663852886e+38, 3.4028235677973366e+38, 3.4028235657690957e+38]> : tensor<25xf64>})
    -> (tensor<25xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.1, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.7976931348623157e+308, 5.0e-324, 1.0000000596046448, 1.0000001788139343, 1.0000000596046483, -2.9999998807907104, -2.9999996423721313, -2.9999998807907033, 1.1754944208872107e-38, 1.1754945610170572e-38, 1.175494420887215e-38, 1.4693686391770915e-39, 1.469370040475556e-39, 1.4693686391771333e-39, 3.4028234663852886e+38, 3.4028235677973366e+38, 3.4028235657690957e+38]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xf64> -> tensor<25xf32>
  return %r : tensor<25xf32>
}

func.func @f64_to_f16(
    %a: tensor<25xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.1, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.7976931348623157e+308, 5.0e-324, 1.00048828125, 1.00146484375, 1.000488519668579, -2.9990234375, -2.9970703125, -2.999022960662842, 6.10649585723877e-05, 6.112456321716309e-05, 6.106497312430292e-05, 7.659196853637695e-06, 7.718801498413086e-06, 7.659211405552924e-06, 65504.0, 65520.0, 65519.68]> : tensor<25xf64>})
    -> (tensor<25xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.1, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.7976931348623157e+308, 5.0e-324, 1.00048828125, 1.00146484375, 1.000488519668579, -2.9990234375, -2.9970703125, -2.999022960662842, 6.10649585723877e-05, 6.112456321716309e-05, 6.106497312430292e-05, 7.659196853637695e-06, 7.718801498413086e-06, 7.659211405552924e-06, 65504.0, 65520.0, 65519.68]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xf64> -> tensor<25xf16>
  return %r : tensor<25xf16>
}

func.func @f64_to_bf16(
    %a: tensor<25xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.1, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.7976931348623157e+308, 5.0e-324, 1.00390625, 1.01171875, 1.0039215087890625, -2.9921875, -2.9765625, -2.992156982421875, 1.180086125630187e-38, 1.1892696752459862e-38, 1.1801040622505304e-38, 1.515285686606855e-39, 1.6071211827648462e-39, 1.5154650528102886e-39, 3.3895313892515355e+38, 3.39617752923046e+38, 3.3960446064308817e+38]> : tensor<25xf64>})
    -> (tensor<25xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.1, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.7976931348623157e+308, 5.0e-324, 1.00390625, 1.01171875, 1.0039215087890625, -2.9921875, -2.9765625, -2.992156982421875, 1.180086125630187e-38, 1.1892696752459862e-38, 1.1801040622505304e-38, 1.515285686606855e-39, 1.6071211827648462e-39, 1.5154650528102886e-39, 3.3895313892515355e+38, 3.39617752923046e+38, 3.3960446064308817e+38]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xf64> -> tensor<25xbf16>
  return %r : tensor<25xbf16>
}

func.func @f64_to_i1(
    %a: tensor<6xf64> {values.are = dense<[0.0, -0.0, 0.5, -1.0, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<6xf64>})
    -> (tensor<6xi1> {values.are = dense<[false, false, true, true, true, true]> : tensor<6xi1>}) {
  %r = nn.cast %a : tensor<6xf64> -> tensor<6xi1>
  return %r : tensor<6xi1>
}

func.func @f64_to_i8(
    %a: tensor<9xf64> {values.are = dense<[0.0, -0.0, 0.99, -0.99, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf64>})
    -> (tensor<9xi8> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi8>}) {
  %r = nn.cast %a : tensor<9xf64> -> tensor<9xi8>
  return %r : tensor<9xi8>
}

func.func @f64_to_i16(
    %a: tensor<9xf64> {values.are = dense<[0.0, -0.0, 0.99, -0.99, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf64>})
    -> (tensor<9xi16> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi16>}) {
  %r = nn.cast %a : tensor<9xf64> -> tensor<9xi16>
  return %r : tensor<9xi16>
}

func.func @f64_to_i32(
    %a: tensor<9xf64> {values.are = dense<[0.0, -0.0, 0.99, -0.99, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf64>})
    -> (tensor<9xi32> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi32>}) {
  %r = nn.cast %a : tensor<9xf64> -> tensor<9xi32>
  return %r : tensor<9xi32>
}

func.func @f64_to_i64(
    %a: tensor<9xf64> {values.are = dense<[0.0, -0.0, 0.99, -0.99, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf64>})
    -> (tensor<9xi64> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi64>}) {
  %r = nn.cast %a : tensor<9xf64> -> tensor<9xi64>
  return %r : tensor<9xi64>
}

func.func @f64_to_ui8(
    %a: tensor<9xf64> {values.are = dense<[0.0, -0.0, 0.99, -0.99, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf64>})
    -> (tensor<9xui8> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui8>}) {
  %r = nn.cast %a : tensor<9xf64> -> tensor<9xui8>
  return %r : tensor<9xui8>
}

func.func @f64_to_ui16(
    %a: tensor<9xf64> {values.are = dense<[0.0, -0.0, 0.99, -0.99, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf64>})
    -> (tensor<9xui16> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui16>}) {
  %r = nn.cast %a : tensor<9xf64> -> tensor<9xui16>
  return %r : tensor<9xui16>
}

func.func @f64_to_ui32(
    %a: tensor<9xf64> {values.are = dense<[0.0, -0.0, 0.99, -0.99, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf64>})
    -> (tensor<9xui32> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui32>}) {
  %r = nn.cast %a : tensor<9xf64> -> tensor<9xui32>
  return %r : tensor<9xui32>
}

func.func @f64_to_ui64(
    %a: tensor<9xf64> {values.are = dense<[0.0, -0.0, 0.99, -0.99, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf64>})
    -> (tensor<9xui64> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui64>}) {
  %r = nn.cast %a : tensor<9xf64> -> tensor<9xui64>
  return %r : tensor<9xui64>
}

func.func @f64_to_ui32_large(
    %a: tensor<2xf64> {values.are = dense<[2147483648.0, 4294967040.0]> : tensor<2xf64>})
    -> (tensor<2xui32> {values.are = dense<[2147483648, 4294967040]> : tensor<2xui32>}) {
  %r = nn.cast %a : tensor<2xf64> -> tensor<2xui32>
  return %r : tensor<2xui32>
}

func.func @f64_to_ui64_large(
    %a: tensor<4xf64> {values.are = dense<[2147483648.0, 4294967040.0, 9.223372036854776e+18, 1.8446742974197924e+19]> : tensor<4xf64>})
    -> (tensor<4xui64> {values.are = dense<[2147483648, 4294967040, 9223372036854775808, 18446742974197923840]> : tensor<4xui64>}) {
  %r = nn.cast %a : tensor<4xf64> -> tensor<4xui64>
  return %r : tensor<4xui64>
}

func.func @f16_to_f32(
    %a: tensor<25xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.0999755859375, 0x7C00, 0xFC00, 0x7E00, 65504.0, 5.960464477539063e-08, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0x7C00, 0x7C00, 0x7C00]> : tensor<25xf16>})
    -> (tensor<25xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.0999755859375, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 65504.0, 5.960464477539063e-08, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xf16> -> tensor<25xf32>
  return %r : tensor<25xf32>
}

func.func @f16_to_f64(
    %a: tensor<25xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.0999755859375, 0x7C00, 0xFC00, 0x7E00, 65504.0, 5.960464477539063e-08, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0x7C00, 0x7C00, 0x7C00]> : tensor<25xf16>})
    -> (tensor<25xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.0999755859375, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 65504.0, 5.960464477539063e-08, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xf16> -> tensor<25xf64>
  return %r : tensor<25xf64>
}

func.func @f16_to_bf16(
    %a: tensor<25xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.0999755859375, 0x7C00, 0xFC00, 0x7E00, 65504.0, 5.960464477539063e-08, 1.00390625, 1.01171875, 1.00390625, -2.9921875, -2.9765625, -2.9921875, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0x7C00, 0x7C00, 0x7C00]> : tensor<25xf16>})
    -> (tensor<25xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.0999755859375, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 65504.0, 5.960464477539063e-08, 1.00390625, 1.01171875, 1.00390625, -2.9921875, -2.9765625, -2.9921875, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xf16> -> tensor<25xbf16>
  return %r : tensor<25xbf16>
}

func.func @f16_to_i1(
    %a: tensor<6xf16> {values.are = dense<[0.0, -0.0, 0.5, -1.0, 0x7C00, 0x7E00]> : tensor<6xf16>})
    -> (tensor<6xi1> {values.are = dense<[false, false, true, true, true, true]> : tensor<6xi1>}) {
  %r = nn.cast %a : tensor<6xf16> -> tensor<6xi1>
  return %r : tensor<6xi1>
}

func.func @f16_to_i8(
    %a: tensor<9xf16> {values.are = dense<[0.0, -0.0, 0.990234375, -0.990234375, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf16>})
    -> (tensor<9xi8> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi8>}) {
  %r = nn.cast %a : tensor<9xf16> -> tensor<9xi8>
  return %r : tensor<9xi8>
}

func.func @f16_to_i16(
    %a: tensor<9xf16> {values.are = dense<[0.0, -0.0, 0.990234375, -0.990234375, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf16>})
    -> (tensor<9xi16> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi16>}) {
  %r = nn.cast %a : tensor<9xf16> -> tensor<9xi16>
  return %r : tensor<9xi16>
}

func.func @f16_to_i32(
    %a: tensor<9xf16> {values.are = dense<[0.0, -0.0, 0.990234375, -0.990234375, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf16>})
    -> (tensor<9xi32> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi32>}) {
  %r = nn.cast %a : tensor<9xf16> -> tensor<9xi32>
  return %r : tensor<9xi32>
}

func.func @f16_to_i64(
    %a: tensor<9xf16> {values.are = dense<[0.0, -0.0, 0.990234375, -0.990234375, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xf16>})
    -> (tensor<9xi64> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi64>}) {
  %r = nn.cast %a : tensor<9xf16> -> tensor<9xi64>
  return %r : tensor<9xi64>
}

func.func @f16_to_ui8(
    %a: tensor<9xf16> {values.are = dense<[0.0, -0.0, 0.990234375, -0.990234375, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf16>})
    -> (tensor<9xui8> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui8>}) {
  %r = nn.cast %a : tensor<9xf16> -> tensor<9xui8>
  return %r : tensor<9xui8>
}

func.func @f16_to_ui16(
    %a: tensor<9xf16> {values.are = dense<[0.0, -0.0, 0.990234375, -0.990234375, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf16>})
    -> (tensor<9xui16> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui16>}) {
  %r = nn.cast %a : tensor<9xf16> -> tensor<9xui16>
  return %r : tensor<9xui16>
}

func.func @f16_to_ui32(
    %a: tensor<9xf16> {values.are = dense<[0.0, -0.0, 0.990234375, -0.990234375, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf16>})
    -> (tensor<9xui32> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui32>}) {
  %r = nn.cast %a : tensor<9xf16> -> tensor<9xui32>
  return %r : tensor<9xui32>
}

func.func @f16_to_ui64(
    %a: tensor<9xf16> {values.are = dense<[0.0, -0.0, 0.990234375, -0.990234375, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xf16>})
    -> (tensor<9xui64> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui64>}) {
  %r = nn.cast %a : tensor<9xf16> -> tensor<9xui64>
  return %r : tensor<9xui64>
}

func.func @bf16_to_f32(
    %a: tensor<25xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10009765625, 0x7F80, 0xFF80, 0x7FC0, 3.3895313892515355e+38, 9.183549615799121e-41, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.4693679385278594e-39, 1.4693679385278594e-39, 1.4693679385278594e-39, 0x7F80, 0x7F80, 0x7F80]> : tensor<25xbf16>})
    -> (tensor<25xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10009765625, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 3.3895313892515355e+38, 9.183549615799121e-41, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.4693679385278594e-39, 1.4693679385278594e-39, 1.4693679385278594e-39, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xbf16> -> tensor<25xf32>
  return %r : tensor<25xf32>
}

func.func @bf16_to_f64(
    %a: tensor<25xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10009765625, 0x7F80, 0xFF80, 0x7FC0, 3.3895313892515355e+38, 9.183549615799121e-41, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0x7F80, 0x7F80, 0x7F80]> : tensor<25xbf16>})
    -> (tensor<25xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10009765625, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 3.3895313892515355e+38, 9.183549615799121e-41, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xbf16> -> tensor<25xf64>
  return %r : tensor<25xf64>
}

func.func @bf16_to_f16(
    %a: tensor<25xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10009765625, 0x7F80, 0xFF80, 0x7FC0, 3.3895313892515355e+38, 9.183549615799121e-41, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 6.103515625e-05, 6.103515625e-05, 6.103515625e-05, 7.62939453125e-06, 7.748603820800781e-06, 7.68899917602539e-06, 65536.0, 65536.0, 65536.0]> : tensor<25xbf16>})
    -> (tensor<25xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.5, 0.10009765625, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 3.3895313892515355e+38, 9.183549615799121e-41, 1.0, 1.0, 1.0, -3.0, -3.0, -3.0, 6.103515625e-05, 6.103515625e-05, 6.103515625e-05, 7.62939453125e-06, 7.748603820800781e-06, 7.68899917602539e-06, 65536.0, 65536.0, 65536.0]> : tensor<25xf64>}) {
  %r = nn.cast %a : tensor<25xbf16> -> tensor<25xf16>
  return %r : tensor<25xf16>
}

func.func @bf16_to_i1(
    %a: tensor<6xbf16> {values.are = dense<[0.0, -0.0, 0.5, -1.0, 0x7F80, 0x7FC0]> : tensor<6xbf16>})
    -> (tensor<6xi1> {values.are = dense<[false, false, true, true, true, true]> : tensor<6xi1>}) {
  %r = nn.cast %a : tensor<6xbf16> -> tensor<6xi1>
  return %r : tensor<6xi1>
}

func.func @bf16_to_i8(
    %a: tensor<9xbf16> {values.are = dense<[0.0, -0.0, 0.98828125, -0.98828125, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xbf16>})
    -> (tensor<9xi8> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi8>}) {
  %r = nn.cast %a : tensor<9xbf16> -> tensor<9xi8>
  return %r : tensor<9xi8>
}

func.func @bf16_to_i16(
    %a: tensor<9xbf16> {values.are = dense<[0.0, -0.0, 0.98828125, -0.98828125, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xbf16>})
    -> (tensor<9xi16> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi16>}) {
  %r = nn.cast %a : tensor<9xbf16> -> tensor<9xi16>
  return %r : tensor<9xi16>
}

func.func @bf16_to_i32(
    %a: tensor<9xbf16> {values.are = dense<[0.0, -0.0, 0.98828125, -0.98828125, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xbf16>})
    -> (tensor<9xi32> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi32>}) {
  %r = nn.cast %a : tensor<9xbf16> -> tensor<9xi32>
  return %r : tensor<9xi32>
}

func.func @bf16_to_i64(
    %a: tensor<9xbf16> {values.are = dense<[0.0, -0.0, 0.98828125, -0.98828125, 1.5, 2.5, 100.0, -1.5, -128.0]> : tensor<9xbf16>})
    -> (tensor<9xi64> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, -1, -128]> : tensor<9xi64>}) {
  %r = nn.cast %a : tensor<9xbf16> -> tensor<9xi64>
  return %r : tensor<9xi64>
}

func.func @bf16_to_ui8(
    %a: tensor<9xbf16> {values.are = dense<[0.0, -0.0, 0.98828125, -0.98828125, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xbf16>})
    -> (tensor<9xui8> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui8>}) {
  %r = nn.cast %a : tensor<9xbf16> -> tensor<9xui8>
  return %r : tensor<9xui8>
}

func.func @bf16_to_ui16(
    %a: tensor<9xbf16> {values.are = dense<[0.0, -0.0, 0.98828125, -0.98828125, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xbf16>})
    -> (tensor<9xui16> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui16>}) {
  %r = nn.cast %a : tensor<9xbf16> -> tensor<9xui16>
  return %r : tensor<9xui16>
}

func.func @bf16_to_ui32(
    %a: tensor<9xbf16> {values.are = dense<[0.0, -0.0, 0.98828125, -0.98828125, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xbf16>})
    -> (tensor<9xui32> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui32>}) {
  %r = nn.cast %a : tensor<9xbf16> -> tensor<9xui32>
  return %r : tensor<9xui32>
}

func.func @bf16_to_ui64(
    %a: tensor<9xbf16> {values.are = dense<[0.0, -0.0, 0.98828125, -0.98828125, 1.5, 2.5, 100.0, 200.0, 255.0]> : tensor<9xbf16>})
    -> (tensor<9xui64> {values.are = dense<[0, 0, 0, 0, 1, 2, 100, 200, 255]> : tensor<9xui64>}) {
  %r = nn.cast %a : tensor<9xbf16> -> tensor<9xui64>
  return %r : tensor<9xui64>
}

func.func @i8_to_f32(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xf32> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 127.0, -128.0, 85.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @i8_to_f64(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xf64> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 127.0, -128.0, 85.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @i8_to_f16(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xf16> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 127.0, -128.0, 85.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xf16>
  return %r : tensor<7xf16>
}

func.func @i8_to_bf16(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 127.0, -128.0, 85.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}

func.func @i8_to_i16(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi16>}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xi16>
  return %r : tensor<7xi16>
}

func.func @i8_to_i32(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi32>}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xi32>
  return %r : tensor<7xi32>
}

func.func @i8_to_i64(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi64>}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xi64>
  return %r : tensor<7xi64>
}

func.func @i8_to_ui8(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xui8>
  return %r : tensor<7xui8>
}

func.func @i8_to_ui16(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 127, 65408, 85]> : tensor<7xui16>}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xui16>
  return %r : tensor<7xui16>
}

func.func @i8_to_ui32(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 127, 4294967168, 85]> : tensor<7xui32>}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xui32>
  return %r : tensor<7xui32>
}

func.func @i8_to_ui64(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 127, 18446744073709551488, 85]> : tensor<7xui64>}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xui64>
  return %r : tensor<7xui64>
}

func.func @i8_to_i1(
    %a: tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>})
    -> (tensor<7xi1> {values.are = dense<[false, true, true, true, true, true, true]> : tensor<7xi1>}) {
  %r = nn.cast %a : tensor<7xi8> -> tensor<7xi1>
  return %r : tensor<7xi1>
}

func.func @i16_to_f32(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xf32> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 32767.0, -32768.0, 21845.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @i16_to_f64(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xf64> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 32767.0, -32768.0, 21845.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @i16_to_f16(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xf16> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 32767.0, -32768.0, 21845.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xf16>
  return %r : tensor<7xf16>
}

func.func @i16_to_bf16(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 32767.0, -32768.0, 21845.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}

func.func @i16_to_i8(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xi8> {values.are = dense<[0, 1, -1, 77, -1, 0, 85]> : tensor<7xi8>}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xi8>
  return %r : tensor<7xi8>
}

func.func @i16_to_i32(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi32>}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xi32>
  return %r : tensor<7xi32>
}

func.func @i16_to_i64(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi64>}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xi64>
  return %r : tensor<7xi64>
}

func.func @i16_to_ui8(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 255, 0, 85]> : tensor<7xui8>}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xui8>
  return %r : tensor<7xui8>
}

func.func @i16_to_ui16(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xui16>
  return %r : tensor<7xui16>
}

func.func @i16_to_ui32(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 32767, 4294934528, 21845]> : tensor<7xui32>}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xui32>
  return %r : tensor<7xui32>
}

func.func @i16_to_ui64(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 32767, 18446744073709518848, 21845]> : tensor<7xui64>}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xui64>
  return %r : tensor<7xui64>
}

func.func @i16_to_i1(
    %a: tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>})
    -> (tensor<7xi1> {values.are = dense<[false, true, true, true, true, true, true]> : tensor<7xi1>}) {
  %r = nn.cast %a : tensor<7xi16> -> tensor<7xi1>
  return %r : tensor<7xi1>
}

func.func @i32_to_f32(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xf32> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 2147483647.0, -2147483648.0, 1431655765.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @i32_to_f64(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xf64> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 2147483647.0, -2147483648.0, 1431655765.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @i32_to_f16(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xf16> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 2147483647.0, -2147483648.0, 1431655765.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xf16>
  return %r : tensor<7xf16>
}

func.func @i32_to_bf16(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 2147483647.0, -2147483648.0, 1431655765.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}

func.func @i32_to_i8(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xi8> {values.are = dense<[0, 1, -1, 77, -1, 0, 85]> : tensor<7xi8>}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xi8>
  return %r : tensor<7xi8>
}

func.func @i32_to_i16(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xi16> {values.are = dense<[0, 1, -1, 77, -1, 0, 21845]> : tensor<7xi16>}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xi16>
  return %r : tensor<7xi16>
}

func.func @i32_to_i64(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi64>}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xi64>
  return %r : tensor<7xi64>
}

func.func @i32_to_ui8(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 255, 0, 85]> : tensor<7xui8>}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xui8>
  return %r : tensor<7xui8>
}

func.func @i32_to_ui16(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 65535, 0, 21845]> : tensor<7xui16>}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xui16>
  return %r : tensor<7xui16>
}

func.func @i32_to_ui32(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xui32>
  return %r : tensor<7xui32>
}

func.func @i32_to_ui64(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 2147483647, 18446744071562067968, 1431655765]> : tensor<7xui64>}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xui64>
  return %r : tensor<7xui64>
}

func.func @i32_to_i1(
    %a: tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>})
    -> (tensor<7xi1> {values.are = dense<[false, true, true, true, true, true, true]> : tensor<7xi1>}) {
  %r = nn.cast %a : tensor<7xi32> -> tensor<7xi1>
  return %r : tensor<7xi1>
}

func.func @i64_to_f32(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xf32> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 9.223372036854776e+18, -9.223372036854776e+18, 6.148914691236517e+18]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @i64_to_f64(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xf64> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 9.223372036854776e+18, -9.223372036854776e+18, 6.148914691236517e+18]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @i64_to_f16(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xf16> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 9.223372036854776e+18, -9.223372036854776e+18, 6.148914691236517e+18]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xf16>
  return %r : tensor<7xf16>
}

func.func @i64_to_bf16(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, 1.0, -1.0, 77.0, 9.223372036854776e+18, -9.223372036854776e+18, 6.148914691236517e+18]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}

func.func @i64_to_i8(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xi8> {values.are = dense<[0, 1, -1, 77, -1, 0, 85]> : tensor<7xi8>}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xi8>
  return %r : tensor<7xi8>
}

func.func @i64_to_i16(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xi16> {values.are = dense<[0, 1, -1, 77, -1, 0, 21845]> : tensor<7xi16>}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xi16>
  return %r : tensor<7xi16>
}

func.func @i64_to_i32(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xi32> {values.are = dense<[0, 1, -1, 77, -1, 0, 1431655765]> : tensor<7xi32>}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xi32>
  return %r : tensor<7xi32>
}

func.func @i64_to_ui8(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 255, 0, 85]> : tensor<7xui8>}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xui8>
  return %r : tensor<7xui8>
}

func.func @i64_to_ui16(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 65535, 0, 21845]> : tensor<7xui16>}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xui16>
  return %r : tensor<7xui16>
}

func.func @i64_to_ui32(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 4294967295, 0, 1431655765]> : tensor<7xui32>}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xui32>
  return %r : tensor<7xui32>
}

func.func @i64_to_ui64(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xui64>
  return %r : tensor<7xui64>
}

func.func @i64_to_i1(
    %a: tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>})
    -> (tensor<7xi1> {values.are = dense<[false, true, true, true, true, true, true]> : tensor<7xi1>}) {
  %r = nn.cast %a : tensor<7xi64> -> tensor<7xi1>
  return %r : tensor<7xi1>
}

func.func @ui8_to_f32(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xf32> {values.are = dense<[0.0, 1.0, 255.0, 77.0, 127.0, 128.0, 85.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @ui8_to_f64(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xf64> {values.are = dense<[0.0, 1.0, 255.0, 77.0, 127.0, 128.0, 85.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @ui8_to_f16(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xf16> {values.are = dense<[0.0, 1.0, 255.0, 77.0, 127.0, 128.0, 85.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xf16>
  return %r : tensor<7xf16>
}

func.func @ui8_to_bf16(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, 1.0, 255.0, 77.0, 127.0, 128.0, 85.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}

func.func @ui8_to_i8(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xi8> {values.are = dense<[0, 1, -1, 77, 127, -128, 85]> : tensor<7xi8>}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xi8>
  return %r : tensor<7xi8>
}

func.func @ui8_to_i16(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xi16> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xi16>}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xi16>
  return %r : tensor<7xi16>
}

func.func @ui8_to_i32(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xi32> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xi32>}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xi32>
  return %r : tensor<7xi32>
}

func.func @ui8_to_i64(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xi64> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xi64>}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xi64>
  return %r : tensor<7xi64>
}

func.func @ui8_to_ui16(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xui16> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui16>}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xui16>
  return %r : tensor<7xui16>
}

func.func @ui8_to_ui32(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xui32> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui32>}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xui32>
  return %r : tensor<7xui32>
}

func.func @ui8_to_ui64(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xui64> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui64>}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xui64>
  return %r : tensor<7xui64>
}

func.func @ui8_to_i1(
    %a: tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 127, 128, 85]> : tensor<7xui8>})
    -> (tensor<7xi1> {values.are = dense<[false, true, true, true, true, true, true]> : tensor<7xi1>}) {
  %r = nn.cast %a : tensor<7xui8> -> tensor<7xi1>
  return %r : tensor<7xi1>
}

func.func @ui16_to_f32(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xf32> {values.are = dense<[0.0, 1.0, 65535.0, 77.0, 32767.0, 32768.0, 21845.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @ui16_to_f64(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xf64> {values.are = dense<[0.0, 1.0, 65535.0, 77.0, 32767.0, 32768.0, 21845.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @ui16_to_f16(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xf16> {values.are = dense<[0.0, 1.0, 65535.0, 77.0, 32767.0, 32768.0, 21845.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xf16>
  return %r : tensor<7xf16>
}

func.func @ui16_to_bf16(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, 1.0, 65535.0, 77.0, 32767.0, 32768.0, 21845.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}

func.func @ui16_to_i8(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xi8> {values.are = dense<[0, 1, -1, 77, -1, 0, 85]> : tensor<7xi8>}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xi8>
  return %r : tensor<7xi8>
}

func.func @ui16_to_i16(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xi16> {values.are = dense<[0, 1, -1, 77, 32767, -32768, 21845]> : tensor<7xi16>}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xi16>
  return %r : tensor<7xi16>
}

func.func @ui16_to_i32(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xi32> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xi32>}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xi32>
  return %r : tensor<7xi32>
}

func.func @ui16_to_i64(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xi64> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xi64>}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xi64>
  return %r : tensor<7xi64>
}

func.func @ui16_to_ui8(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 255, 0, 85]> : tensor<7xui8>}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xui8>
  return %r : tensor<7xui8>
}

func.func @ui16_to_ui32(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xui32> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui32>}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xui32>
  return %r : tensor<7xui32>
}

func.func @ui16_to_ui64(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xui64> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui64>}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xui64>
  return %r : tensor<7xui64>
}

func.func @ui16_to_i1(
    %a: tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 32767, 32768, 21845]> : tensor<7xui16>})
    -> (tensor<7xi1> {values.are = dense<[false, true, true, true, true, true, true]> : tensor<7xi1>}) {
  %r = nn.cast %a : tensor<7xui16> -> tensor<7xi1>
  return %r : tensor<7xi1>
}

func.func @ui32_to_f32(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xf32> {values.are = dense<[0.0, 1.0, 4294967295.0, 77.0, 2147483647.0, 2147483648.0, 1431655765.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @ui32_to_f64(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xf64> {values.are = dense<[0.0, 1.0, 4294967295.0, 77.0, 2147483647.0, 2147483648.0, 1431655765.0]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @ui32_to_f16(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xf16> {values.are = dense<[0.0, 1.0, 4294967295.0, 77.0, 2147483647.0, 2147483648.0, 1431655765.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xf16>
  return %r : tensor<7xf16>
}

func.func @ui32_to_bf16(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, 1.0, 4294967295.0, 77.0, 2147483647.0, 2147483648.0, 1431655765.0]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}

func.func @ui32_to_i8(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xi8> {values.are = dense<[0, 1, -1, 77, -1, 0, 85]> : tensor<7xi8>}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xi8>
  return %r : tensor<7xi8>
}

func.func @ui32_to_i16(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xi16> {values.are = dense<[0, 1, -1, 77, -1, 0, 21845]> : tensor<7xi16>}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xi16>
  return %r : tensor<7xi16>
}

func.func @ui32_to_i32(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xi32> {values.are = dense<[0, 1, -1, 77, 2147483647, -2147483648, 1431655765]> : tensor<7xi32>}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xi32>
  return %r : tensor<7xi32>
}

func.func @ui32_to_i64(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xi64> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xi64>}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xi64>
  return %r : tensor<7xi64>
}

func.func @ui32_to_ui8(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 255, 0, 85]> : tensor<7xui8>}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xui8>
  return %r : tensor<7xui8>
}

func.func @ui32_to_ui16(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 65535, 0, 21845]> : tensor<7xui16>}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xui16>
  return %r : tensor<7xui16>
}

func.func @ui32_to_ui64(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xui64> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui64>}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xui64>
  return %r : tensor<7xui64>
}

func.func @ui32_to_i1(
    %a: tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 2147483647, 2147483648, 1431655765]> : tensor<7xui32>})
    -> (tensor<7xi1> {values.are = dense<[false, true, true, true, true, true, true]> : tensor<7xi1>}) {
  %r = nn.cast %a : tensor<7xui32> -> tensor<7xi1>
  return %r : tensor<7xi1>
}

func.func @ui64_to_f32(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xf32> {values.are = dense<[0.0, 1.0, 1.8446744073709552e+19, 77.0, 9.223372036854776e+18, 9.223372036854776e+18, 6.148914691236517e+18]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @ui64_to_f64(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xf64> {values.are = dense<[0.0, 1.0, 1.8446744073709552e+19, 77.0, 9.223372036854776e+18, 9.223372036854776e+18, 6.148914691236517e+18]> : tensor<7xf64>}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @ui64_to_f16(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xf16> {values.are = dense<[0.0, 1.0, 1.8446744073709552e+19, 77.0, 9.223372036854776e+18, 9.223372036854776e+18, 6.148914691236517e+18]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xf16>
  return %r : tensor<7xf16>
}

func.func @ui64_to_bf16(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xbf16> {values.are = dense<[0.0, 1.0, 1.8446744073709552e+19, 77.0, 9.223372036854776e+18, 9.223372036854776e+18, 6.148914691236517e+18]> : tensor<7xf64>, values.ulps = 0.5001220703125}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xbf16>
  return %r : tensor<7xbf16>
}

func.func @ui64_to_i8(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xi8> {values.are = dense<[0, 1, -1, 77, -1, 0, 85]> : tensor<7xi8>}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xi8>
  return %r : tensor<7xi8>
}

func.func @ui64_to_i16(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xi16> {values.are = dense<[0, 1, -1, 77, -1, 0, 21845]> : tensor<7xi16>}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xi16>
  return %r : tensor<7xi16>
}

func.func @ui64_to_i32(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xi32> {values.are = dense<[0, 1, -1, 77, -1, 0, 1431655765]> : tensor<7xi32>}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xi32>
  return %r : tensor<7xi32>
}

func.func @ui64_to_i64(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xi64> {values.are = dense<[0, 1, -1, 77, 9223372036854775807, -9223372036854775808, 6148914691236517205]> : tensor<7xi64>}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xi64>
  return %r : tensor<7xi64>
}

func.func @ui64_to_ui8(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xui8> {values.are = dense<[0, 1, 255, 77, 255, 0, 85]> : tensor<7xui8>}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xui8>
  return %r : tensor<7xui8>
}

func.func @ui64_to_ui16(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xui16> {values.are = dense<[0, 1, 65535, 77, 65535, 0, 21845]> : tensor<7xui16>}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xui16>
  return %r : tensor<7xui16>
}

func.func @ui64_to_ui32(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xui32> {values.are = dense<[0, 1, 4294967295, 77, 4294967295, 0, 1431655765]> : tensor<7xui32>}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xui32>
  return %r : tensor<7xui32>
}

func.func @ui64_to_i1(
    %a: tensor<7xui64> {values.are = dense<[0, 1, 18446744073709551615, 77, 9223372036854775807, 9223372036854775808, 6148914691236517205]> : tensor<7xui64>})
    -> (tensor<7xi1> {values.are = dense<[false, true, true, true, true, true, true]> : tensor<7xi1>}) {
  %r = nn.cast %a : tensor<7xui64> -> tensor<7xi1>
  return %r : tensor<7xi1>
}

func.func @i1_to_f32(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xf32> {values.are = dense<[1.0, 0.0]> : tensor<2xf64>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func @i1_to_f64(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xf64> {values.are = dense<[1.0, 0.0]> : tensor<2xf64>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xf64>
  return %r : tensor<2xf64>
}

func.func @i1_to_f16(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xf16> {values.are = dense<[1.0, 0.0]> : tensor<2xf64>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xf16>
  return %r : tensor<2xf16>
}

func.func @i1_to_bf16(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xbf16> {values.are = dense<[1.0, 0.0]> : tensor<2xf64>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xbf16>
  return %r : tensor<2xbf16>
}

func.func @i1_to_i8(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xi8> {values.are = dense<[1, 0]> : tensor<2xi8>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xi8>
  return %r : tensor<2xi8>
}

func.func @i1_to_i16(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xi16> {values.are = dense<[1, 0]> : tensor<2xi16>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xi16>
  return %r : tensor<2xi16>
}

func.func @i1_to_i32(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xi32> {values.are = dense<[1, 0]> : tensor<2xi32>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xi32>
  return %r : tensor<2xi32>
}

func.func @i1_to_i64(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xi64> {values.are = dense<[1, 0]> : tensor<2xi64>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xi64>
  return %r : tensor<2xi64>
}

func.func @i1_to_ui8(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xui8> {values.are = dense<[1, 0]> : tensor<2xui8>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xui8>
  return %r : tensor<2xui8>
}

func.func @i1_to_ui16(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xui16> {values.are = dense<[1, 0]> : tensor<2xui16>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xui16>
  return %r : tensor<2xui16>
}

func.func @i1_to_ui32(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xui32> {values.are = dense<[1, 0]> : tensor<2xui32>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xui32>
  return %r : tensor<2xui32>
}

func.func @i1_to_ui64(
    %a: tensor<2xi1> {values.are = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2xui64> {values.are = dense<[1, 0]> : tensor<2xui64>}) {
  %r = nn.cast %a : tensor<2xi1> -> tensor<2xui64>
  return %r : tensor<2xui64>
}

func.func @i32_by_f64_to_bf16(
    %a: tensor<3xi32> {values.are = dense<[1077936129, 1086324735, 1077936128]> : tensor<3xi32>})
    -> (tensor<3xbf16> {values.are = dense<[1077936129.0, 1086324735.0, 1077936128.0]> : tensor<3xf64>}) {
  %m = nn.cast %a : tensor<3xi32> -> tensor<3xf64>
  %r = nn.cast %m : tensor<3xf64> -> tensor<3xbf16>
  return %r : tensor<3xbf16>
}

func.func @i64_by_f64_to_bf16(
    %a: tensor<3xi64> {values.are = dense<[1103806595073, 1112396529663, 1103806595072]> : tensor<3xi64>})
    -> (tensor<3xbf16> {values.are = dense<[1103806595073.0, 1112396529663.0, 1103806595072.0]> : tensor<3xf64>}) {
  %m = nn.cast %a : tensor<3xi64> -> tensor<3xf64>
  %r = nn.cast %m : tensor<3xf64> -> tensor<3xbf16>
  return %r : tensor<3xbf16>
}

func.func @ui32_by_f64_to_bf16(
    %a: tensor<3xui32> {values.are = dense<[2155872257, 2172649471, 2155872256]> : tensor<3xui32>})
    -> (tensor<3xbf16> {values.are = dense<[2155872257.0, 2172649471.0, 2155872256.0]> : tensor<3xf64>}) {
  %m = nn.cast %a : tensor<3xui32> -> tensor<3xf64>
  %r = nn.cast %m : tensor<3xf64> -> tensor<3xbf16>
  return %r : tensor<3xbf16>
}

func.func private @f32_to_f16_vjp_of(%a: tensor<2xf32>) -> (tensor<2xf16>) {
  %r = nn.cast %a : tensor<2xf32> -> tensor<2xf16>
  return %r : tensor<2xf16>
}
func.func @f32_to_f16_vjp(
    %a: tensor<2xf32> {values.are = dense<[1.0, 9.999999717180685e-10]> : tensor<2xf32>},
    %b: tensor<2xf16> {values.are = dense<[0.25, 3.0]> : tensor<2xf16>})
    -> (tensor<2xf16> {values.are = dense<[1.0, 9.999999717180685e-10]> : tensor<2xf64>},
        tensor<2xf32> {values.are = dense<[0.25, 3.0]> : tensor<2xf64>}) {
  %v:2 = nn.vjp @f32_to_f16_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<2xf32>), (tensor<2xf16>) -> tensor<2xf16>, tensor<2xf32>
  return %v#0, %v#1 : tensor<2xf16>, tensor<2xf32>
}
