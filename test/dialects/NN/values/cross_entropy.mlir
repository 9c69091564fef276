// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func private @rows_f32_i64_of(%a: tensor<6x4xf32>, %b: tensor<6xi64>) -> (tensor<f32>) {
  %r = nn.cross_entropy %a, %b axis(1) : tensor<6x4xf32>, tensor<6xi64> -> tensor<f32>
  return %r : tensor<f32>
}
func.func @rows_f32_i64(
    %a: tensor<6x4xf32> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [10000.0, -10000.0, 10000.0, 9000.0], [3.0, 3.0, 3.0, 3.0], [9.999999974752427e-07, -9.999999974752427e-07, 0.0, -0.0]]> : tensor<6x4xf32>},
    %b: tensor<6xi64> {values.are = dense<[0, 3, 2, 1, 1, 0]> : tensor<6xi64>},
    %c: tensor<f32> {values.are = dense<0.75> : tensor<f32>})
    -> (tensor<f32> {values.are = dense<3350.914028368745> : tensor<f64>, values.ulps = 4.0, values.at = 10000.0},
        tensor<6x4xf32> {values.are = dense<[[-0.1022823859034323, 0.061752877584645025, 0.003074494738219055, 0.037455013580568235], [0.09138232232875061, 1.2646367847589498e-88, 0.03361767767124939, -0.125], [1.4066890371432514e-08, 3.823777247959051e-08, -5.7479582635244775e-08, 5.174919768862536e-09], [0.0625, -0.125, 0.0625, 0.0], [0.03125, -0.09375, 0.03125, 0.03125], [-0.09374996874999227, 0.031249968750007892, 0.031249999999992187, 0.031249999999992187]]> : tensor<6x4xf64>, values.ulps = 8.0, values.at = 0.25}) {
  %v:2 = nn.vjp @rows_f32_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xf32>, tensor<6xi64>), (tensor<f32>) -> tensor<f32>, tensor<6x4xf32>
  return %v#0, %v#1 : tensor<f32>, tensor<6x4xf32>
}

func.func private @rows_f64_i64_of(%a: tensor<6x4xf64>, %b: tensor<6xi64>) -> (tensor<f64>) {
  %r = nn.cross_entropy %a, %b axis(1) : tensor<6x4xf64>, tensor<6xi64> -> tensor<f64>
  return %r : tensor<f64>
}
func.func @rows_f64_i64(
    %a: tensor<6x4xf64> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [10000.0, -10000.0, 10000.0, 9000.0], [3.0, 3.0, 3.0, 3.0], [1.0e-06, -1.0e-06, 0.0, -0.0]]> : tensor<6x4xf64>},
    %b: tensor<6xi64> {values.are = dense<[0, 3, 2, 1, 1, 0]> : tensor<6xi64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>})
    -> (tensor<f64> {values.are = dense<3350.914028368745> : tensor<f64>, values.ulps = 4.0, values.at = 10000.0},
        tensor<6x4xf64> {values.are = dense<[[-0.1022823859034323, 0.061752877584645025, 0.003074494738219055, 0.037455013580568235], [0.09138232232875061, 1.2646367847589498e-88, 0.03361767767124939, -0.125], [1.4066890371432514e-08, 3.823777247959051e-08, -5.7479582635244775e-08, 5.174919768862536e-09], [0.0625, -0.125, 0.0625, 0.0], [0.03125, -0.09375, 0.03125, 0.03125], [-0.09374996874999218, 0.031249968750007816, 0.031249999999992194, 0.031249999999992194]]> : tensor<6x4xf64>, values.ulps = 8.0, values.at = 0.25}) {
  %v:2 = nn.vjp @rows_f64_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xf64>, tensor<6xi64>), (tensor<f64>) -> tensor<f64>, tensor<6x4xf64>
  return %v#0, %v#1 : tensor<f64>, tensor<6x4xf64>
}

