// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @mul_f32(
    %a: tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf32>},
    %b: tensor<6x3xf32> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf32> {values.are = dense<[[0.375, 0.0, -0.25], [-2.0, 0.75, 0.0], [0.0, 0.5, 1.0], [0.0, -0.25, 0.0]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>
  return %r : tensor<4x3xf32>
}

func.func private @mul_vjp_of(%a: tensor<4x3xf32>, %b: tensor<6x3xf32>, %c: tensor<6xi64>) -> (tensor<4x3xf32>) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>
  return %r : tensor<4x3xf32>
}
func.func @mul_vjp(
    %a: tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf32>},
    %b: tensor<6x3xf32> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>},
    %d: tensor<4x3xf32> {values.are = dense<[[-4.5, -3.5, -2.5], [-1.5, -0.5, 0.5], [1.5, 2.5, 3.5], [4.5, 5.5, 6.5]]> : tensor<4x3xf32>})
    -> (tensor<4x3xf32> {values.are = dense<[[0.375, 0.0, -0.25], [-2.0, 0.75, 0.0], [0.0, 0.5, 1.0], [0.0, -0.25, 0.0]]> : tensor<4x3xf64>},
        tensor<4x3xf32> {values.are = dense<[[3.375, 0.0, 1.25], [3.0, -0.25, 0.0], [1.5, 2.5, 3.5], [0.0, 2.75, 9.75]]> : tensor<4x3xf64>},
        tensor<6x3xf32> {values.are = dense<[[-3.0, 0.75, 0.125], [0.0, -1.375, 0.0], [1.5, 0.375, 0.0], [3.375, -2.75, 0.0], [-1.125, 0.0, -0.625], [3.375, 0.0, 1.25]]> : tensor<6x3xf64>}) {
  %v:3 = nn.vjp @mul_vjp_of(%a, %b, %c) seed(%d) wrt [] args [0, 1]
      : (tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>), (tensor<4x3xf32>) -> tensor<4x3xf32>, tensor<4x3xf32>, tensor<6x3xf32>
  return %v#0, %v#1, %v#2 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<6x3xf32>
}

