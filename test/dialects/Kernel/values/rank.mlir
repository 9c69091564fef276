// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @one_i8(
    %a: tensor<2x1xi8> {values.are = dense<[[7], [-7]]> : tensor<2x1xi8>})
    -> (tensor<2x1xi64> {values.are = dense<[[0], [0]]> : tensor<2x1xi64>}) {
  %e = tensor.empty() : tensor<2x1xi64>
  %r = kernel.rank ins(%a : tensor<2x1xi8>) outs(%e : tensor<2x1xi64>)
  return %r : tensor<2x1xi64>
}

func.func @rows_i8(
    %a: tensor<2x8xi8> {values.are = dense<[[3, -1, 127, -1, 0, -128, 3, 1], [-128, -127, 2, 0, 127, -3, 127, -128]]> : tensor<2x8xi8>})
    -> (tensor<2x8xi64> {values.are = dense<[[5, 1, 7, 2, 3, 0, 6, 4], [0, 2, 5, 4, 6, 3, 7, 1]]> : tensor<2x8xi64>}) {
  %e = tensor.empty() : tensor<2x8xi64>
  %r = kernel.rank ins(%a : tensor<2x8xi8>) outs(%e : tensor<2x8xi64>)
  return %r : tensor<2x8xi64>
}

func.func @one_i16(
    %a: tensor<2x1xi16> {values.are = dense<[[7], [-7]]> : tensor<2x1xi16>})
    -> (tensor<2x1xi64> {values.are = dense<[[0], [0]]> : tensor<2x1xi64>}) {
  %e = tensor.empty() : tensor<2x1xi64>
  %r = kernel.rank ins(%a : tensor<2x1xi16>) outs(%e : tensor<2x1xi64>)
  return %r : tensor<2x1xi64>
}

func.func @rows_i16(
    %a: tensor<2x8xi16> {values.are = dense<[[3, -1, 32767, -1, 0, -32768, 3, 1], [-32768, -32767, 2, 0, 32767, -3, 32767, -32768]]> : tensor<2x8xi16>})
    -> (tensor<2x8xi64> {values.are = dense<[[5, 1, 7, 2, 3, 0, 6, 4], [0, 2, 5, 4, 6, 3, 7, 1]]> : tensor<2x8xi64>}) {
  %e = tensor.empty() : tensor<2x8xi64>
  %r = kernel.rank ins(%a : tensor<2x8xi16>) outs(%e : tensor<2x8xi64>)
  return %r : tensor<2x8xi64>
}

func.func @one_i32(
    %a: tensor<2x1xi32> {values.are = dense<[[7], [-7]]> : tensor<2x1xi32>})
    -> (tensor<2x1xi64> {values.are = dense<[[0], [0]]> : tensor<2x1xi64>}) {
  %e = tensor.empty() : tensor<2x1xi64>
  %r = kernel.rank ins(%a : tensor<2x1xi32>) outs(%e : tensor<2x1xi64>)
  return %r : tensor<2x1xi64>
}

func.func @rows_i32(
    %a: tensor<2x8xi32> {values.are = dense<[[3, -1, 2147483647, -1, 0, -2147483648, 3, 1], [-2147483648, -2147483647, 2, 0, 2147483647, -3, 2147483647, -2147483648]]> : tensor<2x8xi32>})
    -> (tensor<2x8xi64> {values.are = dense<[[5, 1, 7, 2, 3, 0, 6, 4], [0, 2, 5, 4, 6, 3, 7, 1]]> : tensor<2x8xi64>}) {
  %e = tensor.empty() : tensor<2x8xi64>
  %r = kernel.rank ins(%a : tensor<2x8xi32>) outs(%e : tensor<2x8xi64>)
  return %r : tensor<2x8xi64>
}

func.func @one_i64(
    %a: tensor<2x1xi64> {values.are = dense<[[7], [-7]]> : tensor<2x1xi64>})
    -> (tensor<2x1xi64> {values.are = dense<[[0], [0]]> : tensor<2x1xi64>}) {
  %e = tensor.empty() : tensor<2x1xi64>
  %r = kernel.rank ins(%a : tensor<2x1xi64>) outs(%e : tensor<2x1xi64>)
  return %r : tensor<2x1xi64>
}

func.func @rows_i64(
    %a: tensor<2x8xi64> {values.are = dense<[[3, -1, 9223372036854775807, -1, 0, -9223372036854775808, 3, 1], [-9223372036854775808, -9223372036854775807, 2, 0, 9223372036854775807, -3, 9223372036854775807, -9223372036854775808]]> : tensor<2x8xi64>})
    -> (tensor<2x8xi64> {values.are = dense<[[5, 1, 7, 2, 3, 0, 6, 4], [0, 2, 5, 4, 6, 3, 7, 1]]> : tensor<2x8xi64>}) {
  %e = tensor.empty() : tensor<2x8xi64>
  %r = kernel.rank ins(%a : tensor<2x8xi64>) outs(%e : tensor<2x8xi64>)
  return %r : tensor<2x8xi64>
}
