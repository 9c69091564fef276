// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What pipelines ask #cuda.target.
#include "lib/Codegen/CUDA/TargetInterface.h"

#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/Emitters.h"
#include "lib/Codegen/CUDA/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mpc::cuda;

namespace {

struct TargetModel
    : mpc::kernel::TargetAttrInterface::ExternalModel<TargetModel, TargetAttr> {
  static std::string describe(Attribute target) {
    return cast<TargetAttr>(target).getArchName();
  }

  // A step on a GPU waits for its memory: docs/rationale/cuda.md.
  static bool prefersRecomputation(Attribute) { return true; }

  static void addSchedulePasses(Attribute, OpPassManager &passes) {
    passes.addPass(createSchedulePass());
  }

  static void addEmissionPasses(Attribute, OpPassManager &passes) {
    passes.addPass(createEmitPass());
    passes.addPass(createCheckLaunchesPass());
  }

  // What the runtime allocates on a device begins at multiples of 256, and in
  // the arena at multiples of 64.
  static int64_t getBufferAlignment(Attribute) { return 64; }

  static int64_t getAccessBytes(Attribute, Operation *function,
                                unsigned argument) {
    FailureOr<KernelAttr> written =
        writeKernel(cast<mpc::kernel::FuncOp>(function));
    return failed(written) ? 1 : written->getAccesses()[argument];
  }
};

} // namespace

void mpc::cuda::registerTargetInterface(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CUDADialect *) {
    TargetAttr::attachInterface<TargetModel>(*context);
  });
}
