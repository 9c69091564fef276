// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @torch_1_0(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<1.0> : tensor<f64>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 1.0, 0.9999990000010001, 0.9998990101999699, 0.33333322222225925, 9.999999999999998e-11, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @torch_1_0_scaled(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %c: tensor<f32> {values.are = dense<1024.0> : tensor<f32>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 1.0, 0.9999999990234374, 0.9999000090226328, 0.3333333332248264, 1.0e-10, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) scale(%c) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @torch_0_25(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<0.25> : tensor<f64>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 0.499999000002, 0.24999975000025002, 0.24997475254999246, 0.08333330555556481, 2.4999999999999994e-11, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @torch_0_25_scaled(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %c: tensor<f32> {values.are = dense<1024.0> : tensor<f32>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 0.4999999990234375, 0.24999999975585935, 0.2499750022556582, 0.0833333333062066, 2.5e-11, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) scale(%c) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @torch_100_0(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<100.0> : tensor<f64>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 1.0, 1.0, 1.0, 1.0, 9.999999999999999e-09, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @torch_100_0_scaled(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<100.0> : tensor<f64>},
    %c: tensor<f32> {values.are = dense<1024.0> : tensor<f32>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0e-08, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) scale(%c) : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @keras_1_0(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<1.0> : tensor<f64>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 1.0, 1.0, 0.9999000099990001, 0.3333333333333333, 1.0e-10, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) keras : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @keras_1_0_scaled(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<1.0> : tensor<f64>},
    %c: tensor<f32> {values.are = dense<1024.0> : tensor<f32>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 1.0, 1.0, 0.9999000099990001, 0.3333333333333333, 1.0e-10, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) scale(%c) keras : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @keras_0_25(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<0.25> : tensor<f64>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 0.5, 0.25, 0.24997500249975002, 0.08333333333333333, 2.5e-11, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) keras : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @keras_0_25_scaled(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<0.25> : tensor<f64>},
    %c: tensor<f32> {values.are = dense<1024.0> : tensor<f32>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 0.5, 0.25, 0.24997500249975002, 0.08333333333333333, 2.5e-11, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) scale(%c) keras : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @keras_100_0(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<100.0> : tensor<f64>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0e-08, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) keras : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @keras_100_0_scaled(
    %a: tensor<8xf64> {values.are = dense<[0.0, 0.5, 1.0, 1.0001, 3.0, 10000000000.0, 1.0e-30, 0x7FF8000000000000]> : tensor<8xf64>},
    %b: tensor<f64> {values.are = dense<100.0> : tensor<f64>},
    %c: tensor<f32> {values.are = dense<1024.0> : tensor<f32>})
    -> (tensor<8xf32> {values.are = dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0e-08, 1.0, 0x7FF8000000000000]> : tensor<8xf64>, values.ulps = 2.0}) {
  %r = amp.clip_coefficient %a max(%b) scale(%c) keras : tensor<8xf64> -> tensor<8xf32>
  return %r : tensor<8xf32>
}
