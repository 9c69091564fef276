// An RMS norm is one kernel forward. Backward it is one, and the sum over rows
// that its scale's gradient is another, on a CPU of sums of runs of rows; on a GPU, which keeps less memory,
// where most is kept elsewhere.
// RUN: mpc-opt %s --cpu-attach-target --mpc-autodiff-pipeline --mpc-kernel-pipeline | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: mpc-opt %s --cuda-attach-target --mpc-autodiff-pipeline --mpc-kernel-pipeline | FileCheck %s --check-prefixes=CHECK,GPU

func.func private @norm(%x: tensor<32x64xf16>, %s: tensor<64xf32>) -> tensor<32x64xf16> {
  %0 = nn.rms_norm %x scale %s : tensor<64xf32> axis(1) epsilon(1.0e-5) : tensor<32x64xf16>
  return %0 : tensor<32x64xf16>
}

// CHECK-LABEL: func.func @forward(
// CHECK:       kernel.launch @[[NORM:[k_]*kernel[_0-9]*]] ins({{.*}} : memref<32x64xf16>, memref<64xf32>) outs(%{{[a-z0-9_]+}} : memref<32x64xf16>)
// CHECK-NOT:   kernel.launch
// CHECK:       return
func.func @forward(%x: tensor<32x64xf16>, %s: tensor<64xf32>) -> tensor<32x64xf16> {
  %0 = nn.rms_norm %x scale %s : tensor<64xf32> axis(1) epsilon(1.0e-5) : tensor<32x64xf16>
  return %0 : tensor<32x64xf16>
}

// CHECK-LABEL: func.func @backward(
// CHECK:       kernel.launch
// CHECK-SAME:    memref<128x128xf32>
// CHECK:       kernel.launch
// CHECK-SAME:    memref<128x128xf32>
// CHECK:       kernel.launch @[[BACK:[k_]*kernel[_0-9]*]] ins({{.*}} : memref<32x64xf16>, memref<32x64xf16>, memref<64xf32>) outs(%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} :
// CPU:         kernel.launch @[[SCALE:[k_]*kernel[_0-9]*]] ins({{.*}} : memref<2x64xf32>) outs(%{{[a-z0-9_]+}} : memref<64xf32>)
// GPU:         kernel.launch @[[SCALE:[k_]*kernel[_0-9]*]] ins({{.*}} : memref<32x64xf32>) outs(%{{[a-z0-9_]+}} : memref<64xf32>)
// CHECK-NOT:   kernel.launch
// CHECK:       return
func.func @backward(%x: tensor<32x64xf16>, %s: tensor<64xf32>, %d: tensor<32x64xf16>, %m: tensor<128x128xf32>)
    -> (tensor<32x64xf16>, tensor<64xf32>, tensor<128xf32>) {
  %0 = nn.matmul %m, %m : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
  %1 = nn.reduce_sum %0 axes [1] : tensor<128x128xf32> -> tensor<128xf32>
  %2:3 = nn.vjp @norm(%x, %s) seed(%d) wrt [] args [0, 1]
      : (tensor<32x64xf16>, tensor<64xf32>), (tensor<32x64xf16>)
      -> tensor<32x64xf16>, tensor<32x64xf16>, tensor<64xf32>
  return %2#1, %2#2, %1 : tensor<32x64xf16>, tensor<64xf32>, tensor<128xf32>
}

// CHECK:       kernel.func rows @[[NORM]](
// CHECK:       kernel.func rows @[[BACK]](
// CHECK:       kernel.func columns @[[SCALE]](
