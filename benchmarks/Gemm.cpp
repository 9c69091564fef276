// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of training steps: GFLOP/s, and their share of the peak of the
// multiply unit that this machine reaches in the same run.
//
//   bench-gemm [--lanes=8|16] [--threads=N] [--math=exact]
//              [--benchmark_filter=...]
//
// Without --lanes, bf16 runs on the machine's unit for it, where it has one and
// --math=exact is not given.
#include "lib/Codegen/CPU/Processor.h"
#include "lib/Codegen/CPU/Units.h"
#include "runtime/Device/CPU/Peaks.h"
#include "test/lib/Codegen/CPU/Contractions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <thread>

using namespace mpc::test;

namespace {

struct Options {
  int64_t lanes = 0; ///< 0 is what the machine has.
  unsigned threads = 1;
  mpc::cpu::Unit bf16 = mpc::cpu::Unit::FMA; ///< What multiplies bf16.
};

/// A contraction compiled, with memory for it.
struct Workload {
  Workload(const Loops &loops, After after, const Options &options);

  GemmKernels kernels;
  std::vector<std::vector<char>> memory;
  std::vector<void *> buffers;
};

} // namespace

static GemmKernels compileOrExit(const std::string &text,
                                 const Options &options) {
  auto kernels = GemmKernels::compile(text, options.lanes, options.bf16);
  if (kernels)
    return std::move(*kernels);
  std::fprintf(stderr, "%s\n", llvm::toString(kernels.takeError()).c_str());
  std::exit(70);
}

