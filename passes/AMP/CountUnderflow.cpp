// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-count-underflow: counts the gradient elements that 16 bits flush.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/AMP/ExposeCasts.h"
#include "passes/AMP/SlabLayout.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::amp {
#define GEN_PASS_DEF_COUNTUNDERFLOWPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// The op that takes the gradients of this function's own batch, or null.
static Operation *findTaker(func::FuncOp function) {
  for (Operation &op : function.getOps())
    if (isa<AccumulateOp>(op) ||
        (isa<ApplyOp>(op) && function.getOps<TakeGradientsOp>().empty()))
      return &op;
  return nullptr;
}

static ValueRange gradientsOf(Operation *taker) {
  if (auto apply = dyn_cast<ApplyOp>(taker))
    return apply.getGradients();
  return cast<AccumulateOp>(taker).getGradients();
}

/// How many elements of a 16-bit tensor are zero or subnormal, as f64, which
/// holds any count.
static Value countTiny(nn::GradientBuilder &g, OpBuilder &b, Value gradient) {
  auto type = cast<RankedTensorType>(gradient.getType());
  double smallest =
      llvm::APFloat::getSmallestNormalized(
          cast<FloatType>(type.getElementType()).getFloatSemantics())
          .convertToDouble();
  Value wide = g.wide(gradient);
  Value size = nn::AbsOp::create(b, gradient.getLoc(), wide);
  Value tiny = g.compare(nn::CompareKind::LT, size, g.splat(wide, smallest));
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return g.sum(g.cast(tiny, b.getF64Type()), axes);
}

static void addCount(func::FuncOp function, Operation *taker) {
  OpBuilder b(taker);
  nn::GradientBuilder g(b, taker->getLoc());
  llvm::SetVector<Value> narrow;
  for (Value gradient : gradientsOf(taker)) {
    Value raw = getGradientChain(gradient).raw;
    if (getElementTypeOrSelf(raw).getIntOrFloatBitWidth() == 16)
      narrow.insert(raw);
  }
  Value count = g.splat(RankedTensorType::get({}, b.getF64Type()), 0.0);
  for (Value gradient : narrow)
    count = g.add(count, countTiny(g, b, gradient));
  unsigned index = function.getNumResults();
  (void)function.insertResult(index, count.getType(),
                              b.getDictionaryAttr(b.getNamedAttr(
                                  "nn.name", b.getStringAttr("underflow"))));
  function.getBody().front().getTerminator()->insertOperands(index, count);
}

namespace {

struct CountUnderflowPass
    : mpc::amp::impl::CountUnderflowPassBase<CountUnderflowPass> {
  using CountUnderflowPassBase::CountUnderflowPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isDeclaration() ||
          !findTaker(function))
        continue;
      exposeCasts(function);
      addCount(function, findTaker(function));
    }
  }
};

} // namespace
