// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults, streams, captures and launches of the test driver.
#include "test/support/cuda/FakeState.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace mpc::rt::cuda::test {
namespace {

DriverCode codeOf(simt::Fault::Kind kind) {
  switch (kind) {
  case simt::Fault::Kind::OutOfBounds:
    return code::kIllegalAddress;
  case simt::Fault::Kind::Misaligned:
    return code::kMisalignedAddress;
  default:
    return code::kLaunchFailed;
  }
}

/// The part of `text` before `separator`, which goes with it.
std::string take(std::string &text, char separator) {
  size_t end = std::min(text.find(separator), text.size());
  std::string part = text.substr(0, end);
  text.erase(0, end + 1);
  return part;
}

} // namespace

FakeState::FakeState() {
  const char *settings = std::getenv("MPC_FAKE_CUDA");
  for (std::string rest = settings ? settings : ""; !rest.empty();)
    set(take(rest, ' '));
  memory.reset(machine.memoryBytes);
}

void FakeState::set(std::string setting) {
  std::string key = take(setting, '=');
  if (key == "fail") {
    std::string symbol = take(setting, ':');
    int use = std::stoi(take(setting, ':'));
    failAt(symbol, use, std::stoi(setting));
  } else if (key == "sm") {
    machine.major = std::stoi(setting) / 10;
    machine.minor = std::stoi(setting) % 10;
  } else if (key == "devices") {
    machine.devices = std::stoi(setting);
  } else if (key == "memory") {
    machine.memoryBytes = std::stoull(setting);
  } else if (key == "shared") {
    machine.maxSharedOptIn = std::stoi(setting);
  } else if (key == "wrong") {
    wrong_ = setting;
  } else if (key == "open") {
    memory.openToHost();
  } else {
    fmt::print(stderr, "test driver: MPC_FAKE_CUDA: no setting '{}'\n", key);
    std::abort();
  }
}

FakeState &FakeState::get() {
  static FakeState state;
  return state;
}

FakeState::~FakeState() { freePinned(); }

void FakeState::freePinned() {
  for (auto [pointer, bytes] : pinned)
    std::free(pointer);
  pinned.clear();
}

void FakeState::reset(const FakeMachine &wanted) {
  machine = wanted;
  memory.reset(wanted.memoryBytes);
  streams.clear();
  defaultStream_ = {};
  events.clear();
  execs.clear();
  graphs.clear();
  modules.clear();
  freePinned();
  initialized = false;
  contexts = 0;
  counts_.clear();
  given_.clear();
  failures_.clear();
  lost_ = code::kSuccess;
  kernelsRun_ = 0;
  fault_.clear();
}

void FakeState::failAt(std::string_view symbol, int use, int value) {
  failures_[std::string(symbol)] = {count(symbol) + use, value};
}

int FakeState::count(std::string_view symbol) const {
  auto found = counts_.find(symbol);
  return found == counts_.end() ? 0 : found->second;
}

int FakeState::countBeside(std::string_view symbol,
                           std::string_view other) const {
  int sum = 0;
  for (const auto &[stream, calls] : given_)
    if (auto found = calls.find(symbol); found != calls.end())
      sum += calls.contains(other) ? found->second : 0;
  return sum;
}

int FakeState::alive() const {
  return contexts + memory.alive() +
         static_cast<int>(streams.size() + events.size() + modules.size() +
                          graphs.size() + execs.size() + pinned.size());
}

