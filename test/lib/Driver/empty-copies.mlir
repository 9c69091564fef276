// What has no elements lies nowhere, and is not copied.
// RUN: mpc-eval %s --inputs=%inputs/exports/kinks.safetensors --outputs=%t
// RUN: FileCheck %s < %t
// CHECK: "z"{{.*}}"shape":[0,8]
func.func @model(%x: tensor<4x4xf32> {nn.name = "weights"}) -> (tensor<0x8xf32> {nn.name = "z"}) {
  %a = nn.slice %x [0, 0] to [0, 4] by [1, 1] : tensor<4x4xf32> -> tensor<0x4xf32>
  %z = nn.concat %a, %a axis(1) : tensor<0x4xf32>, tensor<0x4xf32> -> tensor<0x8xf32>
  return %z : tensor<0x8xf32>
}
