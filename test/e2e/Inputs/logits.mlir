// A sum of each row by a vector of parameters: logits of ten classes.
nn.parameter @w : tensor<10xf32> = <uniform 0.125>
func.func @model(%x: tensor<8x64xf32> {nn.name = "x"}) -> (tensor<8x10xf32> {nn.name = "logits"}) {
  %s = nn.reduce_sum %x axes [1] : tensor<8x64xf32> -> tensor<8xf32>
  %rows = nn.broadcast %s axes [0] : tensor<8xf32> -> tensor<8x10xf32>
  %w = nn.get @w : tensor<10xf32>
  %ws = nn.broadcast %w axes [1] : tensor<10xf32> -> tensor<8x10xf32>
  %p = nn.mul %rows, %ws : tensor<8x10xf32>
  return %p : tensor<8x10xf32>
}
