// Ops of the domain acme: squareplus, (x + sqrt(x^2 + b)) / 2, in two sizes,
// which computes in f32; and a gate, y * sigmoid(x W), in the low type.
func.func @squareplus_hidden(%x: tensor<4x6xf32>, %b: tensor<f32> {nn.attribute = "b"}) -> tensor<4x6xf32>
    attributes {nn.op = "acme::SquarePlus", nn.rule = "keep-f32"} {
  %half = nn.constant dense<0.5> : tensor<4x6xf32>
  %offset = nn.broadcast %b axes [] : tensor<f32> -> tensor<4x6xf32>
  %square = nn.mul %x, %x : tensor<4x6xf32>
  %sum = nn.add %square, %offset : tensor<4x6xf32>
  %root = nn.sqrt %sum : tensor<4x6xf32>
  %both = nn.add %x, %root : tensor<4x6xf32>
  %y = nn.mul %both, %half : tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

func.func @squareplus_row(%x: tensor<4x3xf32>, %b: tensor<f32> {nn.attribute = "b"}) -> tensor<4x3xf32>
    attributes {nn.op = "acme::SquarePlus", nn.rule = "keep-f32"} {
  %half = nn.constant dense<0.5> : tensor<4x3xf32>
  %offset = nn.broadcast %b axes [] : tensor<f32> -> tensor<4x3xf32>
  %square = nn.mul %x, %x : tensor<4x3xf32>
  %sum = nn.add %square, %offset : tensor<4x3xf32>
  %root = nn.sqrt %sum : tensor<4x3xf32>
  %both = nn.add %x, %root : tensor<4x3xf32>
  %y = nn.mul %both, %half : tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

func.func @gate(%x: tensor<4x6xf32>, %w: tensor<6x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    attributes {nn.op = "acme::Gate", nn.rule = "lower"} {
  %h = nn.matmul %x, %w : tensor<4x6xf32>, tensor<6x6xf32> -> tensor<4x6xf32>
  %g = nn.sigmoid %h : tensor<4x6xf32>
  %y = nn.mul %x, %g : tensor<4x6xf32>
  return %y, %g : tensor<4x6xf32>, tensor<4x6xf32>
}
