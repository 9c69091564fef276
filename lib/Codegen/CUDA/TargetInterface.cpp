// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuda-attach-target, and the implementation of #cuda.target's interface.
#include "lib/Codegen/CUDA/TargetInterface.h"

#include "lib/Codegen/CUDA/AttentionPlan.h"
#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/Emitters.h"
#include "lib/Codegen/CUDA/LibraryProduct.h"
#include "lib/Codegen/CUDA/Passes.h"
#include "lib/Codegen/CUDA/Schedule.h"
#include "lib/Codegen/CUDA/SplitReduction.h"
#include "mlir/Pass/PassManager.h"

namespace mpc::cuda {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "lib/Codegen/CUDA/Passes.h.inc"
} // namespace mpc::cuda

using namespace mlir;
using namespace mpc;
using namespace mpc::cuda;
using namespace mpc::kernel;

namespace {

struct AttachTargetPass
    : mpc::cuda::impl::AttachTargetPassBase<AttachTargetPass> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    StringAttr suffix =
        letter.empty() ? nullptr : StringAttr::get(&getContext(), letter);
    auto target = TargetAttr::getChecked(
        [&] { return module.emitError("cuda-attach-target: "); }, &getContext(),
        arch.getValue(), suffix, naive.getValue(), wide.getValue(),
        memory.getValue(), exact.getValue());
    if (!target)
      return signalPassFailure();
    module->setAttr(KernelDialect::TargetAttrHelper::getNameStr(), target);
  }
};

/// A block computes a long row; large GPUs have some 130 multiprocessors.
constexpr int64_t kLongRow = 4096, kBusyRows = 128;

struct TargetModel
    : TargetAttrInterface::ExternalModel<TargetModel, TargetAttr> {
  static std::string describe(Attribute target) {
    return cast<TargetAttr>(target).getArchName();
  }

  static std::optional<int64_t> getMemoryBudget(Attribute target) {
    return cast<TargetAttr>(target).getMemory();
  }

  // A step on a GPU is bound by memory: docs/rationale/cuda.md.
  static bool widensOnLoad(Attribute) { return true; }

  static bool isBusyWith(Attribute, int64_t rows, int64_t elements,
                         bool byColumns) {
    return byColumns ? !splitsColumns(rows, elements)
                     : elements <= kLongRow || rows >= kBusyRows;
  }

  static bool sumsRunsOfRows(Attribute, int64_t runs, int64_t elements,
                             unsigned sums) {
    return mpc::cuda::sumsRunsOfRows(runs, elements, sums);
  }

  static bool hasProductLibrary(Attribute target) {
    return mpc::cuda::hasProductLibrary(cast<TargetAttr>(target));
  }

  static SmallVector<MultiplyUnit> getMultiplyUnits(Attribute target) {
    return cast<TargetAttr>(target).getMultiplyUnits();
  }

  static bool hasAttention(Attribute target, Type element, int64_t longest) {
    return cuda::hasAttention(cast<TargetAttr>(target), element, longest);
  }

  static LogicalResult scheduleKernel(Attribute target, Operation *kernel,
                                      ArrayRef<LaunchOp> launches,
                                      SymbolTable &symbols) {
    return cuda::scheduleKernel(cast<FuncOp>(kernel), launches, symbols,
                                cast<TargetAttr>(target));
  }

  static FailureOr<Operation *> emitKernel(Attribute, Operation *kernel) {
    FailureOr<func::FuncOp> code = cuda::emitKernel(cast<FuncOp>(kernel));
    if (failed(code))
      return failure();
    return code->getOperation();
  }

  static void addFinishingPasses(Attribute, OpPassManager &passes) {
    passes.addPass(createCheckLaunchesPass());
  }

  // Names of the language and of its functions, as "exp", do not begin so.
  static StringRef getKernelPrefix(Attribute) { return "k_"; }

  // The runtime's device allocations begin at multiples of 256 bytes, and
  // buffers in the arena at multiples of 64.
  static int64_t getBufferAlignment(Attribute) { return 64; }

  static int64_t getAccessBytes(Attribute, Operation *function,
                                unsigned argument) {
    FailureOr<KernelAttr> written = writeKernel(cast<FuncOp>(function));
    return failed(written) ? 1 : written->getAccesses()[argument];
  }
};

} // namespace

void mpc::cuda::registerTargetInterface(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CUDADialect *) {
    TargetAttr::attachInterface<TargetModel>(*context);
  });
}
