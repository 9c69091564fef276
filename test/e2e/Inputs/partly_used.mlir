// A model that trains one parameter of three: one is not read, one only compared.
nn.parameter @fc.weight : tensor<10x64xf32> = #nn.init<uniform 0.125>
nn.parameter @unread : tensor<7xf32> = #nn.init<normal 1.0>
nn.parameter @unused.weight : tensor<64x64xf32> = #nn.init<normal 1.0>
func.func @model(%x: tensor<8x64xf32> {nn.name = "x"}) -> (tensor<8x10xf32> {nn.name = "logits"}) {
  %w = nn.get @fc.weight : tensor<10x64xf32>
  %u = nn.get @unused.weight : tensor<64x64xf32>
  %zero = nn.constant dense<0.0> : tensor<64x64xf32>
  %positive = nn.compare gt %u, %zero : tensor<64x64xf32> -> tensor<64x64xi1>
  %one = nn.constant dense<1.0> : tensor<64x64xf32>
  %mask = nn.select %positive, %one, %zero : tensor<64x64xi1>, tensor<64x64xf32>
  %h = nn.matmul %x, %mask : tensor<8x64xf32>, tensor<64x64xf32> -> tensor<8x64xf32>
  %y = nn.linear %h, %w : tensor<8x64xf32>, tensor<10x64xf32> -> tensor<8x10xf32>
  return %y : tensor<8x10xf32>
}