DriverCode FakeState::enter(const char *symbol) {
  int use = ++counts_[symbol];
  entered_ = symbol;
  auto found = failures_.find(symbol);
  if (found != failures_.end() && found->second.first == use) {
    if (losesContext(found->second.second))
      lost_ = found->second.second;
    return found->second.second;
  }
  return lost_;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

FakeStream *FakeState::streamOf(StreamHandle handle) {
  if (!handle)
    return &defaultStream_;
  auto found = streams.find(reinterpret_cast<FakeStream *>(handle));
  return found == streams.end() ? nullptr : found->second.get();
}

DriverCode FakeState::push(StreamHandle handle, Operation operation) {
  FakeStream *found = streamOf(handle);
  if (!found)
    return code::kInvalidHandle;
  FakeStream &stream = *found;
  if (!stream.capture) {
    ++given_[&stream][entered_];
    stream.queue.push_back(std::move(operation));
    return code::kSuccess;
  }
  if (stream.capture->invalid)
    return code::kCaptureInvalidated;
  stream.capture->graph.operations.push_back(std::move(operation));
  if (&stream != stream.capture->origin)
    stream.capture->unjoined.insert(&stream);
  return code::kSuccess;
}

DriverCode FakeState::runOperation(FakeStream &stream) {
  Operation operation = std::move(stream.queue.front());
  stream.queue.pop_front();
  clock_ += 0.001;
  if (operation.kind == Operation::Kind::Record) {
    operation.event->reached = operation.use;
    operation.event->time = clock_;
    return code::kSuccess;
  }
  if (operation.kind == Operation::Kind::Wait)
    return drainUntil(*operation.event, operation.use);
  memory.setVisible(true);
  DriverCode result = operation.run();
  memory.setVisible(false);
  if (losesContext(result))
    lost_ = result;
  return result;
}

DriverCode FakeState::drain(FakeStream &stream) {
  while (!stream.queue.empty())
    if (DriverCode result = runOperation(stream); result != code::kSuccess)
      return result;
  return lost_;
}

// Nothing runs that nobody asked for: what forgot to wait sees old data.
DriverCode FakeState::drainUntil(FakeEvent &event, int use) {
  while (event.reached < use && event.stream && !event.stream->queue.empty())
    if (DriverCode result = runOperation(*event.stream);
        result != code::kSuccess)
      return result;
  return lost_;
}

DriverCode FakeState::drainAll() {
  for (auto &[pointer, stream] : streams)
    if (DriverCode result = drain(*stream); result != code::kSuccess)
      return result;
  return drain(defaultStream_);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

DriverCode FakeState::refuseWhileCapturing() {
  DriverCode result = code::kSuccess;
  for (auto &[pointer, stream] : streams)
    if (stream->capture) {
      stream->capture->invalid = true;
      result = code::kCaptureUnsupported;
    }
  return result;
}

DriverCode FakeState::beginCapture(FakeStream &stream) {
  if (stream.capture)
    return code::kCaptureUnsupported;
  stream.capture = std::make_shared<FakeCapture>();
  stream.capture->origin = &stream;
  return code::kSuccess;
}

DriverCode FakeState::endCapture(FakeStream &stream, GraphHandle &graph) {
  std::shared_ptr<FakeCapture> capture = stream.capture;
  if (!capture || capture->origin != &stream)
    return code::kCaptureUnmatched;
  for (auto &[pointer, other] : streams)
    if (other->capture == capture)
      other->capture.reset();
  for (auto &[pointer, event] : events)
    if (event->capture == capture.get())
      event->capture = nullptr;
  graph = nullptr;
  if (capture->invalid)
    return code::kCaptureInvalidated;
  if (!capture->unjoined.empty())
    return code::kCaptureUnjoined;
  FakeGraph *made = create(graphs);
  *made = std::move(capture->graph);
  graph = reinterpret_cast<GraphHandle>(made);
  return code::kSuccess;
}

// Waiting for an event of a capture joins it, or rejoins its origin.
DriverCode FakeState::wait(FakeStream &stream, FakeEvent &event) {
  if (event.capture) {
    for (auto &[pointer, other] : streams)
      if (other->capture.get() == event.capture && !stream.capture)
        stream.capture = other->capture;
    if (!stream.capture || stream.capture.get() != event.capture)
      return code::kCaptureUnsupported;
    if (&stream == stream.capture->origin)
      stream.capture->unjoined.erase(event.stream);
    return code::kSuccess;
  }
  if (stream.capture)
    return code::kCaptureUnsupported;
  if (event.recorded != 0)
    stream.queue.push_back(
        {Operation::Kind::Wait, nullptr, &event, event.recorded});
  return code::kSuccess;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

DriverCode FakeState::launch(FakeFunction &function, const simt::Launch &launch,
                             void **arguments, StreamHandle stream) {
  const simt::Dim &grid = launch.grid, &block = launch.block;
  if (grid.count() == 0 || block.count() == 0 || grid.y > 65535 ||
      grid.z > 65535 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
      block.count() > function.kernel->maxThreads)
    return code::kInvalidValue;
  size_t allowed =
      std::max(function.maxDynamicShared,
               size_t{48 * 1024} -
                   std::min(size_t{48 * 1024}, function.module->sharedBytes()));
  if (launch.dynamicShared > allowed)
    return code::kInvalidValue;
  std::vector<std::vector<char>> copies;
  for (size_t i = 0; i < function.kernel->parameters; ++i) {
    auto *from = static_cast<const char *>(arguments[i]);
    copies.emplace_back(from, from + function.kernel->parameterBytes[i]);
  }
  int arch = function.module->arch;
  return push(stream, {Operation::Kind::Work, [this, launch, copies, arch] {
                         return runKernel(launch, copies, arch);
                       }});
}

DriverCode FakeState::runKernel(simt::Launch launch,
                                const std::vector<std::vector<char>> &arguments,
                                int arch) {
  std::vector<void *> pointers;
  pointers.reserve(arguments.size());
  for (const std::vector<char> &argument : arguments)
    pointers.push_back(const_cast<char *>(argument.data()));
  launch.arguments = pointers.data();
  launch.memory = memory.ranges();
  launch.arch = arch;
  launch.seed = seed_;
  ++kernelsRun_;
  if (launch.kernel->name == wrong_ && --launch.grid.x == 0)
    return code::kSuccess;
  std::optional<simt::Fault> found = simt::run(launch);
  if (!found)
    return code::kSuccess;
  fault_ = found->text;
  // Tools tell the code alone.
  fmt::print(stderr, "test driver: {}\n", fault_);
  return codeOf(found->kind);
}

} // namespace mpc::rt::cuda::test
