// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Our declarations of the driver and NVRTC against those of the CUDA headers.
// Everything is checked while this file is compiled.
#include "runtime/Device/CUDA/Api.h"
#include "test/support/HeaderAbi.h"

// Symbols, not the macros that give them another suffix.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <nvrtc.h>

#include <gtest/gtest.h>

namespace mpc::rt::cuda {
namespace {

#define MPC_CHECK_DRIVER(name, ...)                                            \
  static_assert(                                                               \
      test::kSameAbi<decltype(&::name), DriverCode (*)(__VA_ARGS__)>, #name);
MPC_CUDA_DRIVER_SYMBOLS(MPC_CHECK_DRIVER)
#define MPC_CHECK_NVRTC(name, ...)                                             \
  static_assert(test::kSameAbi<decltype(&::name), NvrtcCode (*)(__VA_ARGS__)>, \
                #name);
MPC_CUDA_NVRTC_SYMBOLS(MPC_CHECK_NVRTC)

static_assert(sizeof(DevicePointer) == sizeof(CUdeviceptr));
static_assert(code::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(code::kStubLibrary == CUDA_ERROR_STUB_LIBRARY);
static_assert(code::kDeviceUnavailable == CUDA_ERROR_DEVICE_UNAVAILABLE);
static_assert(code::kNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(code::kInvalidImage == CUDA_ERROR_INVALID_IMAGE);
static_assert(code::kInvalidContext == CUDA_ERROR_INVALID_CONTEXT);
static_assert(code::kNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU);
static_assert(code::kEccUncorrectable == CUDA_ERROR_ECC_UNCORRECTABLE);
static_assert(code::kNvlinkUncorrectable == CUDA_ERROR_NVLINK_UNCORRECTABLE);
static_assert(code::kUnsupportedPtxVersion ==
              CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
#if CUDA_VERSION >= 13000 // Headers of 12.4 have no such name.
static_assert(code::kContained == CUDA_ERROR_CONTAINED);
#endif
static_assert(code::kInvalidPtx == CUDA_ERROR_INVALID_PTX);
static_assert(code::kInvalidHandle == CUDA_ERROR_INVALID_HANDLE);
static_assert(code::kNotFound == CUDA_ERROR_NOT_FOUND);
static_assert(code::kNotReady == CUDA_ERROR_NOT_READY);
static_assert(code::kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(code::kLaunchTimeout == CUDA_ERROR_LAUNCH_TIMEOUT);
static_assert(code::kContextIsDestroyed == CUDA_ERROR_CONTEXT_IS_DESTROYED);
static_assert(code::kAssert == CUDA_ERROR_ASSERT);
static_assert(code::kHardwareStackError == CUDA_ERROR_HARDWARE_STACK_ERROR);
static_assert(code::kMisalignedAddress == CUDA_ERROR_MISALIGNED_ADDRESS);
static_assert(code::kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED);
static_assert(code::kCaptureUnsupported ==
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
static_assert(code::kCaptureUnjoined == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
static_assert(code::kCapturedEvent == CUDA_ERROR_CAPTURED_EVENT);
static_assert(nvrtc_code::kCompilation == NVRTC_ERROR_COMPILATION);
static_assert(nvrtc_code::kInvalidOption == NVRTC_ERROR_INVALID_OPTION);

#define MPC_CHECK_VALUE(ours, theirs)                                          \
  static_assert(static_cast<int>(ours) == static_cast<int>(theirs))
MPC_CHECK_VALUE(DeviceAttribute::MaxThreadsPerBlock,
                CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
MPC_CHECK_VALUE(DeviceAttribute::MaxSharedPerBlock,
                CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
MPC_CHECK_VALUE(DeviceAttribute::MultiprocessorCount,
                CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
MPC_CHECK_VALUE(DeviceAttribute::L2CacheSize,
                CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
MPC_CHECK_VALUE(DeviceAttribute::CapabilityMajor,
                CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
MPC_CHECK_VALUE(DeviceAttribute::CapabilityMinor,
                CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
MPC_CHECK_VALUE(DeviceAttribute::MaxSharedPerBlockOptIn,
                CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
MPC_CHECK_VALUE(DeviceAttribute::ReservedSharedPerBlock,
                CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
MPC_CHECK_VALUE(FunctionAttribute::MaxThreadsPerBlock,
                CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
MPC_CHECK_VALUE(FunctionAttribute::SharedBytes,
                CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
MPC_CHECK_VALUE(FunctionAttribute::LocalBytes,
                CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
MPC_CHECK_VALUE(FunctionAttribute::Registers, CU_FUNC_ATTRIBUTE_NUM_REGS);
MPC_CHECK_VALUE(FunctionAttribute::MaxDynamicSharedBytes,
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
MPC_CHECK_VALUE(PointerAttribute::MemoryType, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
MPC_CHECK_VALUE(PointerAttribute::DeviceOrdinal,
                CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
MPC_CHECK_VALUE(kMemoryOfDevice, CU_MEMORYTYPE_DEVICE);
MPC_CHECK_VALUE(JitOption::ErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
MPC_CHECK_VALUE(JitOption::ErrorLogBufferBytes,
                CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
MPC_CHECK_VALUE(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
MPC_CHECK_VALUE(kEventDefault, CU_EVENT_DEFAULT);
MPC_CHECK_VALUE(kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
MPC_CHECK_VALUE(kCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

TEST(CudaHeaders, AgreeWithOurDeclarations) { SUCCEED(); }

} // namespace
} // namespace mpc::rt::cuda
