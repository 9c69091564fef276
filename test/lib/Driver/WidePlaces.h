// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Places of 64 bits in the kernels of whole steps, which small tensors do not
/// get by themselves.
#ifndef MPC_TEST_LIB_DRIVER_WIDEPLACES_H
#define MPC_TEST_LIB_DRIVER_WIDEPLACES_H

#include "dialects/Kernel/KernelDialect.h"
#include "lib/Codegen/CUDA/CUDADialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"

namespace mpc {

/// Makes the target of every module that is for a GPU one whose kernels have
/// places of 64 bits.
inline void widenPlaces(mlir::MLIRContext &context) {
  context.registerActionHandler(
      [](llvm::function_ref<void()> run, const mlir::tracing::Action &action) {
        run();
        auto *ran = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
        if (!ran || ran->getPass().getArgument() != "cuda-attach-target")
          return;
        auto target = cuda::TargetAttr::lookup(ran->getOp());
        ran->getOp()->setAttr(
            kernel::KernelDialect::TargetAttrHelper::getNameStr(),
            cuda::TargetAttr::get(target.getContext(), target.getArch(),
                                  target.getLetter(), target.getNaive(),
                                  /*wide=*/true, target.getMemory(),
                                  target.getExact()));
      });
}

} // namespace mpc

#endif // MPC_TEST_LIB_DRIVER_WIDEPLACES_H
