// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @to_f16(
    %a: tensor<13xf32> {values.are = dense<[1.0, -0.0, 0.3333333432674408, 65504.0, -65504.0, 65520.0, -65520.0, 9.999999680285692e+37, -3.3999999521443642e+38, 1.4901161193847656e-07, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<13xf32>})
    -> (tensor<13xf16> {values.are = dense<[1.0, -0.0, 0.333251953125, 65504.0, -65504.0, 65504.0, -65504.0, 65504.0, -65504.0, 1.1920928955078125e-07, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<13xf64>}) {
  %r = amp.saturate_cast %a : tensor<13xf32> -> tensor<13xf16>
  return %r : tensor<13xf16>
}

func.func @to_bf16(
    %a: tensor<13xf32> {values.are = dense<[1.0, -0.0, 0.3333333432674408, 3.3895313892515355e+38, -3.3895313892515355e+38, 3.39617752923046e+38, -3.39617752923046e+38, 9.999999680285692e+37, -3.3999999521443642e+38, 2.2958874039497803e-40, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<13xf32>})
    -> (tensor<13xbf16> {values.are = dense<[1.0, -0.0, 0.333984375, 3.3895313892515355e+38, -3.3895313892515355e+38, 3.3895313892515355e+38, -3.3895313892515355e+38, 9.969209968386869e+37, -3.3895313892515355e+38, 1.8367099231598242e-40, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<13xf64>}) {
  %r = amp.saturate_cast %a : tensor<13xf32> -> tensor<13xbf16>
  return %r : tensor<13xbf16>
}
