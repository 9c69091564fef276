// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths from parameters to a loss, and types of parameters.
#include "passes/AMP/TrainedParameters.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc;

static bool isFloating(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

namespace {

/// Walks from a function's results to the parameters behind them.
class ParameterFinder {
public:
  DenseSet<StringAttr> run(func::FuncOp function) {
    visit(function);
    while (!worklist_.empty())
      visit(worklist_.pop_back_val());
    return std::move(parameters_);
  }

private:
  void visit(func::FuncOp function) {
    if (!function || function.isDeclaration() ||
        !functions_.insert(function).second)
      return;
    for (Block &block : function.getBody())
      reach(block.getTerminator()->getOperands());
  }

  void visit(Operation *op) {
    if (isa<nn::StopGradientOp>(op))
      return;
    if (auto get = dyn_cast<nn::GetOp>(op))
      parameters_.insert(get.getParameterAttr().getAttr());
    // The derivative of a function depends on all that the function reads.
    if (auto vjp = dyn_cast<nn::VJPOp>(op))
      visit(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          op, vjp.getCalleeAttr()));
    // The results of a region may depend on every op in it.
    op->walk([&](Operation *inner) { reach(inner->getOperands()); });
  }

  void reach(ValueRange values) {
    for (Value value : values)
      if (Operation *op = isFloating(value) ? value.getDefiningOp() : nullptr;
          op && operations_.insert(op).second)
        worklist_.push_back(op);
  }

  DenseSet<StringAttr> parameters_;
  DenseSet<Operation *> operations_, functions_;
  SmallVector<Operation *> worklist_;
};

} // namespace

DenseSet<StringAttr>
mpc::amp::findDifferentiableParameters(func::FuncOp function) {
  return ParameterFinder().run(function);
}

void mpc::amp::retype(nn::ParameterOp parameter, Type elementType) {
  auto oldType = cast<RankedTensorType>(parameter.getType());
  RankedTensorType newType = oldType.clone(elementType);
  parameter.setType(newType);
  auto symbol = FlatSymbolRefAttr::get(parameter.getSymNameAttr());
  parameter->getParentOfType<ModuleOp>().walk([&](nn::GetOp get) {
    if (get.getParameterAttr() != symbol)
      return;
    OpBuilder b(get->getContext());
    b.setInsertionPointAfter(get);
    get.getOutput().setType(newType);
    auto cast = nn::CastOp::create(b, get.getLoc(), oldType, get.getOutput());
    get.getOutput().replaceAllUsesExcept(cast.getOutput(), cast);
  });
}
