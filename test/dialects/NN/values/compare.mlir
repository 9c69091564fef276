// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @f32(
    %a: tensor<49xf32> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -2.0, -2.0, -2.0, -2.0, -2.0, -2.0, -2.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<49xf32>},
    %b: tensor<49xf32> {values.are = dense<[0.0, -0.0, 1.0, -2.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -2.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -2.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -2.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -2.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -2.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 1.0, -2.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<49xf32>})
    -> (tensor<49xi1> {values.are = dense<[true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, true, false, true, false, false, false, false, true, false, true, false, false, false, false, false, false, true, false, false, true, true, true, false, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[true, true, true, false, true, false, false, true, true, true, false, true, false, false, false, false, true, false, true, false, false, true, true, true, true, true, false, false, false, false, false, false, true, false, false, true, true, true, true, true, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, false, true, false, true, false, false, false, false, true, false, true, false, true, true, false, true, false, true, false, false, false, false, false, false, true, false, true, true, true, true, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[true, true, false, true, false, true, false, true, true, false, true, false, true, false, true, true, true, true, false, true, false, false, false, false, true, false, true, false, true, true, true, true, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>}) {
  %r0 = nn.compare eq %a, %b : tensor<49xf32> -> tensor<49xi1>
  %r1 = nn.compare ne %a, %b : tensor<49xf32> -> tensor<49xi1>
  %r2 = nn.compare lt %a, %b : tensor<49xf32> -> tensor<49xi1>
  %r3 = nn.compare le %a, %b : tensor<49xf32> -> tensor<49xi1>
  %r4 = nn.compare gt %a, %b : tensor<49xf32> -> tensor<49xi1>
  %r5 = nn.compare ge %a, %b : tensor<49xf32> -> tensor<49xi1>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>
}

func.func @f64(
    %a: tensor<49xf64> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -2.0, -2.0, -2.0, -2.0, -2.0, -2.0, -2.0, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<49xf64>},
    %b: tensor<49xf64> {values.are = dense<[0.0, -0.0, 1.0, -2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.0, -0.0, 1.0, -2.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<49xf64>})
    -> (tensor<49xi1> {values.are = dense<[true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, true, false, true, false, false, false, false, true, false, true, false, false, false, false, false, false, true, false, false, true, true, true, false, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[true, true, true, false, true, false, false, true, true, true, false, true, false, false, false, false, true, false, true, false, false, true, true, true, true, true, false, false, false, false, false, false, true, false, false, true, true, true, true, true, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, false, true, false, true, false, false, false, false, true, false, true, false, true, true, false, true, false, true, false, false, false, false, false, false, true, false, true, true, true, true, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[true, true, false, true, false, true, false, true, true, false, true, false, true, false, true, true, true, true, false, true, false, false, false, false, true, false, true, false, true, true, true, true, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>}) {
  %r0 = nn.compare eq %a, %b : tensor<49xf64> -> tensor<49xi1>
  %r1 = nn.compare ne %a, %b : tensor<49xf64> -> tensor<49xi1>
  %r2 = nn.compare lt %a, %b : tensor<49xf64> -> tensor<49xi1>
  %r3 = nn.compare le %a, %b : tensor<49xf64> -> tensor<49xi1>
  %r4 = nn.compare gt %a, %b : tensor<49xf64> -> tensor<49xi1>
  %r5 = nn.compare ge %a, %b : tensor<49xf64> -> tensor<49xi1>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>
}

func.func @f16(
    %a: tensor<49xf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -2.0, -2.0, -2.0, -2.0, -2.0, -2.0, -2.0, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0xFC00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00]> : tensor<49xf16>},
    %b: tensor<49xf16> {values.are = dense<[0.0, -0.0, 1.0, -2.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -2.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -2.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -2.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -2.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -2.0, 0x7C00, 0xFC00, 0x7E00, 0.0, -0.0, 1.0, -2.0, 0x7C00, 0xFC00, 0x7E00]> : tensor<49xf16>})
    -> (tensor<49xi1> {values.are = dense<[true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, true, false, true, false, false, false, false, true, false, true, false, false, false, false, false, false, true, false, false, true, true, true, false, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[true, true, true, false, true, false, false, true, true, true, false, true, false, false, false, false, true, false, true, false, false, true, true, true, true, true, false, false, false, false, false, false, true, false, false, true, true, true, true, true, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, false, true, false, true, false, false, false, false, true, false, true, false, true, true, false, true, false, true, false, false, false, false, false, false, true, false, true, true, true, true, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[true, true, false, true, false, true, false, true, true, false, true, false, true, false, true, true, true, true, false, true, false, false, false, false, true, false, true, false, true, true, true, true, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>}) {
  %r0 = nn.compare eq %a, %b : tensor<49xf16> -> tensor<49xi1>
  %r1 = nn.compare ne %a, %b : tensor<49xf16> -> tensor<49xi1>
  %r2 = nn.compare lt %a, %b : tensor<49xf16> -> tensor<49xi1>
  %r3 = nn.compare le %a, %b : tensor<49xf16> -> tensor<49xi1>
  %r4 = nn.compare gt %a, %b : tensor<49xf16> -> tensor<49xi1>
  %r5 = nn.compare ge %a, %b : tensor<49xf16> -> tensor<49xi1>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>
}

func.func @bf16(
    %a: tensor<49xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -2.0, -2.0, -2.0, -2.0, -2.0, -2.0, -2.0, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0x7F80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0xFF80, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0]> : tensor<49xbf16>},
    %b: tensor<49xbf16> {values.are = dense<[0.0, -0.0, 1.0, -2.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -2.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -2.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -2.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -2.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -2.0, 0x7F80, 0xFF80, 0x7FC0, 0.0, -0.0, 1.0, -2.0, 0x7F80, 0xFF80, 0x7FC0]> : tensor<49xbf16>})
    -> (tensor<49xi1> {values.are = dense<[true, true, false, false, false, false, false, true, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, true, true, true, true, true, false, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, true, false, true, false, false, false, false, true, false, true, false, false, false, false, false, false, true, false, false, true, true, true, false, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[true, true, true, false, true, false, false, true, true, true, false, true, false, false, false, false, true, false, true, false, false, true, true, true, true, true, false, false, false, false, false, false, true, false, false, true, true, true, true, true, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[false, false, false, true, false, true, false, false, false, false, true, false, true, false, true, true, false, true, false, true, false, false, false, false, false, false, true, false, true, true, true, true, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<49xi1>},
        tensor<49xi1> {values.are = dense<[true, true, false, true, false, true, false, true, true, false, true, false, true, false, true, true, true, true, false, true, false, false, false, false, true, false, true, false, true, true, true, true, true, true, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<49xi1>}) {
  %r0 = nn.compare eq %a, %b : tensor<49xbf16> -> tensor<49xi1>
  %r1 = nn.compare ne %a, %b : tensor<49xbf16> -> tensor<49xi1>
  %r2 = nn.compare lt %a, %b : tensor<49xbf16> -> tensor<49xi1>
  %r3 = nn.compare le %a, %b : tensor<49xbf16> -> tensor<49xi1>
  %r4 = nn.compare gt %a, %b : tensor<49xbf16> -> tensor<49xi1>
  %r5 = nn.compare ge %a, %b : tensor<49xbf16> -> tensor<49xi1>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>, tensor<49xi1>
}

func.func @i8(
    %a: tensor<25xi8> {values.are = dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, 100, 100, 100, 100, 100, -128, -128, -128, -128, -128]> : tensor<25xi8>},
    %b: tensor<25xi8> {values.are = dense<[0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128]> : tensor<25xi8>})
    -> (tensor<25xi1> {values.are = dense<[true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, true, false, true, false, false, false, false, true, false, true, true, false, true, false, false, false, false, false, false, true, true, true, true, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[true, true, false, true, false, false, true, false, true, false, true, true, true, true, false, false, false, false, true, false, true, true, true, true, true]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, false, true, false, true, true, false, true, false, true, false, false, false, false, true, true, true, true, false, true, false, false, false, false, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[true, false, true, false, true, true, true, true, false, true, false, false, true, false, true, true, true, true, true, true, false, false, false, false, true]> : tensor<25xi1>}) {
  %r0 = nn.compare eq %a, %b : tensor<25xi8> -> tensor<25xi1>
  %r1 = nn.compare ne %a, %b : tensor<25xi8> -> tensor<25xi1>
  %r2 = nn.compare lt %a, %b : tensor<25xi8> -> tensor<25xi1>
  %r3 = nn.compare le %a, %b : tensor<25xi8> -> tensor<25xi1>
  %r4 = nn.compare gt %a, %b : tensor<25xi8> -> tensor<25xi1>
  %r5 = nn.compare ge %a, %b : tensor<25xi8> -> tensor<25xi1>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>
}

func.func @i16(
    %a: tensor<25xi16> {values.are = dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, 100, 100, 100, 100, 100, -128, -128, -128, -128, -128]> : tensor<25xi16>},
    %b: tensor<25xi16> {values.are = dense<[0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128]> : tensor<25xi16>})
    -> (tensor<25xi1> {values.are = dense<[true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, true, false, true, false, false, false, false, true, false, true, true, false, true, false, false, false, false, false, false, true, true, true, true, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[true, true, false, true, false, false, true, false, true, false, true, true, true, true, false, false, false, false, true, false, true, true, true, true, true]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, false, true, false, true, true, false, true, false, true, false, false, false, false, true, true, true, true, false, true, false, false, false, false, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[true, false, true, false, true, true, true, true, false, true, false, false, true, false, true, true, true, true, true, true, false, false, false, false, true]> : tensor<25xi1>}) {
  %r0 = nn.compare eq %a, %b : tensor<25xi16> -> tensor<25xi1>
  %r1 = nn.compare ne %a, %b : tensor<25xi16> -> tensor<25xi1>
  %r2 = nn.compare lt %a, %b : tensor<25xi16> -> tensor<25xi1>
  %r3 = nn.compare le %a, %b : tensor<25xi16> -> tensor<25xi1>
  %r4 = nn.compare gt %a, %b : tensor<25xi16> -> tensor<25xi1>
  %r5 = nn.compare ge %a, %b : tensor<25xi16> -> tensor<25xi1>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>
}

func.func @i32(
    %a: tensor<25xi32> {values.are = dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, 100, 100, 100, 100, 100, -128, -128, -128, -128, -128]> : tensor<25xi32>},
    %b: tensor<25xi32> {values.are = dense<[0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128]> : tensor<25xi32>})
    -> (tensor<25xi1> {values.are = dense<[true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, true, false, true, false, false, false, false, true, false, true, true, false, true, false, false, false, false, false, false, true, true, true, true, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[true, true, false, true, false, false, true, false, true, false, true, true, true, true, false, false, false, false, true, false, true, true, true, true, true]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, false, true, false, true, true, false, true, false, true, false, false, false, false, true, true, true, true, false, true, false, false, false, false, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[true, false, true, false, true, true, true, true, false, true, false, false, true, false, true, true, true, true, true, true, false, false, false, false, true]> : tensor<25xi1>}) {
  %r0 = nn.compare eq %a, %b : tensor<25xi32> -> tensor<25xi1>
  %r1 = nn.compare ne %a, %b : tensor<25xi32> -> tensor<25xi1>
  %r2 = nn.compare lt %a, %b : tensor<25xi32> -> tensor<25xi1>
  %r3 = nn.compare le %a, %b : tensor<25xi32> -> tensor<25xi1>
  %r4 = nn.compare gt %a, %b : tensor<25xi32> -> tensor<25xi1>
  %r5 = nn.compare ge %a, %b : tensor<25xi32> -> tensor<25xi1>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>
}

func.func @i64(
    %a: tensor<25xi64> {values.are = dense<[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, 100, 100, 100, 100, 100, -128, -128, -128, -128, -128]> : tensor<25xi64>},
    %b: tensor<25xi64> {values.are = dense<[0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128, 0, 1, -1, 100, -128]> : tensor<25xi64>})
    -> (tensor<25xi1> {values.are = dense<[true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true, false, false, false, false, false, true]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false, true, true, true, true, true, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, true, false, true, false, false, false, false, true, false, true, true, false, true, false, false, false, false, false, false, true, true, true, true, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[true, true, false, true, false, false, true, false, true, false, true, true, true, true, false, false, false, false, true, false, true, true, true, true, true]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[false, false, true, false, true, true, false, true, false, true, false, false, false, false, true, true, true, true, false, true, false, false, false, false, false]> : tensor<25xi1>},
        tensor<25xi1> {values.are = dense<[true, false, true, false, true, true, true, true, false, true, false, false, true, false, true, true, true, true, true, true, false, false, false, false, true]> : tensor<25xi1>}) {
  %r0 = nn.compare eq %a, %b : tensor<25xi64> -> tensor<25xi1>
  %r1 = nn.compare ne %a, %b : tensor<25xi64> -> tensor<25xi1>
  %r2 = nn.compare lt %a, %b : tensor<25xi64> -> tensor<25xi1>
  %r3 = nn.compare le %a, %b : tensor<25xi64> -> tensor<25xi1>
  %r4 = nn.compare gt %a, %b : tensor<25xi64> -> tensor<25xi1>
  %r5 = nn.compare ge %a, %b : tensor<25xi64> -> tensor<25xi1>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>, tensor<25xi1>
}

func.func @i1(
    %a: tensor<4xi1> {values.are = dense<[false, false, true, true]> : tensor<4xi1>},
    %b: tensor<4xi1> {values.are = dense<[false, true, false, true]> : tensor<4xi1>})
    -> (tensor<4xi1> {values.are = dense<[true, false, false, true]> : tensor<4xi1>},
        tensor<4xi1> {values.are = dense<[false, true, true, false]> : tensor<4xi1>},
        tensor<4xi1> {values.are = dense<[false, true, false, false]> : tensor<4xi1>},
        tensor<4xi1> {values.are = dense<[true, true, false, true]> : tensor<4xi1>},
        tensor<4xi1> {values.are = dense<[false, false, true, false]> : tensor<4xi1>},
        tensor<4xi1> {values.are = dense<[true, false, true, true]> : tensor<4xi1>}) {
  %r0 = nn.compare eq %a, %b : tensor<4xi1> -> tensor<4xi1>
  %r1 = nn.compare ne %a, %b : tensor<4xi1> -> tensor<4xi1>
  %r2 = nn.compare lt %a, %b : tensor<4xi1> -> tensor<4xi1>
  %r3 = nn.compare le %a, %b : tensor<4xi1> -> tensor<4xi1>
  %r4 = nn.compare gt %a, %b : tensor<4xi1> -> tensor<4xi1>
  %r5 = nn.compare ge %a, %b : tensor<4xi1> -> tensor<4xi1>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