func.func private @rows_f16_i64_of(%a: tensor<6x4xf16>, %b: tensor<6xi64>) -> (tensor<f16>) {
  %r = nn.cross_entropy %a, %b axis(1) : tensor<6x4xf16>, tensor<6xi64> -> tensor<f16>
  return %r : tensor<f16>
}
func.func @rows_f16_i64(
    %a: tensor<6x4xf16> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [10000.0, -10000.0, 10000.0, 9000.0], [3.0, 3.0, 3.0, 3.0], [1.0132789611816406e-06, -1.0132789611816406e-06, 0.0, -0.0]]> : tensor<6x4xf16>},
    %b: tensor<6xi64> {values.are = dense<[0, 3, 2, 1, 1, 0]> : tensor<6xi64>},
    %c: tensor<f16> {values.are = dense<0.75> : tensor<f16>})
    -> (tensor<f16> {values.are = dense<3350.9140283665324> : tensor<f64>, values.ulps = 1.0, values.at = 10000.0},
        tensor<6x4xf16> {values.are = dense<[[-0.1022823859034323, 0.061752877584645025, 0.003074494738219055, 0.037455013580568235], [0.09138232232875061, 1.2646367847589498e-88, 0.03361767767124939, -0.125], [1.4066890371432514e-08, 3.823777247959051e-08, -5.7479582635244775e-08, 5.174919768862536e-09], [0.0625, -0.125, 0.0625, 0.0], [0.03125, -0.09375, 0.03125, 0.03125], [-0.09374996833502444, 0.031249968335040484, 0.03124999999999198, 0.03124999999999198]]> : tensor<6x4xf64>, values.ulps = 1.0, values.at = 0.25}) {
  %v:2 = nn.vjp @rows_f16_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xf16>, tensor<6xi64>), (tensor<f16>) -> tensor<f16>, tensor<6x4xf16>
  return %v#0, %v#1 : tensor<f16>, tensor<6x4xf16>
}

func.func private @rows_bf16_i64_of(%a: tensor<6x4xbf16>, %b: tensor<6xi64>) -> (tensor<bf16>) {
  %r = nn.cross_entropy %a, %b axis(1) : tensor<6x4xbf16>, tensor<6xi64> -> tensor<bf16>
  return %r : tensor<bf16>
}
func.func @rows_bf16_i64(
    %a: tensor<6x4xbf16> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [9984.0, -9984.0, 9984.0, 9024.0], [3.0, 3.0, 3.0, 3.0], [9.98377799987793e-07, -9.98377799987793e-07, 0.0, -0.0]]> : tensor<6x4xbf16>},
    %b: tensor<6xi64> {values.are = dense<[0, 3, 2, 1, 1, 0]> : tensor<6xi64>},
    %c: tensor<bf16> {values.are = dense<0.75> : tensor<bf16>})
    -> (tensor<bf16> {values.are = dense<3345.5806950356823> : tensor<f64>, values.ulps = 1.0, values.at = 9984.0},
        tensor<6x4xbf16> {values.are = dense<[[-0.1022823859034323, 0.061752877584645025, 0.003074494738219055, 0.037455013580568235], [0.09138232232875061, 1.2646367847589498e-88, 0.03361767767124939, -0.125], [1.4066890371432514e-08, 3.823777247959051e-08, -5.7479582635244775e-08, 5.174919768862536e-09], [0.0625, -0.125, 0.0625, 0.0], [0.03125, -0.09375, 0.03125, 0.03125], [-0.09374996880068596, 0.031249968800701543, 0.031249999999992215, 0.031249999999992215]]> : tensor<6x4xf64>, values.ulps = 1.0, values.at = 0.25}) {
  %v:2 = nn.vjp @rows_bf16_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xbf16>, tensor<6xi64>), (tensor<bf16>) -> tensor<bf16>, tensor<6x4xbf16>
  return %v#0, %v#1 : tensor<bf16>, tensor<6x4xbf16>
}

