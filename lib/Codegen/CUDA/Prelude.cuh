// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device prelude: text that stands in front of every emitted kernel. It
// includes no header, so that the text alone decides what is compiled, and it
// is compiled without contraction (NVRTC: --fmad=false).
//
// Part 1 holds the instructions that CUDA C++ has no plain spelling for, each
// behind one name. With MPC_SIMT the emulator (test/support/simt) has given
// these names host bodies already. Part 2 is plain C++ over part 1 and is the
// same text on both.
//
// Rules for kernels: `extern "C"`, plain parameters; every special instruction
// through a name of this file; no return in front of a barrier; dynamic shared
// memory through MPC_DYNAMIC_SHARED, static arrays in the kernel's own scope.

typedef signed char mpc_i8;
typedef short mpc_i16;
typedef int mpc_i32;
typedef long long mpc_i64;
typedef unsigned char mpc_u8;
typedef unsigned short mpc_u16; // also the storage of f16 and bf16
typedef unsigned int mpc_u32;
typedef unsigned long long mpc_u64;

// What one thread moves with one instruction: 16 bytes, 16-byte aligned.
struct alignas(16) mpc_pack {
  mpc_u32 word[4];
};

#define MPC_FULL_WARP 0xffffffffu

//===----------------------------------------------------------------------===//
// Part 1: instructions
//===----------------------------------------------------------------------===//

#ifndef MPC_SIMT

#define MPC_DEVICE __device__ __forceinline__
#define MPC_MEMBER __device__ __forceinline__
#define MPC_ARCH (__CUDA_ARCH__ / 10)
#define MPC_DYNAMIC_SHARED(type, name)                                         \
  extern __shared__ __align__(16) mpc_u8 mpc_dynamic_shared[];                 \
  type *name = reinterpret_cast<type *>(mpc_dynamic_shared)

// An address in shared memory, as instructions want it.
typedef mpc_u32 mpc_shared;

MPC_DEVICE mpc_shared mpc_shared_address(const void *pointer) {
  return static_cast<mpc_u32>(__cvta_generic_to_shared(pointer));
}

MPC_DEVICE mpc_pack mpc_load16(const void *from) {
  uint4 v = *static_cast<const uint4 *>(from);
  return {{v.x, v.y, v.z, v.w}};
}

MPC_DEVICE void mpc_store16(void *to, mpc_pack v) {
  *static_cast<uint4 *>(to) =
      make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]);
}

MPC_DEVICE mpc_u32 mpc_bits(float x) { return __float_as_uint(x); }
MPC_DEVICE float mpc_float(mpc_u32 bits) { return __uint_as_float(bits); }
MPC_DEVICE mpc_u64 mpc_bits(double x) {
  return static_cast<mpc_u64>(__double_as_longlong(x));
}
MPC_DEVICE double mpc_double(mpc_u64 bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}
MPC_DEVICE float mpc_fma(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
MPC_DEVICE double mpc_fma(double a, double b, double c) {
  return __fma_rn(a, b, c);
}

MPC_DEVICE float mpc_f16_to_f32(mpc_u16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
  return y;
}

// Rounds to nearest even; NaN becomes 0x7fff.
MPC_DEVICE mpc_u16 mpc_f32_to_f16(float x) {
  mpc_u16 y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}

#if MPC_ARCH >= 80
#define MPC_HAS_BF16_CONVERSION 1
MPC_DEVICE mpc_u16 mpc_f32_to_bf16(float x) {
  mpc_u16 y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}
#endif

// Lane i gets the value of lane i ^ distance. All of `mask` take part.
MPC_DEVICE float mpc_shuffle_xor(mpc_u32 mask, float x, int distance) {
  return __shfl_xor_sync(mask, x, distance);
}
// Every lane gets the value of `lane`.
MPC_DEVICE float mpc_shuffle(mpc_u32 mask, float x, int lane) {
  return __shfl_sync(mask, x, lane);
}
// Which lanes of `mask`, all of which take part, say yes.
MPC_DEVICE mpc_u32 mpc_ballot(mpc_u32 mask, bool yes) {
  return __ballot_sync(mask, yes);
}
// The number of the lowest bit that is set; one is.
MPC_DEVICE int mpc_lowest(mpc_u32 bits) { return __ffs(bits) - 1; }
// Orders the memory accesses of the lanes of `mask`.
MPC_DEVICE void mpc_sync_warp(mpc_u32 mask) { __syncwarp(mask); }
// Every thread of the block takes part, at the same place of the text.
MPC_DEVICE void mpc_sync_block() { __syncthreads(); }

MPC_DEVICE mpc_u32 mpc_atomic_or(mpc_u32 *at, mpc_u32 bits) {
  return atomicOr(at, bits);
}

// Four 8x8 matrices of 16-bit elements: lane 8i+j gives the address of row j of
// matrix i, 16-byte aligned; matrix[i] gets elements (lane/4, 2*(lane%4)) and
// the one after it.
MPC_DEVICE void mpc_ldmatrix_x4(mpc_u32 (&matrix)[4], mpc_shared row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(matrix[0]), "=r"(matrix[1]), "=r"(matrix[2]),
                 "=r"(matrix[3])
               : "r"(row)
               : "memory");
}

