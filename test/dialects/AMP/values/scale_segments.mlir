// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @factors_3(
    %a: tensor<6x4xf32> {values.are = dense<[[-2.875, -2.625, -2.375, -2.125], [-1.875, -1.625, -1.375, -1.125], [-0.875, -0.625, -0.375, -0.125], [0.125, 0.375, 0.625, 0.875], [1.125, 1.375, 1.625, 1.875], [2.125, 2.375, 2.625, 2.875]]> : tensor<6x4xf32>},
    %b: tensor<3xf32> {values.are = dense<[0.5, -3.0, 0.0]> : tensor<3xf32>})
    -> (tensor<6x4xf32> {values.are = dense<[[-1.4375, -1.3125, -1.1875, -1.0625], [5.625, 4.875, 4.125, 3.375], [2.625, 1.875, 1.125, 0.375], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<6x4xf64>}) {
  %r = amp.scale_segments %a by %b blocks [1, 2, 3] : tensor<6x4xf32>, tensor<3xf32>
  return %r : tensor<6x4xf32>
}

func.func @factors_1(
    %a: tensor<6x4xf32> {values.are = dense<[[-2.875, -2.625, -2.375, -2.125], [-1.875, -1.625, -1.375, -1.125], [-0.875, -0.625, -0.375, -0.125], [0.125, 0.375, 0.625, 0.875], [1.125, 1.375, 1.625, 1.875], [2.125, 2.375, 2.625, 2.875]]> : tensor<6x4xf32>},
    %b: tensor<1xf32> {values.are = dense<[0.3333333432674408]> : tensor<1xf32>})
    -> (tensor<6x4xf32> {values.are = dense<[[-0.9583333730697632, -0.875, -0.7916666865348816, -0.7083333730697632], [-0.625, -0.5416666865348816, -0.4583333432674408, -0.375], [-0.2916666865348816, -0.2083333432674408, -0.125, -0.0416666679084301], [0.0416666679084301, 0.125, 0.2083333432674408, 0.2916666865348816], [0.375, 0.4583333432674408, 0.5416666865348816, 0.625], [0.7083333730697632, 0.7916666865348816, 0.875, 0.9583333730697632]]> : tensor<6x4xf64>}) {
  %r = amp.scale_segments %a by %b blocks [6] : tensor<6x4xf32>, tensor<1xf32>
  return %r : tensor<6x4xf32>
}
