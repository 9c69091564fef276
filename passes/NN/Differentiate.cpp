// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-differentiate: expands nn.vjp by reverse-mode differentiation.
#include "passes/NN/Passes.h"

#include "dialects/NN/NNDialect.h"
#include "passes/NN/ExpandVJP.h"

namespace mpc::nn {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

namespace {

struct DifferentiatePass
    : mpc::nn::impl::DifferentiatePassBase<DifferentiatePass> {
  using DifferentiatePassBase::DifferentiatePassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto run = [&](OpPassManager &passes, func::FuncOp body) {
      return runPipeline(passes, body);
    };
    VJPExpander expander(symbols, run);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(expander.expandAll(function)))
        return signalPassFailure();
    // A stop_gradient now equals its operand.
    getOperation().walk([](StopGradientOp op) {
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    });
  }
};

} // namespace
