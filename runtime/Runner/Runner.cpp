// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executor: buffers are resolved once, a run walks the launches.
#include "runtime/Runner/Runner.h"

#include "runtime/Runner/CudaExecutor.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

/// Workers' scratch lies pages apart, so that they share no cache line.
constexpr uint64_t kScratchAlignment = 4096;
/// Copies are cut into pieces of this size for the workers.
constexpr uint64_t kCopyPiece = uint64_t(1) << 20;

/// Bytes of the space that `ref` lies in; empty where there is no such space.
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

/// What is wrong with the code of a launch; empty where nothing is.
std::string codeFault(const Program &program, const Launch &launch) {
  if (!program.target.isCuda())
    return launch.codeOffset < program.code.bytes.size()
               ? ""
               : "its code lies outside the image";
  if (launch.codeOffset >= program.modules.size())
    return "its module is none of the program";
  if (launch.threads == 0 || launch.threads > 1024 || launch.chunks < 1 ||
      launch.chunks > INT32_MAX)
    return fmt::format("{} blocks of {} threads are no grid", launch.chunks,
                       launch.threads);
  return "";
}

/// What is wrong with a launch; empty where nothing is.
std::string launchFault(const Program &program, const Entry &entry,
                        const Launch &launch) {
  size_t wanted = launch.kind == LaunchKind::Copy   ? 2
                  : launch.kind == LaunchKind::Fill ? 1
                                                    : launch.buffers.size();
  if (launch.buffers.size() != wanted)
    return fmt::format("expected {} buffers, found {}", wanted,
                       launch.buffers.size());
  if (launch.kind == LaunchKind::Kernel)
    if (std::string fault = codeFault(program, launch); !fault.empty())
      return fault;
  if (launch.chunks < 0)
    return "number of chunks is negative";
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const BufferRef &ref = launch.buffers[i];
    uint64_t bytes =
        launch.kind == LaunchKind::Kernel ? ref.bytes : launch.bytes;
    std::optional<uint64_t> size = sizeOf(program, entry, ref);
    if (!size || ref.offset > *size || bytes > *size - ref.offset)
      return fmt::format("buffer {} lies outside its memory", i);
  }
  return "";
}

Status checkProgram(const Program &program) {
  for (const Entry &entry : program.entries)
    for (size_t i = 0; i < entry.launches.size(); ++i) {
      const Launch &launch = entry.launches[i];
      std::string fault = launchFault(program, entry, launch);
      if (!fault.empty())
        return invalidInput(fmt::format("program: entry {}, launch {} ({}): {}",
                                        quote(entry.name), i,
                                        quote(launch.symbol), fault));
    }
  return {};
}

struct KernelCall {
  KernelFunction function;
  void *const *buffers;
  std::byte *scratch;
  uint64_t scratchStride;
};

void runKernel(void *context, int worker, int64_t begin, int64_t end) {
  auto &call = *static_cast<KernelCall *>(context);
  call.function(call.buffers, begin, end,
                call.scratch +
                    static_cast<uint64_t>(worker) * call.scratchStride);
}

struct CopyCall {
  char *target;
  const char *source; ///< Null to fill with zeros.
  uint64_t bytes;
};

void runCopy(void *context, int, int64_t begin, int64_t end) {
  auto &call = *static_cast<CopyCall *>(context);
  uint64_t from = static_cast<uint64_t>(begin) * kCopyPiece;
  uint64_t to = std::min(static_cast<uint64_t>(end) * kCopyPiece, call.bytes);
  if (call.source)
    std::memcpy(call.target + from, call.source + from, to - from);
  else
    std::memset(call.target + from, 0, to - from);
}

} // namespace

Result<std::unique_ptr<Runner>>
Runner::create(std::shared_ptr<const Program> program, RunnerOptions options) {
  MPC_RETURN_IF_ERROR(checkProgram(*program));
  MPC_ASSIGN_OR_RETURN(State state, State::create(*program));
  std::unique_ptr<Runner> runner(
      new Runner(std::move(program), std::move(state)));
  MPC_RETURN_IF_ERROR(runner->allocate(options));
  runner->findScalers();
  if (runner->program_->target.isCuda()) {
    MPC_RETURN_IF_ERROR(runner->openDevice());
    return runner;
  }
  for (const Entry &entry : runner->program_->entries)
    runner->resolve(entry);
  return runner;
}

Runner::Runner(std::shared_ptr<const Program> program, State state)
    : program_(std::move(program)), state_(std::move(state)) {}

Runner::~Runner() = default;

//===----------------------------------------------------------------------===//
// A GPU
//===----------------------------------------------------------------------===//

Status Runner::openDevice() {
  std::vector<const StateTensor *> kept;
  for (const Scaler &scaler : scalers_)
    kept.push_back(scaler.tensor);
  MPC_ASSIGN_OR_RETURN(device_, CudaExecutor::create(program_, kept));
  return {};
}

