// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-lower-bodies,kernel-split-sums))' | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(kernel-lower-bodies,kernel-split-sums,kernel-fuse),kernel-outline)' | FileCheck %s --check-prefix=FUSED

// The sum over rows of what follows from each row's sum is one over runs of 16
// rows, which the kernel of rows computes, and one of the sums of runs. A sum
// of what the rows read goes with it.
// CHECK-DAG:   #[[RUNS:.*]] = affine_map<(d0, d1, d2) -> (d0 * 16 + d1, d2)>
// CHECK-LABEL: func.func @beside
// CHECK-SAME:    %[[X:[^:]*]]: tensor<64x24xf32>
// CHECK:         %[[LESS:.*]] = linalg.generic {{.*}}ins(%[[X]], %{{.*}} : tensor<64x24xf32>, tensor<64x24xf32>)
// CHECK:         %[[P:.*]]:2 = linalg.generic
// CHECK-SAME:      indexing_maps = [#[[RUNS]], #[[RUNS]],
// CHECK-SAME:      iterator_types = ["parallel", "reduction", "parallel"]
// CHECK-SAME:      ins(%[[LESS]], %[[X]], %{{.*}} : tensor<64x24xf32>, tensor<64x24xf32>, tensor<4x16x24xf32>)
// CHECK-SAME:      outs({{.*}} : tensor<4x24xf32>, tensor<4x24xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%[[P]]#0 : tensor<4x24xf32>) outs(%{{.*}} : tensor<24xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%[[P]]#1 : tensor<4x24xf32>) outs(%{{.*}} : tensor<24xf32>)
// FUSED-LABEL: func.func @beside
// FUSED:         %[[K:.*]]:2 = kernel.launch @[[ROWS:.*]] ins(%{{.*}} : tensor<64x24xf32>)
// FUSED-SAME:      -> tensor<4x24xf32>, tensor<4x24xf32>
// FUSED-DAG:     kernel.launch @[[SUM:.*]] ins(%[[K]]#0
// FUSED-DAG:     kernel.launch @[[SUM]] ins(%[[K]]#1
// FUSED:       kernel.func rows @[[ROWS]]
// FUSED:       kernel.func columns @[[SUM]]
module attributes {kernel.target = #cpu.target<lanes = 8>} {
  func.func @beside(%x: tensor<64x24xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
    %0 = nn.reduce_sum %x axes [1] : tensor<64x24xf32> -> tensor<64xf32>
    %1 = nn.broadcast %0 axes [0] : tensor<64xf32> -> tensor<64x24xf32>
    %2 = nn.sub %x, %1 : tensor<64x24xf32>
    %3 = nn.reduce_sum %2 axes [0] : tensor<64x24xf32> -> tensor<24xf32>
    %4 = nn.reduce_sum %x axes [0] : tensor<64x24xf32> -> tensor<24xf32>
    return %3, %4 : tensor<24xf32>, tensor<24xf32>
  }
}

// -----

// So it does where something reads the first sum before the second.
// CHECK-LABEL: func.func @between
// CHECK:         linalg.generic {{.*}} outs({{.*}} : tensor<4x24xf32>, tensor<4x24xf32>)
// CHECK:         math.absf
// CHECK-NOT:     ins(%{{.*}} : tensor<64x24xf32>)
// CHECK:         return
module attributes {kernel.target = #cpu.target<lanes = 8>} {
  func.func @between(%x: tensor<64x24xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
    %0 = nn.reduce_sum %x axes [1] : tensor<64x24xf32> -> tensor<64xf32>
    %1 = nn.broadcast %0 axes [0] : tensor<64xf32> -> tensor<64x24xf32>
    %2 = nn.sub %x, %1 : tensor<64x24xf32>
    %3 = nn.reduce_sum %2 axes [0] : tensor<64x24xf32> -> tensor<24xf32>
    %4 = nn.abs %3 : tensor<24xf32>
    %5 = nn.reduce_sum %x axes [0] : tensor<64x24xf32> -> tensor<24xf32>
    return %4, %5 : tensor<24xf32>, tensor<24xf32>
  }
}

