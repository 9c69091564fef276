// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @step_0(
    %a: tensor<f64> {values.are = dense<0.999> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>})
    -> (tensor<f32> {values.are = dense<1.0> : tensor<f64>}) {
  %r = amp.average_weight %a step(%b)
  return %r : tensor<f32>
}

func.func @step_1(
    %a: tensor<f64> {values.are = dense<0.999> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<1.0> : tensor<f64>})
    -> (tensor<f32> {values.are = dense<0.0010000000000000009> : tensor<f64>}) {
  %r = amp.average_weight %a step(%b)
  return %r : tensor<f32>
}

func.func @step_7(
    %a: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<7.0> : tensor<f64>})
    -> (tensor<f32> {values.are = dense<0.75> : tensor<f64>}) {
  %r = amp.average_weight %a step(%b)
  return %r : tensor<f32>
}
