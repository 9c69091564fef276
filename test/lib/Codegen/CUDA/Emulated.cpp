// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits kernels and runs them in the emulator.
#include "test/lib/Codegen/CUDA/Emulated.h"

#include "dialects/Kernel/Contract.h"
#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/Passes.h"
#include "lib/Codegen/CUDA/Target.h"
#include "lib/Driver/Dialects.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Kernel/Passes.h"

using namespace mpc;
using namespace mpc::rt::cuda;
using namespace mpc::test;
using mpc::rt::cuda::test::Argument;
using mpc::rt::cuda::test::fakeDriver;
using mpc::rt::cuda::test::fakeNvrtc;
using mpc::rt::cuda::test::KernelRunner;

/// Without a planner nobody states alignments: all that state none have that of
/// memory of their own.
static void stateAlignments(mlir::ModuleOp module, size_t bytes) {
  for (auto kernel : module.getOps<kernel::FuncOp>())
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (!kernel.getArgAttr(
              i, kernel::KernelDialect::AlignmentAttrHelper::getNameStr()))
        kernel.setAlignment(i, static_cast<int64_t>(bytes));
}

std::vector<Emitted> mpc::test::emitAll(const std::string &text, int arch,
                                        Emission emission) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  std::vector<Emitted> result;
  if (!module) {
    ADD_FAILURE() << "no module: " << text;
    return result;
  }
  for (auto kernel : module->getOps<kernel::FuncOp>())
    if (!kernel.getSchedule())
      EXPECT_TRUE(succeeded(kernel::stateContract(kernel)));
  mlir::PassManager schedules(&context), emitting(&context);
  cuda::AttachTargetPassOptions attach;
  attach.arch = arch;
  attach.wide = emission.wide;
  attach.exact = emission.exact;
  attach.naive = emission.naive;
  schedules.addPass(cuda::createAttachTargetPass(attach));
  schedules.addPass(kernel::createSchedulePass());
  EXPECT_TRUE(succeeded(schedules.run(*module)));
  for (auto kernel : module->getOps<kernel::FuncOp>())
    llvm::raw_string_ostream(result.emplace_back().schedule)
        << kernel.getScheduleAttr();
  stateAlignments(*module, emission.alignment);
  emitting.addPass(kernel::createEmitPass());
  emitting.addPass(cuda::createCheckLaunchesPass());
  EXPECT_TRUE(succeeded(emitting.run(*module)));
  for (auto [emitted, function] :
       llvm::zip(result, module->getOps<mlir::func::FuncOp>())) {
    kernel::EmittedKernelAttrInterface kernel =
        kernel::getEmittedKernel(function);
    emitted.name = function.getName();
    emitted.text = cuda::getPrelude().str() + kernel.getText().str();
    emitted.shape.grid[0] = static_cast<uint32_t>(kernel.getChunks());
    emitted.shape.block[0] = static_cast<uint32_t>(kernel.getThreads());
    emitted.shape.sharedBytes = static_cast<uint32_t>(kernel.getShared());
  }
  return result;
}

rt::Status mpc::test::launch(const Emitted &kernel, Buffers &buffers,
                             const Run &run) {
  rt::cuda::test::FakeMachine machine;
  machine.major = run.arch / 10;
  machine.minor = run.arch % 10;
  fakeDriver().reset(machine);
  fakeDriver().setSeed(run.seed);
  KernelRunner runner(*Context::create(*Driver::open(MPC_FAKE_CUDA), 0),
                      fakeNvrtc());
  std::vector<Argument> arguments;
  for (std::vector<uint8_t> &buffer : buffers)
    arguments.push_back(
        {std::as_writable_bytes(std::span(buffer)), run.offset});
  arguments.back().over = run.over;
  return runner.run({"k.cu", kernel.text}, kernel.name, kernel.shape,
                    arguments);
}

Buffers mpc::test::runOnGpu(const Emitted &kernel, Buffers buffers,
                            const Run &run) {
  rt::Status status = launch(kernel, buffers, run);
  EXPECT_TRUE(status.ok()) << status.message() << fakeDriver().fault() << "\n"
                           << kernel.text.substr(kernel.text.find("// End"));
  return buffers;
}

Buffers mpc::test::runOnCpu(const std::string &text, Buffers buffers) {
  Config config;
  config.naive = true;
  std::vector<void *> pointers;
  for (std::vector<uint8_t> &buffer : buffers)
    pointers.push_back(buffer.data());
  Kernels(text, config).run(pointers);
  return buffers;
}

std::vector<uint8_t> mpc::test::wholeNumbers(size_t count, unsigned seed,
                                             const std::string &type) {
  std::mt19937 engine(seed);
  std::vector<float> wide(count);
  std::vector<uint16_t> narrow(count);
  for (size_t i = 0; i < count; ++i) {
    wide[i] = static_cast<float>(static_cast<int>(engine() % 9) - 4);
    narrow[i] = type == "bf16" ? toBFloat(wide[i]) : toHalf(wide[i]);
  }
  return type == "f32" ? bytes(wide) : bytes(narrow);
}

size_t mpc::test::sizeOf(const std::string &type) {
  return type == "f32" ? 4 : 2;
}

std::vector<uint8_t> mpc::test::encode(const std::vector<double> &numbers,
                                       const std::string &type) {
  std::vector<float> wide(numbers.begin(), numbers.end());
  std::vector<uint16_t> narrow;
  for (double number : numbers)
    narrow.push_back(type == "bf16" ? toBFloat(number) : toHalf(number));
  return type == "f32" ? bytes(wide) : bytes(narrow);
}

std::vector<double> mpc::test::decode(const std::vector<uint8_t> &memory,
                                      const std::string &type) {
  std::vector<double> numbers;
  if (type == "f32")
    for (float value : values<float>(memory))
      numbers.push_back(value);
  else
    for (uint16_t bits : values<uint16_t>(memory))
      numbers.push_back(type == "bf16" ? fromBFloat(bits) : fromHalf(bits));
  return numbers;
}

std::vector<double> mpc::test::quarters(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<double> numbers(count);
  for (double &number : numbers)
    number = (static_cast<int>(engine() % 17) - 8) / 4.0;
  return numbers;
}

void mpc::test::replaceAll(std::string &text, const std::string &name,
                           const std::string &value) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;
       at += value.size())
    text.replace(at, name.size(), value);
}
