// Two batch normalizations that share their running statistics.
nn.parameter @scale : tensor<3xf32> = <external>
nn.parameter @bias : tensor<3xf32> = <external>
nn.parameter frozen @mean : tensor<3xf32> = <external>
nn.parameter frozen @variance : tensor<3xf32> = <external>
nn.parameter @weight : tensor<2x12xf32> = <external>
func.func @model(%x: tensor<6x3x4xf32> {nn.name = "x"}) -> (tensor<6x2xf32> {nn.name = "y"}) {
  %scale = nn.get @scale : tensor<3xf32>
  %bias = nn.get @bias : tensor<3xf32>
  %mean = nn.get @mean : tensor<3xf32>
  %variance = nn.get @variance : tensor<3xf32>
  %weight = nn.get @weight : tensor<2x12xf32>
  %0 = nn.batch_norm %x, %scale, %bias, %mean, %variance axis(1) epsilon(0.01) momentum(0.25)
      : (tensor<6x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<6x3x4xf32>
  %1 = nn.tanh %0 : tensor<6x3x4xf32>
  %2 = nn.batch_norm %1, %scale, %bias, %mean, %variance axis(1) epsilon(0.01) momentum(0.25)
      : (tensor<6x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<6x3x4xf32>
  %3 = nn.reshape %2 : tensor<6x3x4xf32> -> tensor<6x12xf32>
  %4 = nn.linear %3, %weight : tensor<6x12xf32>, tensor<2x12xf32> -> tensor<6x2xf32>
  return %4 : tensor<6x2xf32>
}
