// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @two(
    %a: tensor<2xf32> {values.are = dense<[1.0, 7.0]> : tensor<2xf32>},
    %b: tensor<1xf32> {values.are = dense<[3.0]> : tensor<1xf32>})
    -> (tensor<f32> {values.are = dense<7.0> : tensor<f64>}) {
  %r = amp.combine_max_abs %a, %b : tensor<2xf32>, tensor<1xf32>
  return %r : tensor<f32>
}

func.func @infinite(
    %a: tensor<1xf32> {values.are = dense<[1.0]> : tensor<1xf32>},
    %b: tensor<2xf32> {values.are = dense<[0x7F800000, 2.0]> : tensor<2xf32>})
    -> (tensor<f32> {values.are = dense<0x7FF0000000000000> : tensor<f64>}) {
  %r = amp.combine_max_abs %a, %b : tensor<1xf32>, tensor<2xf32>
  return %r : tensor<f32>
}

func.func @nan(
    %a: tensor<2xf32> {values.are = dense<[1.0, 0x7FC00000]> : tensor<2xf32>},
    %b: tensor<1xf32> {values.are = dense<[9.0]> : tensor<1xf32>})
    -> (tensor<f32> {values.are = dense<0x7FF8000000000000> : tensor<f64>}) {
  %r = amp.combine_max_abs %a, %b : tensor<2xf32>, tensor<1xf32>
  return %r : tensor<f32>
}

func.func @zero(
    %a: tensor<1xf32> {values.are = dense<[0.0]> : tensor<1xf32>})
    -> (tensor<f32> {values.are = dense<0.0> : tensor<f64>}) {
  %r = amp.combine_max_abs %a : tensor<1xf32>
  return %r : tensor<f32>
}
