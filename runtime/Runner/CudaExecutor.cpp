// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of a program as graphs of a GPU.
#include "runtime/Runner/CudaExecutor.h"

#include "runtime/Device/CUDA/ImageCache.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace mpc::rt {

Result<cuda::ContextRef> openCuda() {
  auto hint = [](const Status &status) {
    return environmentError(status.message() +
                            "; without a GPU use --target=cpu");
  };
  auto driver = cuda::Driver::open();
  if (!driver.ok())
    return hint(driver.status());
  MPC_ASSIGN_OR_RETURN(int devices, (*driver)->deviceCount());
  if (devices == 0)
    return hint(environmentError("the CUDA driver finds no device"));
  return cuda::Context::create(*driver, 0);
}

Result<std::unique_ptr<Executor>>
CudaExecutor::create(std::shared_ptr<const Program> program, State &state,
                     std::vector<KeptTensor> kept) {
  std::unique_ptr<CudaExecutor> executor(
      new CudaExecutor(std::move(program), state, std::move(kept)));
  MPC_ASSIGN_OR_RETURN(executor->context_, openCuda());
  MPC_RETURN_IF_ERROR(executor->prepare());
  return std::unique_ptr<Executor>(std::move(executor));
}

// Work that is still running reads memory of this object.
CudaExecutor::~CudaExecutor() {
  if (stream_)
    (void)stream_->synchronize("ending");
}

Status CudaExecutor::prepare() {
  MPC_ASSIGN_OR_RETURN(stream_, cuda::Stream::create(context_));
  MPC_ASSIGN_OR_RETURN(uploads_, cuda::Stream::create(context_));
  MPC_RETURN_IF_ERROR(loadCode());
  MPC_RETURN_IF_ERROR(allocate());
  // Slots may be referred to from here on, so that `plans_` must not grow.
  plans_.resize(program_->entries.size());
  for (size_t i = 0; i < plans_.size(); ++i)
    MPC_RETURN_IF_ERROR(preparePlan(program_->entries[i], plans_[i]));
  return {};
}

