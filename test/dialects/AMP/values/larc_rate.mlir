// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @min_update(
    %a: tensor<8xf64> {values.are = dense<[2.0, 0.0, 3.0, 0.0, 0.001, 50.0, 0x7FF8000000000000, 1.0]> : tensor<8xf64>},
    %b: tensor<8xf64> {values.are = dense<[0.5, 1.0, 0.0, 0.0, 1000.0, 0.25, 1.0, 0x7FF8000000000000]> : tensor<8xf64>},
    %c: tensor<f64> {values.are = dense<0.02> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<1.0e-07> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.001> : tensor<f64>})
    -> (tensor<8xf32> {values.are = dense<[0.07999998400000322, 0.001, 600000.0, 0.001, 0.001, 3.99999840000064, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 1.0}) {
  %r = amp.larc_rate %a, %b eta(%c) eps(%d) min_update(%e) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @min_update_lr(
    %a: tensor<8xf64> {values.are = dense<[2.0, 0.0, 3.0, 0.0, 0.001, 50.0, 0x7FF8000000000000, 1.0]> : tensor<8xf64>},
    %b: tensor<8xf64> {values.are = dense<[0.5, 1.0, 0.0, 0.0, 1000.0, 0.25, 1.0, 0x7FF8000000000000]> : tensor<8xf64>},
    %c: tensor<f64> {values.are = dense<0.02> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<1.0e-07> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.001> : tensor<f64>},
    %f: tensor<f32> {values.are = dense<0.125> : tensor<f32>})
    -> (tensor<8xf32> {values.are = dense<[0.6399998720000257, 0.001, 1.0, 0.001, 0.001, 1.0, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 1.0}) {
  %r = amp.larc_rate %a, %b eta(%c) eps(%d) min_update(%e) lr(%f) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @weight_decay(
    %a: tensor<8xf64> {values.are = dense<[2.0, 0.0, 3.0, 0.0, 0.001, 50.0, 0x7FF8000000000000, 1.0]> : tensor<8xf64>},
    %b: tensor<8xf64> {values.are = dense<[0.5, 1.0, 0.0, 0.0, 1000.0, 0.25, 1.0, 0x7FF8000000000000]> : tensor<8xf64>},
    %c: tensor<f64> {values.are = dense<0.02> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<1.0e-07> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.01> : tensor<f64>})
    -> (tensor<8xf32> {values.are = dense<[0.07692306213018037, 1.0, 1.0, 1.0, 1.9999999798000003e-08, 1.3333331555555794, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 1.0}) {
  %r = amp.larc_rate %a, %b eta(%c) eps(%d) weight_decay(%e) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @weight_decay_lr(
    %a: tensor<8xf64> {values.are = dense<[2.0, 0.0, 3.0, 0.0, 0.001, 50.0, 0x7FF8000000000000, 1.0]> : tensor<8xf64>},
    %b: tensor<8xf64> {values.are = dense<[0.5, 1.0, 0.0, 0.0, 1000.0, 0.25, 1.0, 0x7FF8000000000000]> : tensor<8xf64>},
    %c: tensor<f64> {values.are = dense<0.02> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<1.0e-07> : tensor<f64>},
    %e: tensor<f64> {values.are = dense<0.01> : tensor<f64>},
    %f: tensor<f32> {values.are = dense<0.125> : tensor<f32>})
    -> (tensor<8xf32> {values.are = dense<[0.6153844970414429, 1.0, 1.0, 1.0, 1.5999999838400003e-07, 1.0, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 1.0}) {
  %r = amp.larc_rate %a, %b eta(%c) eps(%d) weight_decay(%e) lr(%f) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}
