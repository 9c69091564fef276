// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-expand-grad: expands nn.grad by reverse-mode differentiation.
#include "passes/NN/Passes.h"

#include "dialects/NN/NNDialect.h"
#include "passes/NN/ExpandVJP.h"
#include "passes/NN/ReverseMode.h"

namespace mpc::nn {
#define GEN_PASS_DEF_EXPANDGRADPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

namespace {

/// Expands every nn.grad of functions of one module.
class GradExpander {
public:
  /// `vjps` expands what the gradient of a loop is made of.
  GradExpander(SymbolTable &symbols, VJPExpander &vjps)
      : symbols_(symbols), vjps_(vjps) {}

  /// Those of bodies of loops first, which a gradient of the loop has twice.
  LogicalResult expandAll(func::FuncOp function) {
    if (!done_.insert(function).second)
      return success();
    SmallVector<func::FuncOp> bodies;
    function.walk([&](ScanOp scan) {
      bodies.push_back(symbols_.lookup<func::FuncOp>(scan.getBody()));
    });
    for (func::FuncOp body : bodies)
      if (failed(expandAll(body)))
        return failure();
    SmallVector<GradOp> ops;
    function.walk([&](GradOp op) { ops.push_back(op); });
    for (GradOp op : ops)
      if (failed(expand(op)))
        return failure();
    return success();
  }

private:
  /// Builds the VJPs of the ops before `op`, in front of it.
  LogicalResult expand(GradOp op) {
    auto expandBody = [&](func::FuncOp body) { return vjps_.expandBody(body); };
    ReverseMode reverse(symbols_, expandBody);
    for (Value variable : op.getWrt())
      reverse.activate(variable);
    Block &block = *op->getBlock();
    for (Operation &inner : llvm::make_range(block.begin(), op->getIterator()))
      reverse.add(inner);
    for (auto [value, seed] : llvm::zip_equal(op.getValues(), op.getSeeds()))
      reverse.seed(value, seed);
    size_t before = block.getOperations().size();
    OpBuilder builder(op);
    if (failed(reverse.run(builder)))
      return failure();
    SmallVector<Value> gradients =
        llvm::map_to_vector(op.getWrt(), [&](Value variable) {
          return reverse.gradientOf(builder, variable, variable.getType(),
                                    op.getLoc());
        });
    Location loc = op.getLoc();
    op->replaceAllUsesWith(gradients);
    op->erase();
    // A loop is replaced by another one.
    return vjps_.count(block.getOperations().size() + 1 - before, loc);
  }

  SymbolTable &symbols_;
  VJPExpander &vjps_;
  DenseSet<Operation *> done_;
};

struct ExpandGradPass : mpc::nn::impl::ExpandGradPassBase<ExpandGradPass> {
  using ExpandGradPassBase::ExpandGradPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto run = [&](OpPassManager &passes, func::FuncOp body) {
      return runPipeline(passes, body);
    };
    VJPExpander vjps(symbols, run);
    GradExpander expander(symbols, vjps);
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(expander.expandAll(function)))
        return signalPassFailure();
    getOperation().walk([](VariableOp op) {
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    });
  }
};

} // namespace
