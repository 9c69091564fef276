// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-lower-bodies: replaces ops by their kernel bodies.
#include "passes/Kernel/Passes.h"

#include "dialects/Interfaces/OpInterfaces.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Body.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_LOWERBODIESPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc;

/// The values that take the place of the results of `op`, empty where it has
/// no body.
static FailureOr<SmallVector<Value>> lower(Operation *op) {
  OpBuilder builder(op);
  if (auto scalar = dyn_cast<ScalarBodyOpInterface>(op))
    return SmallVector<Value>{
        nn::buildElementwise(scalar, builder, op->getOperands())};
  if (auto body = dyn_cast<KernelBodyOpInterface>(op))
    return body.buildBody(builder, op->getOperands());
  return SmallVector<Value>();
}

namespace {

struct LowerBodiesPass : kernel::impl::LowerBodiesPassBase<LowerBodiesPass> {
  using LowerBodiesPassBase::LowerBodiesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    for (Block &block : function.getBody()) {
      for (Operation &op : llvm::make_early_inc_range(block)) {
        FailureOr<SmallVector<Value>> results = lower(&op);
        if (failed(results))
          return signalPassFailure();
        if (results->empty())
          continue;
        op.replaceAllUsesWith(*results);
        op.erase();
      }
    }
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, function->getRegions());
  }
};

} // namespace
