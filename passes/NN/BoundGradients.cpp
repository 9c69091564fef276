// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-bound-gradients: marks casts at whose zeros the gradient exceeds f16 for
// any loss scale.
#include "passes/NN/Passes.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"

namespace mpc::nn {
#define GEN_PASS_DEF_BOUNDGRADIENTSPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// The largest finite f16.
static constexpr double kMostHalf = 65504.0;

/// The value that `value` repeats or reshapes.
static Value skipMoves(Value value) {
  while (isa_and_nonnull<BroadcastOp, ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The one number of a constant, also through a cast; 0 for any other value.
static double numberOf(Value value) {
  value = skipMoves(value);
  auto cast = value.getDefiningOp<CastOp>();
  std::optional<APFloat> number = splatOf(cast ? cast.getInput() : value);
  return number ? number->convertToDouble() : 0.0;
}

/// The value of `value`, which contains a norm, where that norm is 0: the
/// number that keeps it from 0. The result is 0 where there is no such number.
static double leastOf(Value value) {
  value = skipMoves(value);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<MaximumOp, AddOp>(op))
    return std::max(
        {numberOf(op->getOperand(0)), numberOf(op->getOperand(1)), 0.0});
  if (isa_and_nonnull<SqrtOp>(op))
    return std::sqrt(leastOf(op->getOperand(0)));
  if (isa_and_nonnull<MulOp>(op))
    return leastOf(op->getOperand(0)) * leastOf(op->getOperand(1));
  return 0.0;
}

/// The value of `factor` where the norm in it is 0; 0 where it has no norm.
static double mostOf(Value factor) {
  Operation *op = skipMoves(factor).getDefiningOp();
  double least = 0.0;
  if (isa_and_nonnull<RsqrtOp>(op))
    least = std::sqrt(leastOf(op->getOperand(0)));
  else if (isa_and_nonnull<ReciprocalOp>(op))
    least = leastOf(op->getOperand(0));
  else if (auto quotient = dyn_cast_or_null<DivOp>(op))
    least = leastOf(quotient.getRhs());
  return least > 0.0 ? 1.0 / least : 0.0;
}

/// The dividend of an op that divides by a norm, if its gradient exceeds f16
/// where the norm is 0; else null.
static Value findMagnified(Operation *op) {
  if (!isa<Float32Type>(getElementTypeOrSelf(op->getResult(0))))
    return {};
  if (auto norm = dyn_cast<RMSNormOp>(op)) {
    double least = std::sqrt(norm.getEpsilon().convertToDouble());
    return least * kMostHalf < 1.0 ? norm.getInput() : Value();
  }
  if (auto quotient = dyn_cast<DivOp>(op)) {
    double least = leastOf(quotient.getRhs());
    return least > 0.0 && least * kMostHalf < 1.0 ? quotient.getLhs() : Value();
  }
  if (auto product = dyn_cast<MulOp>(op)) {
    if (mostOf(product.getRhs()) > kMostHalf)
      return product.getLhs();
    if (mostOf(product.getLhs()) > kMostHalf)
      return product.getRhs();
  }
  return {};
}

namespace {

struct BoundGradientsPass
    : mpc::nn::impl::BoundGradientsPassBase<BoundGradientsPass> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() == 1 && isa<DivOp, MulOp, RMSNormOp>(op))
        if (Value magnified = findMagnified(op))
          markCasts(magnified);
    });
  }

private:
  /// Marks the casts from f16 from which `value`, f32, is computed by products
  /// and sums.
  static void markCasts(Value value) {
    SmallVector<Value> pending{value};
    DenseSet<Operation *> seen;
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val().getDefiningOp();
      if (!op || !seen.insert(op).second)
        continue;
      if (auto cast = dyn_cast<CastOp>(op)) {
        if (getElementTypeOrSelf(cast.getInput()).isF16())
          cast->setAttr(kBoundedAtZero, UnitAttr::get(cast->getContext()));
      } else if (isa<AddOp, SubOp, MulOp, NegOp, ReduceSumOp, BroadcastOp>(
                     op) ||
                 op->hasTrait<DataMovement>()) {
        llvm::append_range(pending, op->getOperands());
      }
    }
  }
};

} // namespace
