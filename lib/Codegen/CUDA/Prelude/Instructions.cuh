// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device prelude: text that stands in front of every emitted kernel. It
// includes no header, so that the text alone decides what is compiled, and it
// is compiled without contraction (NVRTC: --fmad=false).
//
// This part holds the instructions that CUDA C++ has no plain spelling for,
// each behind one name. With MPC_SIMT the emulator (test/support/simt) has
// given these names host bodies already. The parts behind it are plain C++ over
// it and the same text on both; cmake/MpcPrelude.cmake has their order.
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
// Half of that.
struct alignas(8) mpc_half_pack {
  mpc_u32 word[2];
};

#define MPC_FULL_WARP 0xffffffffu

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

// One access to global memory of that many bytes each. As assignments they are
// no promise: eight loads of a byte came of one of 8, and behind places of 64
// bits four stores of 4 bytes of one of 16.
MPC_DEVICE mpc_half_pack mpc_load8(const void *from) {
  mpc_half_pack v;
  asm volatile("ld.global.v2.b32 {%0,%1}, [%2];"
               : "=r"(v.word[0]), "=r"(v.word[1])
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return v;
}

MPC_DEVICE mpc_u32 mpc_load4(const void *from) {
  mpc_u32 v;
  asm volatile("ld.global.b32 %0, [%1];"
               : "=r"(v)
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return v;
}

MPC_DEVICE mpc_u16 mpc_load2(const void *from) {
  mpc_u16 v;
  asm volatile("ld.global.b16 %0, [%1];"
               : "=h"(v)
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return v;
}

MPC_DEVICE void mpc_store16(void *to, mpc_pack v) {
  asm volatile("st.global.v4.b32 [%0], {%1,%2,%3,%4};" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
               : "memory");
}

MPC_DEVICE void mpc_store8(void *to, mpc_half_pack v) {
  asm volatile(
      "st.global.v2.b32 [%0], {%1,%2};" ::"l"(__cvta_generic_to_global(to)),
      "r"(v.word[0]), "r"(v.word[1])
      : "memory");
}

MPC_DEVICE void mpc_store4(void *to, mpc_u32 v) {
  asm volatile("st.global.b32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)),
               "r"(v)
               : "memory");
}

MPC_DEVICE void mpc_store2(void *to, mpc_u16 v) {
  asm volatile("st.global.b16 [%0], %1;" ::"l"(__cvta_generic_to_global(to)),
               "h"(v)
               : "memory");
}

// 16 bytes to shared memory.
MPC_DEVICE void mpc_store_shared16(void *to, mpc_pack v) {
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

// 2^x within some units of the last place; what would be subnormal is 0.
MPC_DEVICE float mpc_exp2_approximate(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// a / b within 2 units of the last place.
MPC_DEVICE float mpc_divide_approximate(float a, float b) {
  float y;
  asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
// As mpc_max_number, but for the order of zeros: one instruction.
MPC_DEVICE float mpc_max_plain(float a, float b) { return fmaxf(a, b); }

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