func.func private @outside_f32_i64_of(%a: tensor<6x4xf32>, %b: tensor<6xi64>) -> (tensor<f32>) {
  %r = nn.cross_entropy %a, %b axis(1) : tensor<6x4xf32>, tensor<6xi64> -> tensor<f32>
  return %r : tensor<f32>
}
func.func @outside_f32_i64(
    %a: tensor<6x4xf32> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [10000.0, -10000.0, 10000.0, 9000.0], [3.0, 3.0, 3.0, 3.0], [9.999999974752427e-07, -9.999999974752427e-07, 0.0, -0.0]]> : tensor<6x4xf32>},
    %b: tensor<6xi64> {values.are = dense<[0, 4, -1, 1, 99, 3]> : tensor<6xi64>},
    %c: tensor<f32> {values.are = dense<0.75> : tensor<f32>})
    -> (tensor<f32> {values.are = dense<3368.7473618687454> : tensor<f64>, values.ulps = 4.0, values.at = 10000.0},
        tensor<6x4xf32> {values.are = dense<[[-0.1022823859034323, 0.061752877584645025, 0.003074494738219055, 0.037455013580568235], [0.09138232232875061, 1.2646367847589498e-88, 0.03361767767124939, 3.3994918192817754e-45], [1.4066890371432514e-08, 3.823777247959051e-08, 0.12499994252041735, 5.174919768862536e-09], [0.0625, -0.125, 0.0625, 0.0], [0.03125, 0.03125, 0.03125, 0.03125], [0.031250031250007734, 0.031249968750007892, 0.031249999999992187, -0.0937500000000078]]> : tensor<6x4xf64>, values.ulps = 8.0, values.at = 0.25}) {
  %v:2 = nn.vjp @outside_f32_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xf32>, tensor<6xi64>), (tensor<f32>) -> tensor<f32>, tensor<6x4xf32>
  return %v#0, %v#1 : tensor<f32>, tensor<6x4xf32>
}

func.func private @outside_f32_i32_of(%a: tensor<6x4xf32>, %b: tensor<6xi32>) -> (tensor<f32>) {
  %r = nn.cross_entropy %a, %b axis(1) : tensor<6x4xf32>, tensor<6xi32> -> tensor<f32>
  return %r : tensor<f32>
}
func.func @outside_f32_i32(
    %a: tensor<6x4xf32> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [10000.0, -10000.0, 10000.0, 9000.0], [3.0, 3.0, 3.0, 3.0], [9.999999974752427e-07, -9.999999974752427e-07, 0.0, -0.0]]> : tensor<6x4xf32>},
    %b: tensor<6xi32> {values.are = dense<[0, 4, -1, 1, 99, 3]> : tensor<6xi32>},
    %c: tensor<f32> {values.are = dense<0.75> : tensor<f32>})
    -> (tensor<f32> {values.are = dense<3368.7473618687454> : tensor<f64>, values.ulps = 4.0, values.at = 10000.0},
        tensor<6x4xf32> {values.are = dense<[[-0.1022823859034323, 0.061752877584645025, 0.003074494738219055, 0.037455013580568235], [0.09138232232875061, 1.2646367847589498e-88, 0.03361767767124939, 3.3994918192817754e-45], [1.4066890371432514e-08, 3.823777247959051e-08, 0.12499994252041735, 5.174919768862536e-09], [0.0625, -0.125, 0.0625, 0.0], [0.03125, 0.03125, 0.03125, 0.03125], [0.031250031250007734, 0.031249968750007892, 0.031249999999992187, -0.0937500000000078]]> : tensor<6x4xf64>, values.ulps = 8.0, values.at = 0.25}) {
  %v:2 = nn.vjp @outside_f32_i32_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xf32>, tensor<6xi32>), (tensor<f32>) -> tensor<f32>, tensor<6x4xf32>
  return %v#0, %v#1 : tensor<f32>, tensor<6x4xf32>
}

