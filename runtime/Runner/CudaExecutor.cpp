// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of a program as graphs of a GPU.
#include "runtime/Runner/CudaExecutor.h"

#include "runtime/Device/CUDA/ImageCache.h"
#include "runtime/Ranks/Ranks.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace mpc::rt {

Result<std::unique_ptr<Executor>>
CudaExecutor::create(std::shared_ptr<const Program> program, State &state,
                     std::vector<KeptTensor> kept, ExecutorOptions options) {
  std::shared_ptr<DeviceWorkspace> workspace = options.deviceWorkspace;
  if (!workspace) {
    MPC_ASSIGN_OR_RETURN(
        workspace, DeviceWorkspace::open(options.ranks ? options.ranks->device()
                                                       : kDeviceNumber));
  }
  std::unique_ptr<CudaExecutor> executor(new CudaExecutor(
      std::move(program), state, std::move(workspace), options.ranks));
  MPC_RETURN_IF_ERROR(executor->prepare(kept));
  return std::unique_ptr<Executor>(std::move(executor));
}

// Work that is still running reads memory of this object.
CudaExecutor::~CudaExecutor() { (void)synchronize("ending"); }

/// Calls `wait`, which waits on the host for the device. What waits for another
/// rank is ended there where that is missing.
Status CudaExecutor::await(const std::function<Status()> &wait) const {
  return ranks_ ? ranks_->awaitDevice(wait) : wait();
}

Status CudaExecutor::synchronize(const std::string &doing) const {
  return await([&] { return stream_->synchronize(doing); });
}

Status CudaExecutor::exchange(const Exchange &messages) {
  return ranks_->exchangeOnDevice(messages.sends, messages.receives,
                                  stream_->handle());
}

Status CudaExecutor::prepare(std::span<const KeptTensor> kept) {
  MPC_RETURN_IF_ERROR(loadCode());
  MPC_RETURN_IF_ERROR(allocate(kept));
  // Slots may be referred to from here on, so that `plans_` must not grow.
  plans_.resize(program_->entries.size());
  for (size_t i = 0; i < plans_.size(); ++i)
    for (Slot &slot : plans_[i].slots)
      MPC_RETURN_IF_ERROR(allocateSlot(program_->entries[i], slot));
  reserveScratch();
  for (size_t i = 0; i < plans_.size(); ++i)
    MPC_RETURN_IF_ERROR(preparePlan(program_->entries[i], plans_[i]));
  if (std::string warning = products_.warning(); !warning.empty())
    warnings_.push_back(std::move(warning));
  return {};
}

/// Asks for the scratch memory of launches when all else has its memory. A
/// launch can do without, perhaps at a lower speed.
void CudaExecutor::reserveScratch() {
  uint64_t bytes = 0;
  for (const Entry &entry : program_->entries)
    for (const Launch &launch : entry.launches)
      bytes = std::max(bytes, launch.command->scratchBytes());
  if (Status reserved = workspace_->reserveScratch(bytes); !reserved.ok())
    warnings_.push_back("cuBLASLt gets no memory beside the arena: " +
                        reserved.message());
}

/// `product` with the scratch memory that there is.
PlacedProduct CudaExecutor::withScratch(PlacedProduct product) const {
  if (product.scratchBytes > workspace_->scratch().size())
    product.scratchBytes = 0;
  return product;
}

/// Lets all launches choose how they run on the memory of `slot`.
Status CudaExecutor::chooseProducts(const Slot &slot) {
  return slot.entry->forEachRun([&](size_t number, uint64_t turn) {
    const Launch &launch = slot.entry->launches[number];
    return launch.command->choose(launch, addressesOf(launch, turn, slot),
                                  *this);
  });
}

