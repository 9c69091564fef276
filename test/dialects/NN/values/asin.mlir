// Made by test/support/values: formulas in float64 that share no code with mpc.
// Results are to be these values rounded once, or off by at most `values.ulps`
// units in the last place, at their own magnitude or at `values.at`.
// RUN: mpc-check-values %s

func.func @f32(
    %a: tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.0010000000474974513, -0.0010000000474974513, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0, -1.5, 0x7FC00000, 0.0, -0.0]> : tensor<14xf32>})
    -> (tensor<14xf32> {values.are = dense<[0.0, -0.0, 0.0010000002141642168, -0.0010000002141642168, 0.5235987755982989, -0.5235987755982989, 0.848062078981481, -0.848062078981481, 1.5707963267948966, -1.5707963267948966, 0x7FF8000000000000, 0x7FF8000000000000, 0.0, -0.0]> : tensor<14xf64>, values.ulps = 4.0}) {
  %r = nn.asin %a : tensor<14xf32>
  return %r : tensor<14xf32>
}

func.func private @f32_vjp_of(%a: tensor<10xf32>) -> (tensor<10xf32>) {
  %r = nn.asin %a : tensor<10xf32>
  return %r : tensor<10xf32>
}
func.func @f32_vjp(
    %a: tensor<10xf32> {values.are = dense<[0.0, -0.0, 0.0010000000474974513, -0.0010000000474974513, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0]> : tensor<10xf32>},
    %b: tensor<10xf32> {values.are = dense<[1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0]> : tensor<10xf32>})
    -> (tensor<10xf32> {values.are = dense<[0.0, -0.0, 0.0010000002141642168, -0.0010000002141642168, 0.5235987755982989, -0.5235987755982989, 0.848062078981481, -0.848062078981481, 1.5707963267948966, -1.5707963267948966]> : tensor<10xf64>, values.ulps = 4.0},
        tensor<10xf32> {values.are = dense<[1.0, -0.5, 0.7500003750003168, 1.0000005000004224, -0.5773502691896258, 0.8660254037844388, 1.5118578920369088, -0.7559289460184544, 0x7FF0000000000000, 0x7FF0000000000000]> : tensor<10xf64>, values.ulps = 10.0}) {
  %v:2 = nn.vjp @f32_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<10xf32>), (tensor<10xf32>) -> tensor<10xf32>, tensor<10xf32>
  return %v#0, %v#1 : tensor<10xf32>, tensor<10xf32>
}

func.func @f64(
    %a: tensor<14xf64> {values.are = dense<[0.0, -0.0, 0.001, -0.001, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0, -1.5, 0x7FF8000000000000, 0.0, -0.0]> : tensor<14xf64>})
    -> (tensor<14xf64> {values.are = dense<[0.0, -0.0, 0.0010000001666667416, -0.0010000001666667416, 0.5235987755982989, -0.5235987755982989, 0.848062078981481, -0.848062078981481, 1.5707963267948966, -1.5707963267948966, 0x7FF8000000000000, 0x7FF8000000000000, 0.0, -0.0]> : tensor<14xf64>, values.ulps = 4.0}) {
  %r = nn.asin %a : tensor<14xf64>
  return %r : tensor<14xf64>
}

func.func private @f64_vjp_of(%a: tensor<10xf64>) -> (tensor<10xf64>) {
  %r = nn.asin %a : tensor<10xf64>
  return %r : tensor<10xf64>
}
func.func @f64_vjp(
    %a: tensor<10xf64> {values.are = dense<[0.0, -0.0, 0.001, -0.001, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0]> : tensor<10xf64>},
    %b: tensor<10xf64> {values.are = dense<[1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0]> : tensor<10xf64>})
    -> (tensor<10xf64> {values.are = dense<[0.0, -0.0, 0.0010000001666667416, -0.0010000001666667416, 0.5235987755982989, -0.5235987755982989, 0.848062078981481, -0.848062078981481, 1.5707963267948966, -1.5707963267948966]> : tensor<10xf64>, values.ulps = 4.0},
        tensor<10xf64> {values.are = dense<[1.0, -0.5, 0.7500003750002812, 1.0000005000003749, -0.5773502691896258, 0.8660254037844388, 1.5118578920369088, -0.7559289460184544, 0x7FF0000000000000, 0x7FF0000000000000]> : tensor<10xf64>, values.ulps = 10.0}) {
  %v:2 = nn.vjp @f64_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<10xf64>), (tensor<10xf64>) -> tensor<10xf64>, tensor<10xf64>
  return %v#0, %v#1 : tensor<10xf64>, tensor<10xf64>
}

