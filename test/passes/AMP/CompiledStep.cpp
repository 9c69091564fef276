// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs compiled from a module, run on arrays by name.
#include "CompiledStep.h"

#include "lib/Codegen/CPU/Target.h"
#include "lib/Driver/Diagnostics.h"
#include "lib/Driver/Dialects.h"
#include "lib/Driver/ProgramBuilder.h"
#include "mlir/Pass/PassManager.h"
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

CompiledProgram::CompiledProgram(
    mlir::ModuleOp module,
    const std::function<void(mlir::PassManager &)> &addPasses,
    const KernelOptions &options) {
  DiagnosticCollector diagnostics(module.getContext());
  mlir::PassManager manager(module.getContext());
  addPasses(manager);
  buildKernelPipeline(manager, options);
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
  runner = std::move(*made);
}

/// Memory of a tensor, aligned as the runner wants it.
static rt::HostBuffer allocate(uint64_t bytes) {
  auto buffer = rt::HostBuffer::allocate(bytes, "a test's tensor");
  EXPECT_TRUE(buffer.ok());
  return std::move(*buffer);
}

CompiledProgram::Tensors CompiledProgram::run(const std::string &name,
                                              const Tensors &tensors) {
  const rt::Entry *entry = runner->program().findEntry(name);
  if (!entry) {
    ADD_FAILURE() << "no entry " << name;
    return {};
  }
  std::vector<rt::HostBuffer> memory;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  for (const rt::TensorDesc &desc : entry->inputs) {
    memory.push_back(allocate(desc.numBytes()));
    inputs.push_back(memory.back().data());
    auto given = tensors.find(desc.name);
    if (given == tensors.end() || given->second.size() != desc.numBytes())
      ADD_FAILURE() << "input " << toString(desc) << " is not given";
    else
      std::memcpy(memory.back().data(), given->second.data(),
                  given->second.size());
  }
  for (const rt::TensorDesc &desc : entry->outputs) {
    memory.push_back(allocate(desc.numBytes()));
    outputs.push_back(memory.back().data());
  }
  rt::Status status = runner->run(name, inputs, outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  Tensors results;
  for (size_t i = 0; i != outputs.size(); ++i) {
    auto data = static_cast<const std::byte *>(outputs[i]);
    const rt::TensorDesc &desc = entry->outputs[i];
    results[desc.name] = {data, data + desc.numBytes()};
  }
  return results;
}

CompiledProgram::Tensors CompiledProgram::state() const {
  Tensors tensors;
  for (const rt::TensorView &view : runner->exportState()) {
    auto data = static_cast<const std::byte *>(view.data);
    tensors[view.desc.name] = {data, data + view.desc.numBytes()};
  }
  return tensors;
}

void CompiledProgram::set(const std::string &name,
                          const std::vector<float> &values) {
  rt::TensorView view;
  view.desc = runner->program().findState(name)->desc;
  view.data = values.data();
  rt::Status status = runner->writeState(view);
  EXPECT_TRUE(status.ok()) << status.message();
}

void CompiledProgram::derive() {
  rt::Status status = runner->derive();
  EXPECT_TRUE(status.ok()) << status.message();
}
