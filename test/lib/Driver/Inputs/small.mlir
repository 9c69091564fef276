// Few threads, so that steps are quick in the emulator.
nn.parameter @w : tensor<16x64xf32> = #nn.init<uniform 0.1>
nn.parameter @b : tensor<16xf32> = #nn.init<zeros>
nn.parameter @out : tensor<10x16xf32> = #nn.init<uniform 0.3>
func.func @model(%x: tensor<8x64xf32> {nn.name = "x"}) -> (tensor<8x10xf32> {nn.name = "logits"}) {
  %w = nn.get @w : tensor<16x64xf32>
  %b = nn.get @b : tensor<16xf32>
  %out = nn.get @out : tensor<10x16xf32>
  %h = nn.linear %x, %w bias %b : tensor<16xf32> : tensor<8x64xf32>, tensor<16x64xf32> -> tensor<8x16xf32>
  %a = nn.relu %h : tensor<8x16xf32>
  %y = nn.linear %a, %out : tensor<8x16xf32>, tensor<10x16xf32> -> tensor<8x10xf32>
  return %y : tensor<8x10xf32>
}
