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
          ? CudaExecutor::create(std::move(program), state, std::move(kept))
          : CpuExecutor::create(std::move(program), state, std::move(kept),
                                std::move(options)));
  executor->observe(observer);
  return executor;
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