func.func private @outside_f32_i8_of(%a: tensor<6x4xf32>, %b: tensor<6xi8>) -> (tensor<f32>) {
  %r = nn.cross_entropy %a, %b axis(1) : tensor<6x4xf32>, tensor<6xi8> -> tensor<f32>
  return %r : tensor<f32>
}
func.func @outside_f32_i8(
    %a: tensor<6x4xf32> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [10000.0, -10000.0, 10000.0, 9000.0], [3.0, 3.0, 3.0, 3.0], [9.999999974752427e-07, -9.999999974752427e-07, 0.0, -0.0]]> : tensor<6x4xf32>},
    %b: tensor<6xi8> {values.are = dense<[0, 4, -1, 1, 99, 3]> : tensor<6xi8>},
    %c: tensor<f32> {values.are = dense<0.75> : tensor<f32>})
    -> (tensor<f32> {values.are = dense<3368.7473618687454> : tensor<f64>, values.ulps = 4.0, values.at = 10000.0},
        tensor<6x4xf32> {values.are = dense<[[-0.1022823859034323, 0.061752877584645025, 0.003074494738219055, 0.037455013580568235], [0.09138232232875061, 1.2646367847589498e-88, 0.03361767767124939, 3.3994918192817754e-45], [1.4066890371432514e-08, 3.823777247959051e-08, 0.12499994252041735, 5.174919768862536e-09], [0.0625, -0.125, 0.0625, 0.0], [0.03125, 0.03125, 0.03125, 0.03125], [0.031250031250007734, 0.031249968750007892, 0.031249999999992187, -0.0937500000000078]]> : tensor<6x4xf64>, values.ulps = 8.0, values.at = 0.25}) {
  %v:2 = nn.vjp @outside_f32_i8_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xf32>, tensor<6xi8>), (tensor<f32>) -> tensor<f32>, tensor<6x4xf32>
  return %v#0, %v#1 : tensor<f32>, tensor<6x4xf32>
}

func.func private @ignored_f32_i64_of(%a: tensor<6x4xf32>, %b: tensor<6xi64>) -> (tensor<f32>) {
  %r = nn.cross_entropy %a, %b axis(1) ignore_index(-100) : tensor<6x4xf32>, tensor<6xi64> -> tensor<f32>
  return %r : tensor<f32>
}
func.func @ignored_f32_i64(
    %a: tensor<6x4xf32> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [10000.0, -10000.0, 10000.0, 9000.0], [3.0, 3.0, 3.0, 3.0], [9.999999974752427e-07, -9.999999974752427e-07, 0.0, -0.0]]> : tensor<6x4xf32>},
    %b: tensor<6xi64> {values.are = dense<[0, -100, 2, -100, 1, 1]> : tensor<6xi64>},
    %c: tensor<f32> {values.are = dense<0.75> : tensor<f32>})
    -> (tensor<f32> {values.are = dense<1.1194408360989332> : tensor<f64>, values.ulps = 4.0, values.at = 10000.0},
        tensor<6x4xf32> {values.are = dense<[[-0.15342357885514846, 0.09262931637696753, 0.004611742107328582, 0.05618252037085235], [0.0, 0.0, 0.0, 0.0], [2.1100335557148773e-08, 5.735665871938577e-08, -8.621937395286716e-08, 7.762379653293805e-09], [0.0, 0.0, 0.0, 0.0], [0.046875, -0.140625, 0.046875, 0.046875], [0.0468750468750116, -0.14062504687498817, 0.04687499999998828, 0.04687499999998828]]> : tensor<6x4xf64>, values.ulps = 8.0, values.at = 0.25}) {
  %v:2 = nn.vjp @ignored_f32_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xf32>, tensor<6xi64>), (tensor<f32>) -> tensor<f32>, tensor<6x4xf32>
  return %v#0, %v#1 : tensor<f32>, tensor<6x4xf32>
}