Status CudaExecutor::preparePlan(const Entry &entry, Plan &plan) {
  for (Slot &slot : plan.slots)
    MPC_RETURN_IF_ERROR(allocateSlot(entry, slot));
  for (Slot &slot : plan.slots)
    MPC_RETURN_IF_ERROR(record(entry, slot));
  return {};
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// The program's machine code for this device; empty unless every module has
/// some.
std::vector<std::span<const char>> CudaExecutor::machineCode() const {
  std::vector<std::span<const char>> images;
  const CudaTarget &target = *program_->cuda();
  if (!target.arch.runsOn(context_->info().capability.number()))
    return images;
  for (const DeviceModule &module : target.modules) {
    if (module.cubin.empty())
      return {};
    images.emplace_back(reinterpret_cast<const char *>(module.cubin.data()),
                        module.cubin.size());
  }
  return images;
}

Result<std::vector<cuda::Image>> CudaExecutor::compileText() const {
  cuda::Capability device = context_->info().capability;
  MPC_ASSIGN_OR_RETURN(auto nvrtc, cuda::Nvrtc::open());
  const std::vector<DeviceModule> &modules = program_->cuda()->modules;
  MPC_ASSIGN_OR_RETURN(cuda::Target target,
                       nvrtc->targetFor(device, program_->cuda()->arch.letter));
  std::vector<cuda::Source> sources;
  for (size_t i = 0; i < modules.size(); ++i) {
    const SharedBytes &text = modules[i].source;
    const auto *data = reinterpret_cast<const char *>(text.data());
    sources.push_back(
        {fmt::format("kernels{}.cu", i), std::string(data, text.size())});
  }
  return cuda::compileOnce(*nvrtc, sources, target);
}

/// Loads `images`, and what launches need from them. `imageAnswer_` becomes the
/// driver's last answer about them.
Status CudaExecutor::load(std::span<const std::span<const char>> images) {
  modules_.clear();
  functions_.clear();
  for (size_t i = 0; i < images.size(); ++i) {
    MPC_ASSIGN_OR_RETURN(cuda::Module module,
                         cuda::Module::load(context_, images[i],
                                            fmt::format("kernels{}", i),
                                            &imageAnswer_));
    modules_.push_back(std::move(module));
  }
  return prepareLaunches();
}

/// Loads the code. The driver refuses machine code from a newer compiler, or
/// for a device that only resembles this one. The text still works then.
Status CudaExecutor::loadCode() {
  std::vector<std::span<const char>> images = machineCode();
  std::string reason =
      fmt::format("{} is sm_{}, for which the program has no machine code",
                  context_->label(), context_->info().capability.number());
  if (!images.empty() || program_->cuda()->modules.empty()) {
    Status loaded = load(images);
    if (!cuda::refusesImage(imageAnswer_))
      return loaded;
    reason = fmt::format("the driver of {} refuses the program's machine code: "
                         "{}",
                         context_->label(),
                         context_->driver().describe(imageAnswer_));
  }
  Result<std::vector<cuda::Image>> compiled = compileText();
  if (!compiled.ok())
    return compiled.status().withContext(reason);
  if (!images.empty())
    warnings_.push_back(
        reason + "; its CUDA C++ is compiled again, now and at each start");
  images.clear();
  for (const cuda::Image &image : *compiled)
    images.emplace_back(image.bytes.data(), image.bytes.size());
  return load(images);
}

static cuda::LaunchShape shapeOf(const Grid &grid) {
  cuda::LaunchShape shape;
  shape.grid[0] = static_cast<uint32_t>(grid.blocks);
  shape.block[0] = grid.threads;
  shape.sharedBytes = grid.sharedBytes;
  return shape;
}

Status CudaExecutor::prepareKernel(uint32_t module, const std::string &symbol,
                                   const Grid &grid) {
  std::pair key(module, symbol);
  auto found = functions_.find(key);
  if (found == functions_.end()) {
    MPC_ASSIGN_OR_RETURN(cuda::Function function,
                         modules_[module].function(symbol, &imageAnswer_));
    found = functions_.emplace(key, std::move(function)).first;
  }
  return found->second.prepare(shapeOf(grid));
}

Status CudaExecutor::launchKernel(uint32_t module, const std::string &symbol,
                                  const Grid &grid,
                                  std::span<void *const> arguments) {
  return stream_->launch(functions_.at({module, symbol}), shapeOf(grid),
                         arguments);
}

Status CudaExecutor::prepareLaunches() {
  for (const Entry &entry : program_->entries)
    for (const Launch &launch : entry.launches)
      MPC_RETURN_IF_ERROR(launch.command->prepare(launch, *this));
  return {};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status CudaExecutor::allocate() {
  auto add = [&](std::vector<cuda::DeviceBuffer> &list, uint64_t bytes,
                 const std::string &what) -> Status {
    MPC_ASSIGN_OR_RETURN(cuda::DeviceBuffer buffer,
                         cuda::DeviceBuffer::allocate(context_, bytes, what));
    list.push_back(std::move(buffer));
    return {};
  };
  uint64_t arenaBytes = 0;
  for (const Entry &entry : program_->entries)
    arenaBytes = std::max(arenaBytes, entry.arenaBytes);
  MPC_ASSIGN_OR_RETURN(
      arena_, cuda::DeviceBuffer::allocate(context_, arenaBytes, "the arena"));
  for (const Slab &slab : program_->slabs)
    MPC_RETURN_IF_ERROR(
        add(slabs_, slab.bytes, "state slab " + quote(slab.name)));
  for (const KeptTensor &kept : kept_)
    MPC_RETURN_IF_ERROR(add(before_, kept.before.size(),
                            "a copy of " + quote(kept.tensor->desc.name)));
  for (const Constant &constant : program_->constants) {
    MPC_RETURN_IF_ERROR(add(constants_, constant.bytes.size(),
                            "constant " + quote(constant.name)));
    MPC_RETURN_IF_ERROR(
        stream_->upload(constants_.back(), 0, constant.bytes.view()));
  }
  return stream_->synchronize("copying the program's constants");
}

Status CudaExecutor::allocateSlot(const Entry &entry, Slot &slot) {
  auto add = [&](const TensorDesc &desc, const char *what,
                 std::vector<cuda::DeviceBuffer> &device,
                 std::vector<cuda::PinnedBuffer> &host) -> Status {
    auto bytes = static_cast<uint64_t>(desc.numBytes());
    std::string name = fmt::format("{} {}", what, quote(desc.name));
    MPC_ASSIGN_OR_RETURN(cuda::DeviceBuffer onDevice,
                         cuda::DeviceBuffer::allocate(context_, bytes, name));
    MPC_ASSIGN_OR_RETURN(cuda::PinnedBuffer onHost,
                         cuda::PinnedBuffer::allocate(context_, bytes, name));
    device.push_back(std::move(onDevice));
    host.push_back(std::move(onHost));
    return {};
  };
  slot.entry = &entry;
  for (const TensorDesc &desc : entry.inputs)
    MPC_RETURN_IF_ERROR(add(desc, "input", slot.inputs, slot.sources));
  for (const TensorDesc &desc : entry.outputs)
    MPC_RETURN_IF_ERROR(add(desc, "output", slot.outputs, slot.targets));
  MPC_ASSIGN_OR_RETURN(slot.uploaded, cuda::Event::create(context_));
  MPC_ASSIGN_OR_RETURN(slot.done, cuda::Event::create(context_));
  return {};
}

cuda::DevicePointer CudaExecutor::address(const BufferRef &ref,
                                          const Slot &slot) const {
  switch (ref.space) {
  case Space::Arena:
    return arena_.pointer() + ref.offset;
  case Space::State:
    return slabs_[ref.index].pointer() + ref.offset;
  case Space::Constant:
    return constants_[ref.index].pointer() + ref.offset;
  case Space::Input:
    return slot.inputs[ref.index].pointer() + ref.offset;
  case Space::Output:
    return slot.outputs[ref.index].pointer() + ref.offset;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Status CudaExecutor::recordLaunch(const Launch &launch, uint64_t turn,
                                  const Slot &slot) {
  std::vector<DeviceAddress> buffers;
  for (const BufferRef &ref : launch.buffers)
    buffers.push_back(address(ref, slot) + (ref.offsetAt(turn) - ref.offset));
  return launch.command->record(launch, buffers, *this);
}

/// Keeps the old values of tensors that `entry` may change and that must be
/// kept.
Status CudaExecutor::recordKept(const Entry &entry) {
  for (size_t i = 0; i < kept_.size(); ++i) {
    const StateTensor &tensor = *kept_[i].tensor;
    if (usesSlab(entry, tensor.slab))
      MPC_RETURN_IF_ERROR(stream_->copy(
          before_[i].pointer(), slabs_[tensor.slab].pointer() + tensor.offset,
          kept_[i].before.size()));
  }
  return {};
}

/// Copies the outputs to the host.
Status CudaExecutor::recordOutputs(const Slot &slot) {
  for (size_t i = 0; i < slot.outputs.size(); ++i)
    MPC_RETURN_IF_ERROR(
        stream_->download(slot.targets[i].bytes(), slot.outputs[i], 0));
  return {};
}

Status CudaExecutor::record(const Entry &entry, Slot &slot) {
  auto work = [&]() -> Status {
    MPC_RETURN_IF_ERROR(recordKept(entry));
    MPC_RETURN_IF_ERROR(entry.forEachRun([&](size_t number, uint64_t turn) {
      return recordLaunch(entry.launches[number], turn, slot);
    }));
    return recordOutputs(slot);
  };
  Result<cuda::Graph> graph = stream_->capture(work);
  if (!graph.ok())
    return graph.status().withContext(placeOf(slot));
  slot.graph = *std::move(graph);
  return {};
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

std::string CudaExecutor::placeOf(const Slot &slot) {
  return "entry " + quote(slot.entry->name);
}

/// Copies a finished run's outputs to the caller.
void CudaExecutor::deliverOldest() {
  Slot &slot = *pending_.front();
  for (size_t i = 0; i < slot.wanted.size(); ++i)
    if (slot.targets[i].size() > 0)
      std::memcpy(slot.wanted[i], slot.targets[i].data(),
                  slot.targets[i].size());
  slot.isPending = false;
  pending_.pop_front();
}

Status CudaExecutor::finishOldest() {
  const Slot &slot = *pending_.front();
  MPC_RETURN_IF_ERROR(slot.done->synchronize().withContext(placeOf(slot)));
  deliverOldest();
  return {};
}

Status CudaExecutor::enqueue(size_t entry, std::span<const void *const> inputs,
                             std::span<void *const> outputs) {
  MPC_RETURN_IF_ERROR(giveState());
  Plan &plan = plans_[entry];
  Slot &slot = plan.slots[plan.next];
  plan.next = 1 - plan.next;
  while (slot.isPending)
    MPC_RETURN_IF_ERROR(finishOldest());
  MPC_RETURN_IF_ERROR(begin(slot, inputs).withContext(placeOf(slot)));
  slot.wanted.assign(outputs.begin(), outputs.end());
  slot.isPending = true;
  pending_.push_back(&slot);
  ++numRuns_;
  return {};
}

/// Uploads the inputs. Later work in the stream waits for that.
Status CudaExecutor::provide(Slot &slot, std::span<const void *const> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto bytes = static_cast<size_t>(slot.entry->inputs[i].numBytes());
    if (bytes > 0)
      std::memcpy(slot.sources[i].data(), inputs[i], bytes);
    MPC_RETURN_IF_ERROR(
        uploads_->upload(slot.inputs[i], 0, slot.sources[i].bytes()));
  }
  MPC_RETURN_IF_ERROR(uploads_->record(*slot.uploaded));
  return stream_->wait(*slot.uploaded);
}

Status CudaExecutor::begin(Slot &slot, std::span<const void *const> inputs) {
  MPC_RETURN_IF_ERROR(provide(slot, inputs));
  MPC_RETURN_IF_ERROR(observer_ ? runObserved(slot)
                                : stream_->launch(*slot.graph));
  return stream_->record(*slot.done);
}

/// Creates events with timing until there are `count`.
Status CudaExecutor::makeMarks(size_t count) {
  while (marks_.size() < count) {
    MPC_ASSIGN_OR_RETURN(
        cuda::Event mark,
        cuda::Event::create(context_, cuda::Event::Timing::On));
    marks_.push_back(std::move(mark));
  }
  return {};
}

/// Does what the graph of `slot` does, with an event after each launch.
Status CudaExecutor::launchMarked(const Slot &slot) {
  MPC_RETURN_IF_ERROR(makeMarks(1));
  MPC_RETURN_IF_ERROR(recordKept(*slot.entry));
  MPC_RETURN_IF_ERROR(stream_->record(marks_[0]));
  size_t mark = 0;
  auto launch = [&](size_t number, uint64_t turn) -> Status {
    MPC_RETURN_IF_ERROR(makeMarks(++mark + 1));
    MPC_RETURN_IF_ERROR(recordLaunch(slot.entry->launches[number], turn, slot));
    return stream_->record(marks_[mark]);
  };
  MPC_RETURN_IF_ERROR(slot.entry->forEachRun(launch));
  return recordOutputs(slot);
}

/// Nanoseconds from the first mark to number `mark`.
Result<Nanoseconds> CudaExecutor::timeOfMark(size_t mark) const {
  MPC_ASSIGN_OR_RETURN(float ms, marks_[mark].millisecondsSince(marks_[0]));
  return std::llround(static_cast<double>(ms) * 1e6);
}

/// Runs the launches of `slot` one by one and waits for them. The device's
/// times are told as if its clock had begun with the run.
Status CudaExecutor::runObserved(const Slot &slot) {
  MPC_RETURN_IF_ERROR(stream_->synchronize("preparing " + placeOf(slot)));
  Nanoseconds start = steadyNow();
  observer_->beginRun(
      program_, static_cast<size_t>(slot.entry - program_->entries.data()),
      start);
  MPC_RETURN_IF_ERROR(launchMarked(slot));
  MPC_RETURN_IF_ERROR(stream_->synchronize("timing " + placeOf(slot)));
  Nanoseconds begin = 0;
  size_t mark = 0;
  auto tell = [&](size_t number, uint64_t) -> Status {
    MPC_ASSIGN_OR_RETURN(Nanoseconds end, timeOfMark(++mark));
    observer_->addLaunch(number, {start + begin, start + end});
    begin = end;
    return {};
  };
  MPC_RETURN_IF_ERROR(slot.entry->forEachRun(tell));
  observer_->endRun(std::max(steadyNow(), start + begin));
  return {};
}

Status CudaExecutor::wait() {
  if (pending_.empty())
    return {};
  MPC_RETURN_IF_ERROR(stream_->synchronize("running the program"));
  while (!pending_.empty())
    deliverOldest();
  return {};
}

Status CudaExecutor::waitFor(uint64_t run) {
  while (numRuns_ - pending_.size() < run)
    MPC_RETURN_IF_ERROR(finishOldest());
  return {};
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

Status CudaExecutor::upload() {
  MPC_RETURN_IF_ERROR(wait());
  for (uint32_t i = 0; i < slabs_.size(); ++i)
    MPC_RETURN_IF_ERROR(stream_->upload(
        slabs_[i], 0, {state_->slab(i), program_->slabs[i].bytes}));
  for (size_t i = 0; i < kept_.size(); ++i)
    MPC_RETURN_IF_ERROR(stream_->upload(before_[i], 0, kept_[i].before));
  return stream_->synchronize("copying the state to the device");
}

Status CudaExecutor::download() {
  MPC_RETURN_IF_ERROR(wait());
  for (uint32_t i = 0; i < slabs_.size(); ++i)
    MPC_RETURN_IF_ERROR(stream_->download(
        {state_->slab(i), program_->slabs[i].bytes}, slabs_[i], 0));
  for (size_t i = 0; i < kept_.size(); ++i)
    MPC_RETURN_IF_ERROR(stream_->download(kept_[i].before, before_[i], 0));
  return stream_->synchronize("copying the state from the device");
}

/// Uploads the state before a run.
Status CudaExecutor::giveState() {
  if (isHostAhead_)
    MPC_RETURN_IF_ERROR(upload());
  isHostAhead_ = false;
  isDeviceAhead_ = true;
  return {};
}

Status CudaExecutor::readState() {
  if (isDeviceAhead_)
    MPC_RETURN_IF_ERROR(download());
  isDeviceAhead_ = false;
  return {};
}

Status CudaExecutor::writeState() {
  MPC_RETURN_IF_ERROR(readState());
  isHostAhead_ = true;
  return {};
}

} // namespace mpc::rt
