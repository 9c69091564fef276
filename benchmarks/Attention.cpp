// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of training steps, forward and backward: GFLOP/s, and their share
// of the peak of the multiply unit that this machine reaches in the same run.
// Queries, keys and values are parts of one product, [batch, row, part, head,
// element]; work is counted as far as queries see keys.
//
//   bench-attention [--benchmark_filter=...]
//
// One thread. bf16 runs on the machine's unit for it, where it has one.
#include "lib/Codegen/CPU/Processor.h"
#include "lib/Codegen/CPU/Units.h"
#include "runtime/Device/CPU/Peaks.h"
#include "test/lib/Codegen/CPU/Attentions.h"
#include "test/lib/Codegen/CPU/Contractions.h"
#include "llvm/Support/FormatVariadic.h"
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>

using namespace mpc::test;

namespace {

struct Shape {
  int64_t batch, heads, rows, depth;
  bool causal;
  double dropout = 0;

  int64_t elements() const { return batch * heads * rows * depth; }
  [[nodiscard]] AttentionCase attention() const {
    return {.batch = batch,
            .heads = heads,
            .groups = heads,
            .queries = rows,
            .keys = rows,
            .depth = depth,
            .width = depth,
            .causal = causal,
            .packed = true,
            .dropout = dropout};
  }
  /// Operations of `products` products of all queries and keys.
  double flops(int64_t products) const {
    double pairs = causal ? rows * (rows + 1) / 2.0 : 1.0 * rows * rows;
    return 2.0 * products * pairs * depth * batch * heads;
  }
};

/// A kernel compiled, with memory for it.
struct Workload {
  GemmKernels kernels;
  std::vector<std::vector<char>> memory;
  std::vector<void *> buffers;
};

} // namespace

/// Numbers from -2 to 2.
static std::vector<char> fill(int64_t count, bool isWide) {
  std::vector<char> bytes(count * (isWide ? 4 : 2));
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> draw(-2, 2);
  for (int64_t number = 0; number < count; ++number) {
    float value = draw(engine);
    char *source = reinterpret_cast<char *>(&value);
    if (isWide)
      std::memcpy(bytes.data() + number * 4, source, 4);
    else
      std::memcpy(bytes.data() + number * 2, source + 2, 2);
  }
  return bytes;
}

static std::unique_ptr<Workload> prepare(const Shape &s, bool isForward,
                                         bool isWide, mpc::cpu::Unit unit) {
  const char *element = isWide ? "f32" : "bf16";
  auto kernels =
      GemmKernels::compile(isForward ? getForwardText(s.attention(), element)
                                     : getGradientText(s.attention(), element),
                           /*lanes=*/0, unit);
  if (!kernels) {
    std::fprintf(stderr, "%s\n", llvm::toString(kernels.takeError()).c_str());
    std::exit(70);
  }
  auto workload =
      std::make_unique<Workload>(Workload{std::move(*kernels), {}, {}});
  auto add = [&](int count, int64_t numbers, bool isWideNumber) {
    for (int number = 0; number < count; ++number)
      workload->memory.push_back(fill(numbers, isWideNumber));
  };
  int64_t rows = s.batch * s.heads * s.rows;
  // What a row has: maximum and sum, and for the gradient delta.
  add(1, 3 * s.elements(), isWide);
  if (!isForward) {
    add(3, rows, true);
    add(1, s.elements(), isWide);
  }
  add(s.dropout > 0 ? 3 : 0, 2, true);
  add(isForward ? 1 : 3, s.elements(), isWide);
  if (isForward)
    add(2, rows, true);
  for (std::vector<char> &buffer : workload->memory)
    workload->buffers.push_back(buffer.data());
  return workload;
}

// One thread is timed by what it ran, so that a busy machine matters less.
static double getSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void add(const Shape &s, bool isForward, bool isWide,
                mpc::cpu::Unit unit, double peak) {
  std::string name = llvm::formatv(
      "{0}/{1}x{2}x{3}x{4}{5}{6}/{7}", isForward ? "forward" : "backward",
      s.batch, s.heads, s.rows, s.depth, s.causal ? "_causal" : "",
      s.dropout > 0 ? "_dropout" : "", isWide ? "f32" : "bf16");
  auto run = [=](benchmark::State &state) {
    auto workload = prepare(s, isForward, isWide, unit);
    double best = 1e9;
    for (auto _ : state) {
      double start = getSeconds();
      workload->kernels.run(workload->buffers);
      double seconds = getSeconds() - start;
      best = std::min(best, seconds);
      state.SetIterationTime(seconds);
    }
    double rate = s.flops(isForward ? 2 : 5) / best * 1e-9;
    state.counters["GFLOP/s"] = rate;
    state.counters["of_peak"] = rate / peak;
  };
  benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime();
}

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  auto host = mpc::cpu::getProcessor("host");
  auto pool = mpc::rt::ThreadPool::create(1);
  auto peaks = mpc::rt::measurePeaks(**pool);
  if (!host || !peaks.ok())
    return 70;
  mpc::kernel::MultiplyUnit unit = mpc::cpu::describeUnit(host->bf16, 16);
  double f32 = peaks->flops() * 1e-9;
  double bf16 = peaks->flops({unit.name.data(), unit.name.size()}) * 1e-9;
  std::printf("peak: f32 %.0f GFLOP/s, bf16 %.0f (%s)\n", f32, bf16,
              unit.name.str().c_str());
  for (auto [batch, heads, rows, depth] : {std::tuple{12, 4, 64, 32},
                                           {4, 6, 256, 64},
                                           {4, 12, 512, 64},
                                           {4, 12, 128, 64},
                                           {1, 8, 2048, 64},
                                           {4, 6, 512, 128},
                                           {4, 12, 512, 32}})
    for (auto [causal, dropout] :
         {std::tuple{false, 0.0}, {true, 0.0}, {false, 0.1}})
      for (bool isForward : {true, false})
        for (bool isWide : {true, false})
          add({batch, heads, rows, depth, causal, dropout}, isForward, isWide,
              host->bf16, isWide ? f32 : bf16);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
