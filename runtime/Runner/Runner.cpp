// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program, its state, and the executor that runs it.
#include "runtime/Runner/Runner.h"

#include "runtime/Program/Commands.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

/// The size of the space in which `ref` lies; empty where there is no such
/// space.
std::optional<uint64_t> sizeOf(const Program &program, const Entry &entry,
                               const BufferRef &ref) {
  size_t index = ref.index;
  switch (ref.space) {
  case Space::Arena:
    return index == 0 ? std::optional(entry.arenaBytes) : std::nullopt;
  case Space::State:
    if (index < program.slabs.size())
      return program.slabs[index].bytes;
    break;
  case Space::Constant:
    if (index < program.constants.size())
      return program.constants[index].bytes.size();
    break;
  case Space::Input:
    if (index < entry.inputs.size())
      return entry.inputs[index].numBytes();
    break;
  case Space::Output:
    if (index < entry.outputs.size())
      return entry.outputs[index].numBytes();
    break;
  }
  return std::nullopt;
}

/// Whether `ref` lies in `size` bytes at each of `turns` turns.
bool liesWithin(const BufferRef &ref, uint64_t size, uint64_t turns) {
  if (ref.offset > size || ref.bytes > size - ref.offset)
    return false;
  uint64_t moves = turns - 1;
  if (ref.period != 0)
    moves = std::min<uint64_t>(moves, ref.period - 1);
  uint64_t room = ref.stride < 0 ? ref.offset : size - ref.offset - ref.bytes;
  uint64_t step = ref.stride < 0 ? -static_cast<uint64_t>(ref.stride)
                                 : static_cast<uint64_t>(ref.stride);
  return moves == 0 || step <= room / moves;
}

/// The fault of a launch that runs `turns` times; empty for none.
std::string launchFault(const Program &program, const Entry &entry,
                        const Launch &launch, uint64_t turns) {
  if (!launch.command)
    return "it has no command";
  if (std::string fault = launch.command->fault(program, launch);
      !fault.empty())
    return fault;
  if (launch.numRead > launch.buffers.size())
    return fmt::format("reads {} of {} buffers", launch.numRead,
                       launch.buffers.size());
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const BufferRef &ref = launch.buffers[i];
    std::optional<uint64_t> size = sizeOf(program, entry, ref);
    if (!size || !liesWithin(ref, *size, turns))
      return fmt::format("buffer {} lies outside its memory", i);
  }
  return "";
}

/// The most turns of a loop, so that a damaged file ends in its lifetime.
constexpr uint64_t kMostTurns = uint64_t(1) << 31;

/// Whether the loops of `entry` are in order, and have launches.
bool hasLoops(const Entry &entry) {
  uint64_t end = 0;
  for (const LaunchLoop &loop : entry.loops) {
    uint64_t launches = entry.launches.size();
    if (loop.first < end || loop.first > launches || loop.count == 0 ||
        loop.count > launches - loop.first || loop.turns == 0 ||
        loop.turns > kMostTurns)
      return false;
    end = loop.first + loop.count;
  }
  return true;
}

/// How often each launch of `entry` runs.
std::vector<uint64_t> countTurns(const Entry &entry) {
  std::vector<uint64_t> turns(entry.launches.size(), 1);
  for (const LaunchLoop &loop : entry.loops)
    std::fill_n(turns.begin() + static_cast<ptrdiff_t>(loop.first), loop.count,
                loop.turns);
  return turns;
}

Status checkEntry(const Program &program, const Entry &entry) {
  if (!hasLoops(entry))
    return invalidInput(fmt::format("program: entry {}: a loop has no launches "
                                    "or turns, or those of another",
                                    quote(entry.name)));
  std::vector<uint64_t> turns = countTurns(entry);
  for (size_t i = 0; i < entry.launches.size(); ++i) {
    const Launch &launch = entry.launches[i];
    std::string fault = launchFault(program, entry, launch, turns[i]);
    if (!fault.empty())
      return invalidInput(fmt::format("program: entry {}, launch {} ({}): {}",
                                      quote(entry.name), i,
                                      quote(launch.symbol), fault));
  }
  return {};
}

