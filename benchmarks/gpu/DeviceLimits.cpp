// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device gives through the driver layer, one thing a call, as a line of
// JSON:
//
//     device-limits WHAT [--small]        small enough for the test driver
//
// WHAT is a name of kMeasures below. Texts are those of the source tree, or of
// the folder $MPC_TEXTS; where machine code lies beside them NVRTC is not
// asked.
#include "runtime/Device/CUDA/Nvrtc.h"
#include "runtime/Device/CUDA/Stream.h"
#include "runtime/Support/Rounding.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

using namespace mpc::rt;
using namespace mpc::rt::cuda;

namespace {

struct Bench {
  ContextRef context;
  Stream stream;
  bool small;
};

std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `name` of $MPC_TEXTS, else what was there when this was built.
std::string textPath(const std::string &name, const char *built) {
  const char *folder = std::getenv("MPC_TEXTS");
  return folder ? std::string(folder) + "/" + name : built;
}

/// Machine code that was packed, of a feature set that NVRTC is not asked for
/// here ("sm_90a").
Result<Module> loadPacked(const Bench &bench, const std::string &name) {
  std::string code = readText(textPath(name + ".cubin", ""));
  if (code.empty())
    return environmentError("no machine code");
  return Module::load(bench.context, code, name);
}

Result<Module> compile(const Bench &bench, const std::string &name,
                       const std::string &text) {
  MPC_ASSIGN_OR_RETURN(auto nvrtc, Nvrtc::open());
  MPC_ASSIGN_OR_RETURN(Target target,
                       nvrtc->targetFor(bench.context->info().capability));
  Source source{name + ".cu",
                readText(textPath("Prelude.cuh", MPC_PRELUDE)) + text};
  MPC_ASSIGN_OR_RETURN(Image image, nvrtc->compile(source, target));
  return Module::load(bench.context, image.bytes, source.name);
}

Result<Function> find(const Bench &bench, const std::string &file,
                      const char *built, const std::string &kernel) {
  auto module = loadPacked(bench, file);
  if (!module.ok())
    module = compile(bench, file, readText(textPath(file + ".cu", built)));
  if (!module.ok())
    return module.status();
  return module->function(kernel);
}

Result<Function> findLoop(const Bench &bench, const std::string &kernel) {
  return find(bench, "Loops", MPC_LOOPS, kernel);
}

/// Median milliseconds of `repeats` runs of `work`, after two that are not
/// counted.
Result<double> medianOf(const Bench &bench, int repeats,
                        const std::function<Status()> &work) {
  MPC_ASSIGN_OR_RETURN(Event start,
                       Event::create(bench.context, Event::Timing::On));
  MPC_ASSIGN_OR_RETURN(Event end,
                       Event::create(bench.context, Event::Timing::On));
  std::vector<double> times;
  for (int i = -2; i < repeats; ++i) {
    MPC_RETURN_IF_ERROR(bench.stream.record(start));
    MPC_RETURN_IF_ERROR(work());
    MPC_RETURN_IF_ERROR(bench.stream.record(end));
    MPC_RETURN_IF_ERROR(end.synchronize());
    MPC_ASSIGN_OR_RETURN(float time, end.millisecondsSince(start));
    if (i >= 0)
      times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Bytes read and written, in GB/s; larger than any cache.
Status measureCopy(const Bench &bench, nlohmann::json &result) {
  uint64_t bytes = bench.small ? 1 << 20 : uint64_t{2} << 30;
  MPC_ASSIGN_OR_RETURN(auto from,
                       DeviceBuffer::allocate(bench.context, bytes, "source"));
  MPC_ASSIGN_OR_RETURN(auto to,
                       DeviceBuffer::allocate(bench.context, bytes, "target"));
  MPC_RETURN_IF_ERROR(bench.stream.fill(from, std::byte{0x5a}));
  MPC_ASSIGN_OR_RETURN(double time, medianOf(bench, 10, [&] {
                         return bench.stream.copy(to, from);
                       }));
  result["copy_gb_s"] = 2.0 * static_cast<double>(bytes) / time * 1e-6;
  return Status();
}

/// Microseconds from launch to launch of a kernel that does nothing.
Status measureLaunches(const Bench &bench, nlohmann::json &result) {
  MPC_ASSIGN_OR_RETURN(Function nothing, findLoop(bench, "nothing"));
  int count = bench.small ? 4 : 1000;
  auto launchAll = [&] {
    for (int i = 0; i < count; ++i)
      MPC_RETURN_IF_ERROR(bench.stream.launch(nothing, {}, {}));
    return Status();
  };
  MPC_ASSIGN_OR_RETURN(Graph graph, bench.stream.capture(launchAll));
  MPC_ASSIGN_OR_RETURN(double single, medianOf(bench, 10, launchAll));
  MPC_ASSIGN_OR_RETURN(double replayed, medianOf(bench, 10, [&] {
                         return bench.stream.launch(graph);
                       }));
  result["launch_us"] = single * 1e3 / count;
  result["graph_node_us"] = replayed * 1e3 / count;
  return Status();
}

Result<DeviceBuffer> randomMatrix(const Bench &bench, int size, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<uint16_t> codes(static_cast<size_t>(size) *
                              static_cast<size_t>(size));
  // A draw for each of millions of elements would take longer than all else.
  std::vector<uint16_t> drawn(65537);
  for (uint16_t &code : drawn)
    code = roundToF16(normal(random));
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = drawn[i % drawn.size()];
  auto bytes = std::as_bytes(std::span(codes));
  MPC_ASSIGN_OR_RETURN(
      auto buffer,
      DeviceBuffer::allocate(bench.context, bytes.size(), "an operand"));
  MPC_RETURN_IF_ERROR(bench.stream.upload(buffer, 0, bytes));
  MPC_RETURN_IF_ERROR(bench.stream.synchronize("the upload"));
  return buffer;
}

/// TFLOP/s of size x size x size in f16 with f32 sums and an f32 result.
Status measureProduct(const Bench &bench, int size, nlohmann::json &result) {
  MPC_ASSIGN_OR_RETURN(Function matmul,
                       find(bench, "matmul", MPC_MATMUL, "matmul_f16"));
  auto tiles = static_cast<uint32_t>((size + 127) / 128);
  LaunchShape shape{{tiles, tiles, 1}, {256, 1, 1}, 3 * 2 * 128 * 32 * 2};
  MPC_RETURN_IF_ERROR(matmul.prepare(shape));
  MPC_ASSIGN_OR_RETURN(auto a, randomMatrix(bench, size, 1));
  MPC_ASSIGN_OR_RETURN(auto b, randomMatrix(bench, size, 2));
  MPC_ASSIGN_OR_RETURN(
      auto c, DeviceBuffer::allocate(bench.context, a.size() * 2, "result"));
  DevicePointer pointers[] = {a.pointer(), b.pointer(), c.pointer()};
  void *arguments[] = {&pointers[0], &pointers[1], &pointers[2],
                       &size,        &size,        &size};
  MPC_ASSIGN_OR_RETURN(double time, medianOf(bench, bench.small ? 1 : 20, [&] {
                         return bench.stream.launch(matmul, shape, arguments);
                       }));
  double flops = 2.0 * size * size * size;
  result["matmul_f16_tflop_s"][std::to_string(size)] = flops / time * 1e-9;
  return Status();
}

Status measureProducts(const Bench &bench, nlohmann::json &result) {
  for (int size :
       bench.small ? std::vector{128} : std::vector{2048, 4096, 8192})
    MPC_RETURN_IF_ERROR(measureProduct(bench, size, result));
  return Status();
}

//===----------------------------------------------------------------------===//
// Loops.cu
//===----------------------------------------------------------------------===//

/// Bytes read and written by copies of so many bytes a lane.
Status measureLanes(const Bench &bench, nlohmann::json &result) {
  uint64_t bytes = bench.small ? 1 << 16 : uint64_t{1} << 30;
  MPC_ASSIGN_OR_RETURN(auto from,
                       DeviceBuffer::allocate(bench.context, bytes, "source"));
  MPC_ASSIGN_OR_RETURN(auto to,
                       DeviceBuffer::allocate(bench.context, bytes, "target"));
  MPC_RETURN_IF_ERROR(bench.stream.fill(from, std::byte{0x5a}));
  for (int width : {2, 4, 8, 16}) {
    std::string name = std::to_string(width);
    MPC_ASSIGN_OR_RETURN(Function copy, findLoop(bench, "copy_" + name));
    auto count = static_cast<int64_t>(bytes) / width;
    // As a kernel of ours: each thread once.
    LaunchShape shape{{static_cast<uint32_t>((count + 255) / 256), 1, 1},
                      {256, 1, 1}};
    MPC_RETURN_IF_ERROR(copy.prepare(shape));
    DevicePointer pointers[] = {from.pointer(), to.pointer()};
    void *arguments[] = {&pointers[0], &pointers[1], &count};
    MPC_ASSIGN_OR_RETURN(double time,
                         medianOf(bench, bench.small ? 1 : 10, [&] {
                           return bench.stream.launch(copy, shape, arguments);
                         }));
    result["lane_bytes_gb_s"][name] =
        2.0 * static_cast<double>(bytes) / time * 1e-6;
  }
  return Status();
}

uint32_t blocksOf(const Bench &bench) {
  return bench.small
             ? 2
             : static_cast<uint32_t>(bench.context->info().multiprocessors) * 8;
}

/// Reads of what L2 holds: a third of it.
Status measureL2(const Bench &bench, nlohmann::json &result) {
  uint64_t held = static_cast<uint64_t>(bench.context->info().l2Bytes) / 3;
  uint64_t bytes = bench.small || held < 65536 ? 65536 : held / 65536 * 65536;
  MPC_ASSIGN_OR_RETURN(auto from,
                       DeviceBuffer::allocate(bench.context, bytes, "source"));
  MPC_ASSIGN_OR_RETURN(auto out,
                       DeviceBuffer::allocate(bench.context, 1024, "target"));
  MPC_RETURN_IF_ERROR(bench.stream.fill(from, std::byte{0x5a}));
  MPC_ASSIGN_OR_RETURN(Function read, findLoop(bench, "read_l2"));
  LaunchShape shape{{blocksOf(bench), 1, 1}, {256, 1, 1}};
  MPC_RETURN_IF_ERROR(read.prepare(shape));
  auto count = static_cast<int64_t>(bytes) / 16;
  DevicePointer pointers[] = {from.pointer(), out.pointer()};
  void *arguments[] = {&pointers[0], &pointers[1], &count};
  MPC_ASSIGN_OR_RETURN(double time, medianOf(bench, bench.small ? 1 : 10, [&] {
                         return bench.stream.launch(read, shape, arguments);
                       }));
  result["l2_gb_s"] = static_cast<double>(bytes) * shape.grid[0] / time * 1e-6;
  return Status();
}

/// A loop of every thread of the device: what a thread does in a round, and by
/// how much that is scaled.
struct Loop {
  const char *kernel, *name;
  double units, scale;
};

Status measureLoop(const Bench &bench, const Loop &loop,
                   nlohmann::json &result) {
  MPC_ASSIGN_OR_RETURN(Function function, findLoop(bench, loop.kernel));
  MPC_ASSIGN_OR_RETURN(auto out,
                       DeviceBuffer::allocate(bench.context, 1024, "target"));
  LaunchShape shape{{blocksOf(bench), 1, 1}, {256, 1, 1}};
  MPC_RETURN_IF_ERROR(function.prepare(shape));
  int rounds = bench.small ? 2 : 2000;
  DevicePointer pointer = out.pointer();
  void *arguments[] = {&pointer, &rounds};
  MPC_ASSIGN_OR_RETURN(double time, medianOf(bench, bench.small ? 1 : 10, [&] {
                         return bench.stream.launch(function, shape, arguments);
                       }));
  double threads = 256.0 * shape.grid[0];
  result[loop.name] = loop.units * threads * rounds / time * 1e3 * loop.scale;
  return Status();
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

Status describe(const Bench &bench, nlohmann::json &result) {
  const DeviceInfo &info = bench.context->info();
  result = {{"device", info.name},
            {"arch", info.capability.number()},
            {"driver", bench.context->driver().version()},
            {"multiprocessors", info.multiprocessors},
            {"l2_bytes", info.l2Bytes},
            {"memory_bytes", info.memoryBytes}};
  return Status();
}

struct Measure {
  const char *name;
  Status (*run)(const Bench &bench, nlohmann::json &result);
};

constexpr Measure kMeasures[] = {
    {"device", describe},        {"copy", measureCopy},
    {"launch", measureLaunches}, {"products", measureProducts},
    {"lanes", measureLanes},     {"l2", measureL2}};

// A product of a warp is 4,096 operations, of 32 threads and 8 chains; one of
// four warps 64 x 256 x 64, 2 operations each, of 128 threads.
constexpr Loop kLoops[] = {
    {"mma", "mma_tflop_s", 8 * 4096.0 / 32, 1e-12},
    {"wgmma", "wgmma_tflop_s", 2.0 * 64 * 256 * 64 / 128, 1e-12},
    {"ex2", "ex2_g_s", 8, 1e-9},
    {"convert_f16", "convert_f16_g_s", 8, 1e-9},
    {"convert_bf16", "convert_bf16_g_s", 8, 1e-9},
    {"divide", "divide_g_s", 8, 1e-9},
    {"multiply_add", "multiply_add_tflop_s", 16, 1e-12},
    {"read_shared", "shared_gb_s", 8 * 16, 1e-9}};

Status measure(const std::string &what, bool small, nlohmann::json &result) {
  MPC_ASSIGN_OR_RETURN(auto driver, Driver::open());
  MPC_ASSIGN_OR_RETURN(auto context, Context::create(driver, 0));
  MPC_ASSIGN_OR_RETURN(Stream stream, Stream::create(context));
  Bench bench{context, std::move(stream), small};
  for (const Measure &one : kMeasures)
    if (what == one.name)
      return one.run(bench, result);
  for (const Loop &loop : kLoops)
    if (what == loop.kernel)
      return measureLoop(bench, loop, result);
  return usageError("nothing is called '" + what + "'");
}

} // namespace

int main(int argc, char **argv) {
  nlohmann::json result;
  bool small = argc > 2 && std::strcmp(argv[2], "--small") == 0;
  Status status = measure(argc > 1 ? argv[1] : "", small, result);
  if (!status.ok()) {
    std::fprintf(stderr, "device-limits: error: %s\n",
                 status.message().c_str());
    return static_cast<int>(status.code());
  }
  std::printf("%s\n", result.dump().c_str());
}
