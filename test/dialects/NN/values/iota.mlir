// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @axis_0_i8(
    %a: tensor<i8> {values.are = dense<7> : tensor<i8>})
    -> (tensor<2x3x5xi8> {values.are = dense<[[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]]> : tensor<2x3x5xi8>},
        tensor<1xi8> {values.are = dense<[7]> : tensor<1xi8>}) {
  %r0 = nn.iota axis(0) : tensor<2x3x5xi8>
  %r1 = nn.reshape %a : tensor<i8> -> tensor<1xi8>
  return %r0, %r1 : tensor<2x3x5xi8>, tensor<1xi8>
}

func.func @axis_1_i8(
    %a: tensor<i8> {values.are = dense<7> : tensor<i8>})
    -> (tensor<2x3x5xi8> {values.are = dense<[[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]], [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]]]> : tensor<2x3x5xi8>},
        tensor<1xi8> {values.are = dense<[7]> : tensor<1xi8>}) {
  %r0 = nn.iota axis(1) : tensor<2x3x5xi8>
  %r1 = nn.reshape %a : tensor<i8> -> tensor<1xi8>
  return %r0, %r1 : tensor<2x3x5xi8>, tensor<1xi8>
}

func.func @axis_2_i8(
    %a: tensor<i8> {values.are = dense<7> : tensor<i8>})
    -> (tensor<2x3x5xi8> {values.are = dense<[[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]], [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]]> : tensor<2x3x5xi8>},
        tensor<1xi8> {values.are = dense<[7]> : tensor<1xi8>}) {
  %r0 = nn.iota axis(2) : tensor<2x3x5xi8>
  %r1 = nn.reshape %a : tensor<i8> -> tensor<1xi8>
  return %r0, %r1 : tensor<2x3x5xi8>, tensor<1xi8>
}

func.func @axis_0_i16(
    %a: tensor<i16> {values.are = dense<7> : tensor<i16>})
    -> (tensor<2x3x5xi16> {values.are = dense<[[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]]> : tensor<2x3x5xi16>},
        tensor<1xi16> {values.are = dense<[7]> : tensor<1xi16>}) {
  %r0 = nn.iota axis(0) : tensor<2x3x5xi16>
  %r1 = nn.reshape %a : tensor<i16> -> tensor<1xi16>
  return %r0, %r1 : tensor<2x3x5xi16>, tensor<1xi16>
}

func.func @axis_1_i16(
    %a: tensor<i16> {values.are = dense<7> : tensor<i16>})
    -> (tensor<2x3x5xi16> {values.are = dense<[[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]], [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]]]> : tensor<2x3x5xi16>},
        tensor<1xi16> {values.are = dense<[7]> : tensor<1xi16>}) {
  %r0 = nn.iota axis(1) : tensor<2x3x5xi16>
  %r1 = nn.reshape %a : tensor<i16> -> tensor<1xi16>
  return %r0, %r1 : tensor<2x3x5xi16>, tensor<1xi16>
}

func.func @axis_2_i16(
    %a: tensor<i16> {values.are = dense<7> : tensor<i16>})
    -> (tensor<2x3x5xi16> {values.are = dense<[[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]], [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]]> : tensor<2x3x5xi16>},
        tensor<1xi16> {values.are = dense<[7]> : tensor<1xi16>}) {
  %r0 = nn.iota axis(2) : tensor<2x3x5xi16>
  %r1 = nn.reshape %a : tensor<i16> -> tensor<1xi16>
  return %r0, %r1 : tensor<2x3x5xi16>, tensor<1xi16>
}

func.func @axis_0_i32(
    %a: tensor<i32> {values.are = dense<7> : tensor<i32>})
    -> (tensor<2x3x5xi32> {values.are = dense<[[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]]> : tensor<2x3x5xi32>},
        tensor<1xi32> {values.are = dense<[7]> : tensor<1xi32>}) {
  %r0 = nn.iota axis(0) : tensor<2x3x5xi32>
  %r1 = nn.reshape %a : tensor<i32> -> tensor<1xi32>
  return %r0, %r1 : tensor<2x3x5xi32>, tensor<1xi32>
}

func.func @axis_1_i32(
    %a: tensor<i32> {values.are = dense<7> : tensor<i32>})
    -> (tensor<2x3x5xi32> {values.are = dense<[[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]], [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]]]> : tensor<2x3x5xi32>},
        tensor<1xi32> {values.are = dense<[7]> : tensor<1xi32>}) {
  %r0 = nn.iota axis(1) : tensor<2x3x5xi32>
  %r1 = nn.reshape %a : tensor<i32> -> tensor<1xi32>
  return %r0, %r1 : tensor<2x3x5xi32>, tensor<1xi32>
}

