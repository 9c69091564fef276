// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The part of the CUDA driver's and NVRTC's binary interface that mpc calls,
/// declared here so that no CUDA header is needed to build. Source: the
/// function prototypes and enumerations of cuda.h and nvrtc.h of CUDA 13.0,
/// which are stable since the CUDA 11.4 of the youngest symbol. Where these
/// headers are found, CudaHeaderTest.cpp compares every line below with them.
#ifndef MPC_RUNTIME_DEVICE_CUDA_API_H
#define MPC_RUNTIME_DEVICE_CUDA_API_H

#include <cstddef>
#include <cstdint>

namespace mpc::rt::cuda {

/// A CUresult; 0 is success.
using DriverCode = int;
/// An nvrtcResult; 0 is success.
using NvrtcCode = int;
using DeviceId = int;
using DevicePointer = unsigned long long;

using ContextHandle = struct ContextOpaque *;
using StreamHandle = struct StreamOpaque *;
using EventHandle = struct EventOpaque *;
using ModuleHandle = struct ModuleOpaque *;
using FunctionHandle = struct FunctionOpaque *;
using GraphHandle = struct GraphOpaque *;
using GraphNodeHandle = struct GraphNodeOpaque *;
using GraphExecHandle = struct GraphExecOpaque *;
using NvrtcHandle = struct NvrtcOpaque *;

/// The codes that mpc distinguishes or that the test driver returns.
namespace code {
inline constexpr DriverCode kSuccess = 0;
inline constexpr DriverCode kInvalidValue = 1;
inline constexpr DriverCode kOutOfMemory = 2;
inline constexpr DriverCode kNotInitialized = 3;
inline constexpr DriverCode kStubLibrary = 34;
inline constexpr DriverCode kDeviceUnavailable = 46;
inline constexpr DriverCode kNoDevice = 100;
inline constexpr DriverCode kInvalidDevice = 101;
inline constexpr DriverCode kInvalidImage = 200;
inline constexpr DriverCode kInvalidContext = 201;
inline constexpr DriverCode kNoBinaryForGpu = 209;
inline constexpr DriverCode kEccUncorrectable = 214;
inline constexpr DriverCode kInvalidPtx = 218;
inline constexpr DriverCode kNvlinkUncorrectable = 220;
inline constexpr DriverCode kUnsupportedPtxVersion = 222;
inline constexpr DriverCode kContained = 226;
inline constexpr DriverCode kInvalidHandle = 400;
inline constexpr DriverCode kNotFound = 500;
inline constexpr DriverCode kNotReady = 600;
inline constexpr DriverCode kIllegalAddress = 700;
inline constexpr DriverCode kLaunchOutOfResources = 701;
inline constexpr DriverCode kLaunchTimeout = 702;
inline constexpr DriverCode kContextIsDestroyed = 709;
inline constexpr DriverCode kAssert = 710;
inline constexpr DriverCode kHardwareStackError = 714;
inline constexpr DriverCode kMisalignedAddress = 716;
inline constexpr DriverCode kLaunchFailed = 719;
inline constexpr DriverCode kNotSupported = 801;
inline constexpr DriverCode kCaptureUnsupported = 900;
inline constexpr DriverCode kCaptureInvalidated = 901;
inline constexpr DriverCode kCaptureUnmatched = 903;
inline constexpr DriverCode kCaptureUnjoined = 904;
inline constexpr DriverCode kCapturedEvent = 907;
} // namespace code

/// Whether every later call in the context fails after `value` too, so that
/// only a new process and the last checkpoint help. These are the codes of
/// which cuda.h says that the process or the context cannot be used afterwards.
/// A launch that asks for too much (701) is only refused.
[[nodiscard]] constexpr bool losesContext(DriverCode value) {
  return value == code::kEccUncorrectable ||
         value == code::kNvlinkUncorrectable || value == code::kContained ||
         value == code::kIllegalAddress || value == code::kLaunchTimeout ||
         value == code::kContextIsDestroyed || value == code::kAssert ||
         (value >= code::kHardwareStackError && value <= code::kLaunchFailed);
}

namespace nvrtc_code {
inline constexpr NvrtcCode kSuccess = 0;
inline constexpr NvrtcCode kInvalidInput = 3;
inline constexpr NvrtcCode kInvalidProgram = 4;
inline constexpr NvrtcCode kInvalidOption = 5;
inline constexpr NvrtcCode kCompilation = 6;
} // namespace nvrtc_code

/// CUdevice_attribute.
enum class DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxSharedPerBlock = 8,
  MultiprocessorCount = 16,
  L2CacheSize = 38,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MaxSharedPerBlockOptIn = 97,
  ReservedSharedPerBlock = 111,
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
};

/// CUpointer_attribute.
enum class PointerAttribute : int {
  MemoryType = 2,
  DeviceOrdinal = 9,
};
/// CU_MEMORYTYPE_DEVICE: an answer for MemoryType.
inline constexpr unsigned kMemoryOfDevice = 2;

/// CUjit_option.
enum class JitOption : int {
  ErrorLogBuffer = 5,
  ErrorLogBufferBytes = 6,
};

/// CU_STREAM_NON_BLOCKING: independent of the null stream.
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0;
inline constexpr unsigned kEventDisableTiming = 2;
/// CU_STREAM_CAPTURE_MODE_THREAD_LOCAL: the work of other threads is not
/// recorded.
inline constexpr int kCaptureThreadLocal = 1;

} // namespace mpc::rt::cuda

