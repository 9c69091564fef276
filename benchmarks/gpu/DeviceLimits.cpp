// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device gives through the driver layer: copy bandwidth, the cost of a
// launch with and without a graph, and the test kernels' matrix product. Prints
// one JSON line.
//
//     device-limits [--small]        small enough for the test driver
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
  std::shared_ptr<const Nvrtc> nvrtc;
  Stream stream;
  bool small;
};

std::string readText(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A text of the source tree, or where the environment says that it is now.
std::string readText(const char *variable, const char *built) {
  const char *moved = std::getenv(variable);
  return readText(std::string(moved ? moved : built));
}

Result<Function> compile(const Bench &bench, const std::string &text,
                         const std::string &kernel) {
  MPC_ASSIGN_OR_RETURN(
      Target target, bench.nvrtc->targetFor(bench.context->info().capability));
  Source source{kernel + ".cu", readText("MPC_PRELUDE", MPC_PRELUDE) + text};
  MPC_ASSIGN_OR_RETURN(Image image, bench.nvrtc->compile(source, target));
  MPC_ASSIGN_OR_RETURN(Module module,
                       Module::load(bench.context, image.bytes, source.name));
  return module.function(kernel);
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
  MPC_ASSIGN_OR_RETURN(
      Function nothing,
      compile(bench, "extern \"C\" __global__ void nothing() {}\n", "nothing"));
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
  MPC_ASSIGN_OR_RETURN(
      Function matmul,
      compile(bench, readText("MPC_MATMUL", MPC_MATMUL), "matmul_f16"));
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

Status measure(bool small, nlohmann::json &result) {
  MPC_ASSIGN_OR_RETURN(auto driver, Driver::open());
  MPC_ASSIGN_OR_RETURN(auto context, Context::create(driver, 0));
  MPC_ASSIGN_OR_RETURN(auto nvrtc, Nvrtc::open());
  MPC_ASSIGN_OR_RETURN(Stream stream, Stream::create(context));
  Bench bench{context, nvrtc, std::move(stream), small};
  result["device"] = context->info().name;
  result["arch"] = context->info().capability.number();
  result["driver"] = driver->version();
  result["nvrtc"] = nvrtc->version();
  MPC_RETURN_IF_ERROR(measureCopy(bench, result));
  MPC_RETURN_IF_ERROR(measureLaunches(bench, result));
  for (int size : small ? std::vector{128} : std::vector{2048, 4096, 8192})
    MPC_RETURN_IF_ERROR(measureProduct(bench, size, result));
  return Status();
}

} // namespace

int main(int argc, char **argv) {
  nlohmann::json result;
  Status status =
      measure(argc > 1 && std::strcmp(argv[1], "--small") == 0, result);
  if (!status.ok()) {
    std::fprintf(stderr, "device-limits: error: %s\n",
                 status.message().c_str());
    return static_cast<int>(status.code());
  }
  std::printf("%s\n", result.dump().c_str());
}
