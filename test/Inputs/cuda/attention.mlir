// Attention in forms that ask for registers: dropout, a mask of truth values, numbers that are added under a
// bound, and rows of 256.
nn.parameter @q : tensor<64x64xf32> = #nn.init<normal 0.1>
nn.parameter @k : tensor<64x64xf32> = #nn.init<normal 0.1>
nn.parameter @deep : tensor<256x64xf32> = #nn.init<normal 0.1>
func.func @model(%x: tensor<2x4x160x64xf32> {nn.name = "x"}, %m: tensor<2x1x160x160xi1> {nn.name = "mask"}, %b: tensor<1x4x160x160xf32> {nn.name = "bias"}) -> (tensor<2x4x160x256xf32> {nn.name = "y"}) {
  %wq = nn.get @q : tensor<64x64xf32>
  %wk = nn.get @k : tensor<64x64xf32>
  %wd = nn.get @deep : tensor<256x64xf32>
  %q = nn.linear %x, %wq : tensor<2x4x160x64xf32>, tensor<64x64xf32> -> tensor<2x4x160x64xf32>
  %k = nn.linear %x, %wk : tensor<2x4x160x64xf32>, tensor<64x64xf32> -> tensor<2x4x160x64xf32>
  %0, %m0, %s0 = nn.attention %q, %k, %k scale(0.125) causal dropout(0.1) stream 0 : tensor<2x4x160x64xf32>, tensor<2x4x160x64xf32>, tensor<2x4x160x64xf32> -> tensor<2x4x160x64xf32>, tensor<2x4x160xf32>, tensor<2x4x160xf32>
  %1, %m1, %s1 = nn.attention %0, %k, %q mask %m : tensor<2x1x160x160xi1> scale(0.125) : tensor<2x4x160x64xf32>, tensor<2x4x160x64xf32>, tensor<2x4x160x64xf32> -> tensor<2x4x160x64xf32>, tensor<2x4x160xf32>, tensor<2x4x160xf32>
  %2, %m2, %s2 = nn.attention %1, %k, %0 mask %b : tensor<1x4x160x160xf32> scale(0.125) softcap(20.0) causal window(50) : tensor<2x4x160x64xf32>, tensor<2x4x160x64xf32>, tensor<2x4x160x64xf32> -> tensor<2x4x160x64xf32>, tensor<2x4x160xf32>, tensor<2x4x160xf32>
  %d = nn.linear %2, %wd : tensor<2x4x160x64xf32>, tensor<256x64xf32> -> tensor<2x4x160x256xf32>
  %3, %m3, %s3 = nn.attention %d, %d, %d scale(0.0625) : tensor<2x4x160x256xf32>, tensor<2x4x160x256xf32>, tensor<2x4x160x256xf32> -> tensor<2x4x160x256xf32>, tensor<2x4x160xf32>, tensor<2x4x160xf32>
  return %3 : tensor<2x4x160x256xf32>
}
