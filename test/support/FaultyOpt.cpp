// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-opt with passes that have bugs.
//
//     mpc-faulty-opt FLAGS...                   as mpc-opt
//     mpc-faulty-opt compile PIPELINE FILE      as the driver: ends as tools do
#include "dialects/Kernel/KernelDialect.h"
#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Passes.h"
#include "lib/Driver/Compilation.h"
#include "lib/Driver/Dialects.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/AMP/Passes.h"
#include "passes/Kernel/Passes.h"
#include "passes/NN/Passes.h"
#include "passes/Pipelines.h"
#include "runtime/Support/Status.h"

#include <cstdio>
#include <cstdlib>

#if defined(__has_feature) && __has_feature(address_sanitizer)
/// A pass that crashes never gives back what it has in hand.
extern "C" const char *__asan_default_options() { return "detect_leaks=0"; }
#endif

using namespace mlir;

namespace {

/// A pass that is called `Derived::kName`.
template <typename Derived>
struct FaultyPass : PassWrapper<Derived, OperationPass<ModuleOp>> {
  StringRef getArgument() const final { return Derived::kName; }
  StringRef getDescription() const final { return "has a bug"; }
};

struct CrashPass : FaultyPass<CrashPass> {
  static constexpr StringLiteral kName = "test-crash";
  void runOnOperation() final { std::abort(); }
};

struct SilentPass : FaultyPass<SilentPass> {
  static constexpr StringLiteral kName = "test-silent";
  void runOnOperation() final { signalPassFailure(); }
};

/// A function of another type than its block.
struct InvalidPass : FaultyPass<InvalidPass> {
  static constexpr StringLiteral kName = "test-invalid";
  void runOnOperation() final {
    auto type = FunctionType::get(&getContext(), {}, {});
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.setFunctionType(type);
  }
};

/// Kernels in more chunks than they can be cut into.
struct InvalidSchedulePass : FaultyPass<InvalidSchedulePass> {
  static constexpr StringLiteral kName = "test-invalid-schedule";
  void runOnOperation() final {
    for (auto kernel : getOperation().getOps<mpc::kernel::FuncOp>())
      kernel.setScheduleAttr(mpc::cpu::LoopsAttr::get(
          &getContext(), int64_t(1) << 40, mpc::cpu::Unit::FMA, /*lanes=*/1));
  }
};

/// No bug: it refuses its input.
struct RefusingPass : FaultyPass<RefusingPass> {
  static constexpr StringLiteral kName = "test-refuse";
  void runOnOperation() final {
    getOperation().emitError("is not to the taste of test-refuse");
    signalPassFailure();
  }
};

} // namespace

static void registerAll() {
  registerTransformsPasses();
  mpc::amp::registerMpcAMPPasses();
  mpc::cpu::registerMpcCPUPasses();
  mpc::kernel::registerMpcKernelPasses();
  mpc::nn::registerMpcNNPasses();
  mpc::registerPipelines();
  PassRegistration<CrashPass>();
  PassRegistration<SilentPass>();
  PassRegistration<InvalidPass>();
  PassRegistration<InvalidSchedulePass>();
  PassRegistration<RefusingPass>();
}

static mpc::rt::Status compile(DialectRegistry &registry, StringRef pipeline,
                               StringRef path) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceFile<ModuleOp>(path, &context);
  if (!module)
    return mpc::rt::invalidInput("is no module");
  std::vector<std::string> warnings;
  mpc::Compilation compilation(module, warnings, /*survivesCrashes=*/true);
  if (failed(parsePassPipeline(pipeline, compilation.passes())))
    return mpc::rt::usageError("is no pipeline");
  return compilation.run();
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  mpc::registerDialects(registry);
  registerAll();
  if (argc != 4 || StringRef(argv[1]) != "compile")
    return asMainReturnCode(
        MlirOptMain(argc, argv, "mpc-opt with bugs\n", registry));
  mpc::rt::Status status = compile(registry, argv[2], argv[3]);
  std::printf("exit %d\n%s\n", static_cast<int>(status.code()),
              status.message().c_str());
  return static_cast<int>(status.code());
}
