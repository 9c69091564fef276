// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory, code and runs of single kernels.
#include "benchmarks/gpu/KernelBench.h"

#include "runtime/Device/CUDA/ImageCache.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

using namespace mpc;
using namespace mpc::gpu;
using namespace mpc::rt;

/// Arguments keep their places behind multiples of this, as the arena and the
/// slabs have them; guards are as long.
static constexpr uint64_t kUnit = 256;
static constexpr std::byte kGuard{0xa5};

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static bool isBefore(const BufferRef &a, const BufferRef &b) {
  return std::tie(a.space, a.index, a.offset) <
         std::tie(b.space, b.index, b.offset);
}

/// Joins ranges that share bytes.
static std::vector<Region> joinRanges(std::vector<BufferRef> ranges) {
  std::sort(ranges.begin(), ranges.end(), isBefore);
  std::vector<Region> regions;
  for (const BufferRef &range : ranges) {
    if (!regions.empty()) {
      BufferRef &last = regions.back().range;
      uint64_t end = last.offset + last.bytes;
      if (last.space == range.space && last.index == range.index &&
          range.offset < end) {
        last.bytes = std::max(end, range.offset + range.bytes) - last.offset;
        continue;
      }
    }
    regions.push_back({range, 0});
  }
  return regions;
}

static size_t regionOf(const std::vector<Region> &regions,
                       const BufferRef &range) {
  auto after = std::upper_bound(
      regions.begin(), regions.end(), range,
      [](const BufferRef &a, const Region &b) { return isBefore(a, b.range); });
  return static_cast<size_t>(after - regions.begin()) - 1;
}

Result<Layout> gpu::layOut(const Program &program,
                           const std::vector<const Launch *> &launches) {
  std::vector<BufferRef> ranges;
  for (const Launch *launch : launches)
    ranges.insert(ranges.end(), launch->buffers.begin(), launch->buffers.end());
  Layout layout;
  layout.regions = joinRanges(std::move(ranges));
  for (Region &region : layout.regions) {
    region.place = layout.bytes + kUnit + region.range.offset % kUnit;
    uint64_t end = region.place + region.range.bytes;
    layout.bytes = (end + kUnit - 1) / kUnit * kUnit + kUnit;
  }
  for (const Launch *launch : launches) {
    MPC_ASSIGN_OR_RETURN(std::vector<DType> types,
                         parameterTypes(program, *launch));
    std::vector<Argument> &arguments = layout.arguments.emplace_back();
    for (size_t i = 0; i < types.size(); ++i)
      arguments.push_back({types[i], launch->buffers[i],
                           regionOf(layout.regions, launch->buffers[i])});
  }
  return layout;
}

/// Integers that are given to the run have bounds; those that it computes are
/// truth values and the like.
static int64_t boundOf(const Program &program, const BufferRef &range) {
  constexpr int64_t kOther = 2;
  if (range.space != Space::Input)
    return kOther;
  for (const Entry &entry : program.entries)
    for (const InputBound &bound : program.bounds)
      if (range.index < entry.inputs.size() &&
          entry.inputs[range.index].name == bound.name && bound.lower <= 0)
        return std::max<int64_t>(bound.upper, 1);
  return kOther;
}