// -----

// Runs lie in the last loop over rows.
// CHECK-DAG:   #[[RUNS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 16 + d2, d3)>
// CHECK-LABEL: func.func @images
// CHECK:         linalg.generic {{.*}}#[[RUNS]]{{.*}} outs({{.*}} : tensor<3x2x24xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction", "reduction", "parallel"]} ins(%{{.*}} : tensor<3x2x24xf32>)
module attributes {kernel.target = #cpu.target<lanes = 8>} {
  func.func @images(%x: tensor<3x32x24xf32>) -> tensor<24xf32> {
    %0 = nn.reduce_max %x axes [2] : tensor<3x32x24xf32> -> tensor<3x32xf32>
    %1 = nn.broadcast %0 axes [0, 1] : tensor<3x32xf32> -> tensor<3x32x24xf32>
    %2 = nn.sub %x, %1 : tensor<3x32x24xf32>
    %3 = nn.reduce_sum %2 axes [0, 1] : tensor<3x32x24xf32> -> tensor<24xf32>
    return %3 : tensor<24xf32>
  }
}

// -----

// A run may be all rows of the last loop.
// CHECK-LABEL: func.func @one_run
// CHECK:         linalg.generic {{.*}} outs({{.*}} : tensor<3x1x24xf32>)
// FUSED-LABEL: func.func @one_run
// FUSED:         %[[P:.*]] = kernel.launch @{{.*}} ins(%{{.*}} : tensor<3x16x24xf32>)
// FUSED-NEXT:    tensor.empty
// FUSED-NEXT:    kernel.launch @{{.*}} ins(%[[P]] : tensor<3x1x24xf32>)
module attributes {kernel.target = #cpu.target<lanes = 8>} {
  func.func @one_run(%x: tensor<3x16x24xf32>) -> tensor<24xf32> {
    %0 = nn.reduce_sum %x axes [2] : tensor<3x16x24xf32> -> tensor<3x16xf32>
    %1 = nn.broadcast %0 axes [0, 1] : tensor<3x16xf32> -> tensor<3x16x24xf32>
    %2 = nn.sub %x, %1 : tensor<3x16x24xf32>
    %3 = nn.reduce_sum %2 axes [0, 1] : tensor<3x16x24xf32> -> tensor<24xf32>
    return %3 : tensor<24xf32>
  }
}

// -----

