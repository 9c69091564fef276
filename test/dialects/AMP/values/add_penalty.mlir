// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @of_f32_f32(
    %a: tensor<6xf32> {values.are = dense<[0.5, 0.25, -1.0, 2.0, 0.699999988079071, -3.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %c: tensor<f64> {values.are = dense<0.01> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>})
    -> (tensor<6xf32> {values.are = dense<[0.76, -0.385, -1.0, 2.0, 0.7849999910593033, 247.01]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.add_penalty %a of %b l1(%c) l2(%d) : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @of_f32_bf16(
    %a: tensor<6xf32> {values.are = dense<[0.5, 0.25, -1.0, 2.0, 0.699999988079071, -3.0]> : tensor<6xf32>},
    %b: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %c: tensor<f64> {values.are = dense<0.01> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>})
    -> (tensor<6xf32> {values.are = dense<[0.76, -0.385, -1.0, 2.0, 0.785195300579071, 247.01]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.add_penalty %a of %b l1(%c) l2(%d) : tensor<6xf32>, tensor<6xbf16> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @of_f16_f32(
    %a: tensor<6xf16> {values.are = dense<[0.5, 0.25, -1.0, 2.0, 0.7001953125, -3.0]> : tensor<6xf16>},
    %b: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %c: tensor<f64> {values.are = dense<0.01> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>})
    -> (tensor<6xf32> {values.are = dense<[0.76, -0.385, -1.0, 2.0, 0.7851953154802322, 247.01]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.add_penalty %a of %b l1(%c) l2(%d) : tensor<6xf16>, tensor<6xf32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @of_f16_bf16(
    %a: tensor<6xf16> {values.are = dense<[0.5, 0.25, -1.0, 2.0, 0.7001953125, -3.0]> : tensor<6xf16>},
    %b: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %c: tensor<f64> {values.are = dense<0.01> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>})
    -> (tensor<6xf32> {values.are = dense<[0.76, -0.385, -1.0, 2.0, 0.785390625, 247.01]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.add_penalty %a of %b l1(%c) l2(%d) : tensor<6xf16>, tensor<6xbf16> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @of_bf16_f32(
    %a: tensor<6xbf16> {values.are = dense<[0.5, 0.25, -1.0, 2.0, 0.69921875, -3.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %c: tensor<f64> {values.are = dense<0.01> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>})
    -> (tensor<6xf32> {values.are = dense<[0.76, -0.385, -1.0, 2.0, 0.7842187529802322, 247.01]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.add_penalty %a of %b l1(%c) l2(%d) : tensor<6xbf16>, tensor<6xf32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @of_bf16_bf16(
    %a: tensor<6xbf16> {values.are = dense<[0.5, 0.25, -1.0, 2.0, 0.69921875, -3.0]> : tensor<6xbf16>},
    %b: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %c: tensor<f64> {values.are = dense<0.01> : tensor<f64>},
    %d: tensor<f64> {values.are = dense<0.125> : tensor<f64>})
    -> (tensor<6xf32> {values.are = dense<[0.76, -0.385, -1.0, 2.0, 0.7844140625, 247.01]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.add_penalty %a of %b l1(%c) l2(%d) : tensor<6xbf16>, tensor<6xbf16> -> tensor<6xf32>
  return %r : tensor<6xf32>
}
