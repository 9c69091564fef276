// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @f32_1000(
    %a: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<1.0> : tensor<f32>})
    -> (tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) : tensor<6xf32>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @f32_1000_false(
    %a: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<1.0> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<false> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xf32>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @f32_1000_true(
    %a: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<1.0> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<true> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xf32>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @f32_125(
    %a: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.125> : tensor<f32>})
    -> (tensor<6xf32> {values.are = dense<[0.5625, 1.4375, -0.875, 2.625, 0.12500000279396772, 125.00087500004156]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) : tensor<6xf32>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @f32_125_false(
    %a: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.125> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<false> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.5625, 1.4375, -0.875, 2.625, 0.12500000279396772, 125.00087500004156]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xf32>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @f32_125_true(
    %a: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.125> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<true> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xf32>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @f32_1(
    %a: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.0010000000474974513> : tensor<f32>})
    -> (tensor<6xf32> {values.are = dense<[0.5005, 1.9955, -0.999, 2.997, 0.10020000150054693, 1.00099900004745]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) : tensor<6xf32>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @f32_1_false(
    %a: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.0010000000474974513> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<false> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.5005, 1.9955, -0.999, 2.997, 0.10020000150054693, 1.00099900004745]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xf32>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @f32_1_true(
    %a: tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30000001192092896, 1000.0]> : tensor<6xf32>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.0010000000474974513> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<true> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xf32>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @bf16_1000(
    %a: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<1.0> : tensor<f32>})
    -> (tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) : tensor<6xbf16>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @bf16_1000_false(
    %a: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<1.0> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<false> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xbf16>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @bf16_1000_true(
    %a: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<1.0> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<true> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xbf16>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @bf16_125(
    %a: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.125> : tensor<f32>})
    -> (tensor<6xf32> {values.are = dense<[0.5625, 1.4375, -0.875, 2.625, 0.1250976575538516, 125.00087500004156]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) : tensor<6xbf16>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @bf16_125_false(
    %a: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.125> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<false> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.5625, 1.4375, -0.875, 2.625, 0.1250976575538516, 125.00087500004156]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xbf16>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @bf16_125_true(
    %a: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.125> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<true> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xbf16>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @bf16_1(
    %a: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.0010000000474974513> : tensor<f32>})
    -> (tensor<6xf32> {values.are = dense<[0.5005, 1.9955, -0.999, 2.997, 0.10020078273862601, 1.00099900004745]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) : tensor<6xbf16>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @bf16_1_false(
    %a: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.0010000000474974513> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<false> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.5005, 1.9955, -0.999, 2.997, 0.10020078273862601, 1.00099900004745]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xbf16>, tensor<6xf32>
  return %r : tensor<6xf32>
}

func.func @bf16_1_true(
    %a: tensor<6xbf16> {values.are = dense<[1.0, -2.5, 0.0, -0.0, 0.30078125, 1000.0]> : tensor<6xbf16>},
    %b: tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf32>},
    %c: tensor<f32> {values.are = dense<0.0010000000474974513> : tensor<f32>},
    %d: tensor<i1> {values.are = dense<true> : tensor<i1>})
    -> (tensor<6xf32> {values.are = dense<[0.5, 2.0, -1.0, 3.0, 0.10000000149011612, 0.0010000000474974513]> : tensor<6xf64>, values.ulps = 1.0, values.at = 1.0}) {
  %r = amp.average %a to %b weight(%c) skip(%d) : tensor<6xbf16>, tensor<6xf32>
  return %r : tensor<6xf32>
}