std::vector<std::string> Runner::warnings() const {
  return device_ ? device_->warnings() : std::vector<std::string>();
}

/// Makes the state here what runs have made of it.
Status Runner::fetchState() const {
  if (!isDeviceAhead_)
    return {};
  std::vector<std::span<std::byte>> before;
  for (Scaler &scaler : scalers_)
    before.push_back(std::as_writable_bytes(std::span(scaler.before)));
  MPC_RETURN_IF_ERROR(device_->download(state_, before));
  isDeviceAhead_ = false;
  return {};
}

/// The same, before it is changed here.
Status Runner::changeState() {
  MPC_RETURN_IF_ERROR(fetchState());
  isHostAhead_ = true;
  return {};
}

/// Before a run on it.
Status Runner::giveStateToDevice() {
  if (isHostAhead_)
    MPC_RETURN_IF_ERROR(device_->upload(state_));
  isHostAhead_ = false;
  isDeviceAhead_ = true;
  return {};
}

Result<std::vector<float>>
Runner::timeLaunches(size_t entry, std::span<const void *const> inputs) {
  if (!device_)
    return usageError("launches are timed on a GPU only");
  size_t outputs = program_->entries[entry].outputs.size();
  MPC_RETURN_IF_ERROR(checkCall(entry, inputs.size(), outputs));
  MPC_RETURN_IF_ERROR(giveStateToDevice());
  return device_->timeLaunches(entry, inputs);
}

Status Runner::wait() { return device_ ? device_->wait() : Status(); }

bool Runner::choosesRate() const { return device_ && device_->choosesRate(); }

uint64_t Runner::lastRun() const { return device_ ? device_->numRuns() : 0; }

Status Runner::waitFor(uint64_t run) {
  return device_ ? device_->waitFor(run) : Status();
}

Status Runner::allocate(RunnerOptions options) {
  MPC_ASSIGN_OR_RETURN(pool_, ThreadPool::create(options.threads));
  if (program_->target.isCuda())
    return {};
  MPC_ASSIGN_OR_RETURN(code_, LoadedCode::load(program_->code.bytes.view(),
                                               program_->code.hash));
  uint64_t arenaBytes = 0, scratchBytes = 0;
  for (const Entry &entry : program_->entries) {
    arenaBytes = std::max(arenaBytes, entry.arenaBytes);
    for (const Launch &launch : entry.launches)
      scratchBytes = std::max(scratchBytes, launch.scratchBytes);
  }
  MPC_ASSIGN_OR_RETURN(arena_, HostBuffer::allocate(arenaBytes, "the arena"));
  auto workers = static_cast<uint64_t>(pool_->numWorkers());
  uint64_t total = 0;
  if (__builtin_add_overflow(scratchBytes, kScratchAlignment - 1,
                             &scratchStride_) ||
      __builtin_mul_overflow(scratchStride_ &= ~(kScratchAlignment - 1),
                             workers, &total))
    return invalidInput("program: scratch is too large");
  MPC_ASSIGN_OR_RETURN(scratch_, HostBuffer::allocate(total, "scratch"));
  for (const Constant &constant : program_->constants)
    MPC_RETURN_IF_ERROR(addConstant(constant));
  return {};
}

/// Takes a constant where it lies if it lies well, as in a mapped file.
Status Runner::addConstant(const Constant &constant) {
  const std::byte *data = constant.bytes.data();
  bool isAligned =
      reinterpret_cast<uintptr_t>(data) % HostBuffer::kAlignment == 0;
  if (constant.bytes.empty() || !isAligned) {
    MPC_ASSIGN_OR_RETURN(
        HostBuffer copy,
        HostBuffer::allocate(constant.bytes.size(),
                             "constant " + quote(constant.name)));
    if (!constant.bytes.empty())
      std::memcpy(copy.data(), data, constant.bytes.size());
    data = copy.data();
    copies_.push_back(std::move(copy));
  }
  constants_.push_back(data);
  return {};
}

void *Runner::address(const BufferRef &ref) const {
  switch (ref.space) {
  case Space::Arena:
    return arena_.data() + ref.offset;
  case Space::State:
    return state_.slab(ref.index) + ref.offset;
  case Space::Constant:
    // Kernels take one kind of pointer; they do not write to constants.
    return const_cast<std::byte *>(constants_[ref.index]) + ref.offset;
  case Space::Input:
  case Space::Output:
    break;
  }
  return nullptr;
}

bool Runner::ownsSome(const void *data, size_t bytes) const {
  auto meets = [&](const void *own, uint64_t size) {
    auto begin = reinterpret_cast<uintptr_t>(data);
    auto ownBegin = reinterpret_cast<uintptr_t>(own);
    return begin < ownBegin + size && ownBegin < begin + bytes;
  };
  for (uint32_t i = 0; i < program_->slabs.size(); ++i)
    if (meets(state_.slab(i), program_->slabs[i].bytes))
      return true;
  return meets(arena_.data(), arena_.size()) ||
         meets(scratch_.data(), scratch_.size());
}