func.func private @ignored_f64_i64_of(%a: tensor<6x4xf64>, %b: tensor<6xi64>) -> (tensor<f64>) {
  %r = nn.cross_entropy %a, %b axis(1) ignore_index(-100) : tensor<6x4xf64>, tensor<6xi64> -> tensor<f64>
  return %r : tensor<f64>
}
func.func @ignored_f64_i64(
    %a: tensor<6x4xf64> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [10000.0, -10000.0, 10000.0, 9000.0], [3.0, 3.0, 3.0, 3.0], [1.0e-06, -1.0e-06, 0.0, -0.0]]> : tensor<6x4xf64>},
    %b: tensor<6xi64> {values.are = dense<[0, -100, 2, -100, 1, 1]> : tensor<6xi64>},
    %c: tensor<f64> {values.are = dense<0.75> : tensor<f64>})
    -> (tensor<f64> {values.are = dense<1.1194408360989336> : tensor<f64>, values.ulps = 4.0, values.at = 10000.0},
        tensor<6x4xf64> {values.are = dense<[[-0.15342357885514846, 0.09262931637696753, 0.004611742107328582, 0.05618252037085235], [0.0, 0.0, 0.0, 0.0], [2.1100335557148773e-08, 5.735665871938577e-08, -8.621937395286716e-08, 7.762379653293805e-09], [0.0, 0.0, 0.0, 0.0], [0.046875, -0.140625, 0.046875, 0.046875], [0.046875046875011726, -0.14062504687498828, 0.04687499999998829, 0.04687499999998829]]> : tensor<6x4xf64>, values.ulps = 8.0, values.at = 0.25}) {
  %v:2 = nn.vjp @ignored_f64_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xf64>, tensor<6xi64>), (tensor<f64>) -> tensor<f64>, tensor<6x4xf64>
  return %v#0, %v#1 : tensor<f64>, tensor<6x4xf64>
}

func.func private @ignored_f16_i64_of(%a: tensor<6x4xf16>, %b: tensor<6xi64>) -> (tensor<f16>) {
  %r = nn.cross_entropy %a, %b axis(1) ignore_index(-100) : tensor<6x4xf16>, tensor<6xi64> -> tensor<f16>
  return %r : tensor<f16>
}
func.func @ignored_f16_i64(
    %a: tensor<6x4xf16> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [10000.0, -10000.0, 10000.0, 9000.0], [3.0, 3.0, 3.0, 3.0], [1.0132789611816406e-06, -1.0132789611816406e-06, 0.0, -0.0]]> : tensor<6x4xf16>},
    %b: tensor<6xi64> {values.are = dense<[0, -100, 2, -100, 1, 1]> : tensor<6xi64>},
    %c: tensor<f16> {values.are = dense<0.75> : tensor<f16>})
    -> (tensor<f16> {values.are = dense<1.1194408394186757> : tensor<f64>, values.ulps = 1.0, values.at = 10000.0},
        tensor<6x4xf16> {values.are = dense<[[-0.15342357885514846, 0.09262931637696753, 0.004611742107328582, 0.05618252037085235], [0.0, 0.0, 0.0, 0.0], [2.1100335557148773e-08, 5.735665871938577e-08, -8.621937395286716e-08, 7.762379653293805e-09], [0.0, 0.0, 0.0, 0.0], [0.046875, -0.140625, 0.046875, 0.046875], [0.04687504749746334, -0.14062504749743926, 0.04687499999998797, 0.04687499999998797]]> : tensor<6x4xf64>, values.ulps = 1.0, values.at = 0.25}) {
  %v:2 = nn.vjp @ignored_f16_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xf16>, tensor<6xi64>), (tensor<f16>) -> tensor<f16>, tensor<6x4xf16>
  return %v#0, %v#1 : tensor<f16>, tensor<6x4xf16>
}