Status checkProgram(const Program &program) {
  for (const Entry &entry : program.entries)
    MPC_RETURN_IF_ERROR(checkEntry(program, entry));
  return {};
}

/// A rank that the state has no part for would run beyond its memory.
Status checkParts(const Program &program, const Ranks *ranks) {
  uint32_t size = ranks ? ranks->size() : 1;
  for (const Slab &slab : program.slabs)
    if (slab.parts != 1 && slab.parts != size)
      return wrongNumberOfRanks(slab.parts, size);
  return {};
}

} // namespace

Result<std::unique_ptr<Runner>>
Runner::create(std::shared_ptr<const Program> program, RunnerOptions options) {
  MPC_RETURN_IF_ERROR(checkProgram(*program));
  MPC_RETURN_IF_ERROR(checkParts(*program, options.ranks));
  MPC_ASSIGN_OR_RETURN(State state, State::create(*program));
  return make(std::move(program), std::move(state), options, nullptr);
}

Result<std::unique_ptr<Runner>>
Runner::createShared(std::shared_ptr<const Program> program,
                     const Runner &other) {
  RunnerOptions options;
  options.workspace = other.executor_->workspace();
  options.deviceWorkspace = other.executor_->deviceWorkspace();
  options.ranks = other.ranks_;
  if (!program->cpu() != !other.program_->cpu())
    return usageError(
        fmt::format("a program for {} and one for {} cannot share a state",
                    nameOf(program->target), nameOf(other.program_->target)));
  MPC_RETURN_IF_ERROR(checkProgram(*program));
  MPC_RETURN_IF_ERROR(checkParts(*program, options.ranks));
  MPC_ASSIGN_OR_RETURN(State state, State::share(*program, other.state_));
  return make(std::move(program), std::move(state), options, &other);
}

Result<std::unique_ptr<Runner>>
Runner::make(std::shared_ptr<const Program> program, State state,
             const RunnerOptions &options, const Runner *other) {
  std::unique_ptr<Runner> runner(
      new Runner(std::move(program), std::move(state)));
  runner->findScalers(other);
  runner->ranks_ = options.ranks;
  std::vector<KeptTensor> kept;
  for (const Scaler &scaler : runner->scalers_)
    kept.push_back(
        {scaler.tensor, std::as_writable_bytes(std::span(*scaler.before))});
  MPC_ASSIGN_OR_RETURN(runner->executor_,
                       createExecutor(runner->program_, runner->state_,
                                      std::move(kept), options));
  return runner;
}

bool Runner::sharesState(std::string_view name) const {
  const StateTensor *tensor = program_->findState(name);
  return tensor && state_.isShared(*tensor);
}

Runner::Runner(std::shared_ptr<const Program> program, State state)
    : program_(std::move(program)), state_(std::move(state)) {}

bool Runner::ownsSome(const void *data, size_t bytes) const {
  return state_.meets(data, bytes) || executor_->ownsSome(data, bytes);
}

std::optional<size_t> Runner::findEntry(std::string_view name) const {
  const std::vector<Entry> &entries = program_->entries;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name)
      return i;
  return std::nullopt;
}

Status Runner::checkCall(size_t entryIndex, const RunMemory &memory) const {
  const Entry &entry = program_->entries[entryIndex];
  size_t inputs = memory.inputs.size(), outputs = memory.outputs.size();
  if (inputs == entry.inputs.size() && outputs == entry.outputs.size())
    return {};
  return internalError(fmt::format(
      "entry {}: expected {} inputs and {} outputs, found {} and {}",
      quote(entry.name), entry.inputs.size(), entry.outputs.size(), inputs,
      outputs));
}

Status Runner::run(size_t entry, std::span<const void *const> inputs,
                   std::span<void *const> outputs) {
  MPC_RETURN_IF_ERROR(enqueue(entry, inputs, outputs));
  return wait();
}

