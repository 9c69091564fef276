// RUN: mpc-opt %s --cuda-attach-target=arch=90 --kernel-schedule | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: mpc-opt %s --cuda-attach-target=arch=86 --kernel-schedule | FileCheck %s --check-prefixes=CHECK,SM86
// RUN: mpc-opt %s --cuda-attach-target=arch=75 --kernel-schedule | FileCheck %s --check-prefixes=CHECK,SM75
// RUN: mpc-opt %s --cuda-attach-target="arch=90 naive" --kernel-schedule | FileCheck %s --check-prefixes=CHECK,NAIVE
// RUN: mpc-opt %s --cuda-attach-target=arch=90 --kernel-schedule --kernel-emit --cuda-print-text | FileCheck %s --check-prefix=TEXT
// RUN: mpc-opt %s --cuda-attach-target="arch=90 exact" --kernel-schedule --kernel-emit --cuda-print-text | FileCheck %s --check-prefix=EXACT
// RUN: mpc-opt %s --cuda-attach-target="arch=90 naive" --kernel-schedule --kernel-emit --cuda-print-text | FileCheck %s --check-prefix=LOOPS
// Blocks of attention follow from sizes, type and shared memory. Short rows of
// 16 bits leave registers for two tiles of 16 queries a warp; long ones get
// smaller steps, and where shared memory is short fewer stages and warps.

#all = affine_map<(b, h, i, d) -> (b, h, i, d)>
#rows = affine_map<(b, h, i) -> (b, h, i)>
#packed = affine_map<(b, h, i, d) -> (b, i, h * 64 + d)>
#keys = affine_map<(b, h, i, d) -> (b, i, h * 64 + d + 128)>
#values = affine_map<(b, h, i, d) -> (b, i, h * 64 + d + 256)>
#joined = affine_map<(b, h, i, d) -> (b, i, h, d)>

