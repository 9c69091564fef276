func.func @f(%a: tensor<1xf32> {values.are = dense<1.0> : tensor<1xf32>})
    -> (tensor<1xf32> {values.are = dense<0.0> : tensor<1xf32>}) {
  %r = nn.log %a : tensor<1xf32>
  return %r : tensor<1xf32>
}