func.func @axis_2_i32(
    %a: tensor<i32> {values.are = dense<7> : tensor<i32>})
    -> (tensor<2x3x5xi32> {values.are = dense<[[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]], [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]]> : tensor<2x3x5xi32>},
        tensor<1xi32> {values.are = dense<[7]> : tensor<1xi32>}) {
  %r0 = nn.iota axis(2) : tensor<2x3x5xi32>
  %r1 = nn.reshape %a : tensor<i32> -> tensor<1xi32>
  return %r0, %r1 : tensor<2x3x5xi32>, tensor<1xi32>
}

func.func @axis_0_i64(
    %a: tensor<i64> {values.are = dense<7> : tensor<i64>})
    -> (tensor<2x3x5xi64> {values.are = dense<[[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]]> : tensor<2x3x5xi64>},
        tensor<1xi64> {values.are = dense<[7]> : tensor<1xi64>}) {
  %r0 = nn.iota axis(0) : tensor<2x3x5xi64>
  %r1 = nn.reshape %a : tensor<i64> -> tensor<1xi64>
  return %r0, %r1 : tensor<2x3x5xi64>, tensor<1xi64>
}

func.func @axis_1_i64(
    %a: tensor<i64> {values.are = dense<7> : tensor<i64>})
    -> (tensor<2x3x5xi64> {values.are = dense<[[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]], [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]]]> : tensor<2x3x5xi64>},
        tensor<1xi64> {values.are = dense<[7]> : tensor<1xi64>}) {
  %r0 = nn.iota axis(1) : tensor<2x3x5xi64>
  %r1 = nn.reshape %a : tensor<i64> -> tensor<1xi64>
  return %r0, %r1 : tensor<2x3x5xi64>, tensor<1xi64>
}

func.func @axis_2_i64(
    %a: tensor<i64> {values.are = dense<7> : tensor<i64>})
    -> (tensor<2x3x5xi64> {values.are = dense<[[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]], [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]]> : tensor<2x3x5xi64>},
        tensor<1xi64> {values.are = dense<[7]> : tensor<1xi64>}) {
  %r0 = nn.iota axis(2) : tensor<2x3x5xi64>
  %r1 = nn.reshape %a : tensor<i64> -> tensor<1xi64>
  return %r0, %r1 : tensor<2x3x5xi64>, tensor<1xi64>
}

func.func @axis_0_ui8(
    %a: tensor<ui8> {values.are = dense<7> : tensor<ui8>})
    -> (tensor<2x3x5xui8> {values.are = dense<[[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]]> : tensor<2x3x5xui8>},
        tensor<1xui8> {values.are = dense<[7]> : tensor<1xui8>}) {
  %r0 = nn.iota axis(0) : tensor<2x3x5xui8>
  %r1 = nn.reshape %a : tensor<ui8> -> tensor<1xui8>
  return %r0, %r1 : tensor<2x3x5xui8>, tensor<1xui8>
}

func.func @axis_1_ui8(
    %a: tensor<ui8> {values.are = dense<7> : tensor<ui8>})
    -> (tensor<2x3x5xui8> {values.are = dense<[[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]], [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]]]> : tensor<2x3x5xui8>},
        tensor<1xui8> {values.are = dense<[7]> : tensor<1xui8>}) {
  %r0 = nn.iota axis(1) : tensor<2x3x5xui8>
  %r1 = nn.reshape %a : tensor<ui8> -> tensor<1xui8>
  return %r0, %r1 : tensor<2x3x5xui8>, tensor<1xui8>
}

func.func @axis_2_ui8(
    %a: tensor<ui8> {values.are = dense<7> : tensor<ui8>})
    -> (tensor<2x3x5xui8> {values.are = dense<[[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]], [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]]> : tensor<2x3x5xui8>},
        tensor<1xui8> {values.are = dense<[7]> : tensor<1xui8>}) {
  %r0 = nn.iota axis(2) : tensor<2x3x5xui8>
  %r1 = nn.reshape %a : tensor<ui8> -> tensor<1xui8>
  return %r0, %r1 : tensor<2x3x5xui8>, tensor<1xui8>
}

func.func @axis_0_ui16(
    %a: tensor<ui16> {values.are = dense<7> : tensor<ui16>})
    -> (tensor<2x3x5xui16> {values.are = dense<[[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]]> : tensor<2x3x5xui16>},
        tensor<1xui16> {values.are = dense<[7]> : tensor<1xui16>}) {
  %r0 = nn.iota axis(0) : tensor<2x3x5xui16>
  %r1 = nn.reshape %a : tensor<ui16> -> tensor<1xui16>
  return %r0, %r1 : tensor<2x3x5xui16>, tensor<1xui16>
}

