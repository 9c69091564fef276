// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum whose order depends on its length alone: fixed blocks of 4096 elements
// to one partial each, then the partials by one block.

extern "C" __global__ void __launch_bounds__(256)
    sum_blocks(const float *__restrict__ x, float *__restrict__ partial,
               int count) {
  __shared__ float sum_of_warp[8];
  int begin =
      static_cast<int>(blockIdx.x) * 4096 + static_cast<int>(threadIdx.x) * 4;
  float sum = 0.0f;
  for (int i = begin; i < begin + 4096 - 1023 && i < count; i += 1024)
    if (i + 4 <= count) {
      mpc_pack v = mpc_load16(x + i);
      for (int j = 0; j < 4; ++j)
        sum = sum + mpc_float(v.word[j]);
    } else {
      for (int j = i; j < count; ++j)
        sum = sum + x[j];
    }
  sum = mpc_block_sum<8>(sum, sum_of_warp);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
    sum_partials(const float *__restrict__ partial, float *__restrict__ result,
                 int count) {
  __shared__ float sum_of_warp[8];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < count; i += 256)
    sum = sum + partial[i];
  sum = mpc_block_sum<8>(sum, sum_of_warp);
  if (threadIdx.x == 0)
    *result = sum;
}
