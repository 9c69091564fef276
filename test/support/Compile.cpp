// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a module to a runner, by the passes of the compiler.
#include "test/support/Compile.h"

#include "lib/Driver/Diagnostics.h"
#include "lib/Driver/Dialects.h"
#include "lib/Driver/ProgramBuilder.h"
#include "passes/AMP/Passes.h"
#include "passes/Kernel/Passes.h"
#include "passes/Pipelines.h"

using namespace mpc;

std::unique_ptr<mlir::MLIRContext> mpc::test::makeContext() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

rt::Result<std::unique_ptr<rt::Runner>> mpc::test::compileEntries(
    mlir::ModuleOp module,
    llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
    KernelForm form) {
  TargetOptions options;
  options.naive = form.naive;
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<TargetBackend> target,
                       findTarget(options));
  DiagnosticCollector diagnostics(module.getContext());
  mlir::PassManager manager(module.getContext());
  target->addAttachPass(manager, options);
  manager.addPass(amp::createMarkEntriesPass());
  addPasses(manager);
  buildKernelPipeline(manager, form.fuse);
  manager.addPass(kernel::createEmitPass());
  manager.addPass(kernel::createFinishPass());
  if (failed(manager.run(module)))
    return rt::invalidInput("does not compile: " + diagnostics.errors());
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       buildProgram(module, *target));
  return rt::Runner::create(std::move(program), {.threads = 1});
}