Status Runner::enqueue(size_t entryIndex, const RunMemory &memory) {
  MPC_RETURN_IF_ERROR(checkCall(entryIndex, memory));
  return executor_->enqueue(entryIndex, memory);
}

Status Runner::run(std::string_view name, std::span<const void *const> inputs,
                   std::span<void *const> outputs) {
  std::optional<size_t> entry = findEntry(name);
  if (!entry)
    return invalidInput("program has no entry " + quote(name));
  return run(*entry, inputs, outputs);
}

Status Runner::readAll() const {
  for (uint32_t slab = 0; slab < program_->slabs.size(); ++slab)
    MPC_RETURN_IF_ERROR(executor_->readSlab(slab));
  return {};
}

Status Runner::writeAll() {
  for (uint32_t slab = 0; slab < program_->slabs.size(); ++slab)
    MPC_RETURN_IF_ERROR(executor_->writeSlab(slab));
  return {};
}

Result<TensorView> Runner::readState(std::string_view name) const {
  if (const StateTensor *tensor = program_->findState(name))
    MPC_RETURN_IF_ERROR(executor_->readSlab(tensor->slab));
  return state_.read(name);
}

Result<std::vector<TensorView>> Runner::exportState() const {
  MPC_RETURN_IF_ERROR(readAll());
  return state_.exportTensors();
}

Status Runner::writeState(const TensorView &source) {
  if (const StateTensor *tensor = program_->findState(source.desc.name))
    MPC_RETURN_IF_ERROR(executor_->writeSlab(tensor->slab));
  MPC_RETURN_IF_ERROR(state_.write(source));
  for (const Scaler &scaler : scalers_)
    if (scaler.tensor->desc.name == source.desc.name)
      scaler.remember();
  return executor_->finishWriting();
}

Result<std::span<std::byte>> Runner::editState(std::string_view name) {
  const StateTensor *tensor = program_->findState(name);
  if (!tensor)
    return invalidInput("no tensor " + quote(name) + " in the state");
  if (executor_->isHandedOut(tensor->slab))
    return usageError(fmt::format("{} was shared in the device's memory: write "
                                  "it there",
                                  quote(name)));
  MPC_RETURN_IF_ERROR(executor_->writeSlab(tensor->slab));
  return state_.bytes(*tensor);
}

Result<OwnPart> Runner::editOwnPart(const StateTensor &tensor) {
  MPC_RETURN_IF_ERROR(executor_->writeSlab(tensor.slab));
  return ownPart(tensor);
}

// A rank on a GPU has its part there, and gives it from the host.
Status Runner::gatherState(const StateTensor &tensor) {
  MPC_RETURN_IF_ERROR(executor_->readSlab(tensor.slab));
  return state_.gather(tensor, *ranks_);
}

Status Runner::collectState() {
  MPC_RETURN_IF_ERROR(readAll());
  return state_.collect(*ranks_);
}

Status Runner::dealState() {
  MPC_RETURN_IF_ERROR(writeAll());
  MPC_RETURN_IF_ERROR(state_.deal(*ranks_));
  return executor_->finishWriting();
}

Result<DeviceAddress> Runner::handOutState(std::string_view name) {
  const StateTensor *tensor = program_->findState(name);
  if (!tensor)
    return invalidInput("no tensor " + quote(name) + " in the state");
  MPC_ASSIGN_OR_RETURN(DeviceAddress slab,
                       executor_->handOutSlab(tensor->slab));
  return slab + tensor->offset;
}

Status Runner::importState(std::span<const TensorView> sources) {
  MPC_RETURN_IF_ERROR(writeAll());
  MPC_RETURN_IF_ERROR(state_.importTensors(sources));
  for (const Scaler &scaler : scalers_)
    scaler.remember();
  MPC_RETURN_IF_ERROR(executor_->finishWriting());
  return deriveAlone();
}

Status Runner::derive() {
  const Entry *init = program_->findEntry(EntryRole::Init);
  return init ? run(init->name) : Status();
}

} // namespace mpc::rt
