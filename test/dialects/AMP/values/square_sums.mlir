// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @rows_f32(
    %a: tensor<6x5xf32> {values.are = dense<[[1.0, -2.5, 0.30000001192092896, 7.0, -0.125], [0.0, -0.0, 0.0, 0.0, 0.0], [3.0000000054977558e+38, -3.0000000054977558e+38, 3.0000000054977558e+38, 3.0000000054977558e+38, 1.0], [1.0, 0x7F800000, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 0x7FC00000, 5.0], [-1.0000000116860974e-07, -1.0000000116860974e-07, -1.0000000116860974e-07, -1.0000000116860974e-07, -1.0000000116860974e-07]]> : tensor<6x5xf32>})
    -> (tensor<6xf64> {values.are = dense<[56.355625007152554, 0.0, 3.600000013194614e+77, 0x7FF0000000000000, 0x7FF8000000000000, 5.000000116860975e-14]> : tensor<6xf64>, values.ulps = 4.0}) {
  %r = amp.square_sums %a : tensor<6x5xf32> -> tensor<6xf64>
  return %r : tensor<6xf64>
}

func.func @rows_f16(
    %a: tensor<6x5xf16> {values.are = dense<[[1.0, -2.5, 0.300048828125, 7.0, -0.125], [0.0, -0.0, 0.0, 0.0, 0.0], [60000.0, -60000.0, 60000.0, 60000.0, 1.0], [1.0, 0x7C00, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 0x7E00, 5.0], [-1.1920928955078125e-07, -1.1920928955078125e-07, -1.1920928955078125e-07, -1.1920928955078125e-07, -1.1920928955078125e-07]]> : tensor<6x5xf16>})
    -> (tensor<6xf64> {values.are = dense<[56.355654299259186, 0.0, 14400000001.0, 0x7FF0000000000000, 0x7FF8000000000000, 7.105427357601002e-14]> : tensor<6xf64>, values.ulps = 4.0}) {
  %r = amp.square_sums %a : tensor<6x5xf16> -> tensor<6xf64>
  return %r : tensor<6xf64>
}

func.func @rows_bf16(
    %a: tensor<6x5xbf16> {values.are = dense<[[1.0, -2.5, 0.30078125, 7.0, -0.125], [0.0, -0.0, 0.0, 0.0, 0.0], [3.00405527047391e+38, -3.00405527047391e+38, 3.00405527047391e+38, 3.00405527047391e+38, 1.0], [1.0, 0x7F80, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 0x7FC0, 5.0], [-1.0011717677116394e-07, -1.0011717677116394e-07, -1.0011717677116394e-07, -1.0011717677116394e-07, -1.0011717677116394e-07]]> : tensor<6x5xbf16>})
    -> (tensor<6xf64> {values.are = dense<[56.35609436035156, 0.0, 3.6097392272248303e+77, 0x7FF0000000000000, 0x7FF8000000000000, 5.011724542314244e-14]> : tensor<6xf64>, values.ulps = 4.0}) {
  %r = amp.square_sums %a : tensor<6x5xbf16> -> tensor<6xf64>
  return %r : tensor<6xf64>
}
