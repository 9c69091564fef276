// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-count-hidden-infinities: counts infinities that arise in 16 bits but not
// in f32, and that the next ops hide.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/Annotations.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "runtime/Program/StepNames.h"

namespace mpc::amp {
#define GEN_PASS_DEF_COUNTHIDDENINFINITIESPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// The number of infinite elements of `value`, as f64, which holds any count.
static Value countInfinities(nn::GradientBuilder &g, Value value) {
  Value wide = g.wide(value);
  Value size = nn::AbsOp::create(g.b, g.loc, wide);
  Value infinity = g.splat(wide, std::numeric_limits<double>::infinity());
  Value isInfinite = g.compare(nn::CompareKind::EQ, size, infinity);
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return g.sum(g.cast(isInfinite, g.b.getF64Type()),
               llvm::to_vector(llvm::seq<int64_t>(0, rank)));
}

/// The 16-bit results of the marked ops.
static SmallVector<Value> markedValues(func::FuncOp function) {
  SmallVector<Value> marked;
  function.walk([&](Operation *op) {
    if (op->removeAttr(nn::kHiddenInfinity))
      llvm::append_range(marked,
                         llvm::make_filter_range(op->getResults(), [](Value r) {
                           return isLowPrecision(getElementTypeOrSelf(r));
                         }));
  });
  return marked;
}

static void addCount(func::FuncOp function, ArrayRef<Value> marked) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder b(terminator);
  nn::GradientBuilder g(b, function.getLoc());
  Value count = g.splat(RankedTensorType::get({}, b.getF64Type()), 0.0);
  for (Value value : marked)
    count = g.add(count, countInfinities(g, value));
  unsigned index = function.getNumResults();
  (void)function.insertResult(
      index, count.getType(),
      b.getDictionaryAttr(nn::nameAttribute(b, rt::step::kHiddenInfinities)));
  terminator->insertOperands(index, count);
}

namespace {

struct CountHiddenInfinitiesPass
    : mpc::amp::impl::CountHiddenInfinitiesPassBase<CountHiddenInfinitiesPass> {
  using CountHiddenInfinitiesPassBase::CountHiddenInfinitiesPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      // The count is for a step. An evaluation only measures.
      if (!isEntry(function) || isEvaluation(function))
        continue;
      SmallVector<Value> marked = markedValues(function);
      if (!marked.empty())
        addCount(function, marked);
    }
  }
};

} // namespace
