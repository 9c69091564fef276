// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-differentiate: expands nn.vjp by reverse-mode differentiation.
#include "passes/NN/Passes.h"

#include "dialects/NN/NNDialect.h"
#include "mlir/Pass/PassManager.h"
#include "passes/NN/ExpandVJP.h"
#include "passes/NN/SimplifyBody.h"

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
    auto simplify = [&](func::FuncOp body) {
      OpPassManager manager = bodySimplification();
      return runPipeline(manager, body);
    };
    VJPExpander expander(symbols, simplify);
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
