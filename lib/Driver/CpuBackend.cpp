// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backend of machine code for CPUs.
#include "lib/Codegen/CPU/Jit.h"
#include "lib/Codegen/CPU/Passes.h"
#include "lib/Driver/Diagnostics.h"
#include "lib/Driver/KernelWork.h"
#include "lib/Driver/TargetBackend.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Device/CPU/CpuLevel.h"
#include "runtime/Program/Commands.h"

using namespace mlir;
using namespace mpc;

/// Gives each launch of `program` its kernel.
static rt::Status placeLaunches(const cpu::CompiledKernels &compiled,
                                const llvm::StringMap<rt::KernelWork> &work,
                                rt::Program &program) {
  for (rt::Entry &entry : program.entries)
    for (rt::Launch &launch : entry.launches) {
      if (launch.command)
        continue;
      auto it = compiled.kernels.find(launch.symbol);
      if (it == compiled.kernels.end())
        return rt::internalError("kernel '" + launch.symbol +
                                 "' was not compiled");
      const cpu::CompiledKernel &kernel = it->second;
      launch.command = std::make_shared<rt::HostKernel>(
          rt::HostKernel::Place{kernel.offset, kernel.chunks,
                                kernel.scratchBytes, kernel.tile},
          work.lookup(launch.symbol));
    }
  return {};
}

namespace {

class CpuBackend : public TargetBackend {
public:
  CpuBackend(std::string name, cpu::Processor processor)
      : name_(std::move(name)), processor_(std::move(processor)) {}

  void addAttachPass(OpPassManager &passes,
                     const TargetOptions &options) const override {
    cpu::AttachTargetPassOptions attach;
    attach.lanes = processor_.lanes;
    attach.naive = options.naive;
    attach.bf16 =
        options.math == MathMode::Exact ? cpu::Unit::FMA : processor_.bf16;
    attach.memory = options.memory.value_or(-1);
    passes.addPass(cpu::createAttachTargetPass(attach));
  }

  rt::Status addCode(ModuleOp module, rt::Program &program,
                     rt::StageSeconds *stages) const override {
    DiagnosticCollector diagnostics(module.getContext());
    llvm::StringMap<rt::KernelWork> work = readWork(module);
    llvm::Expected<cpu::CompiledKernels> compiled =
        cpu::compileImage(module, processor_);
    if (!compiled)
      return rt::internalError(llvm::toString(compiled.takeError()) +
                               (diagnostics.errors().empty() ? "" : "\n") +
                               diagnostics.errors());
    MPC_RETURN_IF_ERROR(placeLaunches(*compiled, work, program));
    rt::CpuTarget target{name_};
    if (target.cpu == rt::kHostLevel)
      target.machine = rt::cpuIdentity();
    target.image = rt::SharedBytes::of(std::move(compiled->image));
    program.target = std::move(target);
    if (stages) {
      stages->emplace_back("lowering", compiled->loweringSeconds);
      stages->emplace_back("llvm", compiled->llvmSeconds);
    }
    return {};
  }

  rt::Result<std::string> listLLVM(ModuleOp module) const override {
    llvm::Expected<std::string> text = cpu::printLLVM(module, processor_);
    if (!text)
      return rt::internalError(llvm::toString(text.takeError()));
    return std::move(*text);
  }

private:
  std::string name_;
  cpu::Processor processor_;
};

} // namespace

std::unique_ptr<TargetBackend> mpc::createCpuBackend(std::string name,
                                                     cpu::Processor processor) {
  return std::make_unique<CpuBackend>(std::move(name), std::move(processor));
}
