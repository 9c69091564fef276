// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over registers and over memory, on all workers of a pool.
#include "runtime/Device/CPU/Peaks.h"

#include "runtime/Device/CPU/Memory.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

namespace mpc::rt {
namespace {

using Clock = std::chrono::steady_clock;

/// The number of chains. 8 cover a latency of 4 on two units; the registers
/// hold 16 beside the two factors only with AVX-512.
constexpr int kWideChains = 16;
constexpr int kNarrowChains = 12;
/// A try takes some ten milliseconds: a worker that slept may come a whole one
/// late, and the others would have done its shares.
constexpr int64_t kRounds = 1 << 18;
constexpr int kTries = 5;

/// Keeps a value from being optimized away.
template <typename Value>
void keep(const Value &value) {
  asm volatile("" : : "m"(value) : "memory");
}

//===----------------------------------------------------------------------===//
// Loops of one worker. Each returns its operations.
//===----------------------------------------------------------------------===//

__attribute__((target("avx512f"))) int64_t multiplyWide() {
  __m512 chains[kWideChains];
  for (__m512 &chain : chains)
    chain = _mm512_set1_ps(1);
  __m512 factor = _mm512_set1_ps(0.5f), term = _mm512_set1_ps(0.25f);
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 16
    for (__m512 &chain : chains)
      chain = _mm512_fmadd_ps(chain, factor, term);
  }
  keep(chains);
  return kRounds * kWideChains * 32;
}

__attribute__((target("avx2,fma"))) int64_t multiplyNarrow() {
  __m256 chains[kNarrowChains];
  for (__m256 &chain : chains)
    chain = _mm256_set1_ps(1);
  __m256 factor = _mm256_set1_ps(0.5f), term = _mm256_set1_ps(0.25f);
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (__m256 &chain : chains)
      chain = _mm256_fmadd_ps(chain, factor, term);
  }
  keep(chains);
  return kRounds * kNarrowChains * 16;
}

__attribute__((target("avx512f,avx512bf16"))) int64_t multiplyPairs() {
  __m512 chains[kWideChains];
  for (__m512 &chain : chains)
    chain = _mm512_set1_ps(1);
  // 0.5 in each element.
  __m512i bits = _mm512_set1_epi16(0x3f00);
  __m512bh factor;
  std::memcpy(&factor, &bits, sizeof factor);
  for (int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 16
    for (__m512 &chain : chains)
      chain = _mm512_dpbf16_ps(chain, factor, factor);
  }
  keep(chains);
  return kRounds * kWideChains * 64;
}

/// The rest of a vector's bytes are those of the next one: a part is a multiple
/// of this.
constexpr uint64_t kStride = 512;

template <typename Vector>
__attribute__((always_inline)) inline void readWith(const std::byte *from,
                                                    uint64_t bytes) {
  constexpr uint64_t kVectors = kStride / sizeof(Vector);
  Vector sums[kVectors] = {};
  for (uint64_t at = 0; at < bytes; at += kStride) {
    const auto *source = reinterpret_cast<const Vector *>(from + at);
#pragma GCC unroll 16
    for (uint64_t i = 0; i < kVectors; ++i)
      sums[i] ^= source[i];
  }
  keep(sums);
}

template <typename Vector>
__attribute__((always_inline)) inline void
copyWith(const std::byte *from, std::byte *to, uint64_t bytes) {
  constexpr uint64_t kVectors = kStride / sizeof(Vector);
  for (uint64_t at = 0; at < bytes; at += kStride) {
    const auto *source = reinterpret_cast<const Vector *>(from + at);
    auto *target = reinterpret_cast<Vector *>(to + at);
#pragma GCC unroll 16
    for (uint64_t i = 0; i < kVectors; ++i)
      target[i] = source[i];
  }
  keep(to);
}

// NOLINTBEGIN(modernize-use-using): an attribute of the type.
typedef int64_t Wide __attribute__((vector_size(64), may_alias));
typedef int64_t Narrow __attribute__((vector_size(32), may_alias));
// NOLINTEND(modernize-use-using)

__attribute__((target("avx512f"))) void readWide(std::byte *data,
                                                 uint64_t bytes) {
  readWith<Wide>(data, bytes);
}
__attribute__((target("avx2"))) void readNarrow(std::byte *data,
                                                uint64_t bytes) {
  readWith<Narrow>(data, bytes);
}
/// Copies the first half to the second.
__attribute__((target("avx512f"))) void copyWide(std::byte *data,
                                                 uint64_t bytes) {
  copyWith<Wide>(data, data + bytes / 2, bytes / 2);
}
__attribute__((target("avx2"))) void copyNarrow(std::byte *data,
                                                uint64_t bytes) {
  copyWith<Narrow>(data, data + bytes / 2, bytes / 2);
}