// Every entry: the exported symbol, then its parameters. The suffix _v2 is
// part of the symbol; cuda.h hides it behind a macro.
#define MPC_CUDA_DRIVER_SYMBOLS(X)                                             \
  X(cuInit, unsigned flags)                                                    \
  X(cuDriverGetVersion, int *version)                                          \
  X(cuGetErrorName, DriverCode code, const char **name)                        \
  X(cuGetErrorString, DriverCode code, const char **text)                      \
  X(cuDeviceGetCount, int *count)                                              \
  X(cuDeviceGet, DeviceId *device, int ordinal)                                \
  X(cuDeviceGetName, char *name, int length, DeviceId device)                  \
  X(cuDeviceGetAttribute, int *value, DeviceAttribute attribute,               \
    DeviceId device)                                                           \
  X(cuDeviceTotalMem_v2, size_t *bytes, DeviceId device)                       \
  X(cuDevicePrimaryCtxRetain, ContextHandle *context, DeviceId device)         \
  X(cuDevicePrimaryCtxRelease_v2, DeviceId device)                             \
  X(cuCtxGetCurrent, ContextHandle *context)                                   \
  X(cuCtxSetCurrent, ContextHandle context)                                    \
  X(cuMemGetInfo_v2, size_t *free, size_t *total)                              \
  X(cuMemAlloc_v2, DevicePointer *pointer, size_t bytes)                       \
  X(cuMemFree_v2, DevicePointer pointer)                                       \
  X(cuMemHostAlloc, void **pointer, size_t bytes, unsigned flags)              \
  X(cuMemFreeHost, void *pointer)                                              \
  X(cuPointerGetAttribute, void *value, PointerAttribute attribute,            \
    DevicePointer pointer)                                                     \
  X(cuMemcpyHtoDAsync_v2, DevicePointer to, const void *from, size_t bytes,    \
    StreamHandle stream)                                                       \
  X(cuMemcpyDtoHAsync_v2, void *to, DevicePointer from, size_t bytes,          \
    StreamHandle stream)                                                       \
  X(cuMemcpyDtoDAsync_v2, DevicePointer to, DevicePointer from, size_t bytes,  \
    StreamHandle stream)                                                       \
  X(cuMemsetD8Async, DevicePointer to, unsigned char value, size_t bytes,      \
    StreamHandle stream)                                                       \
  X(cuStreamCreate, StreamHandle *stream, unsigned flags)                      \
  X(cuStreamDestroy_v2, StreamHandle stream)                                   \
  X(cuStreamSynchronize, StreamHandle stream)                                  \
  X(cuStreamWaitEvent, StreamHandle stream, EventHandle event, unsigned flags) \
  X(cuStreamBeginCapture_v2, StreamHandle stream, int mode)                    \
  X(cuStreamEndCapture, StreamHandle stream, GraphHandle *graph)               \
  X(cuEventCreate, EventHandle *event, unsigned flags)                         \
  X(cuEventRecord, EventHandle event, StreamHandle stream)                     \
  X(cuEventSynchronize, EventHandle event)                                     \
  X(cuEventQuery, EventHandle event)                                           \
  X(cuEventElapsedTime, float *milliseconds, EventHandle start,                \
    EventHandle end)                                                           \
  X(cuEventDestroy_v2, EventHandle event)                                      \
  X(cuModuleLoadDataEx, ModuleHandle *module, const void *image,               \
    unsigned options, JitOption *names, void **values)                         \
  X(cuModuleUnload, ModuleHandle module)                                       \
  X(cuModuleGetFunction, FunctionHandle *function, ModuleHandle module,        \
    const char *name)                                                          \
  X(cuFuncGetAttribute, int *value, FunctionAttribute attribute,               \
    FunctionHandle function)                                                   \
  X(cuFuncSetAttribute, FunctionHandle function, FunctionAttribute attribute,  \
    int value)                                                                 \
  X(cuLaunchKernel, FunctionHandle function, unsigned gridX, unsigned gridY,   \
    unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,         \
    unsigned sharedBytes, StreamHandle stream, void **arguments, void **extra) \
  X(cuGraphInstantiateWithFlags, GraphExecHandle *exec, GraphHandle graph,     \
    unsigned long long flags)                                                  \
  X(cuGraphGetNodes, GraphHandle graph, GraphNodeHandle *nodes, size_t *count) \
  X(cuGraphLaunch, GraphExecHandle exec, StreamHandle stream)                  \
  X(cuGraphExecDestroy, GraphExecHandle exec)                                  \
  X(cuGraphDestroy, GraphHandle graph)

#define MPC_CUDA_NVRTC_SYMBOLS(X)                                              \
  X(nvrtcVersion, int *major, int *minor)                                      \
  X(nvrtcGetNumSupportedArchs, int *count)                                     \
  X(nvrtcGetSupportedArchs, int *archs)                                        \
  X(nvrtcCreateProgram, NvrtcHandle *program, const char *source,              \
    const char *name, int headers, const char *const *headerTexts,             \
    const char *const *headerNames)                                            \
  X(nvrtcDestroyProgram, NvrtcHandle *program)                                 \
  X(nvrtcCompileProgram, NvrtcHandle program, int count,                       \
    const char *const *options)                                                \
  X(nvrtcGetProgramLogSize, NvrtcHandle program, size_t *bytes)                \
  X(nvrtcGetProgramLog, NvrtcHandle program, char *log)                        \
  X(nvrtcGetCUBINSize, NvrtcHandle program, size_t *bytes)                     \
  X(nvrtcGetCUBIN, NvrtcHandle program, char *cubin)                           \
  X(nvrtcGetPTXSize, NvrtcHandle program, size_t *bytes)                       \
  X(nvrtcGetPTX, NvrtcHandle program, char *ptx)

#endif // MPC_RUNTIME_DEVICE_CUDA_API_H
