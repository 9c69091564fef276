// Not one of the kinds of kernels.
kernel.func fast @k(%d: tensor<4xf32>) -> tensor<4xf32> {
  kernel.return %d : tensor<4xf32>
}
