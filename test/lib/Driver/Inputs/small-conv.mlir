// Of the second convolution, which is strided, the step has the gradient of the input too.
nn.parameter @first : tensor<8x1x3x3xf32> = #nn.init<uniform 0.3>
nn.parameter @second : tensor<16x8x3x3xf32> = #nn.init<uniform 0.1>
nn.parameter @out : tensor<10x16xf32> = #nn.init<uniform 0.3>
func.func @model(%x: tensor<8x1x8x8xf32> {nn.name = "x"}) -> (tensor<8x10xf32> {nn.name = "logits"}) {
  %first = nn.get @first : tensor<8x1x3x3xf32>
  %second = nn.get @second : tensor<16x8x3x3xf32>
  %out = nn.get @out : tensor<10x16xf32>
  %0 = nn.conv %x, %first strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups(1) : tensor<8x1x8x8xf32>, tensor<8x1x3x3xf32> -> tensor<8x8x8x8xf32>
  %1 = nn.relu %0 : tensor<8x8x8x8xf32>
  %2 = nn.conv %1, %second strides [2, 2] low [1, 1] high [1, 1] dilations [1, 1] groups(1) : tensor<8x8x8x8xf32>, tensor<16x8x3x3xf32> -> tensor<8x16x4x4xf32>
  %3 = nn.relu %2 : tensor<8x16x4x4xf32>
  %4 = nn.reduce_sum %3 axes [2, 3] : tensor<8x16x4x4xf32> -> tensor<8x16xf32>
  %y = nn.linear %4, %out : tensor<8x16xf32>, tensor<10x16xf32> -> tensor<8x10xf32>
  return %y : tensor<8x10xf32>
}
