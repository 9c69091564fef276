// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-count-underflow: counts the gradient elements that become zero or
// subnormal in 16 bits.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/Recipe.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/AMP/ExposeCasts.h"
#include "runtime/Program/StepNames.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::amp {
#define GEN_PASS_DEF_COUNTUNDERFLOWPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// The number of elements of a 16-bit tensor that are zero or subnormal, as
/// f64, which holds any count.
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

/// The value from which `gradient` follows by transforms and exact casts alone.
static Value sourceOf(Value gradient) {
  while (Operation *op = gradient.getDefiningOp()) {
    auto cast = dyn_cast<nn::CastOp>(op);
    bool widens =
        cast && getElementTypeOrSelf(cast.getInput()).getIntOrFloatBitWidth() <
                    getElementTypeOrSelf(gradient).getIntOrFloatBitWidth();
    if (!widens && !isa<GradientTransformInterface>(op))
      break;
    gradient = op->getOperand(0);
  }
  return gradient;
}

static void addCount(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder b(terminator);
  nn::GradientBuilder g(b, function.getLoc());
  llvm::SetVector<Value> narrow;
  for (auto gather : function.getOps<GatherOp>())
    for (Value gradient : gather.getGradients())
      if (Value raw = sourceOf(gradient);
          getElementTypeOrSelf(raw).getIntOrFloatBitWidth() == 16)
        narrow.insert(raw);
  Value count = g.splat(RankedTensorType::get({}, b.getF64Type()), 0.0);
  for (Value gradient : narrow)
    count = g.add(count, countTiny(g, b, gradient));
  unsigned index = function.getNumResults();
  (void)function.insertResult(
      index, count.getType(),
      b.getDictionaryAttr(nn::nameAttribute(b, rt::step::kUnderflow)));
  terminator->insertOperands(index, count);
}

namespace {

struct CountUnderflowPass
    : mpc::amp::impl::CountUnderflowPassBase<CountUnderflowPass> {
  using CountUnderflowPassBase::CountUnderflowPassBase;

  void runOnOperation() override {
    RecipeOp recipe = findRecipe(getOperation());
    if (!recipe || !recipe.getCountUnderflow())
      return;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isEntry(function) || function.getOps<GatherOp>().empty())
        continue;
      exposeCasts(function);
      addCount(function);
    }
  }
};

} // namespace
