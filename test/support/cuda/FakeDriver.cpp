// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's symbols: what each call checks before the state does the work.
#include "runtime/Device/CUDA/Driver.h"
#include "test/support/cuda/FakeState.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <type_traits>

using namespace mpc::rt::cuda;
using namespace mpc::rt::cuda::test;

namespace {

/// The calling thread's context. What is no handle of a device is another
/// library's, in which this driver has nothing.
thread_local ContextHandle current = nullptr;

bool isOurs(ContextHandle context) {
  auto number = reinterpret_cast<intptr_t>(context);
  return number > 0 && number <= FakeState::get().machine.devices;
}

/// Holds the lock for the length of a call, and its first answer.
struct Call {
  explicit Call(const char *symbol) : lock(FakeState::get().mutex) {
    answer = FakeState::get().enter(symbol);
    if (answer == code::kSuccess && !FakeState::get().initialized)
      answer = code::kNotInitialized;
  }
  std::lock_guard<std::recursive_mutex> lock;
  DriverCode answer;
};

/// A call that needs a current context.
struct ContextCall : Call {
  explicit ContextCall(const char *symbol) : Call(symbol) {
    if (answer == code::kSuccess &&
        (!isOurs(current) || FakeState::get().contexts == 0))
      answer = code::kInvalidContext;
  }
};

struct Name {
  DriverCode value;
  const char *name, *text;
};

constexpr Name kNames[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE",
     "uncorrectable ECC error encountered"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "capturing stream has unjoined work"},
};

const Name *nameOf(DriverCode value) {
  for (const Name &name : kNames)
    if (name.value == value)
      return &name;
  return nullptr;
}

template <typename T>
T *object(const std::map<T *, std::unique_ptr<T>> &set, void *handle) {
  auto found = set.find(static_cast<T *>(handle));
  return found == set.end() ? nullptr : found->first;
}

FakeStream *streamOf(StreamHandle handle) {
  return FakeState::get().streamOf(handle);
}

DriverCode copy(StreamHandle stream, bool inside, void *to, const void *from,
                size_t bytes) {
  if (!inside)
    return code::kInvalidValue;
  return FakeState::get().push(stream, {Operation::Kind::Work, [=] {
                                          std::memcpy(to, from, bytes);
                                          return code::kSuccess;
                                        }});
}

void *address(DevicePointer pointer) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
}

} // namespace

#define MPC_ENTER(kind, symbol)                                                \
  kind call(symbol);                                                           \
  [[maybe_unused]] FakeState &state = FakeState::get();                        \
  if (call.answer != code::kSuccess)                                           \
    return call.answer;

extern "C" {

FakeDriver *mpcFakeDriver() { return &FakeState::get(); }

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

DriverCode cuInit(unsigned) {
  FakeState &state = FakeState::get();
  std::lock_guard<std::recursive_mutex> lock(state.mutex);
  DriverCode answer = state.enter("cuInit");
  if (answer == code::kSuccess && state.machine.devices == 0)
    answer = code::kNoDevice;
  state.initialized = answer == code::kSuccess;
  return answer;
}

DriverCode cuDriverGetVersion(int *version) {
  MPC_ENTER(Call, "cuDriverGetVersion")
  *version = 13000;
  return code::kSuccess;
}

DriverCode cuGetErrorName(DriverCode value, const char **text) {
  const Name *name = nameOf(value);
  *text = name ? name->name : nullptr;
  return name ? code::kSuccess : code::kInvalidValue;
}

DriverCode cuGetErrorString(DriverCode value, const char **text) {
  const Name *name = nameOf(value);
  *text = name ? name->text : nullptr;
  return name ? code::kSuccess : code::kInvalidValue;
}

DriverCode cuDeviceGetCount(int *count) {
  MPC_ENTER(Call, "cuDeviceGetCount")
  *count = state.machine.devices;
  return code::kSuccess;
}

DriverCode cuDeviceGet(DeviceId *device, int ordinal) {
  MPC_ENTER(Call, "cuDeviceGet")
  if (ordinal < 0 || ordinal >= state.machine.devices)
    return code::kInvalidDevice;
  *device = ordinal;
  return code::kSuccess;
}

DriverCode cuDeviceGetName(char *name, int length, DeviceId) {
  MPC_ENTER(Call, "cuDeviceGetName")
  std::strncpy(name, "Test Device", static_cast<size_t>(length));
  return code::kSuccess;
}

DriverCode cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                                DeviceId) {
  MPC_ENTER(Call, "cuDeviceGetAttribute")
  switch (attribute) {
  case DeviceAttribute::MaxThreadsPerBlock:
    *value = 1024;
    break;
  case DeviceAttribute::MaxSharedPerBlock:
    *value = 48 * 1024;
    break;
  case DeviceAttribute::MultiprocessorCount:
    *value = 4;
    break;
  case DeviceAttribute::L2CacheSize:
    *value = 1 << 20;
    break;
  case DeviceAttribute::CapabilityMajor:
    *value = state.machine.major;
    break;
  case DeviceAttribute::CapabilityMinor:
    *value = state.machine.minor;
    break;
  case DeviceAttribute::MaxSharedPerBlockOptIn:
    *value = state.machine.maxSharedOptIn;
    break;
  case DeviceAttribute::ReservedSharedPerBlock:
    *value = state.machine.reservedShared;
    break;
  default:
    return code::kInvalidValue;
  }
  return code::kSuccess;
}

