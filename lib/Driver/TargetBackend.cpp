// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a target by its name.
#include "lib/Driver/TargetBackend.h"

#include "lib/Codegen/CUDA/Target.h"
#include "runtime/Device/CPU/CpuLevel.h"

using namespace mpc;

static rt::Result<std::unique_ptr<TargetBackend>>
findGpu(const TargetOptions &options) {
  llvm::Expected<rt::CudaArch> arch = cuda::getCudaArch(options.cpu);
  if (!arch)
    return rt::usageError(llvm::toString(arch.takeError()));
  return createCudaBackend(*arch, options);
}

static rt::Result<std::unique_ptr<TargetBackend>>
findCpu(const TargetOptions &options) {
  llvm::Expected<cpu::Processor> processor = cpu::getProcessor(options.cpu);
  if (!processor)
    return rt::usageError(llvm::toString(processor.takeError()));
  if (options.runsHere && options.naive && options.cpu != rt::kHostLevel)
    return createCpuBackend("x86-64-v3", cpu::getScalar(*processor));
  if (options.runsHere)
    if (llvm::Error error = cpu::checkRunsHere(*processor))
      return rt::environmentError(llvm::toString(std::move(error)));
  return createCpuBackend(options.cpu, *std::move(processor));
}

rt::Result<std::unique_ptr<TargetBackend>>
mpc::findTarget(const TargetOptions &options) {
  return cuda::isCudaName(options.cpu) ? findGpu(options) : findCpu(options);
}