// The same with each matrix transposed.
MPC_DEVICE void mpc_ldmatrix_x4_transposed(mpc_u32 (&matrix)[4],
                                           mpc_shared row) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(matrix[0]), "=r"(matrix[1]), "=r"(matrix[2]), "=r"(matrix[3])
      : "r"(row)
      : "memory");
}

// d (16x8, f32) += a (16x8, f16) * b (8x8, f16), fragments as PTX has them.
MPC_DEVICE void mpc_mma_m16n8k8_f16(float (&d)[4], const mpc_u32 (&a)[2],
                                    mpc_u32 b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
               "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}

#if MPC_ARCH >= 80

// d (16x8, f32) += a (16x16) * b (16x8), fragments as PTX has them.
#define MPC_MMA_M16N8K16(type)                                                 \
  MPC_DEVICE void mpc_mma_m16n8k16_##type(float (&d)[4], const mpc_u32(&a)[4], \
                                          const mpc_u32(&b)[2]) {              \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." #type "." #type      \
                 ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"  \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),      \
                   "r"(b[1]));                                                 \
  }
MPC_MMA_M16N8K16(f16)
MPC_MMA_M16N8K16(bf16)
#undef MPC_MMA_M16N8K16

// Starts to copy `bytes` (0 to 16) from global memory to 16 bytes of shared
// memory; the rest becomes zero. `from` is 16-byte aligned and may be anything
// where `bytes` is 0.
MPC_DEVICE void mpc_copy_async16(mpc_shared to, const void *from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
               "l"(__cvta_generic_to_global(from)), "r"(bytes)
               : "memory");
}
// Makes a group of this thread's copies since the last group.
MPC_DEVICE void mpc_copy_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until at most `Pending` of this thread's groups are under way. What
// other threads copied is there after a barrier that follows.
template <int Pending>
MPC_DEVICE void mpc_copy_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

#else // sm_75: the copy is done at once

MPC_DEVICE void mpc_copy_async16(mpc_shared to, const void *from, int bytes) {
  mpc_pack v = {{0, 0, 0, 0}};
  if (bytes == 16)
    v = mpc_load16(from);
  else
    for (int i = 0; i < bytes; ++i)
      v.word[i / 4] |=
          static_cast<mpc_u32>(static_cast<const mpc_u8 *>(from)[i])
          << (i % 4 * 8);
  asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(to),
               "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
               : "memory");
}
MPC_DEVICE void mpc_copy_async_commit() {}
template <int Pending>
MPC_DEVICE void mpc_copy_async_wait() {}

#endif // MPC_ARCH >= 80
#endif // MPC_SIMT

//===----------------------------------------------------------------------===//
// Part 2: plain text over part 1
//===----------------------------------------------------------------------===//

MPC_DEVICE float mpc_bf16_to_f32(mpc_u16 x) {
  return mpc_float(static_cast<mpc_u32>(x) << 16);
}