func.func private @ignored_bf16_i64_of(%a: tensor<6x4xbf16>, %b: tensor<6xi64>) -> (tensor<bf16>) {
  %r = nn.cross_entropy %a, %b axis(1) ignore_index(-100) : tensor<6x4xbf16>, tensor<6xi64> -> tensor<bf16>
  return %r : tensor<bf16>
}
func.func @ignored_bf16_i64(
    %a: tensor<6x4xbf16> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [9984.0, -9984.0, 9984.0, 9024.0], [3.0, 3.0, 3.0, 3.0], [9.98377799987793e-07, -9.98377799987793e-07, 0.0, -0.0]]> : tensor<6x4xbf16>},
    %b: tensor<6xi64> {values.are = dense<[0, -100, 2, -100, 1, 1]> : tensor<6xi64>},
    %c: tensor<bf16> {values.are = dense<0.75> : tensor<bf16>})
    -> (tensor<bf16> {values.are = dense<1.1194408356933836> : tensor<f64>, values.ulps = 1.0, values.at = 9984.0},
        tensor<6x4xbf16> {values.are = dense<[[-0.15342357885514846, 0.09262931637696753, 0.004611742107328582, 0.05618252037085235], [0.0, 0.0, 0.0, 0.0], [2.1100335557148773e-08, 5.735665871938577e-08, -8.621937395286716e-08, 7.762379653293805e-09], [0.0, 0.0, 0.0, 0.0], [0.046875, -0.140625, 0.046875, 0.046875], [0.04687504679897105, -0.1406250467989477, 0.04687499999998832, 0.04687499999998832]]> : tensor<6x4xf64>, values.ulps = 1.0, values.at = 0.25}) {
  %v:2 = nn.vjp @ignored_bf16_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xbf16>, tensor<6xi64>), (tensor<bf16>) -> tensor<bf16>, tensor<6x4xbf16>
  return %v#0, %v#1 : tensor<bf16>, tensor<6x4xbf16>
}

func.func private @inside_ignored_f32_i64_of(%a: tensor<6x4xf32>, %b: tensor<6xi64>) -> (tensor<f32>) {
  %r = nn.cross_entropy %a, %b axis(1) ignore_index(2) : tensor<6x4xf32>, tensor<6xi64> -> tensor<f32>
  return %r : tensor<f32>
}
func.func @inside_ignored_f32_i64(
    %a: tensor<6x4xf32> {values.are = dense<[[0.0, 1.0, -2.0, 0.5], [100.0, -100.0, 99.0, 0.0], [88.0, 89.0, 104.0, 87.0], [10000.0, -10000.0, 10000.0, 9000.0], [3.0, 3.0, 3.0, 3.0], [9.999999974752427e-07, -9.999999974752427e-07, 0.0, -0.0]]> : tensor<6x4xf32>},
    %b: tensor<6xi64> {values.are = dense<[0, 2, 2, 1, 1, 3]> : tensor<6xi64>},
    %c: tensor<f32> {values.are = dense<0.75> : tensor<f32>})
    -> (tensor<f32> {values.are = dense<5001.292727266279> : tensor<f64>, values.ulps = 4.0, values.at = 10000.0},
        tensor<6x4xf32> {values.are = dense<[[-0.15342357885514846, 0.09262931637696753, 0.004611742107328582, 0.05618252037085235], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.09375, -0.1875, 0.09375, 0.0], [0.046875, -0.140625, 0.046875, 0.046875], [0.0468750468750116, 0.04687495312501184, 0.04687499999998828, -0.1406250000000117]]> : tensor<6x4xf64>, values.ulps = 8.0, values.at = 0.25}) {
  %v:2 = nn.vjp @inside_ignored_f32_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<6x4xf32>, tensor<6xi64>), (tensor<f32>) -> tensor<f32>, tensor<6x4xf32>
  return %v#0, %v#1 : tensor<f32>, tensor<6x4xf32>
}