DriverCode cuDeviceTotalMem_v2(size_t *bytes, DeviceId) {
  MPC_ENTER(Call, "cuDeviceTotalMem_v2")
  *bytes = state.machine.memoryBytes;
  return code::kSuccess;
}

DriverCode cuDevicePrimaryCtxRetain(ContextHandle *context, DeviceId device) {
  MPC_ENTER(Call, "cuDevicePrimaryCtxRetain")
  ++state.contexts;
  *context = reinterpret_cast<ContextHandle>(static_cast<intptr_t>(device + 1));
  return code::kSuccess;
}

DriverCode cuDevicePrimaryCtxRelease_v2(DeviceId) {
  MPC_ENTER(Call, "cuDevicePrimaryCtxRelease_v2")
  if (state.contexts == 0)
    return code::kInvalidContext;
  --state.contexts;
  return code::kSuccess;
}

DriverCode cuCtxSetCurrent(ContextHandle context) {
  MPC_ENTER(Call, "cuCtxSetCurrent")
  current = context;
  return code::kSuccess;
}

DriverCode cuCtxGetCurrent(ContextHandle *context) {
  MPC_ENTER(Call, "cuCtxGetCurrent")
  *context = current;
  return code::kSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

DriverCode cuMemGetInfo_v2(size_t *free, size_t *total) {
  MPC_ENTER(ContextCall, "cuMemGetInfo_v2")
  *total = state.memory.limit();
  *free = state.memory.limit() - state.memory.used();
  return code::kSuccess;
}

DriverCode cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  MPC_ENTER(ContextCall, "cuMemAlloc_v2")
  if (DriverCode refused = state.refuseWhileCapturing())
    return refused;
  return state.memory.allocate(*pointer, bytes);
}

// Frees what nobody uses any more: waits for the device, as the driver does.
DriverCode cuMemFree_v2(DevicePointer pointer) {
  MPC_ENTER(ContextCall, "cuMemFree_v2")
  if (DriverCode failed = state.drainAll())
    return failed;
  return state.memory.free(pointer);
}

DriverCode cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  MPC_ENTER(ContextCall, "cuMemHostAlloc")
  *pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!*pointer)
    return code::kOutOfMemory;
  state.pinned.emplace(*pointer, bytes);
  return code::kSuccess;
}

DriverCode cuMemFreeHost(void *pointer) {
  MPC_ENTER(ContextCall, "cuMemFreeHost")
  if (state.pinned.erase(pointer) == 0)
    return code::kInvalidValue;
  std::free(pointer);
  return code::kSuccess;
}

DriverCode cuPointerGetAttribute(void *value, PointerAttribute attribute,
                                 DevicePointer pointer) {
  MPC_ENTER(ContextCall, "cuPointerGetAttribute")
  if (!state.memory.holds(pointer, 1))
    return code::kInvalidValue;
  *static_cast<int *>(value) =
      attribute == PointerAttribute::MemoryType ? int{kMemoryOfDevice} : 0;
  return code::kSuccess;
}

