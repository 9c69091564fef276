// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude: numbers, places and vectors of one thread.

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
// last bits are not the CPU's: only the functions of f32 in Functions.cuh are,
// which models compute with. In f64 these serve policies of the loss
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

// `Count` neighbours, moved with one access of all their bytes, or with several
// of 16; the address is a multiple of the vector's size, or of 16.
template <typename T, int Count>
struct mpc_vector {
  static constexpr int kBytes = Count * static_cast<int>(sizeof(T));
  static constexpr int kPacks = kBytes / 16;
  // Elements from one pack to the next.
  static constexpr int kStep = 16 / static_cast<int>(sizeof(T));
  static_assert(kBytes >= 16 ? kBytes % 16 == 0 : (kBytes & (kBytes - 1)) == 0,
                "a vector is a power of two of bytes, or packs");
  union {
    T at[Count];
    mpc_pack packs[kPacks > 0 ? kPacks : 1];
    mpc_half_pack half;
    mpc_u32 word;
    mpc_u16 pair;
  };

  // From global memory; of 16 bytes and more, from shared memory too.
  static MPC_MEMBER mpc_vector load(const T *from) {
    mpc_vector v;
    if constexpr (kBytes >= 16)
      for (int i = 0; i < kPacks; ++i)
        v.packs[i] = mpc_load16(from + i * kStep);
    else if constexpr (kBytes == 8)
      v.half = mpc_load8(from);
    else if constexpr (kBytes == 4)
      v.word = mpc_load4(from);
    else if constexpr (kBytes == 2)
      v.pair = mpc_load2(from);
    else
      v.at[0] = from[0];
    return v;
  }
  // To global memory.
  MPC_MEMBER void store(T *to) const {
    if constexpr (kBytes >= 16)
      for (int i = 0; i < kPacks; ++i)
        mpc_store16(to + i * kStep, packs[i]);
    else if constexpr (kBytes == 8)
      mpc_store8(to, half);
    else if constexpr (kBytes == 4)
      mpc_store4(to, word);
    else if constexpr (kBytes == 2)
      mpc_store2(to, pair);
    else
      to[0] = at[0];
  }
  // From shared memory.
  static MPC_MEMBER mpc_vector get(const T *from) {
    mpc_vector v;
    if constexpr (kBytes >= 16)
      return load(from);
    for (int i = 0; i < Count; ++i)
      v.at[i] = from[i];
    return v;
  }
  // Of 16 bytes and more, to shared memory.
  MPC_MEMBER void put(T *to) const {
    for (int i = 0; i < kPacks; ++i)
      mpc_store_shared16(to + i * kStep, packs[i]);
  }
};
