// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func private @inner_f32_of(%a: tensor<3x5x4xf32>) -> (tensor<3x5xf32>) {
  %r = nn.reduce_prod %a axes [2] : tensor<3x5x4xf32> -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func @inner_f32(
    %a: tensor<3x5x4xf32> {values.are = dense<[[[0.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0], [4.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0]], [[0.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0]], [[0.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0], [-2.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25]]]> : tensor<3x5x4xf32>},
    %b: tensor<3x5xf32> {values.are = dense<[[-1.5, -0.5, 0.5, 1.5, 2.5], [3.5, 4.5, 5.5, 6.5, 7.5], [8.5, 9.5, 10.5, 11.5, 12.5]]> : tensor<3x5xf32>})
    -> (tensor<3x5xf32> {values.are = dense<[[-0.0, 8.0, 0.25, 4.0, -2.0], [-0.0, 2.0, -0.25, 8.0, 0.25], [0.0, -2.0, 2.0, 2.0, -0.25]]> : tensor<3x5xf64>},
        tensor<3x5x4xf32> {values.are = dense<[[[0.375, 0.0, 0.0, 0.0], [4.0, -1.0, 2.0, -4.0], [-0.25, 0.0625, 0.5, -0.125], [1.5, -3.0, 6.0, -12.0], [-2.5, -20.0, 5.0, -1.25]], [[-3.5, 0.0, 0.0, 0.0], [36.0, -9.0, 2.25, -4.5], [-1.375, 2.75, -0.6875, -5.5], [-52.0, 13.0, -26.0, 52.0], [-3.75, 0.9375, 7.5, -1.875]], [[8.5, 0.0, 0.0, 0.0], [-9.5, -76.0, 19.0, -4.75], [-10.5, 21.0, -42.0, 10.5], [92.0, -23.0, 5.75, -11.5], [-3.125, 6.25, -1.5625, -12.5]]]> : tensor<3x5x4xf64>}) {
  %v:2 = nn.vjp @inner_f32_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x5x4xf32>), (tensor<3x5xf32>) -> tensor<3x5xf32>, tensor<3x5x4xf32>
  return %v#0, %v#1 : tensor<3x5xf32>, tensor<3x5x4xf32>
}

