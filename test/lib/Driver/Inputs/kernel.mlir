#i = affine_map<(i) -> (i)>

kernel.func map @copy(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  kernel.return %r : tensor<4xf32>
}
