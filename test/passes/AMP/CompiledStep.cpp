// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs compiled from a module, run on arrays by name.
#include "CompiledStep.h"

#include "lib/Codegen/CPU/Passes.h"
#include "lib/Codegen/CPU/Target.h"
#include "lib/Driver/Diagnostics.h"
#include "lib/Driver/Dialects.h"
#include "lib/Driver/ProgramBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/Pipelines.h"
#include "runtime/Runner/EntryCall.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace mpc;
using namespace mpc::test;

std::unique_ptr<mlir::MLIRContext> mpc::test::makeContext() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

/// By their names, which are registered once a process.
static llvm::LogicalResult addPipeline(mlir::PassManager &manager,
                                       llvm::StringRef pipeline) {
  static const bool kAreKnown = (registerPipelines(), true);
  (void)kAreKnown;
  return mlir::parsePassPipeline(pipeline, manager);
}

CompiledProgram::CompiledProgram(mlir::ModuleOp module,
                                 llvm::StringRef pipeline, Form form) {
  DiagnosticCollector diagnostics(module.getContext());
  mlir::PassManager manager(module.getContext());
  cpu::AttachTargetPassOptions attach;
  attach.naive = form.naive;
  manager.addPass(cpu::createAttachTargetPass(attach));
  if (failed(addPipeline(manager, pipeline))) {
    ADD_FAILURE() << "no pipeline: " << pipeline.str();
    return;
  }
  buildKernelPipeline(manager, form.fuse);
  buildEmissionPipeline(manager);
  if (failed(manager.run(module))) {
    ADD_FAILURE() << diagnostics.errors();
    return;
  }
  auto target = cpu::getCpuTarget("host");
  if (!target) {
    ADD_FAILURE() << llvm::toString(target.takeError());
    return;
  }
  auto program = buildProgram(module, *target);
  if (!program.ok()) {
    ADD_FAILURE() << program.status().message();
    return;
  }
  auto made = rt::Runner::create(*program, {.threads = 1});
  if (!made.ok()) {
    ADD_FAILURE() << made.status().message();
    return;
  }
  runner_ = std::move(*made);
}

CompiledProgram::Tensors CompiledProgram::run(const std::string &name,
                                              const Tensors &tensors) {
  auto fill = [&](const rt::TensorDesc &desc, std::byte *data) -> rt::Status {
    auto given = tensors.find(desc.name);
    if (given == tensors.end() || given->second.size() != desc.numBytes())
      return rt::invalidInput("input " + toString(desc) + " is not given");
    std::memcpy(data, given->second.data(), given->second.size());
    return {};
  };
  auto call = rt::EntryCall::fill(*runner_, name, fill);
  rt::Status status = call.ok() ? call->run() : call.status();
  EXPECT_TRUE(status.ok()) << status.message();
  Tensors results;
  for (const rt::TensorView &view :
       call.ok() ? call->outputs() : std::vector<rt::TensorView>()) {
    auto data = static_cast<const std::byte *>(view.data);
    results[view.desc.name] = {data, data + view.desc.numBytes()};
  }
  return results;
}

CompiledProgram::Tensors CompiledProgram::state() const {
  Tensors tensors;
  std::vector<rt::TensorView> views = *runner_->exportState();
  for (const rt::TensorView &view : views) {
    auto data = static_cast<const std::byte *>(view.data);
    tensors[view.desc.name] = {data, data + view.desc.numBytes()};
  }
  return tensors;
}

void CompiledProgram::set(const std::string &name,
                          const std::vector<float> &values) {
  rt::TensorView view;
  view.desc = runner_->program().findState(name)->desc;
  view.data = values.data();
  rt::Status status = runner_->writeState(view);
  EXPECT_TRUE(status.ok()) << status.message();
}

void CompiledProgram::derive() {
  rt::Status status = runner_->derive();
  EXPECT_TRUE(status.ok()) << status.message();
}
