// Results whose columns are the pixels of images are asked for as well, though
// the columns of a panel may lie in two images.

// RUN: rm -rf %t && mkdir -p %t
// RUN: mpc-compile %s --eval --cpu=x86-64-v4 -o %t/model.mpc
// RUN: mpc-inspect %t/model.mpc --extract=%t/files
// RUN: llvm-objdump -d --no-show-raw-insn %t/files/kernels.o > %t/code.s
// RUN: FileCheck %s --input-file=%t/code.s

// 8 channels of 196 pixels, two lines of 16 each.
// CHECK: prefetcht0 (%[[RESULT:[a-z0-9]+]],%[[PLACE:[a-z0-9]+]],4)
// CHECK-NEXT: prefetcht0 0x40(%[[RESULT]],%[[PLACE]],4)
// CHECK-NEXT: prefetcht0 0x310(%[[RESULT]],%[[PLACE]],4)
// CHECK-NEXT: prefetcht0 0x350(%[[RESULT]],%[[PLACE]],4)
// CHECK-COUNT-11: prefetcht0 {{0x[0-9a-f]+}}(%[[RESULT]],%[[PLACE]],4)
// CHECK-NEXT: prefetcht0 0x15b0(%[[RESULT]],%[[PLACE]],4)

func.func @model(%x: tensor<8x64x14x14xf32> {nn.name = "x"}, %w: tensor<256x64x1x1xf32> {nn.name = "w"}) -> (tensor<8x256x14x14xf32> {nn.name = "y"}) {
  %y = nn.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1) : tensor<8x64x14x14xf32>, tensor<256x64x1x1xf32> -> tensor<8x256x14x14xf32>
  return %y : tensor<8x256x14x14xf32>
}