func.func private @outer_f32_of(%a: tensor<3x5x4xf32>) -> (tensor<5x4xf32>) {
  %r = nn.reduce_prod %a axes [0] : tensor<3x5x4xf32> -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
func.func @outer_f32(
    %a: tensor<3x5x4xf32> {values.are = dense<[[[0.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0], [4.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0]], [[0.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0]], [[0.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0], [-2.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25]]]> : tensor<3x5x4xf32>},
    %b: tensor<5x4xf32> {values.are = dense<[[-1.5, -0.5, 0.5, 1.5], [2.5, 3.5, 4.5, 5.5], [6.5, 7.5, 8.5, 9.5], [10.5, 11.5, 12.5, 13.5], [14.5, 15.5, 16.5, 17.5]]> : tensor<5x4xf32>})
    -> (tensor<5x4xf32> {values.are = dense<[[0.0, 1.0, -1.0, -0.25], [-0.5, -1.0, 8.0, -8.0], [1.0, -1.0, -0.25, -0.5], [-1.0, 8.0, -8.0, 1.0], [-1.0, -0.25, -0.5, -1.0]]> : tensor<5x4xf64>},
        tensor<3x5x4xf32> {values.are = dense<[[[0.0, 1.0, -0.25, -1.5], [1.25, -0.875, -18.0, -44.0], [-13.0, -3.75, -8.5, 4.75], [-2.625, -46.0, -100.0, -27.0], [-7.25, -15.5, 8.25, -4.375]], [[0.0, -0.5, 1.0, -0.1875], [-5.0, 3.5, 9.0, 22.0], [6.5, 15.0, -1.0625, -19.0], [10.5, 23.0, 50.0, 13.5], [29.0, -1.9375, -33.0, 17.5]], [[0.0, 0.25, -0.5, 0.75], [-0.625, -14.0, -36.0, -11.0], [-3.25, -7.5, 4.25, -2.375], [-42.0, -92.0, -25.0, -6.75], [-14.5, 7.75, -4.125, -70.0]]]> : tensor<3x5x4xf64>}) {
  %v:2 = nn.vjp @outer_f32_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x5x4xf32>), (tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<3x5x4xf32>
  return %v#0, %v#1 : tensor<5x4xf32>, tensor<3x5x4xf32>
}

func.func @edges_f32(
    %a: tensor<5x2xf32> {values.are = dense<[[1.0, 0x7FC00000], [0x7F800000, 0.0], [-2.0, 0x7F800000], [3.4028234663852886e+38, 2.0], [0.30000001192092896, 0.699999988079071]]> : tensor<5x2xf32>})
    -> (tensor<5xf32> {values.are = dense<[0x7FF8000000000000, 0x7FF8000000000000, 0xFFF0000000000000, 6.805646932770577e+38, 0.21000000476837144]> : tensor<5xf64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<5x2xf32> -> tensor<5xf32>
  return %r : tensor<5xf32>
}

func.func @of_none_f32(
    %a: tensor<2x0xf32> {values.are = dense<> : tensor<2x0xf32>})
    -> (tensor<2xf32> {values.are = dense<[1.0, 1.0]> : tensor<2xf64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xf32> -> tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func private @inner_f64_of(%a: tensor<3x5x4xf64>) -> (tensor<3x5xf64>) {
  %r = nn.reduce_prod %a axes [2] : tensor<3x5x4xf64> -> tensor<3x5xf64>
  return %r : tensor<3x5xf64>
}
func.func @inner_f64(
    %a: tensor<3x5x4xf64> {values.are = dense<[[[0.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0], [4.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0]], [[0.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0]], [[0.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0], [-2.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25]]]> : tensor<3x5x4xf64>},
    %b: tensor<3x5xf64> {values.are = dense<[[-1.5, -0.5, 0.5, 1.5, 2.5], [3.5, 4.5, 5.5, 6.5, 7.5], [8.5, 9.5, 10.5, 11.5, 12.5]]> : tensor<3x5xf64>})
    -> (tensor<3x5xf64> {values.are = dense<[[-0.0, 8.0, 0.25, 4.0, -2.0], [-0.0, 2.0, -0.25, 8.0, 0.25], [0.0, -2.0, 2.0, 2.0, -0.25]]> : tensor<3x5xf64>},
        tensor<3x5x4xf64> {values.are = dense<[[[0.375, 0.0, 0.0, 0.0], [4.0, -1.0, 2.0, -4.0], [-0.25, 0.0625, 0.5, -0.125], [1.5, -3.0, 6.0, -12.0], [-2.5, -20.0, 5.0, -1.25]], [[-3.5, 0.0, 0.0, 0.0], [36.0, -9.0, 2.25, -4.5], [-1.375, 2.75, -0.6875, -5.5], [-52.0, 13.0, -26.0, 52.0], [-3.75, 0.9375, 7.5, -1.875]], [[8.5, 0.0, 0.0, 0.0], [-9.5, -76.0, 19.0, -4.75], [-10.5, 21.0, -42.0, 10.5], [92.0, -23.0, 5.75, -11.5], [-3.125, 6.25, -1.5625, -12.5]]]> : tensor<3x5x4xf64>}) {
  %v:2 = nn.vjp @inner_f64_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x5x4xf64>), (tensor<3x5xf64>) -> tensor<3x5xf64>, tensor<3x5x4xf64>
  return %v#0, %v#1 : tensor<3x5xf64>, tensor<3x5x4xf64>
}

func.func private @outer_f64_of(%a: tensor<3x5x4xf64>) -> (tensor<5x4xf64>) {
  %r = nn.reduce_prod %a axes [0] : tensor<3x5x4xf64> -> tensor<5x4xf64>
  return %r : tensor<5x4xf64>
}
func.func @outer_f64(
    %a: tensor<3x5x4xf64> {values.are = dense<[[[0.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0], [4.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0]], [[0.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0]], [[0.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0], [-2.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25]]]> : tensor<3x5x4xf64>},
    %b: tensor<5x4xf64> {values.are = dense<[[-1.5, -0.5, 0.5, 1.5], [2.5, 3.5, 4.5, 5.5], [6.5, 7.5, 8.5, 9.5], [10.5, 11.5, 12.5, 13.5], [14.5, 15.5, 16.5, 17.5]]> : tensor<5x4xf64>})
    -> (tensor<5x4xf64> {values.are = dense<[[0.0, 1.0, -1.0, -0.25], [-0.5, -1.0, 8.0, -8.0], [1.0, -1.0, -0.25, -0.5], [-1.0, 8.0, -8.0, 1.0], [-1.0, -0.25, -0.5, -1.0]]> : tensor<5x4xf64>},
        tensor<3x5x4xf64> {values.are = dense<[[[0.0, 1.0, -0.25, -1.5], [1.25, -0.875, -18.0, -44.0], [-13.0, -3.75, -8.5, 4.75], [-2.625, -46.0, -100.0, -27.0], [-7.25, -15.5, 8.25, -4.375]], [[0.0, -0.5, 1.0, -0.1875], [-5.0, 3.5, 9.0, 22.0], [6.5, 15.0, -1.0625, -19.0], [10.5, 23.0, 50.0, 13.5], [29.0, -1.9375, -33.0, 17.5]], [[0.0, 0.25, -0.5, 0.75], [-0.625, -14.0, -36.0, -11.0], [-3.25, -7.5, 4.25, -2.375], [-42.0, -92.0, -25.0, -6.75], [-14.5, 7.75, -4.125, -70.0]]]> : tensor<3x5x4xf64>}) {
  %v:2 = nn.vjp @outer_f64_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x5x4xf64>), (tensor<5x4xf64>) -> tensor<5x4xf64>, tensor<3x5x4xf64>
  return %v#0, %v#1 : tensor<5x4xf64>, tensor<3x5x4xf64>
}

func.func @edges_f64(
    %a: tensor<5x2xf64> {values.are = dense<[[1.0, 0x7FF8000000000000], [0x7FF0000000000000, 0.0], [-2.0, 0x7FF0000000000000], [1.7976931348623157e+308, 2.0], [0.3, 0.7]]> : tensor<5x2xf64>})
    -> (tensor<5xf64> {values.are = dense<[0x7FF8000000000000, 0x7FF8000000000000, 0xFFF0000000000000, 0x7FF0000000000000, 0.21]> : tensor<5xf64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<5x2xf64> -> tensor<5xf64>
  return %r : tensor<5xf64>
}

func.func @of_none_f64(
    %a: tensor<2x0xf64> {values.are = dense<> : tensor<2x0xf64>})
    -> (tensor<2xf64> {values.are = dense<[1.0, 1.0]> : tensor<2xf64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xf64> -> tensor<2xf64>
  return %r : tensor<2xf64>
}

func.func private @inner_f16_of(%a: tensor<3x5x4xf16>) -> (tensor<3x5xf16>) {
  %r = nn.reduce_prod %a axes [2] : tensor<3x5x4xf16> -> tensor<3x5xf16>
  return %r : tensor<3x5xf16>
}
func.func @inner_f16(
    %a: tensor<3x5x4xf16> {values.are = dense<[[[0.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0], [4.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0]], [[0.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0]], [[0.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0], [-2.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25]]]> : tensor<3x5x4xf16>},
    %b: tensor<3x5xf16> {values.are = dense<[[-1.5, -0.5, 0.5, 1.5, 2.5], [3.5, 4.5, 5.5, 6.5, 7.5], [8.5, 9.5, 10.5, 11.5, 12.5]]> : tensor<3x5xf16>})
    -> (tensor<3x5xf16> {values.are = dense<[[-0.0, 8.0, 0.25, 4.0, -2.0], [-0.0, 2.0, -0.25, 8.0, 0.25], [0.0, -2.0, 2.0, 2.0, -0.25]]> : tensor<3x5xf64>},
        tensor<3x5x4xf16> {values.are = dense<[[[0.375, 0.0, 0.0, 0.0], [4.0, -1.0, 2.0, -4.0], [-0.25, 0.0625, 0.5, -0.125], [1.5, -3.0, 6.0, -12.0], [-2.5, -20.0, 5.0, -1.25]], [[-3.5, 0.0, 0.0, 0.0], [36.0, -9.0, 2.25, -4.5], [-1.375, 2.75, -0.6875, -5.5], [-52.0, 13.0, -26.0, 52.0], [-3.75, 0.9375, 7.5, -1.875]], [[8.5, 0.0, 0.0, 0.0], [-9.5, -76.0, 19.0, -4.75], [-10.5, 21.0, -42.0, 10.5], [92.0, -23.0, 5.75, -11.5], [-3.125, 6.25, -1.5625, -12.5]]]> : tensor<3x5x4xf64>}) {
  %v:2 = nn.vjp @inner_f16_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x5x4xf16>), (tensor<3x5xf16>) -> tensor<3x5xf16>, tensor<3x5x4xf16>
  return %v#0, %v#1 : tensor<3x5xf16>, tensor<3x5x4xf16>
}

func.func private @outer_f16_of(%a: tensor<3x5x4xf16>) -> (tensor<5x4xf16>) {
  %r = nn.reduce_prod %a axes [0] : tensor<3x5x4xf16> -> tensor<5x4xf16>
  return %r : tensor<5x4xf16>
}
func.func @outer_f16(
    %a: tensor<3x5x4xf16> {values.are = dense<[[[0.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0], [4.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0]], [[0.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0]], [[0.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0], [-2.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25]]]> : tensor<3x5x4xf16>},
    %b: tensor<5x4xf16> {values.are = dense<[[-1.5, -0.5, 0.5, 1.5], [2.5, 3.5, 4.5, 5.5], [6.5, 7.5, 8.5, 9.5], [10.5, 11.5, 12.5, 13.5], [14.5, 15.5, 16.5, 17.5]]> : tensor<5x4xf16>})
    -> (tensor<5x4xf16> {values.are = dense<[[0.0, 1.0, -1.0, -0.25], [-0.5, -1.0, 8.0, -8.0], [1.0, -1.0, -0.25, -0.5], [-1.0, 8.0, -8.0, 1.0], [-1.0, -0.25, -0.5, -1.0]]> : tensor<5x4xf64>},
        tensor<3x5x4xf16> {values.are = dense<[[[0.0, 1.0, -0.25, -1.5], [1.25, -0.875, -18.0, -44.0], [-13.0, -3.75, -8.5, 4.75], [-2.625, -46.0, -100.0, -27.0], [-7.25, -15.5, 8.25, -4.375]], [[0.0, -0.5, 1.0, -0.1875], [-5.0, 3.5, 9.0, 22.0], [6.5, 15.0, -1.0625, -19.0], [10.5, 23.0, 50.0, 13.5], [29.0, -1.9375, -33.0, 17.5]], [[0.0, 0.25, -0.5, 0.75], [-0.625, -14.0, -36.0, -11.0], [-3.25, -7.5, 4.25, -2.375], [-42.0, -92.0, -25.0, -6.75], [-14.5, 7.75, -4.125, -70.0]]]> : tensor<3x5x4xf64>}) {
  %v:2 = nn.vjp @outer_f16_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x5x4xf16>), (tensor<5x4xf16>) -> tensor<5x4xf16>, tensor<3x5x4xf16>
  return %v#0, %v#1 : tensor<5x4xf16>, tensor<3x5x4xf16>
}

func.func @edges_f16(
    %a: tensor<5x2xf16> {values.are = dense<[[1.0, 0x7E00], [0x7C00, 0.0], [-2.0, 0x7C00], [65504.0, 2.0], [0.300048828125, 0.7001953125]]> : tensor<5x2xf16>})
    -> (tensor<5xf16> {values.are = dense<[0x7FF8000000000000, 0x7FF8000000000000, 0xFFF0000000000000, 131008.0, 0.21009278297424316]> : tensor<5xf64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<5x2xf16> -> tensor<5xf16>
  return %r : tensor<5xf16>
}

func.func @of_none_f16(
    %a: tensor<2x0xf16> {values.are = dense<> : tensor<2x0xf16>})
    -> (tensor<2xf16> {values.are = dense<[1.0, 1.0]> : tensor<2xf64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xf16> -> tensor<2xf16>
  return %r : tensor<2xf16>
}

func.func private @inner_bf16_of(%a: tensor<3x5x4xbf16>) -> (tensor<3x5xbf16>) {
  %r = nn.reduce_prod %a axes [2] : tensor<3x5x4xbf16> -> tensor<3x5xbf16>
  return %r : tensor<3x5xbf16>
}
func.func @inner_bf16(
    %a: tensor<3x5x4xbf16> {values.are = dense<[[[0.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0], [4.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0]], [[0.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0]], [[0.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0], [-2.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25]]]> : tensor<3x5x4xbf16>},
    %b: tensor<3x5xbf16> {values.are = dense<[[-1.5, -0.5, 0.5, 1.5, 2.5], [3.5, 4.5, 5.5, 6.5, 7.5], [8.5, 9.5, 10.5, 11.5, 12.5]]> : tensor<3x5xbf16>})
    -> (tensor<3x5xbf16> {values.are = dense<[[-0.0, 8.0, 0.25, 4.0, -2.0], [-0.0, 2.0, -0.25, 8.0, 0.25], [0.0, -2.0, 2.0, 2.0, -0.25]]> : tensor<3x5xf64>},
        tensor<3x5x4xbf16> {values.are = dense<[[[0.375, 0.0, 0.0, 0.0], [4.0, -1.0, 2.0, -4.0], [-0.25, 0.0625, 0.5, -0.125], [1.5, -3.0, 6.0, -12.0], [-2.5, -20.0, 5.0, -1.25]], [[-3.5, 0.0, 0.0, 0.0], [36.0, -9.0, 2.25, -4.5], [-1.375, 2.75, -0.6875, -5.5], [-52.0, 13.0, -26.0, 52.0], [-3.75, 0.9375, 7.5, -1.875]], [[8.5, 0.0, 0.0, 0.0], [-9.5, -76.0, 19.0, -4.75], [-10.5, 21.0, -42.0, 10.5], [92.0, -23.0, 5.75, -11.5], [-3.125, 6.25, -1.5625, -12.5]]]> : tensor<3x5x4xf64>}) {
  %v:2 = nn.vjp @inner_bf16_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x5x4xbf16>), (tensor<3x5xbf16>) -> tensor<3x5xbf16>, tensor<3x5x4xbf16>
  return %v#0, %v#1 : tensor<3x5xbf16>, tensor<3x5x4xbf16>
}

func.func private @outer_bf16_of(%a: tensor<3x5x4xbf16>) -> (tensor<5x4xbf16>) {
  %r = nn.reduce_prod %a axes [0] : tensor<3x5x4xbf16> -> tensor<5x4xbf16>
  return %r : tensor<5x4xbf16>
}
func.func @outer_bf16(
    %a: tensor<3x5x4xbf16> {values.are = dense<[[[0.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0], [4.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0]], [[0.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25], [-1.0, 4.0, -2.0, 1.0], [-0.5, 2.0, 0.25, -1.0]], [[0.0, -2.0, 1.0, -0.5], [2.0, 0.25, -1.0, 4.0], [-2.0, 1.0, -0.5, 2.0], [0.25, -1.0, 4.0, -2.0], [1.0, -0.5, 2.0, 0.25]]]> : tensor<3x5x4xbf16>},
    %b: tensor<5x4xbf16> {values.are = dense<[[-1.5, -0.5, 0.5, 1.5], [2.5, 3.5, 4.5, 5.5], [6.5, 7.5, 8.5, 9.5], [10.5, 11.5, 12.5, 13.5], [14.5, 15.5, 16.5, 17.5]]> : tensor<5x4xbf16>})
    -> (tensor<5x4xbf16> {values.are = dense<[[0.0, 1.0, -1.0, -0.25], [-0.5, -1.0, 8.0, -8.0], [1.0, -1.0, -0.25, -0.5], [-1.0, 8.0, -8.0, 1.0], [-1.0, -0.25, -0.5, -1.0]]> : tensor<5x4xf64>},
        tensor<3x5x4xbf16> {values.are = dense<[[[0.0, 1.0, -0.25, -1.5], [1.25, -0.875, -18.0, -44.0], [-13.0, -3.75, -8.5, 4.75], [-2.625, -46.0, -100.0, -27.0], [-7.25, -15.5, 8.25, -4.375]], [[0.0, -0.5, 1.0, -0.1875], [-5.0, 3.5, 9.0, 22.0], [6.5, 15.0, -1.0625, -19.0], [10.5, 23.0, 50.0, 13.5], [29.0, -1.9375, -33.0, 17.5]], [[0.0, 0.25, -0.5, 0.75], [-0.625, -14.0, -36.0, -11.0], [-3.25, -7.5, 4.25, -2.375], [-42.0, -92.0, -25.0, -6.75], [-14.5, 7.75, -4.125, -70.0]]]> : tensor<3x5x4xf64>}) {
  %v:2 = nn.vjp @outer_bf16_of(%a) seed(%b) wrt [] args [0]
      : (tensor<3x5x4xbf16>), (tensor<5x4xbf16>) -> tensor<5x4xbf16>, tensor<3x5x4xbf16>
  return %v#0, %v#1 : tensor<5x4xbf16>, tensor<3x5x4xbf16>
}

func.func @edges_bf16(
    %a: tensor<5x2xbf16> {values.are = dense<[[1.0, 0x7FC0], [0x7F80, 0.0], [-2.0, 0x7F80], [3.3895313892515355e+38, 2.0], [0.30078125, 0.69921875]]> : tensor<5x2xbf16>})
    -> (tensor<5xbf16> {values.are = dense<[0x7FF8000000000000, 0x7FF8000000000000, 0xFFF0000000000000, 6.779062778503071e+38, 0.2103118896484375]> : tensor<5xf64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<5x2xbf16> -> tensor<5xbf16>
  return %r : tensor<5xbf16>
}

func.func @of_none_bf16(
    %a: tensor<2x0xbf16> {values.are = dense<> : tensor<2x0xbf16>})
    -> (tensor<2xbf16> {values.are = dense<[1.0, 1.0]> : tensor<2xf64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xbf16> -> tensor<2xbf16>
  return %r : tensor<2xbf16>
}

func.func @i8(
    %a: tensor<2x5xi8> {values.are = dense<[[0, 1, -1, 3, -7], [3, -7, 100, 127, -128]]> : tensor<2x5xi8>})
    -> (tensor<2xi8> {values.are = dense<[0, 0]> : tensor<2xi8>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x5xi8> -> tensor<2xi8>
  return %r : tensor<2xi8>
}

func.func @columns_i8(
    %a: tensor<5x2xi8> {values.are = dense<[[0, 3], [1, -7], [-1, 100], [3, 127], [-7, -128]]> : tensor<5x2xi8>})
    -> (tensor<2xi8> {values.are = dense<[0, 0]> : tensor<2xi8>}) {
  %r = nn.reduce_prod %a axes [0] : tensor<5x2xi8> -> tensor<2xi8>
  return %r : tensor<2xi8>
}

func.func @of_none_i8(
    %a: tensor<2x0xi8> {values.are = dense<> : tensor<2x0xi8>})
    -> (tensor<2xi8> {values.are = dense<[1, 1]> : tensor<2xi8>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xi8> -> tensor<2xi8>
  return %r : tensor<2xi8>
}

func.func @i16(
    %a: tensor<2x5xi16> {values.are = dense<[[0, 1, -1, 3, -7], [3, -7, 100, 32767, -32768]]> : tensor<2x5xi16>})
    -> (tensor<2xi16> {values.are = dense<[0, 0]> : tensor<2xi16>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x5xi16> -> tensor<2xi16>
  return %r : tensor<2xi16>
}

func.func @columns_i16(
    %a: tensor<5x2xi16> {values.are = dense<[[0, 3], [1, -7], [-1, 100], [3, 32767], [-7, -32768]]> : tensor<5x2xi16>})
    -> (tensor<2xi16> {values.are = dense<[0, 0]> : tensor<2xi16>}) {
  %r = nn.reduce_prod %a axes [0] : tensor<5x2xi16> -> tensor<2xi16>
  return %r : tensor<2xi16>
}

func.func @of_none_i16(
    %a: tensor<2x0xi16> {values.are = dense<> : tensor<2x0xi16>})
    -> (tensor<2xi16> {values.are = dense<[1, 1]> : tensor<2xi16>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xi16> -> tensor<2xi16>
  return %r : tensor<2xi16>
}

func.func @i32(
    %a: tensor<2x5xi32> {values.are = dense<[[0, 1, -1, 3, -7], [3, -7, 100, 2147483647, -2147483648]]> : tensor<2x5xi32>})
    -> (tensor<2xi32> {values.are = dense<[0, 0]> : tensor<2xi32>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x5xi32> -> tensor<2xi32>
  return %r : tensor<2xi32>
}

func.func @columns_i32(
    %a: tensor<5x2xi32> {values.are = dense<[[0, 3], [1, -7], [-1, 100], [3, 2147483647], [-7, -2147483648]]> : tensor<5x2xi32>})
    -> (tensor<2xi32> {values.are = dense<[0, 0]> : tensor<2xi32>}) {
  %r = nn.reduce_prod %a axes [0] : tensor<5x2xi32> -> tensor<2xi32>
  return %r : tensor<2xi32>
}

func.func @of_none_i32(
    %a: tensor<2x0xi32> {values.are = dense<> : tensor<2x0xi32>})
    -> (tensor<2xi32> {values.are = dense<[1, 1]> : tensor<2xi32>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xi32> -> tensor<2xi32>
  return %r : tensor<2xi32>
}

func.func @i64(
    %a: tensor<2x5xi64> {values.are = dense<[[0, 1, -1, 3, -7], [3, -7, 100, 9223372036854775807, -9223372036854775808]]> : tensor<2x5xi64>})
    -> (tensor<2xi64> {values.are = dense<[0, 0]> : tensor<2xi64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x5xi64> -> tensor<2xi64>
  return %r : tensor<2xi64>
}

func.func @columns_i64(
    %a: tensor<5x2xi64> {values.are = dense<[[0, 3], [1, -7], [-1, 100], [3, 9223372036854775807], [-7, -9223372036854775808]]> : tensor<5x2xi64>})
    -> (tensor<2xi64> {values.are = dense<[0, 0]> : tensor<2xi64>}) {
  %r = nn.reduce_prod %a axes [0] : tensor<5x2xi64> -> tensor<2xi64>
  return %r : tensor<2xi64>
}

func.func @of_none_i64(
    %a: tensor<2x0xi64> {values.are = dense<> : tensor<2x0xi64>})
    -> (tensor<2xi64> {values.are = dense<[1, 1]> : tensor<2xi64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xi64> -> tensor<2xi64>
  return %r : tensor<2xi64>
}

func.func @ui8(
    %a: tensor<2x5xui8> {values.are = dense<[[0, 1, 255, 3, 249], [3, 249, 100, 127, 128]]> : tensor<2x5xui8>})
    -> (tensor<2xui8> {values.are = dense<[0, 0]> : tensor<2xui8>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x5xui8> -> tensor<2xui8>
  return %r : tensor<2xui8>
}

func.func @columns_ui8(
    %a: tensor<5x2xui8> {values.are = dense<[[0, 3], [1, 249], [255, 100], [3, 127], [249, 128]]> : tensor<5x2xui8>})
    -> (tensor<2xui8> {values.are = dense<[0, 0]> : tensor<2xui8>}) {
  %r = nn.reduce_prod %a axes [0] : tensor<5x2xui8> -> tensor<2xui8>
  return %r : tensor<2xui8>
}

func.func @of_none_ui8(
    %a: tensor<2x0xui8> {values.are = dense<> : tensor<2x0xui8>})
    -> (tensor<2xui8> {values.are = dense<[1, 1]> : tensor<2xui8>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xui8> -> tensor<2xui8>
  return %r : tensor<2xui8>
}

func.func @ui16(
    %a: tensor<2x5xui16> {values.are = dense<[[0, 1, 65535, 3, 65529], [3, 65529, 100, 32767, 32768]]> : tensor<2x5xui16>})
    -> (tensor<2xui16> {values.are = dense<[0, 0]> : tensor<2xui16>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x5xui16> -> tensor<2xui16>
  return %r : tensor<2xui16>
}

func.func @columns_ui16(
    %a: tensor<5x2xui16> {values.are = dense<[[0, 3], [1, 65529], [65535, 100], [3, 32767], [65529, 32768]]> : tensor<5x2xui16>})
    -> (tensor<2xui16> {values.are = dense<[0, 0]> : tensor<2xui16>}) {
  %r = nn.reduce_prod %a axes [0] : tensor<5x2xui16> -> tensor<2xui16>
  return %r : tensor<2xui16>
}

func.func @of_none_ui16(
    %a: tensor<2x0xui16> {values.are = dense<> : tensor<2x0xui16>})
    -> (tensor<2xui16> {values.are = dense<[1, 1]> : tensor<2xui16>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xui16> -> tensor<2xui16>
  return %r : tensor<2xui16>
}

func.func @ui32(
    %a: tensor<2x5xui32> {values.are = dense<[[0, 1, 4294967295, 3, 4294967289], [3, 4294967289, 100, 2147483647, 2147483648]]> : tensor<2x5xui32>})
    -> (tensor<2xui32> {values.are = dense<[0, 0]> : tensor<2xui32>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x5xui32> -> tensor<2xui32>
  return %r : tensor<2xui32>
}

func.func @columns_ui32(
    %a: tensor<5x2xui32> {values.are = dense<[[0, 3], [1, 4294967289], [4294967295, 100], [3, 2147483647], [4294967289, 2147483648]]> : tensor<5x2xui32>})
    -> (tensor<2xui32> {values.are = dense<[0, 0]> : tensor<2xui32>}) {
  %r = nn.reduce_prod %a axes [0] : tensor<5x2xui32> -> tensor<2xui32>
  return %r : tensor<2xui32>
}

func.func @of_none_ui32(
    %a: tensor<2x0xui32> {values.are = dense<> : tensor<2x0xui32>})
    -> (tensor<2xui32> {values.are = dense<[1, 1]> : tensor<2xui32>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xui32> -> tensor<2xui32>
  return %r : tensor<2xui32>
}

func.func @ui64(
    %a: tensor<2x5xui64> {values.are = dense<[[0, 1, 18446744073709551615, 3, 18446744073709551609], [3, 18446744073709551609, 100, 9223372036854775807, 9223372036854775808]]> : tensor<2x5xui64>})
    -> (tensor<2xui64> {values.are = dense<[0, 0]> : tensor<2xui64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x5xui64> -> tensor<2xui64>
  return %r : tensor<2xui64>
}

func.func @columns_ui64(
    %a: tensor<5x2xui64> {values.are = dense<[[0, 3], [1, 18446744073709551609], [18446744073709551615, 100], [3, 9223372036854775807], [18446744073709551609, 9223372036854775808]]> : tensor<5x2xui64>})
    -> (tensor<2xui64> {values.are = dense<[0, 0]> : tensor<2xui64>}) {
  %r = nn.reduce_prod %a axes [0] : tensor<5x2xui64> -> tensor<2xui64>
  return %r : tensor<2xui64>
}

func.func @of_none_ui64(
    %a: tensor<2x0xui64> {values.are = dense<> : tensor<2x0xui64>})
    -> (tensor<2xui64> {values.are = dense<[1, 1]> : tensor<2xui64>}) {
  %r = nn.reduce_prod %a axes [1] : tensor<2x0xui64> -> tensor<2xui64>
  return %r : tensor<2xui64>
}
