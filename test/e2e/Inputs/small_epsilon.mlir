// Logits over a norm kept finite by 1e-8, which f16 does not hold.
nn.parameter @fc.weight : tensor<10x64xf32> = #nn.init<uniform 0.125>
func.func @model(%x: tensor<8x64xf32> {nn.name = "x"}) -> (tensor<8x10xf32> {nn.name = "logits"}) {
  %w = nn.get @fc.weight : tensor<10x64xf32>
  %y = nn.linear %x, %w : tensor<8x64xf32>, tensor<10x64xf32> -> tensor<8x10xf32>
  %eps = nn.constant dense<1.0e-8> : tensor<8x10xf32>
  %0 = nn.abs %y : tensor<8x10xf32>
  %1 = nn.add %0, %eps : tensor<8x10xf32> loc("norm/Add")
  %2 = nn.div %y, %1 : tensor<8x10xf32>
  return %2 : tensor<8x10xf32>
}
