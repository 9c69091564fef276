// RUN: mpc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(cuda-attach-target{arch=90},func.func(kernel-lower-bodies),kernel-outline,kernel-schedule,kernel-plan-memory)' | FileCheck %s
// RUN: mpc-opt %s --split-input-file --pass-pipeline='builtin.module(cpu-attach-target,func.func(kernel-lower-bodies),kernel-outline,kernel-schedule,kernel-plan-memory)' | FileCheck %s --check-prefix=CPU

// A kernel knows what the addresses of its arguments are multiples of. On a CPU
// nobody asks.
// CPU-NOT: kernel.alignment
// CPU-NOT: memref.copy

// CHECK-LABEL: func.func @slice(
// CHECK-NOT:     memref.copy
// CHECK:         kernel.launch @k_kernel
// CHECK:       kernel.func map @k_kernel(%{{.*}}: tensor<1x64xf32> {kernel.alignment = 4 : i64{{.*}}}, %{{.*}}: tensor<1x64xf32> {kernel.alignment = 64 : i64})
func.func @slice(%x: tensor<1x65xf32>) -> tensor<1x64xf32> {
  %0 = nn.slice %x [0, 1] to [1, 65] by [1, 1] : tensor<1x65xf32> -> tensor<1x64xf32>
  %1 = nn.tanh %0 : tensor<1x64xf32>
  return %1 : tensor<1x64xf32>
}

// -----

// Launches of one kernel: the least of them all, also where a result begins
// within another's.
// CHECK-LABEL: func.func @several(
// CHECK-COUNT-3: kernel.launch @k_kernel
// CHECK:       kernel.func map @k_kernel(%{{.*}}: tensor<1x32xf16> {kernel.alignment = 2 : i64{{.*}}}, %{{.*}}: tensor<1x32xf16> {kernel.alignment = 8 : i64})
func.func @several(%x: tensor<1x72xf16>) -> (tensor<72xf16>, tensor<1x32xf16>) {
  %a = nn.slice %x [0, 0] to [1, 32] by [1, 1] : tensor<1x72xf16> -> tensor<1x32xf16>
  %b = nn.slice %x [0, 3] to [1, 35] by [1, 1] : tensor<1x72xf16> -> tensor<1x32xf16>
  %c = nn.slice %x [0, 8] to [1, 40] by [1, 1] : tensor<1x72xf16> -> tensor<1x32xf16>
  %0 = nn.exp %a : tensor<1x32xf16>
  %1 = nn.exp %b : tensor<1x32xf16>
  %2 = nn.exp %c : tensor<1x32xf16>
  %3 = kernel.pack %0, %1 at [0, 36] : tensor<1x32xf16>, tensor<1x32xf16> -> tensor<72xf16>
  return %3, %2 : tensor<72xf16>, tensor<1x32xf16>
}

// -----

// 2 MiB that would be read by 16 bytes at a time are copied to where they can
// be. A row of an odd number of elements is read element by element anyway.
// CHECK-LABEL: func.func @large(
// CHECK-SAME:    %[[ARENA:[^:]*]]: memref<{{[0-9]*}}xi8> {kernel.buffer = #kernel.buffer<arena>}, %[[X:[^:]*]]: memref
// CHECK:         %[[FROM:.*]] = memref.view %[[X]][%c4
// CHECK:         %[[TO:.*]] = memref.view %[[ARENA]]
// CHECK:         memref.copy %[[FROM]], %[[TO]]
// CHECK:         %[[COPY:.*]] = memref.view %[[ARENA]]
// CHECK:         kernel.launch @k_kernel ins(%[[COPY]] :
// CHECK-NOT:     memref.copy
// CHECK:         %[[AGAIN:.*]] = memref.view %[[ARENA]]
// CHECK:         kernel.launch @k_kernel_0 ins(%[[AGAIN]] :
// CHECK-NOT:     memref.copy
// CHECK:         kernel.launch @k_kernel_1
// CHECK:       kernel.func map @k_kernel(%{{.*}}: tensor<1x524288xf32> {kernel.alignment = 64 : i64{{.*}}}, %{{.*}}: tensor<1x524288xf32> {kernel.alignment = 64 : i64})
// CHECK:       kernel.func rows @k_kernel_0(%{{.*}}: tensor<1x524288xf32> {kernel.alignment = 64 : i64}
// CHECK:       kernel.func rows @k_kernel_1(%{{.*}}: tensor<1x524289xf32> {kernel.alignment = 4 : i64}
func.func @large(%x: tensor<1x524290xf32>) -> (tensor<1x524288xf32>, tensor<1xf32>, tensor<1xf32>) {
  // expected-remark @below {{these 2097152 bytes begin at a multiple of 4, which costs 2 launches their wide accesses: they read a copy}}
  %0 = nn.slice %x [0, 1] to [1, 524289] by [1, 1] : tensor<1x524290xf32> -> tensor<1x524288xf32>
  %1 = nn.tanh %0 : tensor<1x524288xf32>
  %2 = nn.reduce_sum %0 axes [1] : tensor<1x524288xf32> -> tensor<1xf32>
  %3 = nn.slice %x [0, 1] to [1, 524290] by [1, 1] : tensor<1x524290xf32> -> tensor<1x524289xf32>
  %4 = nn.reduce_sum %3 axes [1] : tensor<1x524289xf32> -> tensor<1xf32>
  return %1, %2, %4 : tensor<1x524288xf32>, tensor<1xf32>, tensor<1xf32>
}
