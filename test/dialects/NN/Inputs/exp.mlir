func.func @f(%a: tensor<1xf32>) -> tensor<1xf32> {
  %r = nn.abs %a : tensor<1xf32>
  return %r : tensor<1xf32>
}