// Rounds to nearest even by integers: the bits of cvt.rn.bf16.f32, which
// sm_75 lacks; NaN becomes 0x7fff.
MPC_DEVICE mpc_u16 mpc_f32_to_bf16_integer(float x) {
  mpc_u32 bits = mpc_bits(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return 0x7fff;
  return static_cast<mpc_u16>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

#ifndef MPC_HAS_BF16_CONVERSION
MPC_DEVICE mpc_u16 mpc_f32_to_bf16(float x) {
  return mpc_f32_to_bf16_integer(x);
}
#endif

#if MPC_ARCH < 80
// Two steps of sm_75's product: its fragments are the halves of these.
MPC_DEVICE void mpc_mma_m16n8k16_f16(float (&d)[4], const mpc_u32 (&a)[4],
                                     const mpc_u32 (&b)[2]) {
  const mpc_u32 low[2] = {a[0], a[1]}, high[2] = {a[2], a[3]};
  mpc_mma_m16n8k8_f16(d, low, b[0]);
  mpc_mma_m16n8k8_f16(d, high, b[1]);
}
#endif

// As a CPU of x86 does it: what no integer is, or none of the type, becomes the
// least of the type.
template <typename T>
MPC_DEVICE mpc_i32 mpc_to_i32(T x) {
  return x > T(-2147483648.0) && x < T(2147483648.0) ? static_cast<mpc_i32>(x)
                                                     : -2147483647 - 1;
}
template <typename T>
MPC_DEVICE mpc_i64 mpc_to_i64(T x) {
  return x > T(-9223372036854775808.0) && x < T(9223372036854775808.0)
             ? static_cast<mpc_i64>(x)
             : -9223372036854775807ll - 1;
}

// C's library, which the compiler declares by itself: NVRTC the device's. Its
// last bits are not the CPU's: only the functions of f32 at the end of this
// file are, which models compute with. In f64 these serve policies of the loss
// scale and models that are f64 themselves.
#define MPC_LIBRARY1(name)                                                     \
  MPC_DEVICE float mpc_##name(float x) { return ::name##f(x); }                \
  MPC_DEVICE double mpc_##name(double x) { return ::name(x); }
MPC_LIBRARY1(sqrt)
MPC_LIBRARY1(floor)
MPC_LIBRARY1(ceil)
MPC_LIBRARY1(rint)
MPC_LIBRARY1(expm1)
MPC_LIBRARY1(log1p)
MPC_LIBRARY1(sin)
MPC_LIBRARY1(cos)
MPC_LIBRARY1(tan)
MPC_LIBRARY1(sinh)
MPC_LIBRARY1(cosh)
MPC_LIBRARY1(asin)
MPC_LIBRARY1(acos)
MPC_LIBRARY1(atan)
MPC_LIBRARY1(asinh)
MPC_LIBRARY1(acosh)
MPC_LIBRARY1(atanh)
#undef MPC_LIBRARY1
MPC_DEVICE double mpc_exp(double x) { return ::exp(x); }
MPC_DEVICE double mpc_log(double x) { return ::log(x); }
MPC_DEVICE double mpc_tanh(double x) { return ::tanh(x); }
MPC_DEVICE double mpc_erf(double x) { return ::erf(x); }
MPC_DEVICE float mpc_pow(float x, float y) { return ::powf(x, y); }
MPC_DEVICE double mpc_pow(double x, double y) { return ::pow(x, y); }
MPC_DEVICE float mpc_fmod(float x, float y) { return ::fmodf(x, y); }
MPC_DEVICE double mpc_fmod(double x, double y) { return ::fmod(x, y); }

// The first element of a pair lies in the lower half.
MPC_DEVICE mpc_u32 mpc_pair(mpc_u16 first, mpc_u16 second) {
  return static_cast<mpc_u32>(first) | static_cast<mpc_u32>(second) << 16;
}
MPC_DEVICE mpc_u16 mpc_first(mpc_u32 pair) {
  return static_cast<mpc_u16>(pair & 0xffffu);
}
MPC_DEVICE mpc_u16 mpc_second(mpc_u32 pair) {
  return static_cast<mpc_u16>(pair >> 16);
}

// Index of this thread's warp and of its place in it, in a 1-d block.
MPC_DEVICE int mpc_warp() { return static_cast<int>(threadIdx.x) >> 5; }
MPC_DEVICE int mpc_lane() { return static_cast<int>(threadIdx.x) & 31; }

// As arith.maximumf and arith.minimumf: NaN if either is; +0 is above -0.
MPC_DEVICE float mpc_max(float a, float b) {
  return a == b ? mpc_float(mpc_bits(a) & mpc_bits(b))
                : (a > b || a != a ? a : b);
}
MPC_DEVICE double mpc_max(double a, double b) {
  return a == b ? mpc_double(mpc_bits(a) & mpc_bits(b))
                : (a > b || a != a ? a : b);
}
MPC_DEVICE float mpc_min(float a, float b) {
  return a == b ? mpc_float(mpc_bits(a) | mpc_bits(b))
                : (a < b || a != a ? a : b);
}
MPC_DEVICE double mpc_min(double a, double b) {
  return a == b ? mpc_double(mpc_bits(a) | mpc_bits(b))
                : (a < b || a != a ? a : b);
}
// As arith.maxnumf and arith.minnumf: NaN only if both are.
template <typename T>
MPC_DEVICE T mpc_max_number(T a, T b) {
  return a != a ? b : (b != b ? a : mpc_max(a, b));
}
template <typename T>
MPC_DEVICE T mpc_min_number(T a, T b) {
  return a != a ? b : (b != b ? a : mpc_min(a, b));
}

MPC_DEVICE double mpc_abs(double x) {
  return mpc_double(mpc_bits(x) & ~(1ull << 63));
}

// An f32 near x whose last bit tells whether x lies beyond it: rounding that to
// 16 bits is rounding x.
MPC_DEVICE float mpc_to_odd(double x) {
  float near = static_cast<float>(x);
  double back = static_cast<double>(near);
  bool isInfinite = (mpc_bits(near) & 0x7fffffffu) == 0x7f800000u;
  if (back == x || x != x || isInfinite)
    return near;
  // Toward zero, then the last bit.
  bool isAway = mpc_abs(back) > mpc_abs(x);
  return mpc_float((mpc_bits(near) - (isAway ? 1u : 0u)) | 1u);
}

// A computed place, kept inside of an axis of `extent` elements; a negative
// one that counts from the end.
MPC_DEVICE mpc_i64 mpc_clamp(mpc_i64 place, mpc_i64 extent) {
  return place < 0 ? 0 : (place < extent ? place : extent - 1);
}
MPC_DEVICE mpc_i64 mpc_wrap(mpc_i64 place, mpc_i64 extent) {
  return mpc_clamp(place < 0 ? place + extent : place, extent);
}

// `Count` neighbours, moved with accesses of up to 16 bytes; the address is a
// multiple of the vector's size, or of 16.
template <typename T, int Count>
struct mpc_vector {
  static constexpr int kBytes = Count * static_cast<int>(sizeof(T));
  static_assert(kBytes >= 16 ? kBytes % 16 == 0 : (kBytes & (kBytes - 1)) == 0,
                "a vector is a power of two of bytes, or packs");
  union {
    T at[Count];
    mpc_pack packs[kBytes >= 16 ? kBytes / 16 : 1];
  };

  static MPC_MEMBER mpc_vector load(const T *from) {
    mpc_vector v;
    if constexpr (kBytes >= 16) {
      for (int i = 0; i < kBytes / 16; ++i)
        v.packs[i] = mpc_load16(from + i * (16 / static_cast<int>(sizeof(T))));
    } else {
      for (int i = 0; i < Count; ++i)
        v.at[i] = from[i];
    }
    return v;
  }
  MPC_MEMBER void store(T *to) const {
    if constexpr (kBytes >= 16) {
      for (int i = 0; i < kBytes / 16; ++i)
        mpc_store16(to + i * (16 / static_cast<int>(sizeof(T))), packs[i]);
    } else {
      for (int i = 0; i < Count; ++i)
        to[i] = at[i];
    }
  }
};

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

// Fragments of a tile in shared memory whose lines are `Pitch` elements apart.
// A line holds k of one row where `Lines` (of one column below), else the rows
// of one k. A fragment of 16 rows and 16 k from (row, k) on:
template <bool Lines, int Pitch>
MPC_DEVICE void mpc_load_rows(mpc_u32 (&fragment)[4], const mpc_u16 *tile,
                              int row, int k) {
  const int lane = mpc_lane();
  if constexpr (Lines)
    mpc_ldmatrix_x4(fragment,
                    mpc_shared_address(tile + (row + (lane & 15)) * Pitch + k +
                                       (lane >> 4) * 8));
  else
    mpc_ldmatrix_x4_transposed(
        fragment,
        mpc_shared_address(tile + (k + (lane >> 4) * 8 + (lane & 7)) * Pitch +
                           row + (lane >> 3 & 1) * 8));
}

// Two fragments, of 8 columns and 16 k each, from (column, k) on.
template <bool Lines, int Pitch>
MPC_DEVICE void mpc_load_columns(mpc_u32 (&fragments)[4], const mpc_u16 *tile,
                                 int column, int k) {
  const int lane = mpc_lane();
  if constexpr (Lines)
    mpc_ldmatrix_x4(fragments,
                    mpc_shared_address(
                        tile + (column + (lane >> 4) * 8 + (lane & 7)) * Pitch +
                        k + (lane >> 3 & 1) * 8));
  else
    mpc_ldmatrix_x4_transposed(
        fragments, mpc_shared_address(
                       tile + (k + (lane >> 3 & 1) * 8 + (lane & 7)) * Pitch +
                       column + (lane >> 4) * 8));
}

// How a tile of rows or columns lies in shared memory.
template <bool Lines_, int Pitch_>
struct mpc_tile {
  static constexpr bool Lines = Lines_;
  static constexpr int Pitch = Pitch_;
};

// sums += rows * columns over `Depth` k, for the warp's part of a block's tile:
// `RowTiles` x 16 rows from `row` on, `ColumnTiles` x 8 columns from `column`.
template <typename Rows, typename Columns, bool IsBF16, int Depth, int RowTiles,
          int ColumnTiles>
MPC_DEVICE void mpc_multiply_tiles(float (&sums)[RowTiles][ColumnTiles][4],
                                   const mpc_u16 *rows, int row,
                                   const mpc_u16 *columns, int column) {
#pragma unroll
  for (int k = 0; k < Depth; k += 16) {
    mpc_u32 a[RowTiles][4];
#pragma unroll
    for (int i = 0; i < RowTiles; ++i)
      mpc_load_rows<Rows::Lines, Rows::Pitch>(a[i], rows, row + i * 16, k);
#pragma unroll
    for (int j = 0; j < ColumnTiles; j += 2) {
      mpc_u32 both[4];
      mpc_load_columns<Columns::Lines, Columns::Pitch>(both, columns,
                                                       column + j * 8, k);
      const mpc_u32 b[2][2] = {{both[0], both[1]}, {both[2], both[3]}};
#pragma unroll
      for (int i = 0; i < RowTiles; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          if constexpr (IsBF16)
            mpc_mma_m16n8k16_bf16(sums[i][j + half], a[i], b[half]);
          else
            mpc_mma_m16n8k16_f16(sums[i][j + half], a[i], b[half]);
    }
  }
}

// The rows of a warp's fragments that lie in one part of the result: 16 from
// `row` on, of 32 columns from `column` on. Lane l of a product has the rows
// l / 4 and l / 4 + 8, and of each the columns 2 * (l % 4) and the next.
template <int Pitch>
MPC_DEVICE void mpc_put_sums(float *part, const float (&sums)[4][4], int row,
                             int column) {
  const int lane = mpc_lane();
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      part[(row + lane / 4 + e / 2 * 8) * Pitch + column + j * 8 +
           lane % 4 * 2 + e % 2] = sums[j][e];
}

// Products of f32: the rows and columns of a tile are shared by `Groups` groups
// of threads each. This is the i-th of a group: neighbouring groups have
// neighbouring lines, or pieces of 4 along a line.
template <bool Lines, int Groups>
MPC_DEVICE int mpc_place_of(int group, int i) {
  return Lines ? group + i * Groups : (i / 4 * Groups + group) * 4 + i % 4;
}

// Four k from `k` on of 8 rows of a group.
template <typename Tile, int Groups>
MPC_DEVICE void mpc_load_f32_rows(float (&some)[8][4], const float *tile,
                                  int group, int k) {
  typedef mpc_vector<float, 4> Four;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if constexpr (Tile::Lines) {
      const Four line = Four::load(
          tile + mpc_place_of<true, Groups>(group, i) * Tile::Pitch + k);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        some[i][e] = line.at[e];
    } else {
      const Four piece =
          Four::load(tile + (k + i % 4) * Tile::Pitch +
                     mpc_place_of<false, Groups>(group, i / 4 * 4));
#pragma unroll
      for (int e = 0; e < 4; ++e)
        some[i / 4 * 4 + e][i % 4] = piece.at[e];
    }
}

// sums += rows * columns over `Depth` k, ascending, for the 8 rows and `Count`
// columns that a thread has of a block's tile of `Side` rows and columns. Four
// numbers of the columns are at hand at a time: more would not leave registers
// for two blocks.
template <typename Rows, typename Columns, int Depth, int Side, int Count>
MPC_DEVICE void mpc_multiply_f32_tiles(float (&sums)[8][Count],
                                       const float *rows, int rowGroup,
                                       const float *columns, int columnGroup) {
  typedef mpc_vector<float, 4> Four;
#pragma unroll
  for (int k = 0; k < Depth; k += 4) {
    float a[8][4];
    mpc_load_f32_rows<Rows, Side / 8>(a, rows, rowGroup, k);
#pragma unroll
    for (int j = 0; j < Count; ++j)
      if constexpr (Columns::Lines) {
        const Four b = Four::load(
            columns + mpc_place_of<true, 16>(columnGroup, j) * Columns::Pitch +
            k);
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
          for (int i = 0; i < 8; ++i)
            sums[i][j] = mpc_fma(a[i][e], b.at[e], sums[i][j]);
      } else {
        const int e = j % 4, first = j / 4 * 4;
        const Four b = Four::load(columns + (k + e) * Columns::Pitch +
                                  mpc_place_of<false, 16>(columnGroup, first));
#pragma unroll
        for (int column = 0; column < 4; ++column)
#pragma unroll
          for (int i = 0; i < 8; ++i)
            sums[i][first + column] =
                mpc_fma(a[i][e], b.at[column], sums[i][first + column]);
      }
  }
}

// `Rows` rows of a thread's sums, to the part of the result that they lie in.
template <int Pitch, int Rows, bool Lines, int Count>
MPC_DEVICE void mpc_put_f32_sums(float *part, const float (*sums)[Count],
                                 int rowGroup, int columnGroup) {
#pragma unroll
  for (int i = 0; i < Rows; ++i)
#pragma unroll
    for (int j = 0; j < Count; ++j)
      part[(rowGroup * Rows + i) * Pitch +
           mpc_place_of<Lines, 16>(columnGroup, j)] = sums[i][j];
}

// The functions below are, step by step, those that the CPU's emitter prints
// (lib/Codegen/CPU/MathBuilder.cpp, MathErf.cpp, f32), so that both have the
// same bits. Change both or neither.

MPC_DEVICE float mpc_abs(float x) {
  return mpc_float(mpc_bits(x) & 0x7fffffffu);
}
MPC_DEVICE double mpc_copysign(double size, double sign) {
  return mpc_double((mpc_bits(size) & ~(1ull << 63)) |
                    (mpc_bits(sign) & 1ull << 63));
}
MPC_DEVICE float mpc_copysign(float size, float sign) {
  return mpc_float((mpc_bits(size) & 0x7fffffffu) |
                   (mpc_bits(sign) & 0x80000000u));
}

MPC_DEVICE float mpc_power_of_two(int n) {
  return mpc_float(static_cast<mpc_u32>(n + 127) << 23);
}

MPC_DEVICE float mpc_exp(float x) {
  x = x < -104.0f ? -104.0f : x;
  x = x > 89.0f ? 89.0f : x;
  float sum = x * 1.44269504088896340736f + 12582912.0f;
  int n = static_cast<int>(mpc_bits(sum) - 0x4b400000u);
  float whole = sum - 12582912.0f;
  float r = mpc_fma(whole, -6.93359375e-1f, x);
  r = mpc_fma(whole, 2.12194440e-4f, r);
  float p = 1.9875691500e-4f;
  p = mpc_fma(p, r, 1.3981999507e-3f);
  p = mpc_fma(p, r, 8.3334519073e-3f);
  p = mpc_fma(p, r, 4.1665795894e-2f);
  p = mpc_fma(p, r, 1.6666665459e-1f);
  p = mpc_fma(p, r, 5.0000001201e-1f);
  float y = mpc_fma(p, r * r, r) + 1.0f;
  int half = n >> 1;
  return y * mpc_power_of_two(half) * mpc_power_of_two(n - half);
}

MPC_DEVICE float mpc_log(float x) {
  bool tiny = x < 1.1754943508222875e-38f;
  float scaled = tiny ? x * 33554432.0f : x;
  mpc_u32 bits = mpc_bits(scaled) - 0x3f3504f3u;
  int n = static_cast<int>(bits) >> 23;
  float mantissa =
      mpc_float(bits - (static_cast<mpc_u32>(n) << 23) + 0x3f3504f3u);
  float k = static_cast<float>(n);
  k = tiny ? k - 25.0f : k;
  float f = mantissa - 1.0f;
  float s = f / (f + 2.0f);
  float half = f * f * 0.5f;
  float z = s * s;
  float p = 0.24279078841f;
  p = mpc_fma(p, z, 0.28498786688f);
  p = mpc_fma(p, z, 0.40000972152f);
  p = mpc_fma(p, z, 0.66666662693f);
  float low = mpc_fma(k, 9.0580006145e-6f, s * (half + z * p));
  float y = mpc_fma(k, 6.9313812256e-1f, f - (half - low));
  y = x == mpc_float(0x7f800000u) ? x : y;
  y = x == 0.0f ? mpc_float(0xff800000u) : y;
  return x >= 0.0f ? y : mpc_float(0x7fc00000u);
}

MPC_DEVICE float mpc_tanh(float x) {
  float size = mpc_abs(x), z = x * x;
  float p = -5.70498872745e-3f;
  p = mpc_fma(p, z, 2.06390887954e-2f);
  p = mpc_fma(p, z, -5.37397155531e-2f);
  p = mpc_fma(p, z, 1.33314422036e-1f);
  p = mpc_fma(p, z, -3.33332819422e-1f);
  float near = mpc_fma(p * z, x, x);
  float far = 1.0f - 2.0f / (mpc_exp(size + size) + 1.0f);
  return size < 0.625f ? near : mpc_copysign(far, x);
}

MPC_DEVICE float mpc_erf(float x) {
  float t = mpc_abs(x), s = x * x;
  float r = mpc_fma(-1.72853470e-5f, t, 3.83197126e-4f);
  float u = mpc_fma(-3.88396438e-3f, t, 2.42546219e-2f);
  r = mpc_fma(r, s, u);
  r = mpc_fma(r, t, -1.06777877e-1f);
  r = mpc_fma(r, t, -6.34846687e-1f);
  r = mpc_fma(r, t, -1.28717512e-1f);
  r = mpc_fma(r, t, -t);
  float far = mpc_copysign(1.0f - mpc_exp(r), x);
  float p = -5.96761703e-4f;
  p = mpc_fma(p, s, 4.99119423e-3f);
  p = mpc_fma(p, s, -2.67681349e-2f);
  p = mpc_fma(p, s, 1.12819925e-1f);
  p = mpc_fma(p, s, -3.76125336e-1f);
  p = mpc_fma(p, s, 1.28379166e-1f);
  return t > 0.927734375f ? far : mpc_fma(p, x, x);
}

// End of the prelude.
