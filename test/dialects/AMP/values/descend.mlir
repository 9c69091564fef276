// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @plain(
    %a: tensor<6xf32> {values.are = dense<[1.0, 2.5, -0.375, 65504.0, -3.0, 65504.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[1.0, -2.0, 0.5, 4.0, 1.0, -1.0]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.015625> : tensor<f32>})
    -> (tensor<6xf32> {values.are = dense<[0.984375, 2.53125, -0.3828125, 65503.9375, -3.015625, 65504.015625]> : tensor<6xf64>}) {
  %r = amp.descend %a by %b lr(%c) : (tensor<6xf32>, tensor<f32>, tensor<6xf32>) -> (tensor<6xf32>)
  return %r : tensor<6xf32>
}

func.func @applied(
    %a: tensor<6xf32> {values.are = dense<[1.0, 2.5, -0.375, 65504.0, -3.0, 65504.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[1.0, -2.0, 0.5, 4.0, 1.0, -1.0]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.015625> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<false> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.984375, 2.53125, -0.3828125, 65503.9375, -3.015625, 65504.015625]> : tensor<6xf64>}) {
  %r = amp.descend %a by %b lr(%c) skip(%d) : (tensor<6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>) -> (tensor<6xf32>)
  return %r : tensor<6xf32>
}

func.func @skipped(
    %a: tensor<6xf32> {values.are = dense<[1.0, 2.5, -0.375, 65504.0, -3.0, 65504.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[1.0, -2.0, 0.5, 4.0, 1.0, -1.0]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.015625> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %e: tensor<6xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<6xbf16>})
    -> (tensor<6xf32> {values.are = dense<[1.0, 2.5, -0.375, 65504.0, -3.0, 65504.0]> : tensor<6xf64>},
        tensor<6xbf16> {values.are = dense<[1.0, 2.5, -0.375, 65536.0, -3.0, 65536.0]> : tensor<6xf64>}) {
  %r0, %r1 = amp.descend %a by %b lr(%c) skip(%d) low(%e) : (tensor<6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>, tensor<6xbf16>) -> (tensor<6xf32>, tensor<6xbf16>)
  return %r0, %r1 : tensor<6xf32>, tensor<6xbf16>
}

func.func @f16(
    %a: tensor<6xf32> {values.are = dense<[1.0, 2.5, -0.375, 69984.0, -3.0, 65504.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[1.0, -2.0, 0.5, -1024.0, 1.0, -1.0]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.015625> : tensor<f32>},
    %d: tensor<6xf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<6xf16>})
    -> (tensor<6xf32> {values.are = dense<[0.984375, 2.53125, -0.3828125, 70000.0, -3.015625, 65504.015625]> : tensor<6xf64>},
        tensor<6xf16> {values.are = dense<[0.984375, 2.53125, -0.3828125, 0x7FF0000000000000, -3.015625, 65504.0]> : tensor<6xf64>}) {
  %r0, %r1 = amp.descend %a by %b lr(%c) low(%d) : (tensor<6xf32>, tensor<f32>, tensor<6xf32>, tensor<6xf16>) -> (tensor<6xf32>, tensor<6xf16>)
  return %r0, %r1 : tensor<6xf32>, tensor<6xf16>
}

func.func @saturated(
    %a: tensor<6xf32> {values.are = dense<[1.0, 2.5, -0.375, 69984.0, -3.0, 65504.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[1.0, -2.0, 0.5, -1024.0, 1.0, -1.0]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.015625> : tensor<f32>},
    %d: tensor<6xf16> {values.are = dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<6xf16>})
    -> (tensor<6xf32> {values.are = dense<[0.984375, 2.53125, -0.3828125, 70000.0, -3.015625, 65504.015625]> : tensor<6xf64>},
        tensor<6xf16> {values.are = dense<[0.984375, 2.53125, -0.3828125, 65504.0, -3.015625, 65504.0]> : tensor<6xf64>}) {
  %r0, %r1 = amp.descend %a by %b lr(%c) low(%d) saturate : (tensor<6xf32>, tensor<f32>, tensor<6xf32>, tensor<6xf16>) -> (tensor<6xf32>, tensor<6xf16>)
  return %r0, %r1 : tensor<6xf32>, tensor<6xf16>
}

func.func @stochastic(
    %a: tensor<6xbf16> {values.are = dense<[1.0, 2.5, -0.375, 65536.0, -3.0, 64.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[1.0, -2.0, 0.5, 4.0, 1.0, -1.0]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.015625> : tensor<f32>},
    %d: tensor<i32> {values.are = dense<19088743> : tensor<i32>})
    -> (tensor<6xbf16> {values.are = dense<[0.984375, 2.53125, -0.3828125, 65536.0, -3.015625, 64.0]> : tensor<6xf64>}) {
  %r = amp.descend %a by %b lr(%c) key(%d) : (tensor<6xf32>, tensor<f32>, tensor<i32>, tensor<6xbf16>) -> (tensor<6xbf16>)
  return %r : tensor<6xbf16>
}

func.func @stochastic_skipped(
    %a: tensor<6xbf16> {values.are = dense<[1.0, 2.5, -0.375, 65536.0, -3.0, 64.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[1.0, -2.0, 0.5, 4.0, 1.0, -1.0]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.015625> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<true> : tensor<i1>},
    %e: tensor<i32> {values.are = dense<19088743> : tensor<i32>})
    -> (tensor<6xbf16> {values.are = dense<[1.0, 2.5, -0.375, 65536.0, -3.0, 64.0]> : tensor<6xf64>}) {
  %r = amp.descend %a by %b lr(%c) skip(%d) key(%e) : (tensor<6xf32>, tensor<f32>, tensor<i1>, tensor<i32>, tensor<6xbf16>) -> (tensor<6xbf16>)
  return %r : tensor<6xbf16>
}
