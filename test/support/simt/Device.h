// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Host bodies of the names in part 1 of the device prelude, and the keywords
/// of CUDA C++. Stands in front of a kernel's text; host compilers only.
#ifndef MPC_TEST_SUPPORT_SIMT_DEVICE_H
#define MPC_TEST_SUPPORT_SIMT_DEVICE_H

#include "test/support/simt/Module.h"

#include <cstring>
#include <type_traits>

// The prelude calls ::sinf and its like. The C++ library's header of that name
// takes longer to read than most kernels take to compile; its macro for the C
// library itself asks for that library's.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS

#define MPC_SIMT 1
#define MPC_HAS_BF16_CONVERSION 1

// Hooks.cpp.
extern "C" {
extern simt::Position mpcSimtPosition;
simt::Machine *mpcSimtMachine();
uint16_t mpcSimtRoundToF16(float x);
uint16_t mpcSimtRoundToBF16(float x);
float mpcSimtValueOfF16(uint16_t x);
float mpcSimtFma(float a, float b, float c);
double mpcSimtFma64(double a, double b, double c);
uint32_t mpcSimtAtomicOr(uint32_t *at, uint32_t bits, const void *code);
}

// All shared variables lie in one section, so that the machine knows a shared
// address when it sees one. Blocks run one after another: one copy is enough.
#define __shared__ static __attribute__((section("mpc_shared")))
#define __global__ __attribute__((used, noinline))
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define MPC_DEVICE static inline __attribute__((unused))
#define MPC_MEMBER inline
// What only passes on to the machine: the machine's own memory is not checked.
#define MPC_FORWARD                                                            \
  static __attribute__((unused, noinline, no_sanitize("thread")))
#define MPC_DYNAMIC_SHARED(type, name)                                         \
  type *name = static_cast<type *>(mpcSimtDynamicShared())

#define threadIdx (mpcSimtPosition.threadIdx)
#define blockIdx (mpcSimtPosition.blockIdx)
#define blockDim (mpcSimtPosition.blockDim)
#define gridDim (mpcSimtPosition.gridDim)

struct mpc_pack;
struct mpc_half_pack;
typedef uintptr_t mpc_shared;

// A default argument is evaluated at the place of the call: its line.
#define MPC_SIMT_LINE int line = __builtin_LINE()

MPC_FORWARD void *mpcSimtDynamicShared() {
  return mpcSimtMachine()->dynamicShared();
}
MPC_FORWARD void mpcSimtRequireAlignment(const void *at, int bytes, int line) {
  mpcSimtMachine()->requireAlignment(at, bytes, line);
}

MPC_DEVICE mpc_shared mpc_shared_address(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

// Templates, since mpc_pack is defined by the prelude, after this file.
#define MPC_SIMT_MOVE(bytes, pack)                                             \
  template <typename Pack = pack>                                              \
  MPC_DEVICE Pack mpc_load##bytes(const void *from, MPC_SIMT_LINE) {           \
    mpcSimtRequireAlignment(from, bytes, line);                                \
    return *static_cast<const Pack *>(from);                                   \
  }                                                                            \
  template <typename Pack>                                                     \
  MPC_DEVICE void mpc_store##bytes(void *to, Pack v, MPC_SIMT_LINE) {          \
    static_assert(sizeof(Pack) == bytes);                                      \
    mpcSimtRequireAlignment(to, bytes, line);                                  \
    *static_cast<Pack *>(to) = v;                                              \
  }
MPC_SIMT_MOVE(16, mpc_pack)
MPC_SIMT_MOVE(8, mpc_half_pack)
MPC_SIMT_MOVE(4, uint32_t)
MPC_SIMT_MOVE(2, uint16_t)
#undef MPC_SIMT_MOVE
template <typename Pack>
MPC_DEVICE void mpc_store_shared16(void *to, Pack v, MPC_SIMT_LINE) {
  mpc_store16(to, v, line);
}

MPC_DEVICE uint32_t mpc_bits(float x) {
  return __builtin_bit_cast(uint32_t, x);
}
MPC_DEVICE float mpc_float(uint32_t x) { return __builtin_bit_cast(float, x); }
MPC_DEVICE float mpc_fma(float a, float b, float c) {
  return mpcSimtFma(a, b, c);
}
MPC_DEVICE unsigned long long mpc_bits(double x) {
  return __builtin_bit_cast(unsigned long long, x);
}
MPC_DEVICE double mpc_double(unsigned long long x) {
  return __builtin_bit_cast(double, x);
}
MPC_DEVICE double mpc_fma(double a, double b, double c) {
  return mpcSimtFma64(a, b, c);
}

MPC_DEVICE float mpc_exp2_approximate(float x) {
  float y = exp2f(x);
  return y < 0x1p-126F ? 0.0F : y;
}
MPC_DEVICE float mpc_divide_approximate(float a, float b) { return a / b; }
MPC_DEVICE float mpc_max_plain(float a, float b) { return fmaxf(a, b); }

