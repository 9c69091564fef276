// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @ends(
    %a: tensor<6xi32> {values.are = dense<[0, 255, 256, 2147483647, -2147483648, -1]> : tensor<6xi32>})
    -> (tensor<6xf32> {values.are = dense<[0.0, 0.0, 5.960464477539063e-08, 0.4999999403953552, 0.5, 0.9999999403953552]> : tensor<6xf64>}) {
  %r = nn.uniform %a : tensor<6xi32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}
