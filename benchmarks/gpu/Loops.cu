// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that ask a GPU for one thing each, for device-limits: what cost_model.py
// assumes. Stands behind the prelude. Chains are independent of one another, so
// that the rate is measured and not the latency; what they end in is stored
// where it is a number that it never is, which no compiler knows.

#define MPC_CHAINS 8
#define MPC_EACH _Pragma("unroll") for (int i = 0; i < MPC_CHAINS; ++i)

extern "C" __global__ void nothing() {}

//===----------------------------------------------------------------------===//
// Memory: bytes read and written
//===----------------------------------------------------------------------===//

#define MPC_COPY(name, type)                                                   \
  extern "C" __global__ void __launch_bounds__(256, 1)                         \
  name(const type *__restrict__ from, type *__restrict__ to, mpc_i64 count) {  \
    const mpc_i64 step = static_cast<mpc_i64>(gridDim.x) * blockDim.x;         \
    for (mpc_i64 i =                                                           \
             static_cast<mpc_i64>(blockIdx.x) * blockDim.x + threadIdx.x;      \
         i < count; i += step)                                                 \
      to[i] = from[i];                                                         \
  }
MPC_COPY(copy_2, mpc_u16)
MPC_COPY(copy_4, mpc_u32)
MPC_COPY(copy_8, mpc_u64)

extern "C" __global__ void __launch_bounds__(256, 1)
copy_16(const mpc_pack *__restrict__ from, mpc_pack *__restrict__ to,
        mpc_i64 count) {
  const mpc_i64 step = static_cast<mpc_i64>(gridDim.x) * blockDim.x;
  for (mpc_i64 i = static_cast<mpc_i64>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step)
    mpc_store16(to + i, mpc_load16(from + i));
}

// Every block reads all of a range that L2 holds, each from a place of its own.
extern "C" __global__ void __launch_bounds__(256, 1)
read_l2(const mpc_pack *from, mpc_u32 *out, mpc_i64 count) {
  mpc_u32 sum = 0;
  const mpc_i64 begin = static_cast<mpc_i64>(blockIdx.x) * 4096 % count;
  for (mpc_i64 i = threadIdx.x; i < count; i += blockDim.x) {
    const mpc_i64 at = begin + i;
    const mpc_pack pack = mpc_load16(from + (at < count ? at : at - count));
    sum ^= pack.word[0] ^ pack.word[1] ^ pack.word[2] ^ pack.word[3];
  }
  if (sum == 0x9e3779b9u)
    out[threadIdx.x] = sum;
}

//===----------------------------------------------------------------------===//
// Loops of a thread: out, and how often
//===----------------------------------------------------------------------===//

extern "C" __global__ void __launch_bounds__(256, 1)
read_shared(mpc_u32 *out, int rounds) {
  __shared__ mpc_pack packs[1024];
  for (int i = static_cast<int>(threadIdx.x); i < 1024; i += 256)
    packs[i] = {{threadIdx.x, 1u, 2u, 3u}};
  mpc_sync_block();
  mpc_u32 sum = 0;
  for (int round = 0; round < rounds; ++round)
    MPC_EACH {
      const mpc_pack pack = mpc_load16(
          packs + ((threadIdx.x + static_cast<mpc_u32>(round + i) * 32u) & 1023u));
      sum += pack.word[0] ^ pack.word[1] ^ pack.word[2] ^ pack.word[3];
    }
  if (sum == 0x9e3779b9u)
    out[threadIdx.x] = sum;
}

#define MPC_LOOP(name, step)                                                   \
  extern "C" __global__ void __launch_bounds__(256, 1)                         \
  name(mpc_u32 *out, int rounds) {                                             \
    float x[MPC_CHAINS];                                                       \
    MPC_EACH x[i] = 1.0f + static_cast<float>(threadIdx.x + i) * 0.001f;       \
    for (int round = 0; round < rounds; ++round)                               \
      MPC_EACH x[i] = step;                                                    \
    float sum = 0.0f;                                                          \
    MPC_EACH sum += x[i];                                                      \
    if (sum == -1234.5f)                                                       \
      out[threadIdx.x] = mpc_bits(sum);                                        \
  }