Filling gpu::fillingOf(const Program &program, const Argument &argument,
                       size_t number, int round) {
  Filling filling;
  filling.type = argument.type;
  filling.elements = argument.elements();
  filling.seed = number * 2 + static_cast<uint64_t>(round) + 1;
  filling.round = round;
  filling.bound = boundOf(program, argument.range);
  return filling;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Result<KernelBench> KernelBench::open(cuda::ContextRef context,
                                      std::shared_ptr<const Program> program,
                                      Code code) {
  MPC_ASSIGN_OR_RETURN(cuda::Stream stream, cuda::Stream::create(context));
  KernelBench bench(std::move(context), std::move(program), std::move(stream));
  if (code == Code::Machine) {
    Status loaded = bench.loadMachineCode();
    if (loaded.ok())
      return bench;
    bench.refusal_ = loaded.message();
    bench.modules_.clear();
  }
  MPC_RETURN_IF_ERROR(bench.loadText());
  return bench;
}

Status KernelBench::loadMachineCode() {
  for (const DeviceModule &module : program_->cuda()->modules) {
    if (module.cubin.empty())
      return environmentError("the program has no machine code");
    std::span<const char> bytes(
        reinterpret_cast<const char *>(module.cubin.data()),
        module.cubin.size());
    MPC_ASSIGN_OR_RETURN(cuda::Module loaded,
                         cuda::Module::load(context_, bytes, "the kernels"));
    modules_.push_back(std::move(loaded));
  }
  return {};
}

Status KernelBench::loadText() {
  MPC_ASSIGN_OR_RETURN(auto nvrtc, cuda::Nvrtc::open());
  MPC_ASSIGN_OR_RETURN(cuda::Target target,
                       nvrtc->targetFor(context_->info().capability,
                                        program_->cuda()->arch.letter));
  std::vector<cuda::Source> sources;
  for (const DeviceModule &module : program_->cuda()->modules)
    sources.push_back(
        {fmt::format("kernels{}.cu", sources.size()),
         std::string(reinterpret_cast<const char *>(module.source.data()),
                     module.source.size())});
  MPC_ASSIGN_OR_RETURN(std::vector<cuda::Image> images,
                       cuda::compileOnce(*nvrtc, sources, target));
  for (const cuda::Image &image : images) {
    MPC_ASSIGN_OR_RETURN(
        cuda::Module loaded,
        cuda::Module::load(context_, image.bytes, "the kernels"));
    modules_.push_back(std::move(loaded));
  }
  return {};
}

Result<cuda::Function> KernelBench::functionOf(const Launch &launch) {
  const auto *kernel = launch.as<DeviceKernel>();
  if (!kernel || kernel->module() >= modules_.size())
    return invalidInput(
        fmt::format("kernel '{}' is of no module", launch.symbol));
  return modules_[kernel->module()].function(launch.symbol);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

cuda::DevicePointer KernelBench::addressOf(const Layout &layout,
                                           const Argument &argument) const {
  const Region &region = layout.regions[argument.region];
  return memory_.pointer() + region.place + argument.range.offset -
         region.range.offset;
}

Status KernelBench::prepare(const Layout &layout) {
  if (memory_.size() < layout.bytes) {
    memory_ = {}; // Both at once may be more than there is.
    MPC_ASSIGN_OR_RETURN(memory_,
                         cuda::DeviceBuffer::allocate(context_, layout.bytes,
                                                      "a kernel's arguments"));
  }
  return stream_.fill(memory_.pointer(), kGuard, layout.bytes);
}

Status KernelBench::fill(const Layout &layout, const Argument &argument,
                         const Filling &filling) {
  std::vector<std::byte> first = smallIntegers(filling);
  cuda::DevicePointer to = addressOf(layout, argument);
  // The pattern goes up once, and is doubled there.
  Region begin{argument.range, to - memory_.pointer()};
  MPC_RETURN_IF_ERROR(stream_.upload(memory_, begin.place, first));
  uint64_t bytes = filling.elements * byteSize(filling.type);
  for (uint64_t done = first.size(); done < bytes;) {
    uint64_t more = std::min(done, bytes - done);
    MPC_RETURN_IF_ERROR(stream_.copy(to + done, to, more));
    done += more;
  }
  return stream_.synchronize("filling an argument");
}

Status KernelBench::run(const Layout &layout, const Launch &launch,
                        size_t number) {
  MPC_ASSIGN_OR_RETURN(cuda::Function function, functionOf(launch));
  cuda::LaunchShape shape;
  const Grid &grid = launch.as<DeviceKernel>()->grid();
  shape.grid[0] = static_cast<uint32_t>(grid.blocks);
  shape.block[0] = grid.threads;
  shape.sharedBytes = grid.sharedBytes;
  MPC_RETURN_IF_ERROR(function.prepare(shape));
  std::vector<cuda::DevicePointer> pointers;
  for (const Argument &argument : layout.arguments[number])
    pointers.push_back(addressOf(layout, argument));
  std::vector<void *> arguments;
  for (cuda::DevicePointer &pointer : pointers)
    arguments.push_back(&pointer);
  MPC_RETURN_IF_ERROR(stream_.launch(function, shape, arguments));
  return stream_.synchronize(fmt::format("running '{}'", launch.symbol));
}

Status KernelBench::read(const Layout &layout, const Argument &argument,
                         uint64_t offset, std::span<std::byte> to) {
  uint64_t place = addressOf(layout, argument) - memory_.pointer() + offset;
  MPC_RETURN_IF_ERROR(stream_.download(to, memory_, place));
  return stream_.synchronize("reading an argument");
}

Status KernelBench::checkGuards(const Layout &layout) {
  std::vector<std::byte> guard(kUnit);
  for (const Region &region : layout.regions)
    for (uint64_t place :
         {region.place - kUnit, region.place + region.range.bytes}) {
      auto end = std::min(place + kUnit, layout.bytes);
      std::span<std::byte> bytes(guard.data(), end - place);
      MPC_RETURN_IF_ERROR(stream_.download(bytes, memory_, place));
      MPC_RETURN_IF_ERROR(stream_.synchronize("reading a guard"));
      auto found = std::find_if(bytes.begin(), bytes.end(),
                                [](std::byte one) { return one != kGuard; });
      if (found != bytes.end())
        return internalError(fmt::format(
            "byte {} {} an argument of {} bytes was written to",
            place < region.place ? bytes.end() - found : found - bytes.begin(),
            place < region.place ? "before" : "behind", region.range.bytes));
    }
  return {};
}
