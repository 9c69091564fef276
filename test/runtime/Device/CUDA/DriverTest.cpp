// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening drivers and devices, memory, modules: what works, and what is said
// where it does not.
#include "test/runtime/Device/CUDA/FakeCuda.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <gmock/gmock.h>

namespace mpc::rt::cuda::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class DriverLayer : public FakeCuda {};

template <typename T>
std::string messageOf(const Result<T> &result) {
  EXPECT_FALSE(result.ok());
  if (result.ok())
    return "";
  EXPECT_EQ(result.status().code(), StatusCode::Environment);
  return result.status().message();
}

/// One kernel that needs nothing of a device.
const Source kPlain = {"plain.cu", R"(
extern "C" __global__ void __launch_bounds__(64) fill(float *x, int count) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count)
    x[i] = 3.0f;
}
)"};

const Image &plainImage() {
  static const Image kImage =
      *fakeNvrtc()->compile(kPlain, {{90}, Target::Kind::Cubin});
  return kImage;
}

//===----------------------------------------------------------------------===//
// Drivers and devices
//===----------------------------------------------------------------------===//

TEST_F(DriverLayer, SaysThatThereIsNoDriver) {
  EXPECT_THAT(messageOf(Driver::open("libnosuchdriver.so.1")),
              StartsWith("no CUDA driver: libnosuchdriver.so.1: cannot open "
                         "shared object file"));
}

TEST_F(DriverLayer, ALibraryThatIsNoDriverIsNamed) {
  EXPECT_THAT(messageOf(Driver::open(MPC_FAKE_NVRTC)),
              HasSubstr("has no symbol 'cuInit': it is too old"));
}

TEST_F(DriverLayer, TheEnvironmentNamesADriver) {
  ::setenv("MPC_CUDA_DRIVER", MPC_FAKE_CUDA, 1);
  auto driver = Driver::open();
  ::unsetenv("MPC_CUDA_DRIVER");
  ASSERT_TRUE(driver.ok());
  EXPECT_EQ((*driver)->version(), 13000);
}

TEST_F(DriverLayer, SaysThatThereIsNoDevice) {
  useMachine({0});
  EXPECT_THAT(messageOf(Driver::open(MPC_FAKE_CUDA)),
              HasSubstr("cuInit failed: CUDA_ERROR_NO_DEVICE (100), no "
                        "CUDA-capable device is detected"));
}

TEST_F(DriverLayer, AStubLibraryIsNoDriver) {
  fake().failAt("cuInit", 1, code::kStubLibrary);
  EXPECT_THAT(messageOf(Driver::open(MPC_FAKE_CUDA)),
              HasSubstr("cuInit failed: unknown code (34)"));
}

TEST_F(DriverLayer, ADeviceThatIsNotThereIsAnError) {
  auto driver = *Driver::open(MPC_FAKE_CUDA);
  EXPECT_EQ(messageOf(Context::create(driver, 1)),
            "no device cuda:1: the CUDA driver reports 1, numbered from 0");
  EXPECT_EQ(messageOf(Context::create(driver, -1)),
            "no device cuda:-1: the CUDA driver reports 1, numbered from 0");
}

TEST_F(DriverLayer, TellsWhatTheDeviceIs) {
  useMachine({2, 8, 6, size_t{64} << 20, 100 * 1024});
  const DeviceInfo &info = context()->info();
  EXPECT_EQ(context()->label(), "cuda:0 (Test Device)");
  EXPECT_EQ(info.capability.number(), 86);
  EXPECT_EQ(info.memoryBytes, size_t{64} << 20);
  EXPECT_EQ(info.maxSharedPerBlockOptIn, 100 * 1024);
}

