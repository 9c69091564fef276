// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @by_f32(
    %a: tensor<14xf32> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.30000001192092896, -0.0071000000461936, 96.0, 3.4028234663852886e+38, -3.4028234663852886e+38, 1.401298464324817e-45, -4.203895392974451e-45, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>},
    %b: tensor<f32> {values.are = dense<0.30000001192092896> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.45000001788139343, -0.675000011920929, 0.09000000357627869, -0.002130000153556466, 28.80000114440918, 1.0208470399155866e+38, -1.0208470399155866e+38, 0.0, -1.401298464324817e-45, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.clip %a by %b : tensor<14xf32> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @by_f16(
    %a: tensor<14xf16> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.300048828125, -0.007099151611328125, 96.0, 65504.0, -65504.0, 5.960464477539063e-08, -1.7881393432617188e-07, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>},
    %b: tensor<f32> {values.are = dense<0.30000001192092896> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.45000001788139343, -0.675000011920929, 0.09001465141773224, -0.0021297456696629524, 28.80000114440918, 19651.201171875, -19651.201171875, 1.7881394143159923e-08, -5.364418242947977e-08, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.clip %a by %b : tensor<14xf16> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @by_bf16(
    %a: tensor<14xbf16> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.30078125, -0.007110595703125, 96.0, 3.3895313892515355e+38, -3.3895313892515355e+38, 9.183549615799121e-41, -2.7550648847397363e-40, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>},
    %b: tensor<f32> {values.are = dense<0.30000001192092896> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.45000001788139343, -0.675000011920929, 0.09023437649011612, -0.0021331787575036287, 28.80000114440918, 1.0168594167754606e+38, -1.0168594167754606e+38, 2.755092910709023e-41, -8.265138602280636e-41, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.clip %a by %b : tensor<14xbf16> -> tensor<14xf32>
  return %r : tensor<14xf32>
}
