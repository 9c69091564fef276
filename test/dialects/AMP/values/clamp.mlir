// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @within_f32(
    %a: tensor<14xf32> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.30000001192092896, -0.0071000000461936, 96.0, 3.4028234663852886e+38, -3.4028234663852886e+38, 1.401298464324817e-45, -4.203895392974451e-45, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>},
    %b: tensor<f32> {values.are = dense<2.0> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 1.5, -2.0, 0.30000001192092896, -0.0071000000461936, 2.0, 2.0, -2.0, 1.401298464324817e-45, -4.203895392974451e-45, 2.0, -2.0, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.clamp %a by %b : tensor<14xf32> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @within_f16(
    %a: tensor<14xf16> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.300048828125, -0.007099151611328125, 96.0, 65504.0, -65504.0, 5.960464477539063e-08, -1.7881393432617188e-07, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>},
    %b: tensor<f32> {values.are = dense<2.0> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 1.5, -2.0, 0.300048828125, -0.007099151611328125, 2.0, 2.0, -2.0, 5.960464477539063e-08, -1.7881393432617188e-07, 2.0, -2.0, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.clamp %a by %b : tensor<14xf16> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @within_bf16(
    %a: tensor<14xbf16> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.30078125, -0.007110595703125, 96.0, 3.3895313892515355e+38, -3.3895313892515355e+38, 9.183549615799121e-41, -2.7550648847397363e-40, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>},
    %b: tensor<f32> {values.are = dense<2.0> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 1.5, -2.0, 0.30078125, -0.007110595703125, 2.0, 2.0, -2.0, 9.183549615799121e-41, -2.7550648847397363e-40, 2.0, -2.0, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.clamp %a by %b : tensor<14xbf16> -> tensor<14xf32>
  return %r : tensor<14xf32>
}