func.func @mul_f64(
    %a: tensor<4x3xf64> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf64>},
    %b: tensor<6x3xf64> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf64>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf64> {values.are = dense<[[0.375, 0.0, -0.25], [-2.0, 0.75, 0.0], [0.0, 0.5, 1.0], [0.0, -0.25, 0.0]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xf64>, tensor<6x3xf64>, tensor<6xi64>
  return %r : tensor<4x3xf64>
}

func.func @mul_f16(
    %a: tensor<4x3xf16> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf16>},
    %b: tensor<6x3xf16> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf16> {values.are = dense<[[0.375, 0.0, -0.25], [-2.0, 0.75, 0.0], [0.0, 0.5, 1.0], [0.0, -0.25, 0.0]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xf16>, tensor<6x3xf16>, tensor<6xi64>
  return %r : tensor<4x3xf16>
}

func.func @mul_bf16(
    %a: tensor<4x3xbf16> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xbf16>},
    %b: tensor<6x3xbf16> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xbf16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xbf16> {values.are = dense<[[0.375, 0.0, -0.25], [-2.0, 0.75, 0.0], [0.0, 0.5, 1.0], [0.0, -0.25, 0.0]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xbf16>, tensor<6x3xbf16>, tensor<6xi64>
  return %r : tensor<4x3xbf16>
}

func.func @max_f32(
    %a: tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf32>},
    %b: tensor<6x3xf32> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf32> {values.are = dense<[[1.5, 2.0, 0.5], [2.0, 1.5, 0.0], [0.0, 0.5, 1.0], [1.5, 1.0, 1.5]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>
  return %r : tensor<4x3xf32>
}

func.func private @max_vjp_of(%a: tensor<4x3xf32>, %b: tensor<6x3xf32>, %c: tensor<6xi64>) -> (tensor<4x3xf32>) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>
  return %r : tensor<4x3xf32>
}
func.func @max_vjp(
    %a: tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf32>},
    %b: tensor<6x3xf32> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>},
    %d: tensor<4x3xf32> {values.are = dense<[[-4.5, -3.5, -2.5], [-1.5, -0.5, 0.5], [1.5, 2.5, 3.5], [4.5, 5.5, 6.5]]> : tensor<4x3xf32>})
    -> (tensor<4x3xf32> {values.are = dense<[[1.5, 2.0, 0.5], [2.0, 1.5, 0.0], [0.0, 0.5, 1.0], [1.5, 1.0, 1.5]]> : tensor<4x3xf64>},
        tensor<4x3xf32> {values.are = dense<[[0.0, 0.0, -1.25], [0.0, -0.5, 0.0], [1.5, 2.5, 3.5], [4.5, 0.0, 0.0]]> : tensor<4x3xf64>},
        tensor<6x3xf32> {values.are = dense<[[0.0, 0.0, 0.5], [0.0, 5.5, 6.5], [-1.5, 0.0, 0.0], [0.0, 0.0, 0.0], [-4.5, -3.5, 0.0], [0.0, 0.0, -1.25]]> : tensor<6x3xf64>}) {
  %v:3 = nn.vjp @max_vjp_of(%a, %b, %c) seed(%d) wrt [] args [0, 1]
      : (tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>), (tensor<4x3xf32>) -> tensor<4x3xf32>, tensor<4x3xf32>, tensor<6x3xf32>
  return %v#0, %v#1, %v#2 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<6x3xf32>
}

func.func @max_f64(
    %a: tensor<4x3xf64> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf64>},
    %b: tensor<6x3xf64> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf64>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf64> {values.are = dense<[[1.5, 2.0, 0.5], [2.0, 1.5, 0.0], [0.0, 0.5, 1.0], [1.5, 1.0, 1.5]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xf64>, tensor<6x3xf64>, tensor<6xi64>
  return %r : tensor<4x3xf64>
}

func.func @max_f16(
    %a: tensor<4x3xf16> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf16>},
    %b: tensor<6x3xf16> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf16> {values.are = dense<[[1.5, 2.0, 0.5], [2.0, 1.5, 0.0], [0.0, 0.5, 1.0], [1.5, 1.0, 1.5]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xf16>, tensor<6x3xf16>, tensor<6xi64>
  return %r : tensor<4x3xf16>
}

func.func @max_bf16(
    %a: tensor<4x3xbf16> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xbf16>},
    %b: tensor<6x3xbf16> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xbf16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xbf16> {values.are = dense<[[1.5, 2.0, 0.5], [2.0, 1.5, 0.0], [0.0, 0.5, 1.0], [1.5, 1.0, 1.5]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xbf16>, tensor<6x3xbf16>, tensor<6xi64>
  return %r : tensor<4x3xbf16>
}

func.func @min_f32(
    %a: tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf32>},
    %b: tensor<6x3xf32> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, -1.0], [-1.0, -1.0, -0.5], [0.0, 0.5, 1.0], [0.0, -0.5, 0.0]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>
  return %r : tensor<4x3xf32>
}

func.func private @min_vjp_of(%a: tensor<4x3xf32>, %b: tensor<6x3xf32>, %c: tensor<6xi64>) -> (tensor<4x3xf32>) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>
  return %r : tensor<4x3xf32>
}
func.func @min_vjp(
    %a: tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf32>},
    %b: tensor<6x3xf32> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>},
    %d: tensor<4x3xf32> {values.are = dense<[[-4.5, -3.5, -2.5], [-1.5, -0.5, 0.5], [1.5, 2.5, 3.5], [4.5, 5.5, 6.5]]> : tensor<4x3xf32>})
    -> (tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, -1.0], [-1.0, -1.0, -0.5], [0.0, 0.5, 1.0], [0.0, -0.5, 0.0]]> : tensor<4x3xf64>},
        tensor<4x3xf32> {values.are = dense<[[-2.25, -1.75, 0.0], [0.0, 0.0, 0.25], [1.5, 2.5, 3.5], [0.0, 5.5, 6.5]]> : tensor<4x3xf64>},
        tensor<6x3xf32> {values.are = dense<[[-1.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, -0.5, 0.25], [4.5, 0.0, 0.0], [0.0, 0.0, -2.5], [-2.25, -1.75, 0.0]]> : tensor<6x3xf64>}) {
  %v:3 = nn.vjp @min_vjp_of(%a, %b, %c) seed(%d) wrt [] args [0, 1]
      : (tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>), (tensor<4x3xf32>) -> tensor<4x3xf32>, tensor<4x3xf32>, tensor<6x3xf32>
  return %v#0, %v#1, %v#2 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<6x3xf32>
}

func.func @min_f64(
    %a: tensor<4x3xf64> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf64>},
    %b: tensor<6x3xf64> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf64>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf64> {values.are = dense<[[-0.5, 0.0, -1.0], [-1.0, -1.0, -0.5], [0.0, 0.5, 1.0], [0.0, -0.5, 0.0]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xf64>, tensor<6x3xf64>, tensor<6xi64>
  return %r : tensor<4x3xf64>
}

func.func @min_f16(
    %a: tensor<4x3xf16> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf16>},
    %b: tensor<6x3xf16> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf16> {values.are = dense<[[-0.5, 0.0, -1.0], [-1.0, -1.0, -0.5], [0.0, 0.5, 1.0], [0.0, -0.5, 0.0]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xf16>, tensor<6x3xf16>, tensor<6xi64>
  return %r : tensor<4x3xf16>
}

func.func @min_bf16(
    %a: tensor<4x3xbf16> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xbf16>},
    %b: tensor<6x3xbf16> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xbf16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xbf16> {values.are = dense<[[-0.5, 0.0, -1.0], [-1.0, -1.0, -0.5], [0.0, 0.5, 1.0], [0.0, -0.5, 0.0]]> : tensor<4x3xf64>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xbf16>, tensor<6x3xbf16>, tensor<6xi64>
  return %r : tensor<4x3xbf16>
}
