// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of rows of any width: one block of 8 warps a row.

extern "C" __global__ void __launch_bounds__(256)
    row_softmax(const mpc_u16 *__restrict__ x, mpc_u16 *__restrict__ y,
                int width) {
  __shared__ float largest_of_warp[8];
  __shared__ float sum_of_warp[8];
  const mpc_u16 *row = x + static_cast<mpc_u64>(blockIdx.x) * width;
  mpc_u16 *result = y + static_cast<mpc_u64>(blockIdx.x) * width;
  float largest = mpc_float(0xff800000u);
  for (int i = threadIdx.x; i < width; i += 256)
    largest = mpc_max(largest, mpc_f16_to_f32(row[i]));
  largest = mpc_block_max<8>(largest, largest_of_warp);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += 256)
    sum = sum + mpc_exp(mpc_f16_to_f32(row[i]) - largest);
  sum = mpc_block_sum<8>(sum, sum_of_warp);
  for (int i = threadIdx.x; i < width; i += 256)
    result[i] = mpc_f32_to_f16(mpc_exp(mpc_f16_to_f32(row[i]) - largest) / sum);
}
