amp.recipe loss<mse> precision(fp16) loss_scale<dynamic> optimizer<sgd>
nn.parameter @w : tensor<3x2xf32> = #nn.init<ones>
func.func @model(%x: tensor<4x2xf32> {nn.name = "x"}) -> (tensor<4x3xf32> {nn.name = "y"}) {
  %w = nn.get @w : tensor<3x2xf32>
  %y = nn.linear %x, %w : tensor<4x2xf32>, tensor<3x2xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
