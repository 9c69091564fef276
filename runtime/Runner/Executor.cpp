// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the executor for a program's machine.
#include "runtime/Runner/Executor.h"

#include "runtime/Runner/CpuExecutor.h"
#include "runtime/Runner/CudaExecutor.h"

#include <algorithm>

namespace mpc::rt {

Result<std::unique_ptr<Executor>>
createExecutor(std::shared_ptr<const Program> program, State &state,
               std::vector<KeptTensor> kept, ExecutorOptions options) {
  LaunchObserver *observer = options.observer;
  MPC_ASSIGN_OR_RETURN(
      std::unique_ptr<Executor> executor,
      program->cuda()
          ? CudaExecutor::create(std::move(program), state, std::move(kept),
                                 std::move(options))
          : CpuExecutor::create(std::move(program), state, std::move(kept),
                                std::move(options)));
  executor->observe(observer);
  return executor;
}

static Status needsDevice() {
  return usageError("the program runs on a CPU, and has no memory of a GPU");
}

Result<DeviceAddress> Executor::handOutSlab(uint32_t /*slab*/) {
  return needsDevice();
}

Status Executor::setCallerStream(void * /*stream*/) { return needsDevice(); }

Status Executor::checkDeviceMemory(DeviceAddress /*begin*/,
                                   uint64_t /*bytes*/) const {
  return needsDevice();
}

Status Executor::readDevice(std::span<std::byte> /*to*/,
                            DeviceAddress /*from*/) const {
  return needsDevice();
}

bool usesSlab(const Entry &entry, uint32_t slab) {
  return std::any_of(
      entry.launches.begin(), entry.launches.end(), [&](const Launch &launch) {
        return std::any_of(launch.buffers.begin(), launch.buffers.end(),
                           [&](const BufferRef &ref) {
                             return ref.space == Space::State &&
                                    ref.index == slab;
                           });
      });
}

} // namespace mpc::rt
