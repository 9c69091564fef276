// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = f16(gelu(x + bias)): a map over rows of `width` elements, eight a thread.
// `width` and so `count` are multiples of 8; the last thread's elements are an
// edge of the grid, not of a vector.

MPC_DEVICE float gelu(float x) {
  return x * 0.5f * (1.0f + mpc_erf(x * 0.70710678118654752440f));
}

extern "C" __global__ void __launch_bounds__(256)
    map_bias_gelu(const mpc_u16 *__restrict__ x,
                  const mpc_u16 *__restrict__ bias, mpc_u16 *__restrict__ y,
                  int count, int width) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (i < count) {
    mpc_pack xs = mpc_load16(x + i), bs = mpc_load16(bias + i % width), ys;
    for (int j = 0; j < 4; ++j) {
      float first = mpc_f16_to_f32(mpc_first(xs.word[j])) +
                    mpc_f16_to_f32(mpc_first(bs.word[j]));
      float second = mpc_f16_to_f32(mpc_second(xs.word[j])) +
                     mpc_f16_to_f32(mpc_second(bs.word[j]));
      ys.word[j] =
          mpc_pair(mpc_f32_to_f16(gelu(first)), mpc_f32_to_f16(gelu(second)));
    }
    mpc_store16(y + i, ys);
  }
}