void Runner::resolve(const Entry &entry) {
  Plan plan;
  for (const Launch &launch : entry.launches) {
    plan.first.push_back(plan.pointers.size());
    for (const BufferRef &ref : launch.buffers) {
      if (ref.space == Space::Input || ref.space == Space::Output)
        plan.patches.push_back({plan.pointers.size(), ref});
      plan.pointers.push_back(address(ref));
    }
  }
  auto uses = [&](uint32_t slab) {
    return std::any_of(entry.launches.begin(), entry.launches.end(),
                       [&](const Launch &launch) {
                         return std::any_of(
                             launch.buffers.begin(), launch.buffers.end(),
                             [&](const BufferRef &ref) {
                               return ref.space == Space::State &&
                                      ref.index == slab;
                             });
                       });
  };
  for (size_t i = 0; i < scalers_.size(); ++i)
    if (uses(scalers_[i].tensor->slab))
      plan.scalers.push_back(i);
  plans_.push_back(std::move(plan));
}

std::optional<size_t> Runner::findEntry(std::string_view name) const {
  const std::vector<Entry> &entries = program_->entries;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name)
      return i;
  return std::nullopt;
}

void Runner::launch(const Launch &launch, void **buffers) {
  if (launch.kind == LaunchKind::Kernel) {
    KernelCall call{code_.at<KernelFunction>(launch.codeOffset), buffers,
                    scratch_.data(), scratchStride_};
    pool_->run(launch.chunks, runKernel, &call);
    return;
  }
  bool copies = launch.kind == LaunchKind::Copy;
  CopyCall call{static_cast<char *>(buffers[copies ? 1 : 0]),
                copies ? static_cast<const char *>(buffers[0]) : nullptr,
                launch.bytes};
  auto pieces =
      static_cast<int64_t>((launch.bytes + kCopyPiece - 1) / kCopyPiece);
  pool_->run(pieces, runCopy, &call);
}

Status Runner::checkCall(size_t entryIndex, size_t inputs,
                         size_t outputs) const {
  const Entry &entry = program_->entries[entryIndex];
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

Status Runner::enqueue(size_t entryIndex, std::span<const void *const> inputs,
                       std::span<void *const> outputs,
                       const float *rateAfterSkip) {
  MPC_RETURN_IF_ERROR(checkCall(entryIndex, inputs.size(), outputs.size()));
  if (device_) {
    MPC_RETURN_IF_ERROR(giveStateToDevice());
    return device_->enqueue(entryIndex, inputs, outputs, rateAfterSkip);
  }
  const Entry &entry = program_->entries[entryIndex];
  Plan &plan = plans_[entryIndex];
  for (const Patch &patch : plan.patches) {
    const BufferRef &ref = patch.ref;
    // Kernels take one kind of pointer; they do not write to inputs.
    auto *base =
        ref.space == Space::Input
            ? static_cast<char *>(const_cast<void *>(inputs[ref.index]))
            : static_cast<char *>(outputs[ref.index]);
    plan.pointers[patch.pointer] = base + ref.offset;
  }
  for (size_t scaler : plan.scalers)
    scalers_[scaler].remember();
  for (size_t i = 0; i < entry.launches.size(); ++i)
    launch(entry.launches[i], plan.pointers.data() + plan.first[i]);
  return {};
}

Status Runner::run(std::string_view name, std::span<const void *const> inputs,
                   std::span<void *const> outputs) {
  std::optional<size_t> entry = findEntry(name);
  if (!entry)
    return invalidInput("program has no entry " + quote(name));
  return run(*entry, inputs, outputs);
}

Status Runner::writeState(const TensorView &source) {
  MPC_RETURN_IF_ERROR(changeState());
  MPC_RETURN_IF_ERROR(state_.write(source));
  for (Scaler &scaler : scalers_)
    if (scaler.tensor->desc.name == source.desc.name)
      scaler.remember();
  return {};
}

Result<std::span<std::byte>> Runner::editState(std::string_view name) {
  const StateTensor *tensor = program_->findState(name);
  if (!tensor)
    return invalidInput("no tensor " + quote(name) + " in the state");
  MPC_RETURN_IF_ERROR(changeState());
  return state_.bytes(*tensor);
}

Status Runner::importState(std::span<const TensorView> sources) {
  MPC_RETURN_IF_ERROR(changeState());
  MPC_RETURN_IF_ERROR(state_.importTensors(sources));
  for (Scaler &scaler : scalers_)
    scaler.remember();
  return derive();
}

Status Runner::derive() {
  const Entry *init = program_->findEntry(EntryRole::Init);
  return init ? run(init->name) : Status();
}

} // namespace mpc::rt
