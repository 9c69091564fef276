// RUN: mpc-opt %s --cpu-attach-target=lanes=8 --kernel-schedule | FileCheck %s --check-prefix=AVX2
// RUN: mpc-opt %s --cpu-attach-target=lanes=16 --kernel-schedule | FileCheck %s --check-prefix=AVX512
// RUN: mpc-opt %s --cpu-attach-target="lanes=16 bf16=avx512_bf16" --kernel-schedule | FileCheck %s --check-prefix=PAIRS
// RUN: mpc-opt %s --cpu-attach-target="lanes=16 naive" --kernel-schedule | FileCheck %s --check-prefix=NAIVE
// Blocks of attention: they follow from sizes, type, lanes and unit. Few heads
// of long rows are cut into pieces, up to 64 chunks in all. Keys are whole
// micro-tiles both as columns and as rows.

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>

// AVX2-LABEL:   @long
// AVX2-SAME:    #cpu.attention<chunks = 32, lanes = 8, pieces = 16, block = [66, 144], micro = [6, 16]>
// AVX512-LABEL: @long
// AVX512-SAME:  #cpu.attention<chunks = 32, lanes = 16, pieces = 16, block = [64, 128], micro = [8, 32]>
// PAIRS-LABEL:  @long
// PAIRS-SAME:   #cpu.attention<chunks = 32, lanes = 16, pieces = 16, block = [64, 256], micro = [8, 32], unit = avx512_bf16>
// NAIVE-LABEL:  @long
// NAIVE-SAME:   #cpu.attention<chunks = 32, lanes = 16, pieces = 16, block = [64, 128], micro = [8, 32], scalar = true>
kernel.func attention @long(%q: tensor<1x2x1024x8xbf16>, %o: tensor<1x2x1024x8xbf16>, %l: tensor<1x2x1024xf32>) -> (tensor<1x2x1024x8xbf16>, tensor<1x2x1024xf32>) {
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x2x1024x8xbf16>, tensor<1x2x1024x8xbf16>, tensor<1x2x1024x8xbf16>) outs(%o, %l, %l : tensor<1x2x1024x8xbf16>, tensor<1x2x1024xf32>, tensor<1x2x1024xf32>) sizes [1, 2, 2, 1024, 1024, 8, 8] scale 1.0 maps [#all, #all, #all, #all, #rows, #rows] -> tensor<1x2x1024x8xbf16>, tensor<1x2x1024xf32>, tensor<1x2x1024xf32>
  kernel.return %0#0, %0#1 : tensor<1x2x1024x8xbf16>, tensor<1x2x1024xf32>
}

// AVX512-LABEL: @heads
// AVX512-SAME:  #cpu.attention<chunks = 60, lanes = 16, pieces = 3, block = [64, 32], micro = [8, 32]>
kernel.func attention @heads(%q: tensor<2x10x256x8xf32>, %k: tensor<2x10x4x8xf32>, %o: tensor<2x10x256x8xf32>, %l: tensor<2x10x256xf32>) -> (tensor<2x10x256x8xf32>, tensor<2x10x256xf32>) {
  %0:3 = kernel.attention ins(%q, %k, %k : tensor<2x10x256x8xf32>, tensor<2x10x4x8xf32>, tensor<2x10x4x8xf32>) outs(%o, %l, %l : tensor<2x10x256x8xf32>, tensor<2x10x256xf32>, tensor<2x10x256xf32>) sizes [2, 10, 10, 256, 4, 8, 8] scale 1.0 maps [#all, #all, #all, #all, #rows, #rows] -> tensor<2x10x256x8xf32>, tensor<2x10x256xf32>, tensor<2x10x256xf32>
  kernel.return %0#0, %0#1 : tensor<2x10x256x8xf32>, tensor<2x10x256xf32>
}
