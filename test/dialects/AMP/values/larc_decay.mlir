// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @decays(
    %a: tensor<8xf64> {values.are = dense<[2.0, 0.0, 3.0, 0.0, 0.001, 50.0, 0x7FF8000000000000, 1.0]> : tensor<8xf64>},
    %b: tensor<8xf64> {values.are = dense<[0.5, 1.0, 0.0, 0.0, 1000.0, 0.25, 1.0, 0x7FF8000000000000]> : tensor<8xf64>},
    %c: tensor<f64> {values.are = dense<0.01> : tensor<f64>})
    -> (tensor<8xf32> {values.are = dense<[0.01, 0.0, 0.0, 0.0, 0.01, 0.01, 0.01, 0.01]> : tensor<8xf64>}) {
  %r = amp.larc_decay %a, %b weight_decay(%c) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}
