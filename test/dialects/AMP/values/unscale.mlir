// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @times_f32(
    %a: tensor<14xf32> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.30000001192092896, -0.0071000000461936, 96.0, 3.4028234663852886e+38, -3.4028234663852886e+38, 1.401298464324817e-45, -4.203895392974451e-45, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>},
    %b: tensor<f32> {values.are = dense<1.52587890625e-05> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 2.288818359375e-05, -3.4332275390625e-05, 4.57763690064894e-06, -1.083374030486084e-07, 0.00146484375, 5.192296549049818e+33, -5.192296549049818e+33, 0.0, -0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.unscale %a by %b : tensor<14xf32> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @times_f16(
    %a: tensor<14xf16> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.300048828125, -0.007099151611328125, 96.0, 65504.0, -65504.0, 5.960464477539063e-08, -1.7881393432617188e-07, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>},
    %b: tensor<f32> {values.are = dense<1.52587890625e-05> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 2.288818359375e-05, -3.4332275390625e-05, 4.578381776809692e-06, -1.0832445695996284e-07, 0.00146484375, 0.99951171875, -0.99951171875, 9.094947017729282e-13, -2.7284841053187847e-12, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.unscale %a by %b : tensor<14xf16> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @times_bf16(
    %a: tensor<14xbf16> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.30078125, -0.007110595703125, 96.0, 3.3895313892515355e+38, -3.3895313892515355e+38, 9.183549615799121e-41, -2.7550648847397363e-40, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>},
    %b: tensor<f32> {values.are = dense<1.52587890625e-05> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 2.288818359375e-05, -3.4332275390625e-05, 4.589557647705078e-06, -1.0849907994270325e-07, 0.00146484375, 5.172014448931176e+33, -5.172014448931176e+33, 1.401298464324817e-45, -4.203895392974451e-45, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.unscale %a by %b : tensor<14xbf16> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @odd_f32(
    %a: tensor<14xf32> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.30000001192092896, -0.0071000000461936, 96.0, 3.4028234663852886e+38, -3.4028234663852886e+38, 1.401298464324817e-45, -4.203895392974451e-45, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>},
    %b: tensor<f32> {values.are = dense<0.3333333432674408> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.5, -0.75, 0.10000000894069672, -0.0023666666820645332, 32.0, 1.1342744887950962e+38, -1.1342744887950962e+38, 0.0, -1.401298464324817e-45, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.unscale %a by %b : tensor<14xf32> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @odd_f16(
    %a: tensor<14xf16> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.300048828125, -0.007099151611328125, 96.0, 65504.0, -65504.0, 5.960464477539063e-08, -1.7881393432617188e-07, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>},
    %b: tensor<f32> {values.are = dense<0.3333333432674408> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.5, -0.75, 0.1000162810087204, -0.0023663840256631374, 32.0, 21834.66796875, -21834.66796875, 1.9868215517249155e-08, -5.960464477539063e-08, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.unscale %a by %b : tensor<14xf16> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @odd_bf16(
    %a: tensor<14xbf16> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.30078125, -0.007110595703125, 96.0, 3.3895313892515355e+38, -3.3895313892515355e+38, 9.183549615799121e-41, -2.7550648847397363e-40, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>},
    %b: tensor<f32> {values.are = dense<0.3333333432674408> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.5, -0.75, 0.1002604216337204, -0.0023701987229287624, 32.0, 1.1298437964171785e+38, -1.1298437964171785e+38, 3.061136495317563e-41, -9.183549615799121e-41, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.unscale %a by %b : tensor<14xbf16> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @over_f32(
    %a: tensor<14xf32> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.30000001192092896, -0.0071000000461936, 96.0, 3.4028234663852886e+38, -3.4028234663852886e+38, 1.401298464324817e-45, -4.203895392974451e-45, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<14xf32>},
    %b: tensor<f32> {values.are = dense<3.0> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.5, -0.75, 0.10000000149011612, -0.0023666666820645332, 32.0, 1.1342744887950962e+38, -1.1342744887950962e+38, 0.0, -1.401298464324817e-45, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.unscale %a by %b divide : tensor<14xf32> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @over_f16(
    %a: tensor<14xf16> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.300048828125, -0.007099151611328125, 96.0, 65504.0, -65504.0, 5.960464477539063e-08, -1.7881393432617188e-07, 0x7C00, 0xFC00, 0x7E00]> : tensor<14xf16>},
    %b: tensor<f32> {values.are = dense<3.0> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.5, -0.75, 0.1000162735581398, -0.0023663837928324938, 32.0, 21834.666015625, -21834.666015625, 1.9868215517249155e-08, -5.960464477539063e-08, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.unscale %a by %b divide : tensor<14xf16> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func @over_bf16(
    %a: tensor<14xbf16> {values.are = dense<[0.0, -0.0, 1.5, -2.25, 0.30078125, -0.007110595703125, 96.0, 3.3895313892515355e+38, -3.3895313892515355e+38, 9.183549615799121e-41, -2.7550648847397363e-40, 0x7F80, 0xFF80, 0x7FC0]> : tensor<14xbf16>},
    %b: tensor<f32> {values.are = dense<3.0> : tensor<f32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.5, -0.75, 0.1002604141831398, -0.0023701984900981188, 32.0, 1.1298437964171785e+38, -1.1298437964171785e+38, 3.061136495317563e-41, -9.183549615799121e-41, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<14xf64>}) {
  %r = amp.unscale %a by %b divide : tensor<14xbf16> -> tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func private @vjp_f32_of(%a: tensor<3xf32>, %b: tensor<f32>) -> (tensor<3xf32>) {
  %r = amp.unscale %a by %b : tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @vjp_f32(
    %a: tensor<3xf32> {values.are = dense<[1.0, -2.0, 0.75]> : tensor<3xf32>},
    %b: tensor<f32> {values.are = dense<0.125> : tensor<f32>},
    %c: tensor<3xf32> {values.are = dense<[0.5, -3.0, 96.0]> : tensor<3xf32>})
    -> (tensor<3xf32> {values.are = dense<[0.125, -0.25, 0.09375]> : tensor<3xf64>},
        tensor<3xf32> {values.are = dense<[0.0625, -0.375, 12.0]> : tensor<3xf64>}) {
  %v:2 = nn.vjp @vjp_f32_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<3xf32>, tensor<f32>), (tensor<3xf32>) -> tensor<3xf32>, tensor<3xf32>
  return %v#0, %v#1 : tensor<3xf32>, tensor<3xf32>
}

func.func private @vjp_f16_of(%a: tensor<3xf16>, %b: tensor<f32>) -> (tensor<3xf32>) {
  %r = amp.unscale %a by %b : tensor<3xf16> -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @vjp_f16(
    %a: tensor<3xf16> {values.are = dense<[1.0, -2.0, 0.75]> : tensor<3xf16>},
    %b: tensor<f32> {values.are = dense<0.125> : tensor<f32>},
    %c: tensor<3xf32> {values.are = dense<[0.5, -3.0, 96.0]> : tensor<3xf32>})
    -> (tensor<3xf32> {values.are = dense<[0.125, -0.25, 0.09375]> : tensor<3xf64>},
        tensor<3xf16> {values.are = dense<[0.0625, -0.375, 12.0]> : tensor<3xf64>}) {
  %v:2 = nn.vjp @vjp_f16_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<3xf16>, tensor<f32>), (tensor<3xf32>) -> tensor<3xf32>, tensor<3xf16>
  return %v#0, %v#1 : tensor<3xf32>, tensor<3xf16>
}

func.func private @vjp_bf16_of(%a: tensor<3xbf16>, %b: tensor<f32>) -> (tensor<3xf32>) {
  %r = amp.unscale %a by %b : tensor<3xbf16> -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @vjp_bf16(
    %a: tensor<3xbf16> {values.are = dense<[1.0, -2.0, 0.75]> : tensor<3xbf16>},
    %b: tensor<f32> {values.are = dense<0.125> : tensor<f32>},
    %c: tensor<3xf32> {values.are = dense<[0.5, -3.0, 96.0]> : tensor<3xf32>})
    -> (tensor<3xf32> {values.are = dense<[0.125, -0.25, 0.09375]> : tensor<3xf64>},
        tensor<3xbf16> {values.are = dense<[0.0625, -0.375, 12.0]> : tensor<3xf64>}) {
  %v:2 = nn.vjp @vjp_bf16_of(%a, %b) seed(%c) wrt [] args [0]
      : (tensor<3xbf16>, tensor<f32>), (tensor<3xf32>) -> tensor<3xf32>, tensor<3xbf16>
  return %v#0, %v#1 : tensor<3xf32>, tensor<3xbf16>
}