/// Every call of the driver on the way to a launch fails once: each is a Status
/// that names the call, and nothing is left over.
TEST_F(DriverLayer, EveryCallMayFail) {
  auto useAll = [&]() -> Status {
    MPC_ASSIGN_OR_RETURN(auto driver, Driver::open(MPC_FAKE_CUDA));
    MPC_ASSIGN_OR_RETURN(auto device, Context::create(driver, 0));
    MPC_ASSIGN_OR_RETURN(Stream stream, Stream::create(device));
    MPC_ASSIGN_OR_RETURN(Event event, Event::create(device));
    MPC_ASSIGN_OR_RETURN(auto buffer, DeviceBuffer::allocate(device, 64, "x"));
    MPC_ASSIGN_OR_RETURN(auto other, DeviceBuffer::allocate(device, 64, "y"));
    MPC_ASSIGN_OR_RETURN(auto pinned, PinnedBuffer::allocate(device, 64, "z"));
    MPC_ASSIGN_OR_RETURN(auto module,
                         Module::load(device, plainImage().bytes, "plain"));
    MPC_ASSIGN_OR_RETURN(Function fill, module.function("fill"));
    MPC_RETURN_IF_ERROR(fill.prepare({{1, 1, 1}, {64, 1, 1}, 50 * 1024}));
    MPC_RETURN_IF_ERROR(stream.fill(buffer, std::byte{1}));
    MPC_RETURN_IF_ERROR(stream.upload(buffer, 0, pinned.bytes()));
    MPC_RETURN_IF_ERROR(stream.copy(other, buffer));
    DevicePointer pointer = buffer.pointer();
    int count = 16;
    MPC_ASSIGN_OR_RETURN(Graph graph, stream.capture([&] {
      void *arguments[] = {&pointer, &count};
      return stream.launch(fill, {{1, 1, 1}, {64, 1, 1}}, arguments);
    }));
    MPC_RETURN_IF_ERROR(stream.launch(graph));
    MPC_RETURN_IF_ERROR(stream.record(event));
    MPC_RETURN_IF_ERROR(stream.wait(event));
    MPC_RETURN_IF_ERROR(stream.download(pinned.bytes(), buffer, 0));
    MPC_RETURN_IF_ERROR(event.synchronize());
    return stream.synchronize("the test");
  };
  const char *calls[] = {"cuInit",
                         "cuDriverGetVersion",
                         "cuDeviceGetCount",
                         "cuDeviceGet",
                         "cuDeviceGetName",
                         "cuDeviceTotalMem_v2",
                         "cuDeviceGetAttribute",
                         "cuDevicePrimaryCtxRetain",
                         "cuCtxGetCurrent",
                         "cuCtxSetCurrent",
                         "cuStreamCreate",
                         "cuEventCreate",
                         "cuMemAlloc_v2",
                         "cuMemHostAlloc",
                         "cuModuleLoadDataEx",
                         "cuModuleGetFunction",
                         "cuFuncGetAttribute",
                         "cuFuncSetAttribute",
                         "cuMemsetD8Async",
                         "cuMemcpyHtoDAsync_v2",
                         "cuMemcpyDtoDAsync_v2",
                         "cuStreamBeginCapture_v2",
                         "cuLaunchKernel",
                         "cuStreamEndCapture",
                         "cuGraphGetNodes",
                         "cuGraphInstantiateWithFlags",
                         "cuGraphLaunch",
                         "cuEventRecord",
                         "cuStreamWaitEvent",
                         "cuMemcpyDtoHAsync_v2",
                         "cuEventSynchronize",
                         "cuStreamSynchronize"};
  for (const char *call : calls) {
    useMachine({});
    fake().failAt(call, 1, code::kInvalidValue);
    Status status = useAll();
    EXPECT_THAT(status.message(),
                HasSubstr(std::string(call) +
                          " failed: "
                          "CUDA_ERROR_INVALID_VALUE (1), invalid argument"));
    // The recording of a graph that could not be taken back is the test's own.
    if (std::string(call) != "cuStreamEndCapture") {
      EXPECT_EQ(fake().alive(), 0) << call;
    }
  }
  useMachine({});
  EXPECT_TRUE(useAll().ok());
}

