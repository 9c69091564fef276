// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-schedule and kernel-emit: what the module's target does with kernels.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_EMITPASS
#define GEN_PASS_DEF_SCHEDULEPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc::kernel;

static FailureOr<TargetAttrInterface> requireTarget(Pass &pass,
                                                    ModuleOp module) {
  if (TargetAttrInterface target = getTarget(module))
    return target;
  return module.emitError()
         << pass.getArgument()
         << ": the module has no kernel.target; run cpu-attach-target or "
            "cuda-attach-target before";
}

namespace {

struct SchedulePass : mpc::kernel::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  void runOnOperation() override {
    auto target = requireTarget(*this, getOperation());
    OpPassManager passes(ModuleOp::getOperationName());
    if (succeeded(target))
      target->addSchedulePasses(passes);
    if (failed(target) || failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

struct EmitPass : mpc::kernel::impl::EmitPassBase<EmitPass> {
  using EmitPassBase::EmitPassBase;

  void runOnOperation() override {
    auto target = requireTarget(*this, getOperation());
    OpPassManager passes(ModuleOp::getOperationName());
    if (succeeded(target))
      target->addEmissionPasses(passes);
    // Emitters take for granted what the verifier proves of kernels, and a
    // pipeline may have verified nothing so far.
    if (failed(target) || failed(verify(getOperation())) ||
        failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

} // namespace
