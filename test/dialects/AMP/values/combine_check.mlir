// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @finite(
    %a: tensor<2xf64> {values.are = dense<[9.0, 16.0]> : tensor<2xf64>},
    %b: tensor<1xf64> {values.are = dense<[144.0]> : tensor<1xf64>})
    -> (tensor<i1> {values.are = dense<false> : tensor<i1>},
        tensor<f64> {values.are = dense<13.0> : tensor<f64>, values.ulps = 2.0}) {
  %r0, %r1 = amp.combine_check %a, %b : tensor<2xf64>, tensor<1xf64>
  return %r0, %r1 : tensor<i1>, tensor<f64>
}

func.func @odd(
    %a: tensor<3xf64> {values.are = dense<[0.1, 0.2, 0.3]> : tensor<3xf64>},
    %b: tensor<2xf64> {values.are = dense<[1.0e+200, 1.0e-200]> : tensor<2xf64>})
    -> (tensor<i1> {values.are = dense<false> : tensor<i1>},
        tensor<f64> {values.are = dense<1.0e+100> : tensor<f64>, values.ulps = 2.0}) {
  %r0, %r1 = amp.combine_check %a, %b : tensor<3xf64>, tensor<2xf64>
  return %r0, %r1 : tensor<i1>, tensor<f64>
}

func.func @infinite(
    %a: tensor<2xf64> {values.are = dense<[1.0, 0x7FF0000000000000]> : tensor<2xf64>},
    %b: tensor<1xf64> {values.are = dense<[2.0]> : tensor<1xf64>})
    -> (tensor<i1> {values.are = dense<true> : tensor<i1>},
        tensor<f64> {values.are = dense<0x7FF0000000000000> : tensor<f64>, values.ulps = 2.0}) {
  %r0, %r1 = amp.combine_check %a, %b : tensor<2xf64>, tensor<1xf64>
  return %r0, %r1 : tensor<i1>, tensor<f64>
}

func.func @nan(
    %a: tensor<1xf64> {values.are = dense<[1.0]> : tensor<1xf64>},
    %b: tensor<3xf64> {values.are = dense<[2.0, 0x7FF8000000000000, 3.0]> : tensor<3xf64>})
    -> (tensor<i1> {values.are = dense<true> : tensor<i1>},
        tensor<f64> {values.are = dense<0x7FF8000000000000> : tensor<f64>, values.ulps = 2.0}) {
  %r0, %r1 = amp.combine_check %a, %b : tensor<1xf64>, tensor<3xf64>
  return %r0, %r1 : tensor<i1>, tensor<f64>
}

func.func @nothing(
    %a: tensor<1xf64> {values.are = dense<[0.0]> : tensor<1xf64>})
    -> (tensor<i1> {values.are = dense<false> : tensor<i1>},
        tensor<f64> {values.are = dense<0.0> : tensor<f64>, values.ulps = 2.0}) {
  %r0, %r1 = amp.combine_check %a : tensor<1xf64>
  return %r0, %r1 : tensor<i1>, tensor<f64>
}
