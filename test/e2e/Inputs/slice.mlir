// One token of a row is taken off: a view that begins at its byte 4.
nn.parameter @w : tensor<64x16xf32> = #nn.init<uniform 0.125>
func.func @model(%x: tensor<1x65xf32> {nn.name = "x"}) -> (tensor<1x16xf32> {nn.name = "y"}) {
  %w = nn.get @w : tensor<64x16xf32>
  %p = nn.slice %x [0, 1] to [1, 65] by [1, 1] : tensor<1x65xf32> -> tensor<1x64xf32>
  %g = nn.tanh %p : tensor<1x64xf32>
  %y = nn.matmul %g, %w : tensor<1x64xf32>, tensor<64x16xf32> -> tensor<1x16xf32>
  return %y : tensor<1x16xf32>
}
