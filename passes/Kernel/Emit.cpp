// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-emit: emits kernels as the module's target does.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Pass/PassManager.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_EMITPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc::kernel;

namespace {

struct EmitPass : mpc::kernel::impl::EmitPassBase<EmitPass> {
  using EmitPassBase::EmitPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpPassManager passes(ModuleOp::getOperationName());
    if (TargetAttrInterface target = getTarget(module)) {
      target.addEmissionPasses(passes);
    } else {
      module.emitError("kernel-emit: the module has no kernel.target; run "
                       "cpu-attach-target or cuda-attach-target before");
      return signalPassFailure();
    }
    if (failed(runPipeline(passes, module)))
      signalPassFailure();
  }
};

} // namespace
