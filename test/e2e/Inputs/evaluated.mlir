// Digits by a normalization with running statistics and a dropout, which an
// evaluation computes otherwise than a training; and results of its own: one of
// each sample, one of the batch.
nn.parameter @inner : tensor<24x64xf32> = #nn.init<uniform 0.125>
nn.parameter @scale : tensor<24xf32> = #nn.init<ones>
nn.parameter @bias : tensor<24xf32> = #nn.init<zeros>
nn.parameter frozen @mean : tensor<24xf32> = #nn.init<zeros>
nn.parameter frozen @variance : tensor<24xf32> = #nn.init<ones>
nn.parameter @outer : tensor<10x24xf32> = #nn.init<uniform 0.2>
func.func @model(%x: tensor<16x64xf32> {nn.name = "x"})
    -> (tensor<16x10xf32> {nn.name = "logits"}, tensor<16xf32> {nn.name = "size"},
        tensor<f32> {nn.name = "spread"}) {
  %inner = nn.get @inner : tensor<24x64xf32>
  %scale = nn.get @scale : tensor<24xf32>
  %bias = nn.get @bias : tensor<24xf32>
  %mean = nn.get @mean : tensor<24xf32>
  %variance = nn.get @variance : tensor<24xf32>
  %outer = nn.get @outer : tensor<10x24xf32>
  %h = nn.linear %x, %inner : tensor<16x64xf32>, tensor<24x64xf32> -> tensor<16x24xf32>
  %n = nn.batch_norm %h, %scale, %bias, %mean, %variance axis(1) epsilon(1.0e-5) momentum(0.1)
      : (tensor<16x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<16x24xf32>
  %t = nn.tanh %n : tensor<16x24xf32>
  %d = nn.dropout %t ratio 0.25 stream 0 : tensor<16x24xf32>
  %y = nn.linear %d, %outer : tensor<16x24xf32>, tensor<10x24xf32> -> tensor<16x10xf32>
  %squares = nn.mul %y, %y : tensor<16x10xf32>
  %size = nn.reduce_sum %squares axes [1] : tensor<16x10xf32> -> tensor<16xf32>
  %spread = nn.reduce_max %size axes [0] : tensor<16xf32> -> tensor<f32>
  return %y, %size, %spread : tensor<16x10xf32>, tensor<16xf32>, tensor<f32>
}