MPC_DEVICE float mpc_f16_to_f32(uint16_t x) { return mpcSimtValueOfF16(x); }
MPC_DEVICE uint16_t mpc_f32_to_f16(float x) { return mpcSimtRoundToF16(x); }
MPC_DEVICE uint16_t mpc_f32_to_bf16(float x) { return mpcSimtRoundToBF16(x); }

MPC_FORWARD float mpc_shuffle(uint32_t mask, float x, int lane, MPC_SIMT_LINE) {
  return mpc_float(
      mpcSimtMachine()->shuffle(mask, mpc_bits(x), lane & 31, line));
}
MPC_FORWARD float mpc_shuffle_xor(uint32_t mask, float x, int distance,
                                  MPC_SIMT_LINE) {
  int lane =
      static_cast<int>(threadIdx.x +
                       blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) &
      31;
  return mpc_float(
      mpcSimtMachine()->shuffle(mask, mpc_bits(x), lane ^ distance, line));
}
MPC_FORWARD uint32_t mpc_ballot(uint32_t mask, bool yes, MPC_SIMT_LINE) {
  return mpcSimtMachine()->ballot(mask, yes, line);
}
MPC_DEVICE int mpc_lowest(uint32_t bits) { return __builtin_ctz(bits); }
MPC_FORWARD void mpc_sync_warp(uint32_t mask, MPC_SIMT_LINE) {
  mpcSimtMachine()->syncWarp(mask, line);
}
MPC_FORWARD void mpc_sync_block(MPC_SIMT_LINE) {
  mpcSimtMachine()->syncBlock(line);
}
MPC_DEVICE uint32_t mpc_atomic_or(uint32_t *at, uint32_t bits) {
  return mpcSimtAtomicOr(at, bits, __builtin_return_address(0));
}

MPC_FORWARD void mpc_ldmatrix_x4(uint32_t (&matrix)[4], mpc_shared row,
                                 MPC_SIMT_LINE) {
  mpcSimtMachine()->loadMatrices(matrix, reinterpret_cast<const void *>(row),
                                 false, line);
}
MPC_FORWARD void mpc_ldmatrix_x4_transposed(uint32_t (&matrix)[4],
                                            mpc_shared row, MPC_SIMT_LINE) {
  mpcSimtMachine()->loadMatrices(matrix, reinterpret_cast<const void *>(row),
                                 true, line);
}

MPC_FORWARD void mpc_mma_m16n8k8_f16(float (&d)[4], const uint32_t (&a)[2],
                                     uint32_t b, MPC_SIMT_LINE) {
  mpcSimtMachine()->multiply(simt::Product::M16N8K8F16, d, a, &b, line);
}
#if MPC_ARCH >= 80
MPC_FORWARD void mpc_mma_m16n8k16_f16(float (&d)[4], const uint32_t (&a)[4],
                                      const uint32_t (&b)[2], MPC_SIMT_LINE) {
  mpcSimtMachine()->multiply(simt::Product::M16N8K16F16, d, a, b, line);
}
MPC_FORWARD void mpc_mma_m16n8k16_bf16(float (&d)[4], const uint32_t (&a)[4],
                                       const uint32_t (&b)[2], MPC_SIMT_LINE) {
  mpcSimtMachine()->multiply(simt::Product::M16N8K16BF16, d, a, b, line);
}
#endif

MPC_FORWARD void mpc_copy_async16(mpc_shared to, const void *from, int bytes,
                                  MPC_SIMT_LINE) {
  mpcSimtMachine()->copyAsync(reinterpret_cast<void *>(to), from, bytes, line);
}
MPC_FORWARD void mpc_copy_async_commit() { mpcSimtMachine()->commitCopies(); }
template <int Pending>
MPC_FORWARD void mpc_copy_async_wait() {
  mpcSimtMachine()->waitForCopies(Pending);
}

namespace simt {

/// How a kernel is called from an array of pointers to its arguments.
template <auto Function>
struct Entry;
template <typename... Parameters, void (*Function)(Parameters...)>
struct Entry<Function> {
  static constexpr size_t kBytes[] = {sizeof(Parameters)..., 0};

  // Not part of the kernel: the arguments are the machine's memory.
  __attribute__((no_sanitize("thread"))) static void
  run(void *const *arguments) {
    size_t next = 0;
    // Braces evaluate from left to right.
    struct Call {
      __attribute__((no_sanitize("thread"))) Call(Parameters... parameters) {
        Function(parameters...);
      }
    };
    Call{*static_cast<std::remove_cvref_t<Parameters> *>(arguments[next++])...};
  }
  static constexpr Kernel describe(const char *name, uint32_t maxThreads) {
    return {name, maxThreads, kBytes, sizeof...(Parameters), run};
  }
};

} // namespace simt

#endif // MPC_TEST_SUPPORT_SIMT_DEVICE_H