static int64_t countElements(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

// Bytes that are small numbers in every format: 1.0 and thereabouts.
static std::vector<char> fill(int64_t count, Format format) {
  std::vector<char> bytes(count * getBytes(format));
  std::mt19937 engine(1);
  for (int64_t number = 0; number < count; ++number) {
    uint32_t noise = engine() & 0xff;
    uint32_t bits = format == Format::F32   ? 0x3f800000 | noise << 8
                    : format == Format::F16 ? 0x3c00 | noise
                                            : 0x3f80 | (noise & 0x3f);
    std::memcpy(bytes.data() + number * getBytes(format), &bits,
                getBytes(format));
  }
  return bytes;
}

Workload::Workload(const Loops &loops, After after, const Options &options)
    : kernels(compileOrExit(getText(loops, after), options)) {
  int64_t results = countElements(loops.getResultShape());
  memory.push_back(fill(countElements(loops.getShape(loops.a)), loops.aFormat));
  memory.push_back(fill(countElements(loops.getShape(loops.b)), loops.bFormat));
  if (after == After::Everything) {
    memory.push_back(fill(loops.getResultShape().back(), Format::F32));
    memory.push_back(fill(results, Format::F16));
  }
  memory.push_back(
      fill(results, after == After::Nothing ? Format::F32 : Format::F16));
  if (after == After::Everything)
    memory.emplace_back(results);
  for (std::vector<char> &buffer : memory)
    buffers.push_back(buffer.data());
}

//===----------------------------------------------------------------------===//
// The peak
//===----------------------------------------------------------------------===//

namespace {

struct Peaks {
  double f32 = 0, bf16 = 0; ///< In GFLOP/s, by the type of the factors.
};

} // namespace

static Peaks measurePeaksOrExit(const Options &options) {
  auto pool = mpc::rt::ThreadPool::create(static_cast<int>(options.threads));
  if (pool.ok())
    if (auto peaks = mpc::rt::measurePeaks(**pool); peaks.ok()) {
      mpc::kernel::MultiplyUnit unit =
          mpc::cpu::describeUnit(options.bf16, /*lanes=*/16);
      return {peaks->flops() * 1e-9,
              peaks->flops({unit.name.data(), unit.name.size()}) * 1e-9};
    }
  std::fprintf(stderr, "cannot measure the peaks of this machine\n");
  std::exit(70);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

// One thread is timed by what it ran, so that a busy machine matters less.
static double getSeconds(unsigned threads) {
  timespec time;
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC,
                &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void run(benchmark::State &state, const std::string &name,
                const Loops &loops, After after, const Options &options,
                double peak) {
  static std::string lastName;
  static std::unique_ptr<Workload> workload;
  // Compiled once, whatever number of repetitions the library asks for.
  if (lastName != name) {
    workload = std::make_unique<Workload>(loops, after, options);
    lastName = name;
  }
  static Workers workers(options.threads);
  double best = 1e9;
  for (auto _ : state) {
    double start = getSeconds(options.threads);
    if (options.threads > 1)
      workload->kernels.runParallel(workload->buffers, workers);
    else
      workload->kernels.run(workload->buffers);
    double seconds = getSeconds(options.threads) - start;
    best = std::min(best, seconds);
    state.SetIterationTime(seconds);
  }
  double rate = loops.countFlops() / best * 1e-9;
  state.counters["GFLOP/s"] = rate;
  state.counters["of_peak"] = rate / peak;
  state.SetLabel(workload->kernels.schedule());
}

static void add(const std::string &name, Loops loops, After after,
                const Options &options, const Peaks &peaks) {
  for (Format format : {Format::F32, Format::F16, Format::BF16}) {
    loops.aFormat = loops.bFormat = format;
    const char *suffix = format == Format::F32   ? "/f32"
                         : format == Format::F16 ? "/f16"
                                                 : "/bf16";
    std::string full = name + suffix;
    double peak = format == Format::BF16 ? peaks.bf16 : peaks.f32;
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State &state) {
      run(state, full, loops, after, options, peak);
    })->UseManualTime();
  }
}

static void addMatmul(const char *group, int64_t m, int64_t n, int64_t k,
                      const char *layout, const Options &options,
                      const Peaks &peak) {
  add(llvm::formatv("{0}/{1}x{2}x{3}_{4}", group, m, n, k, layout),
      matmul(m, n, k, layout[0] == 't', layout[1] == 't'), After::Truncate,
      options, peak);
}

static void addAll(const Options &options, const Peaks &peak) {
  // chargpt: linear layers forward, input gradients, weight gradients.
  for (auto [n, k] :
       {std::pair{384, 128}, {128, 128}, {512, 128}, {128, 512}}) {
    addMatmul("chargpt", 768, n, k, "nt", options, peak);
    addMatmul("chargpt", 768, k, n, "nn", options, peak);
    addMatmul("chargpt", n, k, 768, "tn", options, peak);
  }
  add("chargpt/48x64x32x64", batched(48, 64, 32, 64), After::Truncate, options,
      peak);
  add("chargpt/768x512x128_bias_relu_residual", matmul(768, 512, 128),
      After::Everything, options, peak);
  // GPT-2 of 124M: 2,048 tokens.
  for (auto [n, k] :
       {std::pair{2304, 768}, {768, 768}, {3072, 768}, {768, 3072}}) {
    addMatmul("gpt2", 2048, n, k, "nt", options, peak);
    addMatmul("gpt2", 2048, k, n, "nn", options, peak);
    addMatmul("gpt2", n, k, 2048, "tn", options, peak);
  }
  // DeepBench's training shapes.
  struct Shape {
    int64_t m, n, k;
    const char *layout;
  };
  for (Shape s : {Shape{1760, 16, 1760, "nn"},
                  {1760, 128, 1760, "nn"},
                  {1760, 7000, 1760, "nn"},
                  {2048, 64, 2048, "tn"},
                  {2560, 128, 2560, "nn"},
                  {4096, 16, 4096, "nn"},
                  {4096, 128, 4096, "tn"},
                  {2048, 7133, 2048, "nt"},
                  {35, 8457, 1760, "nn"},
                  {3072, 128, 1024, "tn"},
                  {1024, 700, 512, "nn"},
                  {512, 24000, 1536, "nn"},
                  {512, 8, 500000, "nn"}})
    addMatmul("deepbench", s.m, s.n, s.k, s.layout, options, peak);
  // resnet18 on 32x32 images, batch 32.
  for (Convolution c : {Convolution{32, 1, 3, 64, 32, 32, 3, 1, 1},
                        Convolution{32, 1, 64, 64, 32, 32, 3, 1, 1},
                        Convolution{32, 1, 64, 128, 16, 16, 3, 2, 1},
                        Convolution{32, 1, 256, 256, 8, 8, 3, 1, 1},
                        Convolution{32, 1, 512, 512, 4, 4, 3, 1, 1}}) {
    std::string name = llvm::formatv("resnet/{0}x{1}_{2}x{2}_s{3}", c.inputs,
                                     c.outputs, c.width, c.stride);
    add(name + "_forward", convolve(c), After::Truncate, options, peak);
    add(name + "_wgrad", convolveWeightGradient(c), After::Truncate, options,
        peak);
    if (c.stride == 1)
      add(name + "_dgrad", convolveInputGradient(c), After::Truncate, options,
          peak);
  }
}

int main(int argc, char **argv) {
  Options options;
  int kept = 0;
  bool exact = false;
  for (int number = 0; number < argc; ++number) {
    llvm::StringRef argument = argv[number];
    if (argument.consume_front("--lanes="))
      argument.getAsInteger(10, options.lanes);
    else if (argument.consume_front("--threads="))
      argument.getAsInteger(10, options.threads);
    else if (argument == "--math=exact")
      exact = true;
    else
      argv[kept++] = argv[number];
  }
  auto host = mpc::cpu::getProcessor("host");
  if (host && options.lanes == 0 && !exact)
    options.bf16 = host->bf16;
  argc = kept;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  Peaks peaks = measurePeaksOrExit(options);
  std::printf("peak: %.1f GFLOP/s in f32, %.1f in bf16, on %u threads\n",
              peaks.f32, peaks.bf16, options.threads);
  addAll(options, peaks);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