//===----------------------------------------------------------------------===//
// All workers
//===----------------------------------------------------------------------===//

/// The least seconds of a few calls of `body`.
template <typename Body>
double leastSeconds(Body body) {
  double least = 1e9;
  for (int i = 0; i < kTries; ++i) {
    auto begin = Clock::now();
    body();
    least = std::min(
        least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return least;
}

/// The operations a second of a loop on all workers, in several shares each.
double rateOf(int64_t (*loop)(), ThreadPool &pool) {
  struct Call {
    int64_t (*loop)();
    std::atomic<int64_t> operations{0};
  } call{loop};
  int64_t shares = pool.numWorkers() * int64_t(8);
  double seconds = leastSeconds([&] {
    call.operations = 0;
    pool.run(
        shares,
        [](void *context, int, int64_t begin, int64_t end) {
          auto &one = *static_cast<Call *>(context);
          for (int64_t i = begin; i < end; ++i)
            one.operations += one.loop();
        },
        &call);
  });
  return static_cast<double>(call.operations) / seconds;
}

/// Data that all workers go through, each its part.
struct Sweep {
  void (*loop)(std::byte *data, uint64_t bytes);
  std::byte *data;
  uint64_t part;  ///< The bytes of a worker's part.
  int64_t passes; ///< How often each part is gone through at a time.

  static void run(void *context, int /*worker*/, int64_t begin, int64_t end) {
    auto &sweep = *static_cast<Sweep *>(context);
    for (int64_t i = begin; i < end; ++i)
      for (int64_t pass = 0; pass < sweep.passes; ++pass)
        sweep.loop(sweep.data + static_cast<uint64_t>(i) * sweep.part,
                   sweep.part);
  }
};

/// Small data is gone through so often that the workers' start does not count.
constexpr uint64_t kLeastBytes = uint64_t(256) << 20;

double bandwidthOf(Sweep sweep, ThreadPool &pool) {
  int64_t workers = pool.numWorkers();
  uint64_t bytes = sweep.part * static_cast<uint64_t>(workers);
  sweep.passes =
      static_cast<int64_t>(std::max<uint64_t>(1, kLeastBytes / bytes));
  double seconds = leastSeconds([&] { pool.run(workers, Sweep::run, &sweep); });
  return static_cast<double>(bytes) * static_cast<double>(sweep.passes) /
         seconds;
}

/// From the first cache to the memory, for a worker.
constexpr uint64_t kParts[] = {uint64_t(16) << 10, uint64_t(256) << 10,
                               uint64_t(2) << 20, uint64_t(8) << 20,
                               uint64_t(64) << 20};
/// Of all workers together at most; with more of them the parts are smaller.
constexpr uint64_t kMostBytes = uint64_t(256) << 20;

Status measureMemory(ThreadPool &pool, bool isWide, MachinePeaks &peaks) {
  auto workers = static_cast<uint64_t>(pool.numWorkers());
  MPC_ASSIGN_OR_RETURN(
      HostBuffer data,
      HostBuffer::allocate(std::min(kParts[4] * workers, kMostBytes),
                           "the data with which the bandwidth is measured"));
  // Pages that were never written are one page of zeros.
  std::memset(data.data(), 1, data.size());
  for (uint64_t part : kParts) {
    uint64_t most = data.size() / workers / (2 * kStride) * (2 * kStride);
    Sweep read{isWide ? readWide : readNarrow, data.data(),
               std::min(part, most), 1};
    Sweep copy = read;
    copy.loop = isWide ? copyWide : copyNarrow;
    peaks.memory.push_back(
        {read.part * workers,
         std::max(bandwidthOf(copy, pool), bandwidthOf(read, pool))});
  }
  return {};
}

} // namespace

double MachinePeaks::bandwidth(uint64_t bytes) const {
  double found = memory.empty() ? 0 : memory.front().bytesPerSecond;
  for (const MemoryPeak &peak : memory)
    if (peak.bytes <= bytes)
      found = peak.bytesPerSecond;
  return found;
}

Result<MachinePeaks> measurePeaks(ThreadPool &pool) {
  MachinePeaks peaks;
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v3"))
    return peaks;
  bool isWide = __builtin_cpu_supports("x86-64-v4");
  peaks.units.push_back(
      {"fma f32", rateOf(isWide ? multiplyWide : multiplyNarrow, pool)});
  if (isWide && __builtin_cpu_supports("avx512bf16"))
    peaks.units.push_back({"vdpbf16ps", rateOf(multiplyPairs, pool)});
  MPC_RETURN_IF_ERROR(measureMemory(pool, isWide, peaks));
  return peaks;
}

} // namespace mpc::rt
