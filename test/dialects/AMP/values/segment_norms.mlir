// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @blocks_2_1_1_1_1_1(
    %a: tensor<7xf64> {values.are = dense<[9.0, 16.0, 0.1, 0.0, 1.0e+300, 0x7FF0000000000000, 2.0]> : tensor<7xf64>})
    -> (tensor<6xf64> {values.are = dense<[5.0, 0.31622776601683794, 0.0, 1.0e+150, 0x7FF0000000000000, 1.4142135623730951]> : tensor<6xf64>, values.ulps = 2.0}) {
  %r = amp.segment_norms %a blocks [2, 1, 1, 1, 1, 1] : tensor<7xf64> -> tensor<6xf64>
  return %r : tensor<6xf64>
}

func.func @blocks_1_1_1_1_1_1_1(
    %a: tensor<7xf64> {values.are = dense<[9.0, 16.0, 0.1, 0.0, 1.0e+300, 0x7FF0000000000000, 2.0]> : tensor<7xf64>})
    -> (tensor<7xf64> {values.are = dense<[3.0, 4.0, 0.31622776601683794, 0.0, 1.0e+150, 0x7FF0000000000000, 1.4142135623730951]> : tensor<7xf64>, values.ulps = 2.0}) {
  %r = amp.segment_norms %a blocks [1, 1, 1, 1, 1, 1, 1] : tensor<7xf64> -> tensor<7xf64>
  return %r : tensor<7xf64>
}

func.func @blocks_7(
    %a: tensor<7xf64> {values.are = dense<[9.0, 16.0, 0.1, 0.0, 1.0e+300, 0x7FF0000000000000, 2.0]> : tensor<7xf64>})
    -> (tensor<1xf64> {values.are = dense<[0x7FF0000000000000]> : tensor<1xf64>, values.ulps = 2.0}) {
  %r = amp.segment_norms %a blocks [7] : tensor<7xf64> -> tensor<1xf64>
  return %r : tensor<1xf64>
}

func.func @blocks_1_4_2(
    %a: tensor<7xf64> {values.are = dense<[9.0, 16.0, 0.1, 0.0, 1.0e+300, 0x7FF0000000000000, 2.0]> : tensor<7xf64>})
    -> (tensor<3xf64> {values.are = dense<[3.0, 1.0e+150, 0x7FF0000000000000]> : tensor<3xf64>, values.ulps = 2.0}) {
  %r = amp.segment_norms %a blocks [1, 4, 2] : tensor<7xf64> -> tensor<3xf64>
  return %r : tensor<3xf64>
}
