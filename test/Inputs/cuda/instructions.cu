// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each name of the prelude by itself, for comparing emulator and device bit by
// bit.

extern "C" __global__ void __launch_bounds__(128)
    narrow(const mpc_u32 *__restrict__ x, mpc_u16 *__restrict__ f16,
           mpc_u16 *__restrict__ bf16, mpc_u16 *__restrict__ bf16_integer,
           int count) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    f16[i] = mpc_f32_to_f16(mpc_float(x[i]));
    bf16[i] = mpc_f32_to_bf16(mpc_float(x[i]));
    bf16_integer[i] = mpc_f32_to_bf16_integer(mpc_float(x[i]));
  }
}

// Every 16-bit code: 65536 threads.
extern "C" __global__ void __launch_bounds__(128)
    widen(mpc_u32 *__restrict__ f16, mpc_u32 *__restrict__ bf16) {
  mpc_u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  f16[i] = mpc_bits(mpc_f16_to_f32(static_cast<mpc_u16>(i)));
  bf16[i] = mpc_bits(mpc_bf16_to_f32(static_cast<mpc_u16>(i)));
}

extern "C" __global__ void __launch_bounds__(128)
    functions(const float *__restrict__ x, float *__restrict__ y, int count) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    y[i] = mpc_exp(x[i]);
    y[count + i] = mpc_log(x[i]);
    y[2 * count + i] = mpc_tanh(x[i]);
    y[3 * count + i] = mpc_erf(x[i]);
    y[4 * count + i] = mpc_fma(x[i], x[i], 0.1f);
    y[5 * count + i] = x[i] * x[i] + 0.1f;
  }
}

// One warp: shuffles, sums and maxima of 32 values.
extern "C" __global__ void __launch_bounds__(32)
    shuffles(const float *__restrict__ x, float *__restrict__ y) {
  int lane = mpc_lane();
  y[lane] = mpc_shuffle_xor(MPC_FULL_WARP, x[lane], 5);
  y[32 + lane] = mpc_shuffle(MPC_FULL_WARP, x[lane], 13);
  y[64 + lane] = mpc_warp_sum(x[lane]);
  y[96 + lane] = mpc_warp_max(x[lane]);
}

// One warp: four 8x8 matrices through shared memory, as they are and
// transposed.
extern "C" __global__ void __launch_bounds__(32)
    matrices(const mpc_u16 *__restrict__ x, mpc_u32 *__restrict__ y) {
  __shared__ mpc_pack rows[32];
  int lane = mpc_lane();
  rows[lane] = mpc_load16(x + lane * 8);
  mpc_sync_warp(MPC_FULL_WARP);
  mpc_u32 plain[4], transposed[4];
  mpc_ldmatrix_x4(plain, mpc_shared_address(&rows[lane]));
  mpc_ldmatrix_x4_transposed(transposed, mpc_shared_address(&rows[lane]));
  for (int i = 0; i < 4; ++i) {
    y[i * 32 + lane] = plain[i];
    y[(4 + i) * 32 + lane] = transposed[i];
  }
}

// One product a warp and block, from fragments as they lie in memory: d = c +
// a * b.
extern "C" __global__ void __launch_bounds__(32)
    products(const mpc_u32 *__restrict__ a, const mpc_u32 *__restrict__ b,
             const float *__restrict__ c, float *__restrict__ d, int kind) {
  int at = static_cast<int>(blockIdx.x) * 32 + mpc_lane();
  mpc_u32 as[4], bs[2];
  float sum[4];
  for (int i = 0; i < 4; ++i) {
    as[i] = a[at * 4 + i];
    sum[i] = c[at * 4 + i];
  }
  for (int i = 0; i < 2; ++i)
    bs[i] = b[at * 2 + i];
  if (kind == 0) {
    mpc_mma_m16n8k16_f16(sum, as, bs);
#if MPC_ARCH >= 80
  } else if (kind == 1) {
    mpc_mma_m16n8k16_bf16(sum, as, bs);
#endif
  } else {
    const mpc_u32 half[2] = {as[0], as[1]};
    mpc_mma_m16n8k8_f16(sum, half, bs[0]);
  }
  for (int i = 0; i < 4; ++i)
    d[at * 4 + i] = sum[i];
}
