// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-schedule, kernel-emit and kernel-finish: apply the module's target to
// its kernels.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Kernel/Work.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
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

/// Moves launches before `repeat` that are the same in all of its turns:
/// packing a weight, for one.
static void hoistInvariants(RepeatOp repeat, func::FuncOp body) {
  OpBuilder builder(repeat);
  unsigned first = repeat.getInits().size() + repeat.getStacks().size();
  Block &block = body.getBody().front();
  auto isFixed = [](Value value) { return isInvariant(value); };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto launch = dyn_cast<LaunchOp>(op);
    bool overwrites =
        launch && llvm::any_of(launch.getOutputs(), [](Value out) {
          return !out.getDefiningOp<tensor::EmptyOp>();
        });
    if (!launch || overwrites || !llvm::all_of(launch.getInputs(), isFixed))
      continue;
    IRMapping mapping;
    for (BlockArgument argument : block.getArguments().drop_front(first))
      mapping.map(argument,
                  repeat.getConstants()[argument.getArgNumber() - first]);
    auto clone = [&](Value value, auto &again) -> void {
      Operation *source = value.getDefiningOp();
      if (!source || mapping.contains(value))
        return;
      for (Value operand : source->getOperands())
        again(operand, again);
      builder.clone(*source, mapping);
    };
    for (Value result : launch.getResults()) {
      clone(result, clone);
      unsigned number = block.getNumArguments();
      (void)body.insertArgument(number, result.getType(), {}, result.getLoc());
      body.setArgAttr(number, KernelDialect::InvariantAttrHelper::getNameStr(),
                      builder.getUnitAttr());
      result.replaceAllUsesWith(body.getArgument(number));
      repeat.getConstantsMutable().append(mapping.lookup(result));
    }
    launch.erase();
  }
}

/// Moves launches out of loops. A body that several loops call stays as it is.
static void hoistInvariants(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::MapVector<func::FuncOp, SmallVector<RepeatOp>> loops;
  module.walk([&](RepeatOp repeat) {
    loops[symbols.lookup<func::FuncOp>(repeat.getBody())].push_back(repeat);
  });
  for (auto &[body, repeats] : llvm::reverse(loops))
    if (body && repeats.size() == 1)
      hoistInvariants(repeats.front(), body);
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
    hoistInvariants(getOperation());
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
