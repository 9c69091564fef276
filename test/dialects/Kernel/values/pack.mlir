// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @f32_dense(
    %a: tensor<2x5xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0]]> : tensor<2x5xf32>},
    %b: tensor<7xf32> {values.are = dense<[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5]> : tensor<7xf32>},
    %c: tensor<f32> {values.are = dense<0.5> : tensor<f32>})
    -> (tensor<18xf32> {values.are = dense<[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 0.5]> : tensor<18xf64>}) {
  %r = kernel.pack %a, %b, %c at [0, 10, 17] : tensor<2x5xf32>, tensor<7xf32>, tensor<f32> -> tensor<18xf32>
  return %r : tensor<18xf32>
}

func.func @f32_gaps(
    %a: tensor<2x5xf32> {values.are = dense<[[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0]]> : tensor<2x5xf32>},
    %b: tensor<7xf32> {values.are = dense<[0.5, 0x7FC00000, 0xFF800000, -0.0, 2.5, 3.0, 3.5]> : tensor<7xf32>},
    %c: tensor<f32> {values.are = dense<0.5> : tensor<f32>})
    -> (tensor<40xf32> {values.are = dense<[0.0, 0.0, 0.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 0.0, 0.0, 0.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<40xf64>}) {
  %r = kernel.pack %a, %b, %c at [3, 16, 29] : tensor<2x5xf32>, tensor<7xf32>, tensor<f32> -> tensor<40xf32>
  return %r : tensor<40xf32>
}

func.func @f16_dense(
    %a: tensor<2x5xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0]]> : tensor<2x5xf16>},
    %b: tensor<7xf16> {values.are = dense<[0.5, 0x7E00, 0xFC00, -0.0, 2.5, 3.0, 3.5]> : tensor<7xf16>},
    %c: tensor<f16> {values.are = dense<0.5> : tensor<f16>})
    -> (tensor<18xf16> {values.are = dense<[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 0.5]> : tensor<18xf64>}) {
  %r = kernel.pack %a, %b, %c at [0, 10, 17] : tensor<2x5xf16>, tensor<7xf16>, tensor<f16> -> tensor<18xf16>
  return %r : tensor<18xf16>
}

func.func @f16_gaps(
    %a: tensor<2x5xf16> {values.are = dense<[[0.5, 0x7E00, 0xFC00, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0]]> : tensor<2x5xf16>},
    %b: tensor<7xf16> {values.are = dense<[0.5, 0x7E00, 0xFC00, -0.0, 2.5, 3.0, 3.5]> : tensor<7xf16>},
    %c: tensor<f16> {values.are = dense<0.5> : tensor<f16>})
    -> (tensor<40xf16> {values.are = dense<[0.0, 0.0, 0.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 0.0, 0.0, 0.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<40xf64>}) {
  %r = kernel.pack %a, %b, %c at [3, 16, 29] : tensor<2x5xf16>, tensor<7xf16>, tensor<f16> -> tensor<40xf16>
  return %r : tensor<40xf16>
}

func.func @bf16_dense(
    %a: tensor<2x5xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0]]> : tensor<2x5xbf16>},
    %b: tensor<7xbf16> {values.are = dense<[0.5, 0x7FC0, 0xFF80, -0.0, 2.5, 3.0, 3.5]> : tensor<7xbf16>},
    %c: tensor<bf16> {values.are = dense<0.5> : tensor<bf16>})
    -> (tensor<18xbf16> {values.are = dense<[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 0.5]> : tensor<18xf64>}) {
  %r = kernel.pack %a, %b, %c at [0, 10, 17] : tensor<2x5xbf16>, tensor<7xbf16>, tensor<bf16> -> tensor<18xbf16>
  return %r : tensor<18xbf16>
}

func.func @bf16_gaps(
    %a: tensor<2x5xbf16> {values.are = dense<[[0.5, 0x7FC0, 0xFF80, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0]]> : tensor<2x5xbf16>},
    %b: tensor<7xbf16> {values.are = dense<[0.5, 0x7FC0, 0xFF80, -0.0, 2.5, 3.0, 3.5]> : tensor<7xbf16>},
    %c: tensor<bf16> {values.are = dense<0.5> : tensor<bf16>})
    -> (tensor<40xbf16> {values.are = dense<[0.0, 0.0, 0.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 0.0, 0.0, 0.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<40xf64>}) {
  %r = kernel.pack %a, %b, %c at [3, 16, 29] : tensor<2x5xbf16>, tensor<7xbf16>, tensor<bf16> -> tensor<40xbf16>
  return %r : tensor<40xbf16>
}

func.func @f64_dense(
    %a: tensor<2x5xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0]]> : tensor<2x5xf64>},
    %b: tensor<7xf64> {values.are = dense<[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5]> : tensor<7xf64>},
    %c: tensor<f64> {values.are = dense<0.5> : tensor<f64>})
    -> (tensor<18xf64> {values.are = dense<[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 0.5]> : tensor<18xf64>}) {
  %r = kernel.pack %a, %b, %c at [0, 10, 17] : tensor<2x5xf64>, tensor<7xf64>, tensor<f64> -> tensor<18xf64>
  return %r : tensor<18xf64>
}

func.func @f64_gaps(
    %a: tensor<2x5xf64> {values.are = dense<[[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5], [3.0, 3.5, 4.0, 4.5, 5.0]]> : tensor<2x5xf64>},
    %b: tensor<7xf64> {values.are = dense<[0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5]> : tensor<7xf64>},
    %c: tensor<f64> {values.are = dense<0.5> : tensor<f64>})
    -> (tensor<40xf64> {values.are = dense<[0.0, 0.0, 0.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 0.0, 0.0, 0.0, 0.5, 0x7FF8000000000000, 0xFFF0000000000000, -0.0, 2.5, 3.0, 3.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<40xf64>}) {
  %r = kernel.pack %a, %b, %c at [3, 16, 29] : tensor<2x5xf64>, tensor<7xf64>, tensor<f64> -> tensor<40xf64>
  return %r : tensor<40xf64>
}