Status CudaExecutor::preparePlan(const Entry &entry, Plan &plan) {
  for (Slot &slot : plan.slots) {
    MPC_RETURN_IF_ERROR(chooseProducts(slot));
    MPC_RETURN_IF_ERROR(record(slot));
  }
  for (uint32_t slab = 0; slab < slabs_.size(); ++slab)
    if (usesSlab(entry, slab))
      MPC_RETURN_IF_ERROR(forSlab(slab, [&](Mirror &mirror) -> Status {
        plan.state.push_back(&mirror);
        return {};
      }));
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

Status CudaExecutor::allocate(std::span<const KeptTensor> kept) {
  uint64_t arenaBytes = 0;
  for (const Entry &entry : program_->entries)
    arenaBytes = std::max(arenaBytes, entry.arenaBytes);
  MPC_RETURN_IF_ERROR(workspace_->reserveArena(arenaBytes));
  for (uint32_t i = 0; i < program_->slabs.size(); ++i) {
    const Slab &slab = program_->slabs[i];
    MPC_ASSIGN_OR_RETURN(
        std::shared_ptr<Mirror> mirror,
        workspace_->mirror(
            {state_->part(i, ranks_ ? ranks_->rank() : 0), slab.bytes},
            "state slab " + quote(slab.name)));
    slabs_.push_back(std::move(mirror));
  }
  for (const KeptTensor &one : kept) {
    MPC_ASSIGN_OR_RETURN(
        std::shared_ptr<Mirror> before,
        workspace_->mirror(one.before,
                           "a copy of " + quote(one.tensor->desc.name)));
    kept_.push_back({one.tensor, std::move(before)});
  }
  for (const Constant &constant : program_->constants) {
    MPC_ASSIGN_OR_RETURN(
        cuda::DeviceBuffer buffer,
        cuda::DeviceBuffer::allocate(context_, constant.bytes.size(),
                                     "constant " + quote(constant.name)));
    constants_.push_back(std::move(buffer));
    MPC_RETURN_IF_ERROR(
        stream_->upload(constants_.back(), 0, constant.bytes.view()));
  }
  return stream_->synchronize("copying the program's constants");
}

static std::string nameOf(const char *what, const TensorDesc &desc) {
  return fmt::format("{} {}", what, quote(desc.name));
}

Status CudaExecutor::allocateSlot(const Entry &entry, Slot &slot) {
  auto add = [&](const TensorDesc &desc, const char *what,
                 std::vector<cuda::DeviceBuffer> &list) -> Status {
    MPC_ASSIGN_OR_RETURN(cuda::DeviceBuffer buffer,
                         cuda::DeviceBuffer::allocate(
                             context_, static_cast<uint64_t>(desc.numBytes()),
                             nameOf(what, desc)));
    list.push_back(std::move(buffer));
    return {};
  };
  slot.entry = &entry;
  for (const TensorDesc &desc : entry.inputs)
    MPC_RETURN_IF_ERROR(add(desc, "input", slot.inputs));
  for (const TensorDesc &desc : entry.outputs)
    MPC_RETURN_IF_ERROR(add(desc, "output", slot.outputs));
  slot.sources.resize(slot.inputs.size());
  slot.targets.resize(slot.outputs.size());
  slot.uploads.assign(slot.inputs.size(), true);
  slot.downloads.assign(slot.outputs.size(), true);
  MPC_RETURN_IF_ERROR(allocateHost(slot));
  MPC_ASSIGN_OR_RETURN(slot.uploaded, cuda::Event::create(context_));
  MPC_ASSIGN_OR_RETURN(slot.done, cuda::Event::create(context_));
  return {};
}

/// Allocates what runs need on the host, and frees what they do not need.
Status CudaExecutor::allocateHost(Slot &slot) const {
  auto provide = [&](const TensorDesc &desc, const char *what, bool isNeeded,
                     cuda::PinnedBuffer &buffer) -> Status {
    uint64_t bytes = isNeeded ? static_cast<uint64_t>(desc.numBytes()) : 0;
    if (buffer.size() == bytes)
      return {};
    MPC_ASSIGN_OR_RETURN(buffer, cuda::PinnedBuffer::allocate(
                                     context_, bytes, nameOf(what, desc)));
    return {};
  };
  for (size_t i = 0; i < slot.sources.size(); ++i)
    MPC_RETURN_IF_ERROR(provide(slot.entry->inputs[i], "input", slot.uploads[i],
                                slot.sources[i]));
  for (size_t i = 0; i < slot.targets.size(); ++i)
    MPC_RETURN_IF_ERROR(provide(slot.entry->outputs[i], "output",
                                slot.downloads[i], slot.targets[i]));
  return {};
}

cuda::DevicePointer CudaExecutor::address(const BufferRef &ref,
                                          const Slot &slot) const {
  switch (ref.space) {
  case Space::Arena:
    return workspace_->arena() + ref.offset;
  case Space::State:
    return slabs_[ref.index]->device.pointer() + ref.offset;
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

/// Where the buffers of `launch` lie at turn `turn` of its loop.
std::vector<DeviceAddress> CudaExecutor::addressesOf(const Launch &launch,
                                                     uint64_t turn,
                                                     const Slot &slot) const {
  std::vector<DeviceAddress> buffers;
  for (const BufferRef &ref : launch.buffers)
    buffers.push_back(address(ref, slot) + (ref.offsetAt(turn) - ref.offset));
  return buffers;
}

Status CudaExecutor::recordLaunch(const Launch &launch, uint64_t turn,
                                  const Slot &slot) {
  return launch.command->record(launch, addressesOf(launch, turn, slot), *this);
}

/// Keeps the old values of tensors that `entry` may change and that must be
/// kept.
Status CudaExecutor::recordKept(const Entry &entry) {
  for (const Kept &kept : kept_)
    if (usesSlab(entry, kept.tensor->slab))
      MPC_RETURN_IF_ERROR(stream_->copy(
          kept.before->device.pointer(),
          slabs_[kept.tensor->slab]->device.pointer() + kept.tensor->offset,
          kept.before->device.size()));
  return {};
}

/// Copies the outputs that are wanted there to the host.
Status CudaExecutor::recordOutputs(const Slot &slot) {
  for (size_t i = 0; i < slot.outputs.size(); ++i)
    if (slot.downloads[i])
      MPC_RETURN_IF_ERROR(
          stream_->download(slot.targets[i].bytes(), slot.outputs[i], 0));
  return {};
}

Status CudaExecutor::record(Slot &slot) {
  const Entry &entry = *slot.entry;
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
  slot.numMoves = workspace_->numMoves();
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
    if (slot.wanted[i] && slot.targets[i].size() > 0)
      std::memcpy(slot.wanted[i], slot.targets[i].data(),
                  slot.targets[i].size());
  slot.isPending = false;
  pending_.pop_front();
}

Status CudaExecutor::finishOldest() {
  const Slot &slot = *pending_.front();
  MPC_RETURN_IF_ERROR(await([&] {
                        return slot.done->synchronize();
                      }).withContext(placeOf(slot)));
  deliverOldest();
  return {};
}

Status CudaExecutor::enqueue(size_t entry, const RunMemory &memory) {
  Plan &plan = plans_[entry];
  MPC_RETURN_IF_ERROR(giveState(plan));
  Slot &slot = plan.slots[plan.next];
  plan.next = 1 - plan.next;
  while (slot.isPending)
    MPC_RETURN_IF_ERROR(finishOldest());
  slot.wanted.assign(memory.outputs.begin(), memory.outputs.end());
  MPC_RETURN_IF_ERROR(begin(slot, memory).withContext(placeOf(slot)));
  slot.isPending = true;
  pending_.push_back(&slot);
  ++numRuns_;
  return {};
}

/// Copies the inputs to where the launches read them. Later work in the stream
/// waits for that.
Status CudaExecutor::provide(Slot &slot, const RunMemory &memory) {
  for (size_t i = 0; i < slot.inputs.size(); ++i) {
    uint64_t bytes = slot.inputs[i].size();
    if (!memory.deviceInputs.empty() && memory.deviceInputs[i]) {
      MPC_RETURN_IF_ERROR(stream_->copy(slot.inputs[i].pointer(),
                                        memory.deviceInputs[i], bytes));
      continue;
    }
    if (bytes > 0)
      std::memcpy(slot.sources[i].data(), memory.inputs[i], bytes);
    MPC_RETURN_IF_ERROR(
        uploads_->upload(slot.inputs[i], 0, slot.sources[i].bytes()));
  }
  MPC_RETURN_IF_ERROR(uploads_->record(*slot.uploaded));
  return stream_->wait(*slot.uploaded);
}

/// Copies outputs to where the caller wants them on the device.
Status CudaExecutor::deliverOnDevice(const Slot &slot,
                                     const RunMemory &memory) {
  for (size_t i = 0; i < memory.deviceOutputs.size(); ++i)
    if (memory.deviceOutputs[i])
      MPC_RETURN_IF_ERROR(stream_->copy(memory.deviceOutputs[i],
                                        slot.outputs[i].pointer(),
                                        slot.outputs[i].size()));
  return {};
}

bool CudaExecutor::hasDeviceMemory(const RunMemory &memory) {
  auto isThere = [](DeviceAddress address) { return address != 0; };
  return std::ranges::any_of(memory.deviceInputs, isThere) ||
         std::ranges::any_of(memory.deviceOutputs, isThere);
}

/// Records the graph anew where it was recorded for other memory.
Status CudaExecutor::adapt(Slot &slot, const RunMemory &memory) {
  bool fits = slot.numMoves == workspace_->numMoves();
  auto compare = [&](std::vector<bool> &known, const auto &addresses) {
    for (size_t i = 0; i < known.size(); ++i) {
      fits &= known[i] == (addresses[i] != nullptr);
      known[i] = addresses[i] != nullptr;
    }
  };
  compare(slot.uploads, memory.inputs);
  compare(slot.downloads, memory.outputs);
  if (fits)
    return {};
  slot.numMoves = 0; // No graph fits until a new one is recorded.
  MPC_RETURN_IF_ERROR(allocateHost(slot));
  return record(slot);
}

Status CudaExecutor::begin(Slot &slot, const RunMemory &memory) {
  MPC_RETURN_IF_ERROR(adapt(slot, memory));
  bool isShared = hasDeviceMemory(memory) ||
                  std::ranges::any_of(slabs_, [](const auto &mirror) {
                    return mirror->isHandedOut;
                  });
  if (isShared)
    MPC_RETURN_IF_ERROR(workspace_->enter());
  MPC_RETURN_IF_ERROR(provide(slot, memory));
  MPC_RETURN_IF_ERROR(observer_ ? runObserved(slot)
                                : stream_->launch(*slot.graph));
  MPC_RETURN_IF_ERROR(deliverOnDevice(slot, memory));
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
  MPC_RETURN_IF_ERROR(synchronize("preparing " + placeOf(slot)));
  Nanoseconds start = steadyNow();
  observer_->beginRun(
      program_, static_cast<size_t>(slot.entry - program_->entries.data()),
      start);
  MPC_RETURN_IF_ERROR(launchMarked(slot));
  MPC_RETURN_IF_ERROR(synchronize("timing " + placeOf(slot)));
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
  MPC_RETURN_IF_ERROR(synchronize("running the program"));
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

/// Calls `call` with the slab's mirror and those of the values kept of it.
Status CudaExecutor::forSlab(uint32_t slab, auto &&call) {
  MPC_RETURN_IF_ERROR(call(*slabs_[slab]));
  for (const Kept &kept : kept_)
    if (kept.tensor->slab == slab)
      MPC_RETURN_IF_ERROR(call(*kept.before));
  return {};
}

/// Gives the device what a run of the entry uses.
Status CudaExecutor::giveState(const Plan &plan) {
  for (Mirror *mirror : plan.state) {
    MPC_RETURN_IF_ERROR(workspace_->toDevice(*mirror));
    mirror->newer = Mirror::Newer::Device;
  }
  return {};
}

Status CudaExecutor::readSlab(uint32_t slab) {
  MPC_RETURN_IF_ERROR(wait());
  return forSlab(slab,
                 [&](Mirror &mirror) { return workspace_->toHost(mirror); });
}

Status CudaExecutor::writeSlab(uint32_t slab) {
  MPC_RETURN_IF_ERROR(readSlab(slab));
  return forSlab(slab, [](Mirror &mirror) -> Status {
    mirror.newer = Mirror::Newer::Host;
    return {};
  });
}

Status CudaExecutor::finishWriting() {
  for (const std::shared_ptr<Mirror> &slab : slabs_)
    if (slab->isHandedOut)
      MPC_RETURN_IF_ERROR(workspace_->toDevice(*slab));
  return {};
}

//===----------------------------------------------------------------------===//
// Memory of the device that others use, too
//===----------------------------------------------------------------------===//

Result<DeviceAddress> CudaExecutor::handOutSlab(uint32_t slab) {
  MPC_RETURN_IF_ERROR(workspace_->toDevice(*slabs_[slab]));
  slabs_[slab]->isHandedOut = true;
  return slabs_[slab]->device.pointer();
}

Status CudaExecutor::setCallerStream(void *stream) {
  workspace_->setCallerStream(static_cast<cuda::StreamHandle>(stream));
  return {};
}

Status CudaExecutor::checkDeviceMemory(DeviceAddress begin,
                                       uint64_t bytes) const {
  for (DeviceAddress address : {begin, begin + bytes - 1})
    if (bytes != 0 && !cuda::isDeviceMemory(*context_, address))
      return invalidInput(fmt::format("is not in memory of {}, on which the "
                                      "program runs",
                                      context_->label()));
  return {};
}

Status CudaExecutor::readDevice(std::span<std::byte> to,
                                DeviceAddress from) const {
  MPC_RETURN_IF_ERROR(workspace_->enter());
  MPC_RETURN_IF_ERROR(stream_->download(to, from));
  return stream_->synchronize("reading an input");
}

bool CudaExecutor::ownsSome(const void *data, size_t bytes) const {
  auto begin = reinterpret_cast<cuda::DevicePointer>(data);
  auto isIn = [&](const auto &buffers) {
    return std::ranges::any_of(buffers, [&](const cuda::DeviceBuffer &buffer) {
      return meet(buffer, begin, bytes);
    });
  };
  return workspace_->meets(begin, bytes) || isIn(constants_) ||
         std::ranges::any_of(plans_, [&](const Plan &plan) {
           return std::ranges::any_of(plan.slots, [&](const Slot &slot) {
             return isIn(slot.inputs) || isIn(slot.outputs);
           });
         });
}

} // namespace mpc::rt
