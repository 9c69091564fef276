// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-find-norms: turns norms that a model writes out into nn.rms_norm.
#include "passes/NN/Passes.h"

#include "dialects/NN/NormPatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/NN/AutocastPolicy.h"

namespace mpc::nn {
#define GEN_PASS_DEF_FINDNORMSPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

namespace {

struct FindNormsPass : mpc::nn::impl::FindNormsPassBase<FindNormsPass> {
  using FindNormsPassBase::FindNormsPassBase;

  FindNormsPass(const FindNormsPassOptions &options,
                std::shared_ptr<const AutocastPolicy> loaded)
      : FindNormsPassBase(options), loaded_(std::move(loaded)) {}

  LogicalResult initialize(MLIRContext *context) override {
    return loadIfMissing(loaded_, policy, *context);
  }

  void runOnOperation() override {
    bool isWide = precision == Precision::FP32;
    RewritePatternSet patterns(&getContext());
    populateNormPatterns(patterns, [&](MulOp square) {
      return isWide ||
             loaded_->base->ruleOf(square, typeOf(precision, &getContext()))
                     .rule == PrecisionRule::KeepF32;
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

private:
  std::shared_ptr<const AutocastPolicy> loaded_;
};

} // namespace

std::unique_ptr<Pass>
mpc::nn::createFindNormsPass(const FindNormsPassOptions &options,
                             std::shared_ptr<const AutocastPolicy> policy) {
  return std::make_unique<FindNormsPass>(options, std::move(policy));
}
