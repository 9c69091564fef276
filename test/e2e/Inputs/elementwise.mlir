// One vector of parameters, a mean of squares: a model that compiles in a moment.
nn.parameter @w : tensor<64xf32> = <uniform 0.125>
func.func @model(%x: tensor<8x64xf32> {nn.name = "x"}) -> (tensor<f32> {nn.name = "loss"}) {
  %w = nn.get @w : tensor<64xf32>
  %rows = nn.broadcast %w axes [1] : tensor<64xf32> -> tensor<8x64xf32>
  %product = nn.mul %x, %rows : tensor<8x64xf32>
  %square = nn.mul %product, %product : tensor<8x64xf32>
  %loss = nn.reduce_sum %square axes [0, 1] : tensor<8x64xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