// An application that has a context of its own goes on in it, whatever it asked
// of us in between, also where that failed.
TEST_F(DriverLayer, TheCallersContextIsGivenBack) {
  Library library = *Library::open({MPC_FAKE_CUDA});
  DriverCode (*set)(ContextHandle) = nullptr;
  DriverCode (*get)(ContextHandle *) = nullptr;
  ASSERT_TRUE(library.find("cuCtxSetCurrent", set).ok());
  ASSERT_TRUE(library.find("cuCtxGetCurrent", get).ok());
  auto current = [&] {
    ContextHandle now = nullptr;
    EXPECT_EQ(get(&now), code::kSuccess);
    return now;
  };
  auto *own = reinterpret_cast<ContextHandle>(intptr_t{77});
  for (ContextHandle before : {own, ContextHandle{}}) {
    ASSERT_TRUE(Driver::open(MPC_FAKE_CUDA).ok());
    ASSERT_EQ(set(before), code::kSuccess);
    {
      Stream stream = *Stream::create(context());
      EXPECT_EQ(current(), before);
      auto module = *Module::load(context(), plainImage().bytes, "plain");
      Function fill = *module.function("fill");
      EXPECT_EQ(current(), before);
      auto buffer = *DeviceBuffer::allocate(context(), 64, "x");
      DevicePointer pointer = buffer.pointer();
      int count = 16;
      void *arguments[] = {&pointer, &count};
      auto graph = stream.capture([&] {
        return stream.launch(fill, {{1, 1, 1}, {64, 1, 1}}, arguments);
      });
      ASSERT_TRUE(graph.ok()) << graph.status().message();
      EXPECT_EQ(current(), before);
      EXPECT_TRUE(stream.launch(*graph).ok());
      EXPECT_TRUE(stream.synchronize("the test").ok());
      fake().failAt("cuMemAlloc_v2", 1, code::kOutOfMemory);
      EXPECT_FALSE(DeviceBuffer::allocate(context(), 64, "y").ok());
      EXPECT_EQ(current(), before);
    }
    EXPECT_EQ(current(), before);
    useMachine({});
  }
}

// Threads and handlers of a driver outlive what we hold of it.
TEST_F(DriverLayer, ALibraryStaysWhenItIsClosed) {
  // A copy, which nobody else has open.
  std::string path = testing::TempDir() + "libMpcClosed.so";
  std::filesystem::copy_file(MPC_FAKE_NVRTC, path,
                             std::filesystem::copy_options::overwrite_existing);
  {
    ASSERT_TRUE(Library::open({path}).ok());
  }
  void *still = ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  EXPECT_NE(still, nullptr);
  if (still)
    ::dlclose(still);
}

