// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-simplify-casts: folds exact casts and shares equal ones.
#include "passes/NN/Passes.h"

#include "dialects/NN/NNDialect.h"
#include "mlir/Transforms/FoldUtils.h"

namespace mpc::nn {
#define GEN_PASS_DEF_SIMPLIFYCASTSPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc::nn;

namespace {

struct SimplifyCastsPass
    : mpc::nn::impl::SimplifyCastsPassBase<SimplifyCastsPass> {
  using SimplifyCastsPassBase::SimplifyCastsPassBase;

  void runOnOperation() override {
    DenseMap<std::pair<Value, Type>, Value> known;
    // nn functions are straight lines: what comes first dominates the rest.
    for (Block &block : getOperation().getBody()) {
      known.clear();
      for (auto cast : llvm::make_early_inc_range(block.getOps<CastOp>()))
        simplify(cast, known);
      // From the end, so that a chain of dead casts goes as a whole.
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isa<CastOp, GetOp>(op) && op.use_empty())
          op.erase();
    }
  }

  static void simplify(CastOp cast,
                       DenseMap<std::pair<Value, Type>, Value> &known) {
    // Folding may also redirect the cast to an earlier source in place.
    OpFoldResult folded = cast.fold(CastOp::FoldAdaptor({}, cast));
    if (auto value = dyn_cast_if_present<Value>(folded);
        value && value != cast.getResult()) {
      cast.replaceAllUsesWith(value);
      return;
    }
    auto [it, isNew] = known.try_emplace(
        std::pair(cast.getInput(), cast.getOutput().getType()),
        cast.getOutput());
    if (!isNew)
      cast.replaceAllUsesWith(it->second);
  }
};

} // namespace
