// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-expand-grad: expands nn.grad by reverse-mode differentiation.
#include "passes/NN/Passes.h"

#include "dialects/NN/NNDialect.h"
#include "passes/NN/ExpandVJP.h"
#include "passes/NN/ReverseMode.h"
#include "passes/NN/SimplifyBody.h"

namespace mpc::nn {
#define GEN_PASS_DEF_EXPANDGRADPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

namespace {

struct ExpandGradPass : mpc::nn::impl::ExpandGradPassBase<ExpandGradPass> {
  using ExpandGradPassBase::ExpandGradPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto simplify = [&](func::FuncOp body) {
      OpPassManager manager = bodySimplification();
      return runPipeline(manager, body);
    };
    VJPExpander expander(symbols, simplify);
    DenseSet<Operation *> done;
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(expandAll(function, symbols, expander, done)))
        return signalPassFailure();
    getOperation().walk([](VariableOp op) {
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    });
  }

private:
  /// Those of bodies of loops first, which a gradient of the loop has twice.
  LogicalResult expandAll(func::FuncOp function, SymbolTable &symbols,
                          VJPExpander &expander, DenseSet<Operation *> &done) {
    if (!done.insert(function).second)
      return success();
    SmallVector<func::FuncOp> bodies;
    function.walk([&](ScanOp scan) {
      bodies.push_back(symbols.lookup<func::FuncOp>(scan.getBody()));
    });
    for (func::FuncOp body : bodies)
      if (failed(expandAll(body, symbols, expander, done)))
        return failure();
    SmallVector<GradOp> ops;
    function.walk([&](GradOp op) { ops.push_back(op); });
    for (GradOp op : ops)
      if (failed(expand(op, symbols, expander)))
        return failure();
    return success();
  }

  static LogicalResult expand(GradOp op, SymbolTable &symbols,
                              VJPExpander &expander) {
    auto expandBody = [&](func::FuncOp body) {
      return expander.expandBody(body);
    };
    ReverseMode reverse(symbols, expandBody);
    for (Value variable : op.getWrt())
      reverse.activate(variable);
    size_t before = 0;
    for (Operation &inner : *op->getBlock()) {
      if (&inner == op)
        break;
      reverse.add(inner);
      ++before;
    }
    for (auto [value, seed] : llvm::zip_equal(op.getValues(), op.getSeeds()))
      reverse.seed(value, seed);
    OpBuilder builder(op);
    if (failed(reverse.run(builder)))
      return failure();
    SmallVector<Value> gradients =
        llvm::map_to_vector(op.getWrt(), [&](Value variable) {
          return reverse.gradientOf(builder, variable, variable.getType(),
                                    op.getLoc());
        });
    size_t behind = std::distance(op->getBlock()->begin(), op->getIterator());
    Location loc = op.getLoc();
    op->replaceAllUsesWith(gradients);
    op->erase();
    return expander.count(behind - std::min(before, behind), loc);
  }
};

} // namespace
