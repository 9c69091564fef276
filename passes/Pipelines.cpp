// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The orders in which passes run.
#include "passes/Pipelines.h"

#include "mlir/Transforms/Passes.h"
#include "passes/Kernel/Passes.h"
#include "passes/NN/Passes.h"

using namespace mlir;

void mpc::buildPrecisionPipeline(OpPassManager &manager,
                                 const PrecisionOptions &options) {
  // First, so that a weight is cast as it is stored: transposes fold into the
  // ops that read them.
  manager.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  // f32 leaves the program as it is written.
  if (options.precision != Precision::FP32)
    manager.addNestedPass<func::FuncOp>(nn::createRewriteBannedPass());
  nn::AutocastPassOptions autocast;
  autocast.precision = options.precision;
  autocast.keepF32 = llvm::to_vector(options.keepFp32);
  autocast.lower = llvm::to_vector(options.lower);
  autocast.leaveOpen = true;
  autocast.policy = options.policy;
  autocast.explain = options.explain;
  manager.addPass(nn::createAutocastPass(autocast, options.loadedPolicy));
  nn::SimplifyCastsPassOptions casts;
  casts.refuse = options.costAware;
  manager.addNestedPass<func::FuncOp>(nn::createSimplifyCastsPass(casts));
  // Before casts of constants are folded: what a constant was is then gone.
  manager.addPass(nn::createCheckEpsilonPass());
}

void mpc::buildAutodiffPipeline(OpPassManager &manager) {
  manager.addPass(nn::createDifferentiatePass());
  manager.addPass(createSymbolDCEPass());
  manager.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  manager.addNestedPass<func::FuncOp>(createCSEPass());
  manager.addNestedPass<func::FuncOp>(nn::createSimplifyCastsPass());
}

void mpc::buildKernelPipeline(OpPassManager &manager,
                              const KernelOptions &options) {
  manager.addNestedPass<func::FuncOp>(kernel::createLowerBodiesPass());
  kernel::FusePassOptions fuse;
  fuse.enabled = options.fuse;
  manager.addPass(kernel::createFusePass(fuse));
  kernel::SchedulePassOptions schedule;
  schedule.lanes = options.lanes;
  schedule.naive = options.naive;
  manager.addPass(kernel::createSchedulePass(schedule));
  manager.addPass(kernel::createPlanMemoryPass());
}