// Parts of one product are read where they lie, 16 bytes at a time, and the
// result is written where the next product reads it.
// CHECK-LABEL: @short
// SM90-SAME:   #cuda.attention<chunks = 6, threads = 128, tile = [128, 64], stages = 2>
// SM86-SAME:   #cuda.attention<chunks = 6, threads = 128, tile = [128, 64], stages = 2>
// SM75-SAME:   #cuda.attention<chunks = 6, threads = 128, tile = [128, 64], stages = 2>
// NAIVE-SAME:  #cuda.attention<chunks = 10, threads = 64, tile = [64, 16], stages = 0>
// TEXT-LABEL:  short(
// TEXT:        typedef mpc_attention_tile<4, 2, 64, 2> Tile;
// TEXT:        const int block = 2 - whole % 3;
// TEXT:        mpc_matrix<mpc_places<mpc_f16, int, 300, 64, 384, 1, 64, 8>> query(input0 + head * 64);
// TEXT-NEXT:   mpc_matrix<mpc_places<mpc_f16, int, 300, 64, 384, 1, 64, 8>> key(input0 + group * 64 + 128);
// TEXT:        mpc_scores<mpc_no_mask, 300, 300, true, 0, false, false>
// TEXT:        mpc_result<mpc_places<mpc_f16, int, 300, 64, 128, 1, 64, 2>> output(output0 + head * 64);
// TEXT:        const mpc_no_result peaks{};
// TEXT:        mpc_attention<Tile>(
// EXACT:       mpc_scores<mpc_no_mask, 300, 300, true, 0, false, true>
// LOOPS:       mpc_places<mpc_f16, int, 300, 64, 384, 1, 64, 1>> query
// LOOPS:       mpc_attention_loops(row, query,
kernel.func attention @short(%p: tensor<1x300x384xf16> {kernel.alignment = 16 : i64}, %o: tensor<1x300x2x64xf16> {kernel.alignment = 16 : i64}) -> tensor<1x300x2x64xf16> {
  %l = tensor.empty() : tensor<1x2x300xf32>
  %0:3 = kernel.attention ins(%p, %p, %p : tensor<1x300x384xf16>, tensor<1x300x384xf16>, tensor<1x300x384xf16>) outs(%o, %l, %l : tensor<1x300x2x64xf16>, tensor<1x2x300xf32>, tensor<1x2x300xf32>) sizes [1, 2, 2, 300, 300, 64, 64] scale 0.125 causal maps [#packed, #keys, #values, #joined, #rows, #rows] -> tensor<1x300x2x64xf16>, tensor<1x2x300xf32>, tensor<1x2x300xf32>
  kernel.return %0#0 : tensor<1x300x2x64xf16>
}

// The first blocks have keys, in two parts, the others queries.
// CHECK-LABEL: @long
// SM90-SAME:   #cuda.attention<chunks = 16, threads = 128, tile = [64, 16], stages = 2>
// SM86-SAME:   #cuda.attention<chunks = 16, threads = 128, tile = [64, 16], stages = 1>
// SM75-SAME:   #cuda.attention<chunks = 28, threads = 64, tile = [32, 16], stages = 1>
// NAIVE-SAME:  #cuda.attention<chunks = 8, threads = 64, tile = [64, 16], stages = 0>
// TEXT-LABEL:  long(
// TEXT:        if (blockIdx.x < 8u) {
// TEXT:        mpc_attention_keys<Tile, 128, 128, 2>
// TEXT:        else {
// TEXT:        const int place = blockIdx.x - 8u;
// TEXT:        mpc_attention_queries<Tile, 128>
// LOOPS:       mpc_attention_loops_keys<2>(row, query,
// LOOPS:       mpc_attention_loops_queries(row, query,
kernel.func attention @long(%q: tensor<1x4x64x256xf16>, %k: tensor<1x2x96x256xf16>, %l: tensor<1x4x64xf32>, %dq: tensor<1x4x64x256xf16>, %dk: tensor<1x2x96x256xf16>, %dv: tensor<1x2x96x256xf16>) -> (tensor<1x4x64x256xf16>, tensor<1x2x96x256xf16>, tensor<1x2x96x256xf16>) {
  %0:3 = kernel.attention_gradient ins(%q, %k, %k, %l, %l, %l, %q : tensor<1x4x64x256xf16>, tensor<1x2x96x256xf16>, tensor<1x2x96x256xf16>, tensor<1x4x64xf32>, tensor<1x4x64xf32>, tensor<1x4x64xf32>, tensor<1x4x64x256xf16>) outs(%dq, %dk, %dv : tensor<1x4x64x256xf16>, tensor<1x2x96x256xf16>, tensor<1x2x96x256xf16>) sizes [1, 4, 2, 64, 96, 256, 256] scale 0.0625 maps [#all, #all, #all, #rows, #rows, #rows, #all, #all, #all, #all] -> tensor<1x4x64x256xf16>, tensor<1x2x96x256xf16>, tensor<1x2x96x256xf16>
  kernel.return %0#0, %0#1, %0#2 : tensor<1x4x64x256xf16>, tensor<1x2x96x256xf16>, tensor<1x2x96x256xf16>
}

// Queries begin 4 elements behind a multiple of 16 bytes, keys lie in rows of
// 20, and values and the result at any place: none is moved 16 bytes at a time.
// TEXT-LABEL:  scattered(
// TEXT:        mpc_places<mpc_f16, int, 16, 8, 24, 1, 8, 1>> query(input0 + head * 8 + 4);
// TEXT-NEXT:   mpc_places<mpc_f16, int, 16, 8, 20, 1, 8, 1>> key(input1 + group * 8);
// TEXT-NEXT:   mpc_places<mpc_f16, int, 16, 8, 24, 1, 8, 1>> value(input2 + group * 8);
// TEXT:        mpc_places<mpc_f16, int, 16, 8, 16, 1, 8, 1>> output(output0 + head * 8);
#shifted = affine_map<(b, h, i, d) -> (b, i, h * 8 + d + 4)>
#eight = affine_map<(b, h, i, d) -> (b, i, h * 8 + d)>
kernel.func attention @scattered(%q: tensor<1x16x24xf16> {kernel.alignment = 16 : i64}, %k: tensor<1x16x20xf16> {kernel.alignment = 16 : i64}, %v: tensor<1x16x24xf16> {kernel.alignment = 2 : i64}, %o: tensor<1x16x2x8xf16> {kernel.alignment = 2 : i64}) -> tensor<1x16x2x8xf16> {
  %l = tensor.empty() : tensor<1x2x16xf32>
  %0:3 = kernel.attention ins(%q, %k, %v : tensor<1x16x24xf16>, tensor<1x16x20xf16>, tensor<1x16x24xf16>) outs(%o, %l, %l : tensor<1x16x2x8xf16>, tensor<1x2x16xf32>, tensor<1x2x16xf32>) sizes [1, 2, 2, 16, 16, 8, 8] scale 0.125 maps [#shifted, #eight, #eight, #joined, #rows, #rows] -> tensor<1x16x2x8xf16>, tensor<1x2x16xf32>, tensor<1x2x16xf32>
  kernel.return %0#0 : tensor<1x16x2x8xf16>
}

// Keys and queries of so many pairs are counted by an int all the same.
// TEXT-LABEL:  many(
// TEXT:        mpc_places<mpc_f16, int, 8192, 64, 64, 1, 0, 8>> query
kernel.func attention @many(%q: tensor<1x1x8192x64xf16> {kernel.alignment = 16 : i64}, %o: tensor<1x1x8192x64xf16>) -> tensor<1x1x8192x64xf16> {
  %l = tensor.empty() : tensor<1x1x8192xf32>
  %0:3 = kernel.attention ins(%q, %q, %q : tensor<1x1x8192x64xf16>, tensor<1x1x8192x64xf16>, tensor<1x1x8192x64xf16>) outs(%o, %l, %l : tensor<1x1x8192x64xf16>, tensor<1x1x8192xf32>, tensor<1x1x8192xf32>) sizes [1, 1, 1, 8192, 8192, 64, 64] scale 0.125 causal maps [#all, #all, #all, #all, #rows, #rows] -> tensor<1x1x8192x64xf16>, tensor<1x1x8192xf32>, tensor<1x1x8192xf32>
  kernel.return %0#0 : tensor<1x1x8192x64xf16>
}