// Rows that are no whole runs, one short chain, and what no sum of a row is
// beside stay whole; so does a sum that comes before what the other one reads.
// CHECK-LABEL: func.func @ragged
// CHECK-NOT:     "parallel", "reduction", "parallel"
// CHECK-LABEL: func.func @short
// CHECK-NOT:     "parallel", "reduction", "parallel"
// CHECK-LABEL: func.func @alone
// CHECK-NOT:     "parallel", "reduction", "parallel"
// CHECK-LABEL: func.func @early
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%{{.*}} : tensor<64x24xf32>)
// CHECK:         linalg.generic {{.*}}outs(%{{.*}} : tensor<4x24xf32>)
module attributes {kernel.target = #cpu.target<lanes = 8>} {
  func.func @ragged(%x: tensor<2x24x24xf32>) -> tensor<24xf32> {
    %0 = nn.reduce_sum %x axes [2] : tensor<2x24x24xf32> -> tensor<2x24xf32>
    %1 = nn.broadcast %0 axes [0, 1] : tensor<2x24xf32> -> tensor<2x24x24xf32>
    %2 = nn.sub %x, %1 : tensor<2x24x24xf32>
    %3 = nn.reduce_sum %2 axes [0, 1] : tensor<2x24x24xf32> -> tensor<24xf32>
    return %3 : tensor<24xf32>
  }
  func.func @short(%x: tensor<16x24xf32>) -> tensor<24xf32> {
    %0 = nn.reduce_sum %x axes [1] : tensor<16x24xf32> -> tensor<16xf32>
    %1 = nn.broadcast %0 axes [0] : tensor<16xf32> -> tensor<16x24xf32>
    %2 = nn.sub %x, %1 : tensor<16x24xf32>
    %3 = nn.reduce_sum %2 axes [0] : tensor<16x24xf32> -> tensor<24xf32>
    return %3 : tensor<24xf32>
  }
  func.func @alone(%x: tensor<64x24xf32>, %c: tensor<64xf32>) -> tensor<24xf32> {
    %1 = nn.broadcast %c axes [0] : tensor<64xf32> -> tensor<64x24xf32>
    %2 = nn.sub %x, %1 : tensor<64x24xf32>
    %3 = nn.reduce_sum %2 axes [0] : tensor<64x24xf32> -> tensor<24xf32>
    return %3 : tensor<24xf32>
  }
  func.func @early(%x: tensor<64x24xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
    %0 = nn.reduce_sum %x axes [0] : tensor<64x24xf32> -> tensor<24xf32>
    %1 = nn.abs %0 : tensor<24xf32>
    %2 = nn.reduce_sum %x axes [1] : tensor<64x24xf32> -> tensor<64xf32>
    %3 = nn.broadcast %2 axes [0] : tensor<64xf32> -> tensor<64x24xf32>
    %4 = nn.sub %x, %3 : tensor<64x24xf32>
    %5 = nn.reduce_sum %4 axes [0] : tensor<64x24xf32> -> tensor<24xf32>
    return %1, %5 : tensor<24xf32>, tensor<24xf32>
  }
}

// -----

// Without a target whose kernels of rows compute them there are no partial sums.
// CHECK-LABEL: func.func @other_target
// CHECK-NOT:     "parallel", "reduction", "parallel"
func.func @other_target(%x: tensor<64x24xf32>) -> tensor<24xf32> {
  %0 = nn.reduce_sum %x axes [1] : tensor<64x24xf32> -> tensor<64xf32>
  %1 = nn.broadcast %0 axes [0] : tensor<64xf32> -> tensor<64x24xf32>
  %2 = nn.sub %x, %1 : tensor<64x24xf32>
  %3 = nn.reduce_sum %2 axes [0] : tensor<64x24xf32> -> tensor<24xf32>
  return %3 : tensor<24xf32>
}

// -----

// A sum over a run is known when all its rows are: who reads it is another
// kernel.
// CHECK-LABEL: func.func @read
// FUSED-LABEL: func.func @read
// FUSED:         %[[K:.*]]:2 = kernel.launch @[[ROWS:.*]] ins(%{{.*}} : tensor<3x16x24xf32>) {{.*}} -> tensor<3x16x24xf32>, tensor<3x24xf32>
// FUSED:         kernel.launch @[[MAP:.*]] ins(%[[K]]#0, %[[K]]#1 :
// FUSED:       kernel.func rows @[[ROWS]]
// FUSED:       kernel.func map @[[MAP]]
module attributes {kernel.target = #cpu.target<lanes = 8>} {
  func.func @read(%x: tensor<3x16x24xf32>) -> tensor<3x16x24xf32> {
    %0 = nn.reduce_sum %x axes [2] : tensor<3x16x24xf32> -> tensor<3x16xf32>
    %1 = nn.broadcast %0 axes [0, 1] : tensor<3x16xf32> -> tensor<3x16x24xf32>
    %2 = nn.sub %x, %1 : tensor<3x16x24xf32>
    %3 = nn.reduce_sum %2 axes [1] : tensor<3x16x24xf32> -> tensor<3x24xf32>
    %4 = nn.broadcast %3 axes [0, 2] : tensor<3x24xf32> -> tensor<3x16x24xf32>
    %5 = nn.mul %2, %4 : tensor<3x16x24xf32>
    return %5 : tensor<3x16x24xf32>
  }
}