// sm_90 keeps 1,024 bytes of each block for itself, which ptxas charges to the
// kernel; the 227 KiB that one may opt in to are apart from them.
TEST_F(DriverLayer, WhatTheSystemReservesIsNoPartOfTheLimit) {
  FakeMachine machine;
  machine.reservedShared = 1024;
  useMachine(machine);
  EXPECT_EQ(context()->info().reservedSharedPerBlock, 1024);
  auto module = *Module::load(context(), plainImage().bytes, "plain");
  Function fill = *module.function("fill");
  auto prepare = [&](uint32_t bytes) {
    return fill.prepare({{1, 1, 1}, {64, 1, 1}, bytes});
  };
  Status whole = prepare(227 * 1024);
  EXPECT_TRUE(whole.ok()) << whole.message();
  EXPECT_THAT(prepare(227 * 1024 + 16).message(),
              HasSubstr("its block has 233488 bytes of shared memory, and at "
                        "most 233472 are possible"));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(DriverLayer, OutOfMemoryNamesSizeAndTensor) {
  useMachine({1, 9, 0, size_t{8} << 20});
  auto first = DeviceBuffer::allocate(context(), 3 << 20, "slab 'weights'");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(messageOf(DeviceBuffer::allocate(context(), 6 << 20, "the arena")),
            "cuda:0 (Test Device): allocating 6.0 MiB for the arena (5.0 MiB "
            "of 8.0 MiB are free): cuMemAlloc_v2 failed: "
            "CUDA_ERROR_OUT_OF_MEMORY (2), out of memory");
  fake().failAt("cuMemHostAlloc", 1, code::kOutOfMemory);
  EXPECT_THAT(messageOf(PinnedBuffer::allocate(context(), 4096, "the metrics")),
              HasSubstr("allocating 4.0 KiB of pinned memory for the metrics"));
}

TEST_F(DriverLayer, NoBytesAreNoAllocation) {
  auto nothing = DeviceBuffer::allocate(context(), 0, "nothing");
  ASSERT_TRUE(nothing.ok());
  EXPECT_EQ(fake().count("cuMemAlloc_v2"), 0);
}

TEST_F(DriverLayer, ObjectsMoveAndAreDestroyedOnce) {
  auto first = *DeviceBuffer::allocate(context(), 16, "a");
  auto second = *DeviceBuffer::allocate(context(), 16, "b");
  DevicePointer kept = second.pointer();
  first = std::move(second);
  EXPECT_EQ(first.pointer(), kept);
  DeviceBuffer third(std::move(first));
  EXPECT_EQ(third.pointer(), kept);
  EXPECT_EQ(first.pointer(), 0U); // NOLINT(bugprone-use-after-move)
}

TEST_F(DriverLayer, TheHostCannotReadDeviceMemory) {
  auto buffer = *DeviceBuffer::allocate(context(), 16, "a");
  EXPECT_DEATH(
      {
        volatile char value = *reinterpret_cast<const char *>(buffer.pointer());
        (void)value;
      },
      "");
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

TEST_F(DriverLayer, AnImageOfAnotherArchitectureIsRefused) {
  useMachine({1, 8, 0});
  EXPECT_EQ(messageOf(Module::load(context(), plainImage().bytes, "plain.cu")),
            "cuda:0 (Test Device): loading module 'plain.cu': "
            "cuModuleLoadDataEx failed: CUDA_ERROR_NO_BINARY_FOR_GPU (209), no "
            "kernel image is available for execution on the device");
}

TEST_F(DriverLayer, WhatIsNoImageIsRefused) {
  std::vector<char> noise(256, 'x');
  EXPECT_THAT(messageOf(Module::load(context(), noise, "noise")),
              HasSubstr("CUDA_ERROR_INVALID_IMAGE (200)"));
}

TEST_F(DriverLayer, AKernelThatIsNotThereIsNamed) {
  auto module = *Module::load(context(), plainImage().bytes, "plain.cu");
  EXPECT_THAT(messageOf(module.function("flil")),
              HasSubstr("finding kernel 'flil' in module 'plain.cu': "
                        "cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND"));
}

TEST_F(DriverLayer, AKernelThatDoesNotFitSaysSo) {
  auto module = *Module::load(context(), plainImage().bytes, "plain.cu");
  Function fill = *module.function("fill");
  EXPECT_EQ(fill.prepare({{1, 1, 1}, {128, 1, 1}}).message(),
            "cuda:0 (Test Device): kernel 'fill' does not fit: its block has "
            "128 threads, and at most 64 are possible");
  EXPECT_EQ(fill.prepare({{1, 1, 1}, {64, 1, 1}, 300000}).message(),
            "cuda:0 (Test Device): kernel 'fill' does not fit: its block has "
            "300000 bytes of shared memory, and at most 232448 are possible");
}

TEST_F(DriverLayer, SharedMemoryBeyond48KNeedsPreparation) {
  auto module = *Module::load(context(), plainImage().bytes, "plain.cu");
  Function fill = *module.function("fill");
  Stream stream = *Stream::create(context());
  LaunchShape shape{{1, 1, 1}, {64, 1, 1}, 60000};
  DevicePointer pointer = 0;
  int count = 0;
  void *arguments[] = {&pointer, &count};
  EXPECT_THAT(stream.launch(fill, shape, arguments).message(),
              HasSubstr("launching kernel 'fill' (grid 1x1x1, block 64x1x1, "
                        "58.6 KiB of dynamic shared memory): cuLaunchKernel "
                        "failed: CUDA_ERROR_INVALID_VALUE"));
  EXPECT_TRUE(fill.prepare(shape).ok());
  EXPECT_TRUE(stream.launch(fill, shape, arguments).ok());
}

} // namespace
} // namespace mpc::rt::cuda::test