func.func @axis_1_ui16(
    %a: tensor<ui16> {values.are = dense<7> : tensor<ui16>})
    -> (tensor<2x3x5xui16> {values.are = dense<[[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]], [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]]]> : tensor<2x3x5xui16>},
        tensor<1xui16> {values.are = dense<[7]> : tensor<1xui16>}) {
  %r0 = nn.iota axis(1) : tensor<2x3x5xui16>
  %r1 = nn.reshape %a : tensor<ui16> -> tensor<1xui16>
  return %r0, %r1 : tensor<2x3x5xui16>, tensor<1xui16>
}

func.func @axis_2_ui16(
    %a: tensor<ui16> {values.are = dense<7> : tensor<ui16>})
    -> (tensor<2x3x5xui16> {values.are = dense<[[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]], [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]]> : tensor<2x3x5xui16>},
        tensor<1xui16> {values.are = dense<[7]> : tensor<1xui16>}) {
  %r0 = nn.iota axis(2) : tensor<2x3x5xui16>
  %r1 = nn.reshape %a : tensor<ui16> -> tensor<1xui16>
  return %r0, %r1 : tensor<2x3x5xui16>, tensor<1xui16>
}

func.func @axis_0_ui32(
    %a: tensor<ui32> {values.are = dense<7> : tensor<ui32>})
    -> (tensor<2x3x5xui32> {values.are = dense<[[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]]> : tensor<2x3x5xui32>},
        tensor<1xui32> {values.are = dense<[7]> : tensor<1xui32>}) {
  %r0 = nn.iota axis(0) : tensor<2x3x5xui32>
  %r1 = nn.reshape %a : tensor<ui32> -> tensor<1xui32>
  return %r0, %r1 : tensor<2x3x5xui32>, tensor<1xui32>
}

func.func @axis_1_ui32(
    %a: tensor<ui32> {values.are = dense<7> : tensor<ui32>})
    -> (tensor<2x3x5xui32> {values.are = dense<[[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]], [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]]]> : tensor<2x3x5xui32>},
        tensor<1xui32> {values.are = dense<[7]> : tensor<1xui32>}) {
  %r0 = nn.iota axis(1) : tensor<2x3x5xui32>
  %r1 = nn.reshape %a : tensor<ui32> -> tensor<1xui32>
  return %r0, %r1 : tensor<2x3x5xui32>, tensor<1xui32>
}

func.func @axis_2_ui32(
    %a: tensor<ui32> {values.are = dense<7> : tensor<ui32>})
    -> (tensor<2x3x5xui32> {values.are = dense<[[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]], [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]]> : tensor<2x3x5xui32>},
        tensor<1xui32> {values.are = dense<[7]> : tensor<1xui32>}) {
  %r0 = nn.iota axis(2) : tensor<2x3x5xui32>
  %r1 = nn.reshape %a : tensor<ui32> -> tensor<1xui32>
  return %r0, %r1 : tensor<2x3x5xui32>, tensor<1xui32>
}

func.func @axis_0_ui64(
    %a: tensor<ui64> {values.are = dense<7> : tensor<ui64>})
    -> (tensor<2x3x5xui64> {values.are = dense<[[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]]> : tensor<2x3x5xui64>},
        tensor<1xui64> {values.are = dense<[7]> : tensor<1xui64>}) {
  %r0 = nn.iota axis(0) : tensor<2x3x5xui64>
  %r1 = nn.reshape %a : tensor<ui64> -> tensor<1xui64>
  return %r0, %r1 : tensor<2x3x5xui64>, tensor<1xui64>
}

func.func @axis_1_ui64(
    %a: tensor<ui64> {values.are = dense<7> : tensor<ui64>})
    -> (tensor<2x3x5xui64> {values.are = dense<[[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]], [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2]]]> : tensor<2x3x5xui64>},
        tensor<1xui64> {values.are = dense<[7]> : tensor<1xui64>}) {
  %r0 = nn.iota axis(1) : tensor<2x3x5xui64>
  %r1 = nn.reshape %a : tensor<ui64> -> tensor<1xui64>
  return %r0, %r1 : tensor<2x3x5xui64>, tensor<1xui64>
}

func.func @axis_2_ui64(
    %a: tensor<ui64> {values.are = dense<7> : tensor<ui64>})
    -> (tensor<2x3x5xui64> {values.are = dense<[[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]], [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]]> : tensor<2x3x5xui64>},
        tensor<1xui64> {values.are = dense<[7]> : tensor<1xui64>}) {
  %r0 = nn.iota axis(2) : tensor<2x3x5xui64>
  %r1 = nn.reshape %a : tensor<ui64> -> tensor<1xui64>
  return %r0, %r1 : tensor<2x3x5xui64>, tensor<1xui64>
}
