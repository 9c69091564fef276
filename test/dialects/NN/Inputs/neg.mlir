// Values that are wrong, in each way that mpc-check-values tells apart.
func.func @number(%a: tensor<2xf32> {values.are = dense<[1.0, 2.0]> : tensor<2xf32>})
    -> (tensor<2xf32> {values.are = dense<[-1.0, -2.0000002]> : tensor<2xf64>}) {
  %r = nn.neg %a : tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @zero(%a: tensor<1xf32> {values.are = dense<0.0> : tensor<1xf32>})
    -> (tensor<1xf32> {values.are = dense<0.0> : tensor<1xf64>}) {
  %r = nn.neg %a : tensor<1xf32>
  return %r : tensor<1xf32>
}
func.func @not_a_number(%a: tensor<1xf16> {values.are = dense<0x7E00> : tensor<1xf16>})
    -> (tensor<1xf16> {values.are = dense<1.0> : tensor<1xf64>, values.ulps = 1000.0}) {
  %r = nn.neg %a : tensor<1xf16>
  return %r : tensor<1xf16>
}
func.func @integer(%a: tensor<2xi8> {values.are = dense<[1, -1]> : tensor<2xi8>})
    -> (tensor<2xi8> {values.are = dense<[1, 1]> : tensor<2xi8>}) {
  %r = nn.reshape %a : tensor<2xi8> -> tensor<2xi8>
  return %r : tensor<2xi8>
}
func.func @within(%a: tensor<1xf32> {values.are = dense<1.0> : tensor<1xf32>})
    -> (tensor<1xf32> {values.are = dense<-1.0000001> : tensor<1xf64>, values.ulps = 1.0}) {
  %r = nn.neg %a : tensor<1xf32>
  return %r : tensor<1xf32>
}
