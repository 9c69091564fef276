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
  if (program->cuda())
    return CudaExecutor::create(std::move(program), state, std::move(kept));
  return CpuExecutor::create(std::move(program), state, std::move(kept),
                             options);
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
