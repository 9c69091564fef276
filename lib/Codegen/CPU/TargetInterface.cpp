// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What pipelines ask #cpu.target.
#include "lib/Codegen/CPU/TargetInterface.h"

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mpc::cpu;

namespace {

struct TargetModel
    : mpc::kernel::TargetAttrInterface::ExternalModel<TargetModel, TargetAttr> {
  static std::string describe(Attribute target) {
    return "a CPU of " + std::to_string(cast<TargetAttr>(target).getLanes()) +
           " lanes";
  }

  // Arithmetic is what a step on a CPU is short of.
  static bool prefersRecomputation(Attribute) { return false; }

  static void addSchedulePasses(Attribute, OpPassManager &passes) {
    passes.addPass(createSchedulePass());
  }

  static void addEmissionPasses(Attribute, OpPassManager &passes) {
    passes.addPass(createEmitPass());
    passes.addPass(createShareCodePass());
  }
};

} // namespace

void mpc::cpu::registerTargetInterface(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CPUDialect *) {
    TargetAttr::attachInterface<TargetModel>(*context);
  });
}