MPC_LOOP(ex2, mpc_exp2_approximate(x[i]))
MPC_LOOP(convert_f16, mpc_f16_to_f32(mpc_f32_to_f16(x[i])) + 0.25f)
MPC_LOOP(convert_bf16, mpc_bf16_to_f32(mpc_f32_to_bf16(x[i])) + 0.25f)
MPC_LOOP(divide, 3.0f / x[i])
MPC_LOOP(multiply_add, mpc_fma(x[i], 0.75f, 0.25f))

//===----------------------------------------------------------------------===//
// Tensor Cores
//===----------------------------------------------------------------------===//

// Numbers that are drawn: zeros take less power, and so a higher clock.
MPC_DEVICE mpc_u32 mpc_drawn_pair(mpc_u32 seed) {
  mpc_u32 x = seed * 0x9e3779b9u + 0x7f4a7c15u;
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  x ^= x >> 12;
  return (x & 0x83ff83ffu) | 0x38003800u;
}

extern "C" __global__ void __launch_bounds__(256, 1)
mma(mpc_u32 *out, int rounds) {
  float d[MPC_CHAINS][4] = {};
  mpc_u32 a[4], b[2];
  for (int i = 0; i < 4; ++i)
    a[i] = mpc_drawn_pair(threadIdx.x * 4 + i);
  for (int i = 0; i < 2; ++i)
    b[i] = mpc_drawn_pair(threadIdx.x * 2 + i + 77);
  for (int round = 0; round < rounds; ++round)
    MPC_EACH mpc_mma_m16n8k16_f16(d[i], a, b);
  float sum = 0.0f;
  MPC_EACH sum += d[i][0] + d[i][1] + d[i][2] + d[i][3];
  if (sum == -1234.5f)
    out[threadIdx.x] = mpc_bits(sum);
}

#if defined(MPC_SIMT)
// The emulator has no such product: that the way to it is whole is all that is
// tested there.
extern "C" __global__ void __launch_bounds__(256, 1)
wgmma(mpc_u32 *out, int rounds) {
  if (rounds < 0)
    out[threadIdx.x] = 0;
}
#elif defined(__CUDA_ARCH_FEAT_SM90_ALL)
// A matrix of rows of 64 elements in shared memory, swizzled by 128 bytes: eight
// rows are 1024 bytes.
MPC_DEVICE mpc_u64 mpc_describe_matrix(const void *matrix) {
  const mpc_u64 place = mpc_shared_address(matrix) >> 4;
  return (place & 0x3fffull) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

// Two groups of four warps, each 64 x 256 by 64 terms of its own a round.
extern "C" __global__ void __launch_bounds__(256, 1)
wgmma(mpc_u32 *out, int rounds) {
  __shared__ __align__(1024) mpc_u32 matrices[(64 + 256) * 64 / 2];
  for (int i = static_cast<int>(threadIdx.x); i < (64 + 256) * 32; i += 256)
    matrices[i] = mpc_drawn_pair(i);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  mpc_sync_block();
  float d[128];
  for (int i = 0; i < 128; ++i)
    d[i] = 0.0f;
  const mpc_u64 a = mpc_describe_matrix(matrices);
  const mpc_u64 b = mpc_describe_matrix(matrices + 64 * 32);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int part = 0; part < 4; ++part) // 16 terms are 32 bytes.
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
          "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
          "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
          "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
          "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
          "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
          "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
          "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
          "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
          "%128, %129, 1, 1, 1, 0, 0;"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),
            "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
            "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
            "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
            "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
            "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
            "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
            "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
            "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
            "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
            "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
            "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
            "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]),
            "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
            "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
            "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]),
            "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]),
            "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
            "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]),
            "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]),
            "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
            "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]),
            "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]),
            "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
            "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]),
            "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]),
            "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]),
            "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
            "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]),
            "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]),
            "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]),
            "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
          : "l"(a + part * 2), "l"(b + part * 2));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  float sum = 0.0f;
  for (int i = 0; i < 128; ++i)
    sum += d[i];
  if (sum == -1234.5f)
    out[threadIdx.x] = mpc_bits(sum);
}
#endif
