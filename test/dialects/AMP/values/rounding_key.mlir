// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @seed_0_step_0(
    %a: tensor<f64> {values.are = dense<0.0> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<0.0> : tensor<f64>})
    -> (tensor<i32> {values.are = dense<0> : tensor<i32>}) {
  %r = amp.rounding_key %a step(%b) salt 0
  return %r : tensor<i32>
}

func.func @seed_1_step_2(
    %a: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<2.0> : tensor<f64>})
    -> (tensor<i32> {values.are = dense<1568868202> : tensor<i32>}) {
  %r = amp.rounding_key %a step(%b) salt 3
  return %r : tensor<i32>
}

func.func @seed_1099511627781_step_8589934593(
    %a: tensor<f64> {values.are = dense<1099511627781.0> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<8589934593.0> : tensor<f64>})
    -> (tensor<i32> {values.are = dense<1787294576> : tensor<i32>}) {
  %r = amp.rounding_key %a step(%b) salt 17
  return %r : tensor<i32>
}

func.func @seed_9007199254740991_step_1000(
    %a: tensor<f64> {values.are = dense<9007199254740991.0> : tensor<f64>},
    %b: tensor<f64> {values.are = dense<1000.0> : tensor<f64>})
    -> (tensor<i32> {values.are = dense<853753346> : tensor<i32>}) {
  %r = amp.rounding_key %a step(%b) salt 1
  return %r : tensor<i32>
}