func.func @f16(
    %a: tensor<14xf16> {values.are = dense<[0.0, -0.0, 0.0010004043579101562, -0.0010004043579101562, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0, -1.5, 0x7E00, 0.0, -0.0]> : tensor<14xf16>})
    -> (tensor<14xf16> {values.are = dense<[0.0, -0.0, 0.0010004045247791588, -0.0010004045247791588, 0.5235987755982989, -0.5235987755982989, 0.848062078981481, -0.848062078981481, 1.5707963267948966, -1.5707963267948966, 0x7FF8000000000000, 0x7FF8000000000000, 0.0, -0.0]> : tensor<14xf64>, values.ulps = 0.50048828125}) {
  %r = nn.asin %a : tensor<14xf16>
  return %r : tensor<14xf16>
}

func.func private @f16_vjp_of(%a: tensor<10xf16>) -> (tensor<10xf16>) {
  %r = nn.asin %a : tensor<10xf16>
  return %r : tensor<10xf16>
}
func.func @f16_vjp(
    %a: tensor<10xf16> {values.are = dense<[0.0, -0.0, 0.0010004043579101562, -0.0010004043579101562, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0]> : tensor<10xf16>},
    %b: tensor<10xf16> {values.are = dense<[1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0]> : tensor<10xf16>})
    -> (tensor<10xf16> {values.are = dense<[0.0, -0.0, 0.0010004045247791588, -0.0010004045247791588, 0.5235987755982989, -0.5235987755982989, 0.848062078981481, -0.848062078981481, 1.5707963267948966, -1.5707963267948966]> : tensor<10xf64>, values.ulps = 0.50048828125},
        tensor<10xf16> {values.are = dense<[1.0, -0.5, 0.7500003753036115, 1.0000005004048154, -0.5773502691896258, 0.8660254037844388, 1.5118578920369088, -0.7559289460184544, 0x7FF0000000000000, 0x7FF0000000000000]> : tensor<10xf64>, values.ulps = 0.51}) {
  %v:2 = nn.vjp @f16_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<10xf16>), (tensor<10xf16>) -> tensor<10xf16>, tensor<10xf16>
  return %v#0, %v#1 : tensor<10xf16>, tensor<10xf16>
}

func.func @bf16(
    %a: tensor<14xbf16> {values.are = dense<[0.0, -0.0, 0.00099945068359375, -0.00099945068359375, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0, -1.5, 0x7FC0, 0.0, -0.0]> : tensor<14xbf16>})
    -> (tensor<14xbf16> {values.are = dense<[0.0, -0.0, 0.0009994508499859842, -0.0009994508499859842, 0.5235987755982989, -0.5235987755982989, 0.848062078981481, -0.848062078981481, 1.5707963267948966, -1.5707963267948966, 0x7FF8000000000000, 0x7FF8000000000000, 0.0, -0.0]> : tensor<14xf64>, values.ulps = 0.50048828125}) {
  %r = nn.asin %a : tensor<14xbf16>
  return %r : tensor<14xbf16>
}

func.func private @bf16_vjp_of(%a: tensor<10xbf16>) -> (tensor<10xbf16>) {
  %r = nn.asin %a : tensor<10xbf16>
  return %r : tensor<10xbf16>
}
func.func @bf16_vjp(
    %a: tensor<10xbf16> {values.are = dense<[0.0, -0.0, 0.00099945068359375, -0.00099945068359375, 0.5, -0.5, 0.75, -0.75, 1.0, -1.0]> : tensor<10xbf16>},
    %b: tensor<10xbf16> {values.are = dense<[1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0, -0.5, 0.75, 1.0]> : tensor<10xbf16>})
    -> (tensor<10xbf16> {values.are = dense<[0.0, -0.0, 0.0009994508499859842, -0.0009994508499859842, 0.5235987755982989, -0.5235987755982989, 0.848062078981481, -0.848062078981481, 1.5707963267948966, -1.5707963267948966]> : tensor<10xf64>, values.ulps = 0.50048828125},
        tensor<10xbf16> {values.are = dense<[1.0, -0.5, 0.7500003745884065, 1.0000004994512086, -0.5773502691896258, 0.8660254037844388, 1.5118578920369088, -0.7559289460184544, 0x7FF0000000000000, 0x7FF0000000000000]> : tensor<10xf64>, values.ulps = 0.51}) {
  %v:2 = nn.vjp @bf16_vjp_of(%a) seed(%b) wrt [] args [0]
      : (tensor<10xbf16>), (tensor<10xbf16>) -> tensor<10xbf16>, tensor<10xbf16>
  return %v#0, %v#1 : tensor<10xbf16>, tensor<10xbf16>
}
