// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-to-cpu: emits kernels as loops over vectors and memory.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_TOCPUPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc::kernel;

namespace {

struct ToCPUPass : mpc::kernel::impl::ToCPUPassBase<ToCPUPass> {
  using ToCPUPassBase::ToCPUPassBase;

  void runOnOperation() override {
    for (FuncOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<FuncOp>()))
      if (failed(mpc::cpu::emitKernel(kernel)))
        return signalPassFailure();
  }
};

} // namespace
