// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-simplify-casts: places casts, folds exact ones and shares equal ones.
#include "passes/NN/Passes.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/CastPlacement.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace mpc::nn {
#define GEN_PASS_DEF_SIMPLIFYCASTSPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc::nn;

static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  auto tensor = cast<RankedTensorType>(value.getType());
  if (tensor.getElementType() == type)
    return value;
  return CastOp::create(builder, loc, tensor.clone(type), value);
}

/// Gives `result` the element type `type`. Its readers go on reading their
/// type, through a cast. A widening of a value that is now f32 itself is
/// removed.
static void retype(OpBuilder &builder, Value result, Type type,
                   const CastPlacement &placement) {
  Type before = getElementTypeOrSelf(result.getType());
  result.setType(cast<RankedTensorType>(result.getType()).clone(type));
  auto back = CastOp::create(
      builder, result.getLoc(),
      cast<RankedTensorType>(result.getType()).clone(before), result);
  result.replaceAllUsesExcept(back, back);
  for (Operation *user : back->getUsers())
    if (auto again = dyn_cast<CastOp>(user);
        again && placement.isTransparent(again) &&
        again.getOutput().getType() == result.getType())
      again.replaceAllUsesWith(result);
}

static void apply(Operation *op, const CastPlacement::Decision &decision,
                  Type type, const CastPlacement &placement) {
  OpBuilder builder(op);
  for (auto [operand, source] :
       llvm::zip_equal(op->getOpOperands(), decision.sources))
    if (source)
      operand.set(castTo(builder, op->getLoc(), source, type));
  if (decision.wasLow == decision.isLow)
    return;
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    if (placement.isChosen(op, result))
      retype(builder, result, type, placement);
}

/// The low types that ops of `block` are marked with, in order.
static llvm::SmallSetVector<FloatType, 2> markedTypes(Block &block) {
  llvm::SmallSetVector<FloatType, 2> types;
  for (Operation &op : block)
    for (StringRef name : {kFreeAttr, kRefusableAttr})
      if (auto mark = op.getAttrOfType<TypeAttr>(name))
        if (auto type = dyn_cast<FloatType>(mark.getValue());
            type && type.getWidth() < 32)
          types.insert(type);
  return types;
}

namespace {

struct SimplifyCastsPass
    : mpc::nn::impl::SimplifyCastsPassBase<SimplifyCastsPass> {
  using SimplifyCastsPassBase::SimplifyCastsPassBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      // Shares equal casts first, so that each value is counted once.
      simplifyAll(block);
      for (FloatType low : markedTypes(block))
        placeCasts(block, low);
      for (Operation &op : block)
        for (StringRef name : {kFreeAttr, kRefusableAttr})
          op.removeDiscardableAttr(name);
      simplifyAll(block);
    }
  }

  /// The casts of a value by type, and by whether they may be removed. A
  /// rounding that the model itself makes stays in any case.
  using KnownCasts = DenseMap<std::tuple<Value, Type, Attribute>, Value>;

  static void simplifyAll(Block &block) {
    KnownCasts known;
    // The functions have one block, so an earlier op dominates all later ones.
    for (auto cast : llvm::make_early_inc_range(block.getOps<CastOp>()))
      simplify(cast, known);
    // Goes from the last op up, so that a whole chain of dead casts is erased.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isa<CastOp, GetOp>(op) && op.use_empty())
        op.erase();
  }

  void placeCasts(Block &block, FloatType low) {
    if (!place)
      return;
    CastPlacement placement(block, low, refuse);
    if (printGraph)
      print(placement, low);
    Type f32 = Float32Type::get(&getContext());
    for (auto &[op, decision] : placement.decisions()) {
      apply(op, decision, decision.isLow ? low : f32, placement);
      numPlaced += decision.isLow != decision.wasLow;
      if (op->hasAttr(kRefusableAttr) && !decision.isLow)
        op->emitRemark() << "stays in f32: in " << low << " it would cost "
                         << placement.bytesOfChange(op)
                         << " bytes more in casts than it saves";
    }
  }

  void print(const CastPlacement &placement, FloatType low) {
    llvm::json::Object graph = placement.toJSON();
    graph["function"] = getOperation().getSymName();
    graph["low"] = llvm::formatv("{0}", Type(low)).str();
    // Printed with one call, because functions are processed in parallel.
    llvm::errs()
        << llvm::formatv("{0}\n", llvm::json::Value(std::move(graph))).str();
  }

  static void simplify(CastOp cast, KnownCasts &known) {
    // Folding may also redirect the cast to an earlier source in place.
    OpFoldResult folded = cast.fold(CastOp::FoldAdaptor(Attribute(), cast));
    if (auto value = dyn_cast_if_present<Value>(folded);
        value && value != cast.getResult()) {
      cast.replaceAllUsesWith(value);
      return;
    }
    auto [it, isNew] =
        known.try_emplace({cast.getInput(), cast.getOutput().getType(),
                           cast->getAttr(kRefusableAttr)},
                          cast.getOutput());
    if (!isNew)
      cast.replaceAllUsesWith(it->second);
  }
};

} // namespace
