// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-expand-attention: writes attention out where the target has no kernel for
// it.
#include "passes/NN/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/AttentionExpansion.h"
#include "mlir/IR/TypeUtilities.h"

namespace mpc::nn {
#define GEN_PASS_DEF_EXPANDATTENTIONPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

namespace {

struct ExpandAttentionPass
    : mpc::nn::impl::ExpandAttentionPassBase<ExpandAttentionPass> {
  using ExpandAttentionPassBase::ExpandAttentionPassBase;

  void runOnOperation() override {
    target_ = kernel::getTarget(getOperation());
    getOperation().walk([&](Operation *op) {
      if (auto attention = dyn_cast<AttentionOp>(op))
        expand(attention);
      else if (auto gradient = dyn_cast<AttentionGradientOp>(op))
        expand(gradient);
    });
  }

private:
  template <typename Op>
  void expand(Op op) {
    // Without elements there is no row to compute.
    bool isEmpty = op.getQuery().getType().getNumElements() == 0;
    int64_t longest = std::max(op.getQuery().getType().getShape().back(),
                               op.getValue().getType().getShape().back());
    if (!isEmpty && target_ &&
        target_.hasAttention(getElementTypeOrSelf(op.getQuery()), longest))
      return;
    OpBuilder builder(op);
    op->replaceAllUsesWith(expandAttention(builder, op));
    op->erase();
    ++numExpanded;
  }

  kernel::TargetAttrInterface target_;
};

} // namespace