func.func private @middle_f32_i64_of(%a: tensor<2x5x3xf32>, %b: tensor<2x3xi64>) -> (tensor<f32>) {
  %r = nn.cross_entropy %a, %b axis(1) : tensor<2x5x3xf32>, tensor<2x3xi64> -> tensor<f32>
  return %r : tensor<f32>
}
func.func @middle_f32_i64(
    %a: tensor<2x5x3xf32> {values.are = dense<[[[1.375, 0.375, -2.0], [0.25, 1.75, 1.25], [-0.75, 1.75, 1.25], [0.125, 0.125, 0.375], [0.0, 1.125, 0.625]], [[-0.375, -0.5, 2.0], [1.875, 0.625, -0.75], [0.25, -0.5, 1.5], [0.0, -0.375, -1.25], [0.375, -0.625, 1.75]]]> : tensor<2x5x3xf32>},
    %b: tensor<2x3xi64> {values.are = dense<[[0, 4, 2], [1, 1, 3]]> : tensor<2x3xi64>},
    %c: tensor<f32> {values.are = dense<0.75> : tensor<f32>})
    -> (tensor<f32> {values.are = dense<1.5021810836103426> : tensor<f64>, values.ulps = 4.0, values.at = 2.0},
        tensor<2x5x3xf32> {values.are = dense<[[[-0.06197785612724828, 0.01058787772681554, 0.0016205088024977541], [0.020460294506501747, 0.04187586874245738, 0.04179347285522055], [0.007526921709254994, 0.04187586874245738, -0.08320652714477944], [0.018056146527956406, 0.008245847464708229, 0.017422111503806157], [0.015934493383535125, -0.10258546267643853, 0.022370433983254997]], [[0.007847828360461741, 0.01761590013959191, 0.05024048084804064], [-0.05054187762685636, -0.0707392075811715, 0.003211766486611792], [0.014661673609054598, 0.01761590013959191, 0.030472391993042018], [0.01141852288786907, 0.019961429992558264, -0.12305196515403241], [0.016613852769470926, 0.015545977309429403, 0.039127325826337975]]]> : tensor<2x5x3xf64>, values.ulps = 8.0, values.at = 0.25}) {
  %v:2 = nn.vjp @middle_f32_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<2x5x3xf32>, tensor<2x3xi64>), (tensor<f32>) -> tensor<f32>, tensor<2x5x3xf32>
  return %v#0, %v#1 : tensor<f32>, tensor<2x5x3xf32>
}

func.func private @one_class_f32_i64_of(%a: tensor<3x1xf32>, %b: tensor<3xi64>) -> (tensor<f32>) {
  %r = nn.cross_entropy %a, %b axis(1) : tensor<3x1xf32>, tensor<3xi64> -> tensor<f32>
  return %r : tensor<f32>
}
func.func @one_class_f32_i64(
    %a: tensor<3x1xf32> {values.are = dense<[[1.375], [0.375], [-2.0]]> : tensor<3x1xf32>},
    %b: tensor<3xi64> {values.are = dense<[0, 0, 0]> : tensor<3xi64>},
    %c: tensor<f32> {values.are = dense<0.75> : tensor<f32>})
    -> (tensor<f32> {values.are = dense<0.0> : tensor<f64>, values.ulps = 4.0, values.at = 2.0},
        tensor<3x1xf32> {values.are = dense<[[0.0], [0.0], [0.0]]> : tensor<3x1xf64>, values.ulps = 8.0, values.at = 0.25}) {
  %v:2 = nn.vjp @one_class_f32_i64_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<3x1xf32>, tensor<3xi64>), (tensor<f32>) -> tensor<f32>, tensor<3x1xf32>
  return %v#0, %v#1 : tensor<f32>, tensor<3x1xf32>
}
