// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude: what the threads of a warp and of a block make together.

// Sum and maximum of a whole warp, in every lane. The order is that of a tree
// over distances 16, 8, 4, 2, 1 and so the same on every device.
MPC_DEVICE float mpc_warp_sum(float x) {
  for (int distance = 16; distance > 0; distance >>= 1)
    x = x + mpc_shuffle_xor(MPC_FULL_WARP, x, distance);
  return x;
}
MPC_DEVICE float mpc_warp_max(float x) {
  for (int distance = 16; distance > 0; distance >>= 1)
    x = mpc_max(x, mpc_shuffle_xor(MPC_FULL_WARP, x, distance));
  return x;
}

// Lane i gets the value of lane i ^ distance, of any type of up to 8 bytes.
template <typename T>
MPC_DEVICE T mpc_exchange(T x, int distance) {
  union {
    T value;
    mpc_u32 words[2];
  } v;
  v.words[1] = 0;
  v.words[0] = 0;
  v.value = x;
  v.words[0] =
      mpc_bits(mpc_shuffle_xor(MPC_FULL_WARP, mpc_float(v.words[0]), distance));
  if constexpr (sizeof(T) == 8)
    v.words[1] = mpc_bits(
        mpc_shuffle_xor(MPC_FULL_WARP, mpc_float(v.words[1]), distance));
  return v.value;
}

// What `join` makes of a warp's values, in every lane: a tree over the
// distances 16, 8, 4, 2, 1.
template <typename T, typename Join>
MPC_DEVICE T mpc_warp_combine(T x, Join join) {
  for (int distance = 16; distance > 0; distance >>= 1)
    x = join(x, mpc_exchange(x, distance));
  return x;
}

// The same of a block of `Warps` warps, in every thread: of each warp, then of
// the warps in order. `partial` is shared, one element a warp, used once.
template <int Warps, typename T, typename Join>
MPC_DEVICE T mpc_block_combine(T x, T *partial, Join join) {
  x = mpc_warp_combine(x, join);
  if (mpc_lane() == 0)
    partial[mpc_warp()] = x;
  mpc_sync_block();
  T whole = partial[0];
  for (int i = 1; i < Warps; ++i)
    whole = join(whole, partial[i]);
  return whole;
}

// What `join` makes of the values that the warps of a block have in one lane,
// in order, in every warp. `partial` is shared, one element a thread, used
// once.
template <int Warps, typename T, typename Join>
MPC_DEVICE T mpc_column_combine(T x, T *partial, Join join) {
  partial[threadIdx.x] = x;
  mpc_sync_block();
  T whole = partial[mpc_lane()];
  for (int i = 1; i < Warps; ++i)
    whole = join(whole, partial[i * 32 + mpc_lane()]);
  return whole;
}

// Sum over a block of `Warps` warps, in every thread: of each warp, then of the
// warps' sums in order. `partial` is shared, one element a warp, and free
// again after the next barrier.
template <int Warps>
MPC_DEVICE float mpc_block_sum(float x, float *partial) {
  x = mpc_warp_sum(x);
  if (mpc_lane() == 0)
    partial[mpc_warp()] = x;
  mpc_sync_block();
  float sum = partial[0];
  for (int i = 1; i < Warps; ++i)
    sum = sum + partial[i];
  return sum;
}
template <int Warps>
MPC_DEVICE float mpc_block_max(float x, float *partial) {
  x = mpc_warp_max(x);
  if (mpc_lane() == 0)
    partial[mpc_warp()] = x;
  mpc_sync_block();
  float largest = partial[0];
  for (int i = 1; i < Warps; ++i)
    largest = mpc_max(largest, partial[i]);
  return largest;
}
