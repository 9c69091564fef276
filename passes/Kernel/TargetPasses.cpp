// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-schedule, kernel-emit and kernel-finish: apply the module's target to
// its kernels.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Kernel/Work.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_EMITPASS
#define GEN_PASS_DEF_FINISHPASS
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

/// Schedules the kernels of `module` that have no schedule.
static LogicalResult schedule(ModuleOp module, TargetAttrInterface target) {
  SymbolTable symbols(module);
  llvm::MapVector<StringAttr, SmallVector<LaunchOp>> launches;
  module.walk([&](LaunchOp launch) {
    launches[launch.getKernelAttr().getAttr()].push_back(launch);
  });
  for (FuncOp kernel : llvm::make_early_inc_range(module.getOps<FuncOp>()))
    if (!kernel.getSchedule() &&
        failed(target.scheduleKernel(
            kernel, launches.lookup(kernel.getSymNameAttr()), symbols)))
      return failure();
  return success();
}

/// Erases launches whose results nobody reads any more since a schedule reads
/// what they have read, and kernels that nobody launches then.
static void eraseUnread(ModuleOp module) {
  llvm::SetVector<Block *> blocks;
  module.walk([&](LaunchOp launch) { blocks.insert(launch->getBlock()); });
  llvm::SmallPtrSet<Attribute, 8> unread;
  for (Block *block : blocks)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block))) {
      auto launch = dyn_cast<LaunchOp>(op);
      bool isUnread = launch && op.getNumResults() > 0 && op.use_empty();
      if (isUnread)
        unread.insert(launch.getKernelAttr().getAttr());
      if (isUnread || isOpTriviallyDead(&op))
        op.erase();
    }
  for (FuncOp kernel : llvm::make_early_inc_range(module.getOps<FuncOp>()))
    if (unread.contains(kernel.getSymNameAttr()) &&
        SymbolTable::symbolKnownUseEmpty(kernel, module))
      kernel.erase();
}

/// Replaces `kernel` by its code.
static LogicalResult emit(FuncOp kernel, TargetAttrInterface target) {
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  if (!schedule)
    return kernel.emitOpError("has no schedule; run kernel-schedule first");
  if (&schedule.getDialect() != &target.getDialect())
    return kernel.emitOpError("has the schedule of another target: ")
           << schedule;
  WorkAttr work = countWork(kernel);
  FailureOr<Operation *> code = target.emitKernel(kernel);
  if (failed(code))
    return failure();
  (*code)->setAttr(KernelDialect::WorkAttrHelper::getNameStr(), work);
  return success();
}

namespace {

struct SchedulePass : mpc::kernel::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  void runOnOperation() override {
    auto target = requireTarget(*this, getOperation());
    if (failed(target) || failed(schedule(getOperation(), *target)))
      return signalPassFailure();
    eraseUnread(getOperation());
  }
};

struct EmitPass : mpc::kernel::impl::EmitPassBase<EmitPass> {
  using EmitPassBase::EmitPassBase;

  void runOnOperation() override {
    auto target = requireTarget(*this, getOperation());
    // Emitters rely on what the verifier proves about kernels, and a pipeline
    // may not have verified anything yet.
    if (failed(target) || failed(verify(getOperation())))
      return signalPassFailure();
    for (FuncOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<FuncOp>()))
      if (failed(emit(kernel, *target)))
        return signalPassFailure();
  }
};

struct FinishPass : mpc::kernel::impl::FinishPassBase<FinishPass> {
  using FinishPassBase::FinishPassBase;

  void runOnOperation() override {
    auto target = requireTarget(*this, getOperation());
    OpPassManager passes(ModuleOp::getOperationName());
    if (succeeded(target))
      target->addFinishingPasses(passes);
    if (failed(target) || failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

} // namespace
