// The end of a language model of 65536 tokens: tiles of the largest side, and logits whose places are no 32 bits.
nn.parameter @fc.weight : tensor<768x768xf32> = #nn.init<normal 0.02>
nn.parameter @fc.bias : tensor<768xf32> = #nn.init<zeros>
nn.parameter @head.weight : tensor<50304x768xf32> = #nn.init<normal 0.02>
func.func @model(%x: tensor<65536x768xf32> {nn.name = "x"}) -> (tensor<65536x50304xf32> {nn.name = "logits"}) {
  %weight = nn.get @fc.weight : tensor<768x768xf32>
  %bias = nn.get @fc.bias : tensor<768xf32>
  %hidden = nn.linear %x, %weight bias %bias : tensor<768xf32> : tensor<65536x768xf32>, tensor<768x768xf32> -> tensor<65536x768xf32>
  %head = nn.get @head.weight : tensor<50304x768xf32>
  %logits = nn.linear %hidden, %head : tensor<65536x768xf32>, tensor<50304x768xf32> -> tensor<65536x50304xf32>
  return %logits : tensor<65536x50304xf32>
}
