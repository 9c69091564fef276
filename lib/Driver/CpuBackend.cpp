// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code for CPUs.
#include "lib/Codegen/CPU/Jit.h"
#include "lib/Codegen/CPU/Passes.h"
#include "lib/Driver/Compile.h"
#include "lib/Driver/Diagnostics.h"
#include "lib/Driver/TargetBackend.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mpc;

/// Tells the launches of `program` where the code of their kernels is.
static rt::Status placeLaunches(const cpu::CompiledKernels &compiled,
                                rt::Program &program) {
  for (rt::Entry &entry : program.entries)
    for (rt::Launch &launch : entry.launches) {
      if (launch.kind != rt::LaunchKind::Kernel)
        continue;
      auto it = compiled.kernels.find(launch.symbol);
      if (it == compiled.kernels.end())
        return rt::internalError("kernel '" + launch.symbol +
                                 "' was not compiled");
      launch.codeOffset = it->second.offset;
      launch.chunks = it->second.chunks;
      launch.scratchBytes = it->second.scratchBytes;
    }
  return {};
}

namespace {

class CpuBackend : public TargetBackend {
public:
  explicit CpuBackend(cpu::Processor processor)
      : processor_(std::move(processor)) {}

  void addAttachPass(OpPassManager &passes,
                     const TargetOptions &options) const override {
    cpu::AttachTargetPassOptions attach;
    attach.lanes = processor_.lanes;
    attach.naive = options.naive;
    passes.addPass(cpu::createAttachTargetPass(attach));
  }

  rt::Status addCode(ModuleOp module, rt::Program &program,
                     rt::StageSeconds *stages) const override {
    DiagnosticCollector diagnostics(module.getContext());
    llvm::Expected<cpu::CompiledKernels> compiled =
        cpu::compileImage(module, processor_);
    if (!compiled)
      return rt::internalError(llvm::toString(compiled.takeError()) +
                               (diagnostics.errors().empty() ? "" : "\n") +
                               diagnostics.errors());
    MPC_RETURN_IF_ERROR(placeLaunches(*compiled, program));
    program.code.bytes = rt::SharedBytes::of(std::move(compiled->image));
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
  cpu::Processor processor_;
};

} // namespace

std::unique_ptr<TargetBackend> mpc::createCpuBackend(cpu::Processor processor) {
  return std::make_unique<CpuBackend>(std::move(processor));
}
