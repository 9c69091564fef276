// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cpu-attach-target, and the implementation of #cpu.target's interface.
#include "lib/Codegen/CPU/TargetInterface.h"

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/Passes.h"
#include "lib/Codegen/CPU/Schedule.h"
#include "lib/Codegen/CPU/Units.h"
#include "mlir/Pass/PassManager.h"

namespace mpc::cpu {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "lib/Codegen/CPU/Passes.h.inc"
} // namespace mpc::cpu

using namespace mlir;
using namespace mpc;
using namespace mpc::cpu;
using namespace mpc::kernel;

namespace {

struct AttachTargetPass
    : mpc::cpu::impl::AttachTargetPassBase<AttachTargetPass> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<int64_t> limit;
    if (memory != -1)
      limit = memory;
    auto target = TargetAttr::getChecked(
        [&] { return module.emitError("cpu-attach-target: "); }, &getContext(),
        lanes.getValue(), naive.getValue(), bf16.getValue(), limit);
    if (!target)
      return signalPassFailure();
    module->setAttr(KernelDialect::TargetAttrHelper::getNameStr(), target);
  }
};

struct TargetModel
    : TargetAttrInterface::ExternalModel<TargetModel, TargetAttr> {
  static std::string describe(Attribute target) {
    return "a CPU of " + std::to_string(cast<TargetAttr>(target).getLanes()) +
           " lanes";
  }

  static std::optional<int64_t> getMemoryBudget(Attribute target) {
    return cast<TargetAttr>(target).getMemory();
  }

  // Widening takes as long as the arithmetic after it.
  static bool widensOnLoad(Attribute) { return false; }

  static bool sumsRunsOfRows(Attribute, int64_t, int64_t, unsigned) {
    return true;
  }

  static SmallVector<MultiplyUnit> getMultiplyUnits(Attribute target) {
    auto cpu = cast<TargetAttr>(target);
    SmallVector<MultiplyUnit> units;
    if (cpu.getBf16() != Unit::FMA)
      units.push_back(describeUnit(cpu.getBf16(), cpu.getLanes()));
    units.push_back(describeUnit(Unit::FMA, cpu.getLanes()));
    return units;
  }

  static bool hasAttention(Attribute, Type element, int64_t) {
    return element.isF32() || element.isF16() || element.isBF16();
  }

  static LogicalResult scheduleKernel(Attribute target, Operation *kernel,
                                      ArrayRef<LaunchOp> launches,
                                      SymbolTable &symbols) {
    cpu::scheduleKernel(cast<FuncOp>(kernel), launches, symbols,
                        cast<TargetAttr>(target));
    return success();
  }

  static FailureOr<Operation *> emitKernel(Attribute, Operation *kernel) {
    return cpu::emitKernel(cast<FuncOp>(kernel)).getOperation();
  }

  static void addFinishingPasses(Attribute, OpPassManager &passes) {
    passes.addPass(createShareCodePass());
  }
};

} // namespace

void mpc::cpu::registerTargetInterface(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CPUDialect *) {
    TargetAttr::attachInterface<TargetModel>(*context);
  });
}