DriverCode cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from,
                                size_t bytes, StreamHandle stream) {
  MPC_ENTER(ContextCall, "cuMemcpyHtoDAsync_v2")
  return copy(stream, state.memory.holds(to, bytes), address(to), from, bytes);
}

DriverCode cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes,
                                StreamHandle stream) {
  MPC_ENTER(ContextCall, "cuMemcpyDtoHAsync_v2")
  return copy(stream, state.memory.holds(from, bytes), to, address(from),
              bytes);
}

DriverCode cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from,
                                size_t bytes, StreamHandle stream) {
  MPC_ENTER(ContextCall, "cuMemcpyDtoDAsync_v2")
  bool inside =
      state.memory.holds(to, bytes) && state.memory.holds(from, bytes);
  return copy(stream, inside, address(to), address(from), bytes);
}

DriverCode cuMemsetD8Async(DevicePointer to, unsigned char value, size_t bytes,
                           StreamHandle stream) {
  MPC_ENTER(ContextCall, "cuMemsetD8Async")
  if (!state.memory.holds(to, bytes))
    return code::kInvalidValue;
  return state.push(stream, {Operation::Kind::Work, [=] {
                               std::memset(address(to), value, bytes);
                               return code::kSuccess;
                             }});
}

// What the test NCCL moves its messages by.
DriverCode cuLaunchHostFunc(StreamHandle stream, void (*function)(void *),
                            void *data) {
  MPC_ENTER(ContextCall, "cuLaunchHostFunc")
  return state.push(stream, {Operation::Kind::Work, [=] {
                               function(data);
                               return code::kSuccess;
                             }});
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

DriverCode cuStreamCreate(StreamHandle *stream, unsigned) {
  MPC_ENTER(ContextCall, "cuStreamCreate")
  *stream = reinterpret_cast<StreamHandle>(FakeState::create(state.streams));
  return code::kSuccess;
}

DriverCode cuStreamDestroy_v2(StreamHandle handle) {
  MPC_ENTER(ContextCall, "cuStreamDestroy_v2")
  FakeStream *stream = streamOf(handle);
  if (!stream)
    return code::kInvalidHandle;
  DriverCode failed = state.drain(*stream);
  for (auto &[pointer, event] : state.events)
    if (event->stream == stream)
      event->stream = nullptr;
  state.streams.erase(stream);
  return failed;
}

DriverCode cuStreamSynchronize(StreamHandle handle) {
  MPC_ENTER(ContextCall, "cuStreamSynchronize")
  FakeStream *stream = streamOf(handle);
  if (!stream)
    return code::kInvalidHandle;
  if (DriverCode refused = state.refuseWhileCapturing())
    return refused;
  return state.drain(*stream);
}

DriverCode cuStreamWaitEvent(StreamHandle handle, EventHandle event, unsigned) {
  MPC_ENTER(ContextCall, "cuStreamWaitEvent")
  FakeStream *stream = streamOf(handle);
  FakeEvent *awaited = object(state.events, event);
  if (!stream || !awaited)
    return code::kInvalidHandle;
  return state.wait(*stream, *awaited);
}

DriverCode cuEventCreate(EventHandle *event, unsigned flags) {
  MPC_ENTER(ContextCall, "cuEventCreate")
  FakeEvent *made = FakeState::create(state.events);
  made->timed = (flags & kEventDisableTiming) == 0;
  *event = reinterpret_cast<EventHandle>(made);
  return code::kSuccess;
}

DriverCode cuEventDestroy_v2(EventHandle handle) {
  MPC_ENTER(ContextCall, "cuEventDestroy_v2")
  FakeEvent *event = object(state.events, handle);
  if (!event)
    return code::kInvalidHandle;
  DriverCode failed = state.drainAll(); // No queue may name it any more.
  state.events.erase(event);
  return failed;
}

DriverCode cuEventRecord(EventHandle handle, StreamHandle target) {
  MPC_ENTER(ContextCall, "cuEventRecord")
  FakeEvent *event = object(state.events, handle);
  FakeStream *stream = streamOf(target);
  if (!event || !stream)
    return code::kInvalidHandle;
  event->stream = stream;
  event->capture = stream->capture.get();
  if (event->capture)
    return code::kSuccess; // An edge of the graph, no node of it.
  ++event->recorded;
  return state.push(target,
                    {Operation::Kind::Record, nullptr, event, event->recorded});
}

DriverCode cuEventSynchronize(EventHandle handle) {
  MPC_ENTER(ContextCall, "cuEventSynchronize")
  FakeEvent *event = object(state.events, handle);
  if (!event)
    return code::kInvalidHandle;
  if (event->capture)
    return code::kCapturedEvent;
  return state.drainUntil(*event, event->recorded);
}

DriverCode cuEventQuery(EventHandle handle) {
  MPC_ENTER(ContextCall, "cuEventQuery")
  FakeEvent *event = object(state.events, handle);
  if (!event)
    return code::kInvalidHandle;
  return event->reached == event->recorded ? code::kSuccess : code::kNotReady;
}

DriverCode cuEventElapsedTime(float *milliseconds, EventHandle start,
                              EventHandle end) {
  MPC_ENTER(ContextCall, "cuEventElapsedTime")
  FakeEvent *from = object(state.events, start);
  FakeEvent *to = object(state.events, end);
  if (!from || !to || !from->timed || !to->timed)
    return code::kInvalidHandle;
  if (from->reached != from->recorded || to->reached != to->recorded)
    return code::kNotReady;
  *milliseconds = static_cast<float>(to->time - from->time);
  return code::kSuccess;
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

DriverCode cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned,
                              JitOption *, void **) {
  MPC_ENTER(ContextCall, "cuModuleLoadDataEx")
  auto made = std::make_unique<FakeModule>();
  if (DriverCode failed = state.load(*made, image))
    return failed;
  FakeModule *pointer = made.get();
  state.modules.emplace(pointer, std::move(made));
  *module = reinterpret_cast<ModuleHandle>(pointer);
  return code::kSuccess;
}

DriverCode cuModuleUnload(ModuleHandle handle) {
  MPC_ENTER(ContextCall, "cuModuleUnload")
  DriverCode failed = state.drainAll();
  if (!FakeState::destroy(state.modules, handle))
    return code::kInvalidHandle;
  return failed;
}

DriverCode cuModuleGetFunction(FunctionHandle *function, ModuleHandle handle,
                               const char *name) {
  MPC_ENTER(ContextCall, "cuModuleGetFunction")
  FakeModule *module = object(state.modules, handle);
  if (!module)
    return code::kInvalidHandle;
  const simt::Kernel *first = module->module.kernels;
  const simt::Kernel *end = first + module->module.count;
  const simt::Kernel *kernel =
      std::find_if(first, end, [&](const simt::Kernel &each) {
        return std::strcmp(each.name, name) == 0;
      });
  if (kernel == end)
    return code::kNotFound;
  std::unique_ptr<FakeFunction> &made = module->functions[name];
  if (!made)
    made = std::make_unique<FakeFunction>(FakeFunction{module, kernel, 0});
  *function = reinterpret_cast<FunctionHandle>(made.get());
  return code::kSuccess;
}

DriverCode cuFuncGetAttribute(int *value, FunctionAttribute attribute,
                              FunctionHandle handle) {
  MPC_ENTER(ContextCall, "cuFuncGetAttribute")
  const auto &function = *reinterpret_cast<FakeFunction *>(handle);
  if (attribute == FunctionAttribute::MaxThreadsPerBlock)
    *value = static_cast<int>(function.kernel->maxThreads);
  else if (attribute == FunctionAttribute::SharedBytes)
    *value = static_cast<int>(function.module->sharedBytes()) +
             state.machine.reservedShared;
  else
    *value = attribute == FunctionAttribute::Registers ? 32 : 0;
  return code::kSuccess;
}

DriverCode cuFuncSetAttribute(FunctionHandle handle,
                              FunctionAttribute attribute, int value) {
  MPC_ENTER(ContextCall, "cuFuncSetAttribute")
  auto &function = *reinterpret_cast<FakeFunction *>(handle);
  auto bytes = static_cast<size_t>(std::max(value, 0));
  if (attribute != FunctionAttribute::MaxDynamicSharedBytes || value < 0 ||
      bytes + function.module->sharedBytes() >
          static_cast<size_t>(state.machine.maxSharedOptIn))
    return code::kInvalidValue;
  function.maxDynamicShared = bytes;
  return code::kSuccess;
}

DriverCode cuLaunchKernel(FunctionHandle handle, unsigned gridX, unsigned gridY,
                          unsigned gridZ, unsigned blockX, unsigned blockY,
                          unsigned blockZ, unsigned sharedBytes,
                          StreamHandle stream, void **arguments, void **) {
  MPC_ENTER(ContextCall, "cuLaunchKernel")
  auto &function = *reinterpret_cast<FakeFunction *>(handle);
  simt::Launch launch;
  launch.module = function.module->module;
  launch.kernel = function.kernel;
  launch.image = function.module->image;
  launch.grid = {gridX, gridY, gridZ};
  launch.block = {blockX, blockY, blockZ};
  launch.dynamicShared = sharedBytes;
  return state.launch(function, launch, arguments, stream);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

DriverCode cuStreamBeginCapture_v2(StreamHandle handle, int) {
  MPC_ENTER(ContextCall, "cuStreamBeginCapture_v2")
  FakeStream *stream = streamOf(handle);
  return stream ? state.beginCapture(*stream) : code::kInvalidHandle;
}

DriverCode cuStreamEndCapture(StreamHandle handle, GraphHandle *graph) {
  MPC_ENTER(ContextCall, "cuStreamEndCapture")
  FakeStream *stream = streamOf(handle);
  return stream ? state.endCapture(*stream, *graph) : code::kInvalidHandle;
}

DriverCode cuGraphGetNodes(GraphHandle handle, GraphNodeHandle *,
                           size_t *count) {
  MPC_ENTER(ContextCall, "cuGraphGetNodes")
  FakeGraph *graph = object(state.graphs, handle);
  if (!graph)
    return code::kInvalidHandle;
  *count = graph->operations.size();
  return code::kSuccess;
}

DriverCode cuGraphInstantiateWithFlags(GraphExecHandle *exec,
                                       GraphHandle handle, unsigned long long) {
  MPC_ENTER(ContextCall, "cuGraphInstantiateWithFlags")
  FakeGraph *graph = object(state.graphs, handle);
  if (!graph)
    return code::kInvalidHandle;
  FakeExec *made = FakeState::create(state.execs);
  made->operations = graph->operations;
  *exec = reinterpret_cast<GraphExecHandle>(made);
  return code::kSuccess;
}

DriverCode cuGraphLaunch(GraphExecHandle handle, StreamHandle stream) {
  MPC_ENTER(ContextCall, "cuGraphLaunch")
  FakeExec *exec = object(state.execs, handle);
  if (!exec)
    return code::kInvalidHandle;
  for (const Operation &operation : exec->operations)
    if (DriverCode failed = state.push(stream, operation))
      return failed;
  return code::kSuccess;
}

DriverCode cuGraphExecDestroy(GraphExecHandle handle) {
  MPC_ENTER(ContextCall, "cuGraphExecDestroy")
  return FakeState::destroy(state.execs, handle) ? code::kSuccess
                                                 : code::kInvalidHandle;
}

DriverCode cuGraphDestroy(GraphHandle handle) {
  MPC_ENTER(ContextCall, "cuGraphDestroy")
  return FakeState::destroy(state.graphs, handle) ? code::kSuccess
                                                  : code::kInvalidHandle;
}

} // extern "C"

// Every symbol that the layer looks for, with the type that it expects.
#define MPC_SAME_TYPE(name, ...)                                               \
  static_assert(std::is_same_v<decltype(&name), decltype(DriverTable::name)>);
MPC_CUDA_DRIVER_SYMBOLS(MPC_SAME_TYPE)
