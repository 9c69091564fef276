// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-hoist-invariants: takes out of loops what is the same in all turns.
#include "passes/NN/Passes.h"

#include "dialects/NN/NNDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::nn {
#define GEN_PASS_DEF_HOISTINVARIANTSPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc::nn;

namespace {

/// Takes what is the same in all turns out of the body of one loop.
class Hoister {
public:
  Hoister(ScanOp scan, func::FuncOp body)
      : scan_(scan), body_(body), block_(body.getBody().front()) {}

  /// Returns the number of ops that were taken out.
  unsigned run() {
    findInvariants();
    for (Operation *op : invariant_)
      for (Value result : op->getResults())
        if (isReadInside(result))
          outputs_.push_back(result);
    // Ops that only others of these read leave with them.
    if (outputs_.empty())
      return 0;
    hoist();
    return invariant_.size();
  }

private:
  void findInvariants() {
    unsigned first = scan_.getInits().size() + scan_.getStacks().size();
    DenseSet<Value> known(block_.args_begin() + first, block_.args_end());
    for (Operation &op : block_.without_terminator()) {
      bool isConstant = matchPattern(&op, m_Constant());
      bool isKnown = llvm::all_of(op.getOperands(), [&](Value operand) {
        return known.contains(operand);
      });
      if (isKnown && isPure(&op))
        known.insert(op.result_begin(), op.result_end());
      // The body keeps its constants, which cost nothing there.
      if (isKnown && isPure(&op) && !isConstant)
        invariant_.insert(&op);
    }
  }

  bool isReadInside(Value value) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !invariant_.contains(user);
    });
  }

  /// Computes the invariants before the loop, and passes what is read of them.
  void hoist() {
    OpBuilder builder(scan_);
    IRMapping mapping;
    mapping.map(block_.getArguments(), scan_->getOperands());
    auto clone = [&](Operation *op, auto &again) -> void {
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && !mapping.contains(operand))
          again(source, again);
      builder.clone(*op, mapping);
    };
    for (Operation *op : invariant_)
      clone(op, clone);
    for (Value output : outputs_) {
      BlockArgument argument =
          block_.addArgument(output.getType(), output.getLoc());
      output.replaceUsesWithIf(argument, [&](OpOperand &use) {
        return !invariant_.contains(use.getOwner());
      });
      scan_.getConstantsMutable().append(mapping.lookup(output));
    }
    for (Operation *op : llvm::reverse(invariant_))
      op->erase();
    body_.setFunctionType(FunctionType::get(
        body_.getContext(), block_.getArgumentTypes(), body_.getResultTypes()));
  }

  ScanOp scan_;
  func::FuncOp body_;
  Block &block_;
  llvm::SetVector<Operation *> invariant_;
  SmallVector<Value> outputs_;
};

struct HoistInvariantsPass
    : mpc::nn::impl::HoistInvariantsPassBase<HoistInvariantsPass> {
  using HoistInvariantsPassBase::HoistInvariantsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<ScanOp> scans;
    getOperation().walk([&](ScanOp scan) { scans.push_back(scan); });
    // Inner loops come first, so that what leaves them can leave the outer one.
    for (ScanOp scan : llvm::reverse(scans)) {
      auto body = symbols.lookup<func::FuncOp>(scan.getBody());
      if (body && hasOneLoop(body, scans))
        numHoisted += Hoister(scan, body).run();
    }
  }

private:
  /// Whether `body` is that of one loop. Others see it change.
  static bool hasOneLoop(func::FuncOp body, ArrayRef<ScanOp> scans) {
    return llvm::count_if(scans, [&](ScanOp scan) {
             return scan.getBody() == body.getName();
           }) == 1;
  }
};

} // namespace
