// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C (M x N, f32) = A (M x K) * B (N x K)^T in f16 or bf16: tiles of
// 128 x 128 x 32, three stages of asynchronous copies, eight warps of 64 x 32
// each. M and N are any; rows are 16-byte aligned, so K is a multiple of 8.

struct Operands {
  const mpc_u16 *a;
  const mpc_u16 *b;
  float *c;
  int m;
  int n;
  int k;
};

// Bytes of one stage's part of one operand: 128 rows of 32 elements.
#define TILE_BYTES (128 * 32 * 2)
#define STAGES 3

// Where 16-byte piece `piece` of a row lies. Rows are 64 bytes; the exchange of
// pieces lets eight rows of one ldmatrix fall into different banks.
MPC_DEVICE int place_of(int row, int piece) {
  return row * 64 + (piece ^ (row >> 1 & 3)) * 16;
}

// Starts copies of a tile of `rows` x `k` elements from (row, column) on; what
// lies beyond becomes zero.
MPC_DEVICE void load_tile(mpc_shared to, const mpc_u16 *from, int row,
                          int column, int rows, int k) {
  for (int i = 0; i < 2; ++i) {
    int piece = static_cast<int>(threadIdx.x) + i * 256;
    int r = piece >> 2, c = piece & 3;
    bool inside = row + r < rows && column + c * 8 < k;
    const mpc_u16 *source =
        inside ? from + static_cast<mpc_u64>(row + r) * k + column + c * 8
               : from;
    mpc_copy_async16(to + place_of(r, c), source, inside ? 16 : 0);
  }
}

template <bool IsBf16>
MPC_DEVICE void multiply(float (&d)[4], const mpc_u32 (&a)[4],
                         const mpc_u32 (&b)[2]) {
#if MPC_ARCH >= 80
  if (IsBf16)
    mpc_mma_m16n8k16_bf16(d, a, b);
  else
#endif
    mpc_mma_m16n8k16_f16(d, a, b);
}

// The products of one stage: two steps of 16 along k.
template <bool IsBf16>
MPC_DEVICE void multiply_stage(float (&c)[4][4][4], mpc_shared a,
                               mpc_shared b) {
  const int lane = mpc_lane(), rows = (mpc_warp() & 1) * 64,
            columns = (mpc_warp() >> 1) * 32;
#pragma unroll
  for (int step = 0; step < 2; ++step) {
    mpc_u32 as[4][4], bs[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      mpc_ldmatrix_x4(as[i], a + place_of(rows + i * 16 + (lane & 15),
                                          step * 2 + (lane >> 4)));
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      mpc_u32 four[4];
      mpc_ldmatrix_x4(
          four, b + place_of(columns + j * 16 + (lane & 7) + (lane >> 4 << 3),
                             step * 2 + (lane >> 3 & 1)));
      bs[2 * j][0] = four[0];
      bs[2 * j][1] = four[1];
      bs[2 * j + 1][0] = four[2];
      bs[2 * j + 1][1] = four[3];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        multiply<IsBf16>(c[i][j], as[i], bs[j]);
  }
}

// Stores what lies inside of the result.
MPC_DEVICE void store_tile(const float (&c)[4][4][4], const Operands &o,
                           int row, int column) {
  const int lane = mpc_lane();
  row += (mpc_warp() & 1) * 64 + (lane >> 2);
  column += (mpc_warp() >> 1) * 32 + (lane & 3) * 2;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        int r = row + i * 16 + (e >> 1) * 8, q = column + j * 8 + (e & 1);
        if (r < o.m && q < o.n)
          o.c[static_cast<mpc_u64>(r) * o.n + q] = c[i][j][e];
      }
}

template <bool IsBf16>
MPC_DEVICE void matmul(const Operands &o, mpc_shared tiles) {
  const int row = static_cast<int>(blockIdx.y) * 128,
            column = static_cast<int>(blockIdx.x) * 128;
  const int steps = (o.k + 31) / 32;
  float c[4][4][4] = {};
  auto load = [&](int step) {
    if (step < steps) {
      mpc_shared to = tiles + step % STAGES * (2 * TILE_BYTES);
      load_tile(to, o.a, row, step * 32, o.m, o.k);
      load_tile(to + TILE_BYTES, o.b, column, step * 32, o.n, o.k);
    }
    mpc_copy_async_commit();
  };
  load(0);
  load(1);
  for (int step = 0; step < steps; ++step) {
    mpc_copy_async_wait<STAGES - 2>();
    mpc_sync_block();
    load(step + 2);
    mpc_shared a = tiles + step % STAGES * (2 * TILE_BYTES);
    multiply_stage<IsBf16>(c, a, a + TILE_BYTES);
  }
  store_tile(c, o, row, column);
}

extern "C" __global__ void __launch_bounds__(256)
    matmul_f16(const mpc_u16 *__restrict__ a, const mpc_u16 *__restrict__ b,
               float *__restrict__ c, int m, int n, int k) {
  MPC_DYNAMIC_SHARED(mpc_u8, tiles);
  matmul<false>({a, b, c, m, n, k}, mpc_shared_address(tiles));
}

#if MPC_ARCH >= 80
extern "C" __global__ void __launch_bounds__(256)
    matmul_bf16(const mpc_u16 *__restrict__ a, const mpc_u16 *__restrict__ b,
                float *__restrict__ c, int m, int n, int k) {
  MPC_DYNAMIC_SHARED(mpc_u8, tiles);
  matmul<true>({a, b, c, m, n, k}, mpc_shared_address(tiles));
}
#endif
