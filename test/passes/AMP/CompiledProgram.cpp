// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs compiled from a module, run on arrays by name.
#include "CompiledProgram.h"

#include "mlir/Pass/PassRegistry.h"
#include "passes/Pipelines.h"
#include "runtime/Runner/EntryCall.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace mpc;
using namespace mpc::test;

/// By their names, which are registered once a process.
static llvm::LogicalResult addPipeline(mlir::OpPassManager &manager,
                                       llvm::StringRef pipeline) {
  static const bool kAreKnown = (registerPipelines(), true);
  (void)kAreKnown;
  return mlir::parsePassPipeline(pipeline, manager);
}

CompiledProgram::CompiledProgram(mlir::ModuleOp module,
                                 llvm::StringRef pipeline, KernelForm form) {
  auto runner = compileEntries(
      module,
      [&](mlir::OpPassManager &manager) {
        EXPECT_TRUE(succeeded(addPipeline(manager, pipeline)))
            << "no pipeline: " << pipeline.str();
      },
      form);
  if (runner.ok())
    runner_ = std::move(*runner);
  else
    ADD_FAILURE() << runner.status().message();
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