// -----

// A GPU wants as many runs as keep it busy, and memory for their sums: neither
// are few split, nor do other sums over a few rows join them.
// CHECK-LABEL: func.func @few_runs
// CHECK-NOT:     "parallel", "reduction", "parallel"
// CHECK-LABEL: func.func @many_runs
// CHECK:         linalg.generic {{.*}} outs({{.*}} : tensor<64x64x768xf32>)
// CHECK-LABEL: func.func @long_rows
// CHECK-NOT:     "parallel", "parallel", "reduction", "parallel"
// CHECK-LABEL: func.func @not_joined
// FUSED-LABEL: func.func @many_runs
// FUSED:         kernel.launch @[[MANY:.*]] ins(%{{.*}} : tensor<64x1024x768xf32>) {{.*}} -> tensor<64x64x768xf32>
// FUSED-LABEL: func.func @not_joined
// FUSED:         kernel.launch @{{.*}} -> tensor<3x16x24xf32>
// FUSED-NEXT:    tensor.empty
// FUSED-NEXT:    kernel.launch @{{.*}} -> tensor<3x24xf32>
// FUSED:       kernel.func rows @[[MANY]](
module attributes {kernel.target = #cuda.target<arch = 90>} {
  func.func @few_runs(%x: tensor<64x24xf32>) -> tensor<24xf32> {
    %0 = nn.reduce_sum %x axes [1] : tensor<64x24xf32> -> tensor<64xf32>
    %1 = nn.broadcast %0 axes [0] : tensor<64xf32> -> tensor<64x24xf32>
    %2 = nn.sub %x, %1 : tensor<64x24xf32>
    %3 = nn.reduce_sum %2 axes [0] : tensor<64x24xf32> -> tensor<24xf32>
    return %3 : tensor<24xf32>
  }
  func.func @many_runs(%x: tensor<64x1024x768xf32>) -> tensor<768xf32> {
    %0 = nn.reduce_sum %x axes [2] : tensor<64x1024x768xf32> -> tensor<64x1024xf32>
    %1 = nn.broadcast %0 axes [0, 1] : tensor<64x1024xf32> -> tensor<64x1024x768xf32>
    %2 = nn.sub %x, %1 : tensor<64x1024x768xf32>
    %3 = nn.reduce_sum %2 axes [0, 1] : tensor<64x1024x768xf32> -> tensor<768xf32>
    return %3 : tensor<768xf32>
  }
  func.func @long_rows(%x: tensor<64x1024x16384xf32>) -> tensor<16384xf32> {
    %0 = nn.reduce_sum %x axes [2] : tensor<64x1024x16384xf32> -> tensor<64x1024xf32>
    %1 = nn.broadcast %0 axes [0, 1] : tensor<64x1024xf32> -> tensor<64x1024x16384xf32>
    %2 = nn.sub %x, %1 : tensor<64x1024x16384xf32>
    %3 = nn.reduce_sum %2 axes [0, 1] : tensor<64x1024x16384xf32> -> tensor<16384xf32>
    return %3 : tensor<16384xf32>
  }
  func.func @not_joined(%x: tensor<3x16x24xf32>) -> (tensor<3x16x24xf32>, tensor<3x24xf32>) {
    %0 = nn.reduce_sum %x axes [2] : tensor<3x16x24xf32> -> tensor<3x16xf32>
    %1 = nn.broadcast %0 axes [0, 1] : tensor<3x16xf32> -> tensor<3x16x24xf32>
    %2 = nn.sub %x, %1 : tensor<3x16x24xf32>
    %3 = nn.reduce_sum %2 axes [1] : tensor<3x16x24xf32> -> tensor<3x24xf32>
    return %2, %3 : tensor<3x16x24xf32>, tensor<3x24xf32>
  }
}
