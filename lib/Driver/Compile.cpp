// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilation of evaluations and training steps.
#include "lib/Driver/Compile.h"

#include "lib/Codegen/CPU/Target.h"
#include "lib/Driver/Diagnostics.h"
#include "lib/Driver/ProgramBuilder.h"
#include "passes/AMP/Passes.h"
#include "passes/NN/Passes.h"

using namespace mlir;
using namespace mpc;

rt::Result<LossOptions> mpc::parseLoss(const std::string &text) {
  auto [kind, output] = StringRef(text).split(':');
  if (kind != "cross_entropy" && kind != "mse" && kind != "output")
    return rt::usageError("--loss='" + text +
                          "': known are cross_entropy[:OUTPUT], "
                          "mse[:OUTPUT] and output:NAME");
  if (kind == "output" && output.empty())
    return rt::usageError("--loss=output needs the output's name, as in "
                          "--loss=output:loss");
  LossOptions options;
  options.kind = kind.str();
  options.output = output.str();
  return options;
}

static void addLoss(OpPassManager &manager, const LossOptions &options) {
  if (options.kind.empty())
    return;
  nn::AddLossPassOptions loss;
  loss.loss = options.kind;
  loss.output = options.output;
  loss.targetShape = llvm::to_vector(options.targetShape);
  manager.addPass(nn::createAddLossPass(loss));
}

/// Runs `manager` on the model, then makes the program.
static rt::Result<std::shared_ptr<rt::Program>>
finish(ImportedModel &model, PassManager &manager, const TargetOptions &target,
       std::vector<std::string> &warnings) {
  llvm::Expected<cpu::CpuTarget> cpuTarget = cpu::getCpuTarget(target.cpu);
  if (!cpuTarget)
    return rt::usageError(llvm::toString(cpuTarget.takeError()));
  KernelOptions kernels;
  kernels.lanes = cpuTarget->lanes;
  kernels.fuse = target.fuse;
  kernels.naive = target.naive;
  buildKernelPipeline(manager, kernels);
  {
    DiagnosticCollector diagnostics(model.module->getContext());
    LogicalResult result = manager.run(*model.module);
    warnings = diagnostics.warnings();
    if (failed(result))
      return diagnostics.status("compilation");
  }
  return buildProgram(*model.module, *cpuTarget);
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileEval(ImportedModel &model, const EvalOptions &options,
                 std::vector<std::string> &warnings) {
  PassManager manager(model.module->getContext());
  addLoss(manager, options.loss);
  buildPrecisionPipeline(manager, options.precision);
  nn::BuildEvalPassOptions eval;
  eval.gradients = options.gradients;
  manager.addPass(nn::createBuildEvalPass(eval));
  buildAutodiffPipeline(manager);
  manager.addPass(amp::createFuseOptimizerPass());
  return finish(model, manager, options.target, warnings);
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileTraining(ImportedModel &model, const TrainingOptions &options,
                     std::vector<std::string> &warnings) {
  PassManager manager(model.module->getContext());
  addLoss(manager, options.loss);
  buildPrecisionPipeline(manager, options.precision);
  amp::BuildStepPassOptions step;
  step.policy = options.policy;
  step.settings = llvm::to_vector(options.settings);
  step.optimizer = options.optimizer;
  step.hyper = llvm::to_vector(options.hyper);
  step.flags = llvm::to_vector(options.flags);
  step.noDecay = llvm::to_vector(options.noDecay);
  step.freeze = llvm::to_vector(options.freeze);
  step.trainable = llvm::to_vector(options.trainable);
  step.clipGlobalNorm = options.clipGlobalNorm;
  step.clipNorm = options.clipNorm;
  step.clipValue = options.clipValue;
  manager.addPass(amp::createBuildStepPass(step));
  buildAutodiffPipeline(manager);
  manager.addPass(amp::createFuseOptimizerPass());
  return finish(model, manager, options.target, warnings);
}
