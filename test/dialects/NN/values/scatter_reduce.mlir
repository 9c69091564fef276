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

func.func @mul_and_old(
    %a: tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf32>},
    %b: tensor<6x3xf32> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf32> {values.are = dense<[[0.75, 0.0, -0.5], [-4.0, 1.5, 0.0], [0.0, 1.0, 2.0], [0.0, -0.5, 0.0]]> : tensor<4x3xf64>},
        tensor<4x3xf32> {values.are = dense<[[1.75, 0.0, -1.5], [-6.0, -1.5, 1.0], [0.0, 0.0, 0.0], [-3.0, 0.5, 0.0]]> : tensor<4x3xf64>}) {
  %p = nn.add %a, %a : tensor<4x3xf32>
  %r0 = nn.scatter_reduce mul %p, %b, %c : tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>
  %r1 = nn.sub %r0, %p : tensor<4x3xf32>
  return %r0, %r1 : tensor<4x3xf32>, tensor<4x3xf32>
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

func.func @mul_i8(
    %a: tensor<4x3xi8> {values.are = dense<[[1, -1, 3], [127, -128, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi8>},
    %b: tensor<6x3xi8> {values.are = dense<[[0, 1, -1], [3, -7, 100], [127, -128, 0], [1, -1, 3], [-7, 100, 127], [-128, 0, 1]]> : tensor<6x3xi8>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi8> {values.are = dense<[[-128, 0, 125], [0, 0, 0], [3, -7, 100], [0, 7, -44]]> : tensor<4x3xi8>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xi8>, tensor<6x3xi8>, tensor<6xi64>
  return %r : tensor<4x3xi8>
}

func.func @mul_i16(
    %a: tensor<4x3xi16> {values.are = dense<[[1, -1, 3], [32767, -32768, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi16>},
    %b: tensor<6x3xi16> {values.are = dense<[[0, 1, -1], [3, -7, 100], [32767, -32768, 0], [1, -1, 3], [-7, 100, 32767], [-32768, 0, 1]]> : tensor<6x3xi16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi16> {values.are = dense<[[-32768, 0, 32765], [0, 0, 0], [3, -7, 100], [0, 7, -300]]> : tensor<4x3xi16>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xi16>, tensor<6x3xi16>, tensor<6xi64>
  return %r : tensor<4x3xi16>
}

func.func @mul_i32(
    %a: tensor<4x3xi32> {values.are = dense<[[1, -1, 3], [2147483647, -2147483648, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi32>},
    %b: tensor<6x3xi32> {values.are = dense<[[0, 1, -1], [3, -7, 100], [2147483647, -2147483648, 0], [1, -1, 3], [-7, 100, 2147483647], [-2147483648, 0, 1]]> : tensor<6x3xi32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi32> {values.are = dense<[[-2147483648, 0, 2147483645], [0, 0, 0], [3, -7, 100], [0, 7, -300]]> : tensor<4x3xi32>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xi32>, tensor<6x3xi32>, tensor<6xi64>
  return %r : tensor<4x3xi32>
}

func.func @mul_i64(
    %a: tensor<4x3xi64> {values.are = dense<[[1, -1, 3], [9223372036854775807, -9223372036854775808, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi64>},
    %b: tensor<6x3xi64> {values.are = dense<[[0, 1, -1], [3, -7, 100], [9223372036854775807, -9223372036854775808, 0], [1, -1, 3], [-7, 100, 9223372036854775807], [-9223372036854775808, 0, 1]]> : tensor<6x3xi64>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi64> {values.are = dense<[[-9223372036854775808, 0, 9223372036854775805], [0, 0, 0], [3, -7, 100], [0, 7, -300]]> : tensor<4x3xi64>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xi64>, tensor<6x3xi64>, tensor<6xi64>
  return %r : tensor<4x3xi64>
}

func.func @mul_ui8(
    %a: tensor<4x3xui8> {values.are = dense<[[1, 255, 3], [127, 128, 0], [3, 249, 100], [0, 1, 255]]> : tensor<4x3xui8>},
    %b: tensor<6x3xui8> {values.are = dense<[[0, 1, 255], [3, 249, 100], [127, 128, 0], [1, 255, 3], [249, 100, 127], [128, 0, 1]]> : tensor<6x3xui8>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui8> {values.are = dense<[[128, 0, 125], [0, 0, 0], [3, 249, 100], [0, 7, 212]]> : tensor<4x3xui8>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xui8>, tensor<6x3xui8>, tensor<6xi64>
  return %r : tensor<4x3xui8>
}

func.func @mul_ui16(
    %a: tensor<4x3xui16> {values.are = dense<[[1, 65535, 3], [32767, 32768, 0], [3, 65529, 100], [0, 1, 65535]]> : tensor<4x3xui16>},
    %b: tensor<6x3xui16> {values.are = dense<[[0, 1, 65535], [3, 65529, 100], [32767, 32768, 0], [1, 65535, 3], [65529, 100, 32767], [32768, 0, 1]]> : tensor<6x3xui16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui16> {values.are = dense<[[32768, 0, 32765], [0, 0, 0], [3, 65529, 100], [0, 7, 65236]]> : tensor<4x3xui16>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xui16>, tensor<6x3xui16>, tensor<6xi64>
  return %r : tensor<4x3xui16>
}

func.func @mul_ui32(
    %a: tensor<4x3xui32> {values.are = dense<[[1, 4294967295, 3], [2147483647, 2147483648, 0], [3, 4294967289, 100], [0, 1, 4294967295]]> : tensor<4x3xui32>},
    %b: tensor<6x3xui32> {values.are = dense<[[0, 1, 4294967295], [3, 4294967289, 100], [2147483647, 2147483648, 0], [1, 4294967295, 3], [4294967289, 100, 2147483647], [2147483648, 0, 1]]> : tensor<6x3xui32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui32> {values.are = dense<[[2147483648, 0, 2147483645], [0, 0, 0], [3, 4294967289, 100], [0, 7, 4294966996]]> : tensor<4x3xui32>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xui32>, tensor<6x3xui32>, tensor<6xi64>
  return %r : tensor<4x3xui32>
}

func.func @mul_ui64(
    %a: tensor<4x3xui64> {values.are = dense<[[1, 18446744073709551615, 3], [9223372036854775807, 9223372036854775808, 0], [3, 18446744073709551609, 100], [0, 1, 18446744073709551615]]> : tensor<4x3xui64>},
    %b: tensor<6x3xui64> {values.are = dense<[[0, 1, 18446744073709551615], [3, 18446744073709551609, 100], [9223372036854775807, 9223372036854775808, 0], [1, 18446744073709551615, 3], [18446744073709551609, 100, 9223372036854775807], [9223372036854775808, 0, 1]]> : tensor<6x3xui64>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui64> {values.are = dense<[[9223372036854775808, 0, 9223372036854775805], [0, 0, 0], [3, 18446744073709551609, 100], [0, 7, 18446744073709551316]]> : tensor<4x3xui64>}) {
  %r = nn.scatter_reduce mul %a, %b, %c : tensor<4x3xui64>, tensor<6x3xui64>, tensor<6xi64>
  return %r : tensor<4x3xui64>
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

func.func @max_and_old(
    %a: tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf32>},
    %b: tensor<6x3xf32> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf32> {values.are = dense<[[1.5, 2.0, 1.0], [2.0, 3.0, 0.0], [0.0, 1.0, 2.0], [3.0, 1.0, 1.5]]> : tensor<4x3xf64>},
        tensor<4x3xf32> {values.are = dense<[[2.5, 2.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 2.0, 1.5]]> : tensor<4x3xf64>}) {
  %p = nn.add %a, %a : tensor<4x3xf32>
  %r0 = nn.scatter_reduce max %p, %b, %c : tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>
  %r1 = nn.sub %r0, %p : tensor<4x3xf32>
  return %r0, %r1 : tensor<4x3xf32>, tensor<4x3xf32>
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

func.func @max_i8(
    %a: tensor<4x3xi8> {values.are = dense<[[1, -1, 3], [127, -128, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi8>},
    %b: tensor<6x3xi8> {values.are = dense<[[0, 1, -1], [3, -7, 100], [127, -128, 0], [1, -1, 3], [-7, 100, 127], [-128, 0, 1]]> : tensor<6x3xi8>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi8> {values.are = dense<[[1, 100, 127], [127, 1, 0], [3, -7, 100], [3, 1, 100]]> : tensor<4x3xi8>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xi8>, tensor<6x3xi8>, tensor<6xi64>
  return %r : tensor<4x3xi8>
}

func.func @max_i16(
    %a: tensor<4x3xi16> {values.are = dense<[[1, -1, 3], [32767, -32768, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi16>},
    %b: tensor<6x3xi16> {values.are = dense<[[0, 1, -1], [3, -7, 100], [32767, -32768, 0], [1, -1, 3], [-7, 100, 32767], [-32768, 0, 1]]> : tensor<6x3xi16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi16> {values.are = dense<[[1, 100, 32767], [32767, 1, 0], [3, -7, 100], [3, 1, 100]]> : tensor<4x3xi16>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xi16>, tensor<6x3xi16>, tensor<6xi64>
  return %r : tensor<4x3xi16>
}

func.func @max_i32(
    %a: tensor<4x3xi32> {values.are = dense<[[1, -1, 3], [2147483647, -2147483648, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi32>},
    %b: tensor<6x3xi32> {values.are = dense<[[0, 1, -1], [3, -7, 100], [2147483647, -2147483648, 0], [1, -1, 3], [-7, 100, 2147483647], [-2147483648, 0, 1]]> : tensor<6x3xi32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi32> {values.are = dense<[[1, 100, 2147483647], [2147483647, 1, 0], [3, -7, 100], [3, 1, 100]]> : tensor<4x3xi32>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xi32>, tensor<6x3xi32>, tensor<6xi64>
  return %r : tensor<4x3xi32>
}

func.func @max_i64(
    %a: tensor<4x3xi64> {values.are = dense<[[1, -1, 3], [9223372036854775807, -9223372036854775808, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi64>},
    %b: tensor<6x3xi64> {values.are = dense<[[0, 1, -1], [3, -7, 100], [9223372036854775807, -9223372036854775808, 0], [1, -1, 3], [-7, 100, 9223372036854775807], [-9223372036854775808, 0, 1]]> : tensor<6x3xi64>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi64> {values.are = dense<[[1, 100, 9223372036854775807], [9223372036854775807, 1, 0], [3, -7, 100], [3, 1, 100]]> : tensor<4x3xi64>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xi64>, tensor<6x3xi64>, tensor<6xi64>
  return %r : tensor<4x3xi64>
}

func.func @max_ui8(
    %a: tensor<4x3xui8> {values.are = dense<[[1, 255, 3], [127, 128, 0], [3, 249, 100], [0, 1, 255]]> : tensor<4x3xui8>},
    %b: tensor<6x3xui8> {values.are = dense<[[0, 1, 255], [3, 249, 100], [127, 128, 0], [1, 255, 3], [249, 100, 127], [128, 0, 1]]> : tensor<6x3xui8>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui8> {values.are = dense<[[249, 255, 127], [127, 128, 255], [3, 249, 100], [3, 255, 255]]> : tensor<4x3xui8>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xui8>, tensor<6x3xui8>, tensor<6xi64>
  return %r : tensor<4x3xui8>
}

func.func @max_ui16(
    %a: tensor<4x3xui16> {values.are = dense<[[1, 65535, 3], [32767, 32768, 0], [3, 65529, 100], [0, 1, 65535]]> : tensor<4x3xui16>},
    %b: tensor<6x3xui16> {values.are = dense<[[0, 1, 65535], [3, 65529, 100], [32767, 32768, 0], [1, 65535, 3], [65529, 100, 32767], [32768, 0, 1]]> : tensor<6x3xui16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui16> {values.are = dense<[[65529, 65535, 32767], [32767, 32768, 65535], [3, 65529, 100], [3, 65535, 65535]]> : tensor<4x3xui16>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xui16>, tensor<6x3xui16>, tensor<6xi64>
  return %r : tensor<4x3xui16>
}

func.func @max_ui32(
    %a: tensor<4x3xui32> {values.are = dense<[[1, 4294967295, 3], [2147483647, 2147483648, 0], [3, 4294967289, 100], [0, 1, 4294967295]]> : tensor<4x3xui32>},
    %b: tensor<6x3xui32> {values.are = dense<[[0, 1, 4294967295], [3, 4294967289, 100], [2147483647, 2147483648, 0], [1, 4294967295, 3], [4294967289, 100, 2147483647], [2147483648, 0, 1]]> : tensor<6x3xui32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui32> {values.are = dense<[[4294967289, 4294967295, 2147483647], [2147483647, 2147483648, 4294967295], [3, 4294967289, 100], [3, 4294967295, 4294967295]]> : tensor<4x3xui32>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xui32>, tensor<6x3xui32>, tensor<6xi64>
  return %r : tensor<4x3xui32>
}

func.func @max_ui64(
    %a: tensor<4x3xui64> {values.are = dense<[[1, 18446744073709551615, 3], [9223372036854775807, 9223372036854775808, 0], [3, 18446744073709551609, 100], [0, 1, 18446744073709551615]]> : tensor<4x3xui64>},
    %b: tensor<6x3xui64> {values.are = dense<[[0, 1, 18446744073709551615], [3, 18446744073709551609, 100], [9223372036854775807, 9223372036854775808, 0], [1, 18446744073709551615, 3], [18446744073709551609, 100, 9223372036854775807], [9223372036854775808, 0, 1]]> : tensor<6x3xui64>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui64> {values.are = dense<[[18446744073709551609, 18446744073709551615, 9223372036854775807], [9223372036854775807, 9223372036854775808, 18446744073709551615], [3, 18446744073709551609, 100], [3, 18446744073709551615, 18446744073709551615]]> : tensor<4x3xui64>}) {
  %r = nn.scatter_reduce max %a, %b, %c : tensor<4x3xui64>, tensor<6x3xui64>, tensor<6xi64>
  return %r : tensor<4x3xui64>
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

func.func @min_and_old(
    %a: tensor<4x3xf32> {values.are = dense<[[-0.5, 0.0, 0.5], [1.0, 1.5, -0.5], [0.0, 0.5, 1.0], [1.5, -0.5, 0.0]]> : tensor<4x3xf32>},
    %b: tensor<6x3xf32> {values.are = dense<[[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5], [2.0, -1.0, -0.5], [0.0, 0.5, 1.0], [1.5, 2.0, -1.0], [-0.5, 0.0, 0.5]]> : tensor<6x3xf32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xf32> {values.are = dense<[[-1.0, 0.0, -1.0], [-1.0, -1.0, -1.0], [0.0, 1.0, 2.0], [0.0, -1.0, 0.0]]> : tensor<4x3xf64>},
        tensor<4x3xf32> {values.are = dense<[[0.0, 0.0, -2.0], [-3.0, -4.0, 0.0], [0.0, 0.0, 0.0], [-3.0, 0.0, 0.0]]> : tensor<4x3xf64>}) {
  %p = nn.add %a, %a : tensor<4x3xf32>
  %r0 = nn.scatter_reduce min %p, %b, %c : tensor<4x3xf32>, tensor<6x3xf32>, tensor<6xi64>
  %r1 = nn.sub %r0, %p : tensor<4x3xf32>
  return %r0, %r1 : tensor<4x3xf32>, tensor<4x3xf32>
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

func.func @min_i8(
    %a: tensor<4x3xi8> {values.are = dense<[[1, -1, 3], [127, -128, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi8>},
    %b: tensor<6x3xi8> {values.are = dense<[[0, 1, -1], [3, -7, 100], [127, -128, 0], [1, -1, 3], [-7, 100, 127], [-128, 0, 1]]> : tensor<6x3xi8>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi8> {values.are = dense<[[-128, -1, 1], [0, -128, -1], [3, -7, 100], [0, -7, -1]]> : tensor<4x3xi8>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xi8>, tensor<6x3xi8>, tensor<6xi64>
  return %r : tensor<4x3xi8>
}

func.func @min_i16(
    %a: tensor<4x3xi16> {values.are = dense<[[1, -1, 3], [32767, -32768, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi16>},
    %b: tensor<6x3xi16> {values.are = dense<[[0, 1, -1], [3, -7, 100], [32767, -32768, 0], [1, -1, 3], [-7, 100, 32767], [-32768, 0, 1]]> : tensor<6x3xi16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi16> {values.are = dense<[[-32768, -1, 1], [0, -32768, -1], [3, -7, 100], [0, -7, -1]]> : tensor<4x3xi16>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xi16>, tensor<6x3xi16>, tensor<6xi64>
  return %r : tensor<4x3xi16>
}

func.func @min_i32(
    %a: tensor<4x3xi32> {values.are = dense<[[1, -1, 3], [2147483647, -2147483648, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi32>},
    %b: tensor<6x3xi32> {values.are = dense<[[0, 1, -1], [3, -7, 100], [2147483647, -2147483648, 0], [1, -1, 3], [-7, 100, 2147483647], [-2147483648, 0, 1]]> : tensor<6x3xi32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi32> {values.are = dense<[[-2147483648, -1, 1], [0, -2147483648, -1], [3, -7, 100], [0, -7, -1]]> : tensor<4x3xi32>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xi32>, tensor<6x3xi32>, tensor<6xi64>
  return %r : tensor<4x3xi32>
}

func.func @min_i64(
    %a: tensor<4x3xi64> {values.are = dense<[[1, -1, 3], [9223372036854775807, -9223372036854775808, 0], [3, -7, 100], [0, 1, -1]]> : tensor<4x3xi64>},
    %b: tensor<6x3xi64> {values.are = dense<[[0, 1, -1], [3, -7, 100], [9223372036854775807, -9223372036854775808, 0], [1, -1, 3], [-7, 100, 9223372036854775807], [-9223372036854775808, 0, 1]]> : tensor<6x3xi64>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xi64> {values.are = dense<[[-9223372036854775808, -1, 1], [0, -9223372036854775808, -1], [3, -7, 100], [0, -7, -1]]> : tensor<4x3xi64>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xi64>, tensor<6x3xi64>, tensor<6xi64>
  return %r : tensor<4x3xi64>
}

func.func @min_ui8(
    %a: tensor<4x3xui8> {values.are = dense<[[1, 255, 3], [127, 128, 0], [3, 249, 100], [0, 1, 255]]> : tensor<4x3xui8>},
    %b: tensor<6x3xui8> {values.are = dense<[[0, 1, 255], [3, 249, 100], [127, 128, 0], [1, 255, 3], [249, 100, 127], [128, 0, 1]]> : tensor<6x3xui8>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui8> {values.are = dense<[[1, 0, 1], [0, 1, 0], [3, 249, 100], [0, 1, 3]]> : tensor<4x3xui8>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xui8>, tensor<6x3xui8>, tensor<6xi64>
  return %r : tensor<4x3xui8>
}

func.func @min_ui16(
    %a: tensor<4x3xui16> {values.are = dense<[[1, 65535, 3], [32767, 32768, 0], [3, 65529, 100], [0, 1, 65535]]> : tensor<4x3xui16>},
    %b: tensor<6x3xui16> {values.are = dense<[[0, 1, 65535], [3, 65529, 100], [32767, 32768, 0], [1, 65535, 3], [65529, 100, 32767], [32768, 0, 1]]> : tensor<6x3xui16>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui16> {values.are = dense<[[1, 0, 1], [0, 1, 0], [3, 65529, 100], [0, 1, 3]]> : tensor<4x3xui16>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xui16>, tensor<6x3xui16>, tensor<6xi64>
  return %r : tensor<4x3xui16>
}

func.func @min_ui32(
    %a: tensor<4x3xui32> {values.are = dense<[[1, 4294967295, 3], [2147483647, 2147483648, 0], [3, 4294967289, 100], [0, 1, 4294967295]]> : tensor<4x3xui32>},
    %b: tensor<6x3xui32> {values.are = dense<[[0, 1, 4294967295], [3, 4294967289, 100], [2147483647, 2147483648, 0], [1, 4294967295, 3], [4294967289, 100, 2147483647], [2147483648, 0, 1]]> : tensor<6x3xui32>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui32> {values.are = dense<[[1, 0, 1], [0, 1, 0], [3, 4294967289, 100], [0, 1, 3]]> : tensor<4x3xui32>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xui32>, tensor<6x3xui32>, tensor<6xi64>
  return %r : tensor<4x3xui32>
}

func.func @min_ui64(
    %a: tensor<4x3xui64> {values.are = dense<[[1, 18446744073709551615, 3], [9223372036854775807, 9223372036854775808, 0], [3, 18446744073709551609, 100], [0, 1, 18446744073709551615]]> : tensor<4x3xui64>},
    %b: tensor<6x3xui64> {values.are = dense<[[0, 1, 18446744073709551615], [3, 18446744073709551609, 100], [9223372036854775807, 9223372036854775808, 0], [1, 18446744073709551615, 3], [18446744073709551609, 100, 9223372036854775807], [9223372036854775808, 0, 1]]> : tensor<6x3xui64>},
    %c: tensor<6xi64> {values.are = dense<[1, -1, 1, 9, -9, 0]> : tensor<6xi64>})
    -> (tensor<4x3xui64> {values.are = dense<[[1, 0, 1], [0, 1, 0], [3, 18446744073709551609, 100], [0, 1, 3]]> : tensor<4x3xui64>}) {
  %r = nn.scatter_reduce min %a, %b, %c : tensor<4x3xui64>, tensor<6x3xui64>, tensor<6xi64>
  return %r : tensor<4x3xui64>
}
