// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-lower-state: lowers named state and gradients to slabs.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/Recipe.h"
#include "dialects/Kernel/KernelDialect.h"
#include "passes/AMP/ExposeCasts.h"
#include "passes/AMP/FunctionSlabs.h"
#include "passes/AMP/StatePatterns.h"

namespace mpc::amp {
#define GEN_PASS_DEF_LOWERSTATEPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// All gradients of an optimizer become one flat range for each of its groups.
static void addTypeConversions(TypeConverter &types, SlabLayout &layout) {
  types.addConversion([](Type type) { return type; });
  types.addConversion([&](GradientsType type, SmallVectorImpl<Type> &ranges) {
    auto f32 = Float32Type::get(type.getContext());
    for (ParameterGroup *group : layout.groupsOf(layout.optimizer(type)))
      ranges.push_back(RankedTensorType::get(
          {type.getParts() == 1 ? group->size : group->partSize()}, f32));
    return success();
  });
}

/// After the conversion every op has a kernel body. No op names state, and no
/// op takes all gradients of an optimizer.
static void addTarget(ConversionTarget &target, const TypeConverter &types) {
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return types.isLegal(op); });
  target.addIllegalOp<nn::GetOp>();
  target.addDynamicallyLegalDialect<AMPDialect>([&](Operation *op) {
    return isa<KernelBodyOpInterface, LoadOp, StoreOp>(op) && types.isLegal(op);
  });
}

/// Reports ops that an entry may not hold once its state is lowered.
static LogicalResult checkEntry(func::FuncOp entry) {
  for (auto call : entry.getOps<func::CallOp>())
    return call.emitOpError("has no place in an entry; nn.vjp calls a "
                            "function, with or without gradients");
  for (auto vjp : entry.getOps<nn::VJPOp>())
    return vjp.emitOpError("must be expanded before state is put into slabs");
  return success();
}

/// Erases dead ops from the last one up, so that ops that only dead ops use go
/// too.
static void eraseDead(func::FuncOp entry) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(entry.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {

struct LowerStatePass : mpc::amp::impl::LowerStatePassBase<LowerStatePass> {
  using LowerStatePassBase::LowerStatePassBase;

  void runOnOperation() override {
    for (func::FuncOp entry : entries()) {
      if (failed(checkEntry(entry)))
        return signalPassFailure();
      exposeCasts(entry);
    }
    auto &layout = getAnalysis<SlabLayout>();
    if (!layout.isValid())
      return signalPassFailure();
    layout.addSlabs();
    RecipeOp recipe = findRecipe(getOperation());
    saturates_ = !recipe || !recipe.getRoundWeights();
    if (failed(lower(layout)) || failed(addInit(layout)))
      return signalPassFailure();
    clean();
    numGroups = layout.parameterGroups().size();
    numSlabs = llvm::range_size(getOperation().getOps<SlabOp>());
  }

private:
  SmallVector<func::FuncOp> entries() {
    return llvm::filter_to_vector(getOperation().getOps<func::FuncOp>(),
                                  isEntry);
  }

  LogicalResult lower(SlabLayout &layout) {
    TypeConverter types;
    addTypeConversions(types, layout);
    ConversionTarget target(getContext());
    addTarget(target, types);
    StateContext state{layout, saturates_};
    RewritePatternSet patterns(&getContext());
    addScalarPatterns(patterns, types, state);
    addGradientPatterns(patterns, types, state);
    addUpdatePatterns(patterns, types, state);
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (func::FuncOp entry : entries()) {
      if (failed(applyPartialConversion(entry, target, frozen)))
        return failure();
      eraseDead(entry);
      FunctionSlabs(entry).promote();
      eraseDead(entry);
    }
    return success();
  }

  /// Adds @init, which rounds the parameters to their 16-bit copies.
  LogicalResult addInit(SlabLayout &layout) {
    if (llvm::none_of(layout.parameterGroups(),
                      [](ParameterGroup &g) { return g.lowSlab != nullptr; }))
      return success();
    if (Operation *other =
            getOperation().lookupSymbol(stringifyEntryKind(EntryKind::Init)))
      return other->emitError("takes the name of the entry that makes 16-bit "
                              "copies");
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    Location loc = getOperation().getLoc();
    auto init = func::FuncOp::create(
        b, loc, stringifyEntryKind(EntryKind::Init), b.getFunctionType({}, {}));
    b.setInsertionPointToStart(init.addEntryBlock());
    setEntryKind(init, EntryKind::Init);
    b.setInsertionPoint(func::ReturnOp::create(b, loc));
    SlabBuilder slabs(layout, saturates_, b, loc);
    for (ParameterGroup &group : layout.parameterGroups())
      if (group.lowSlab)
        slabs.store(group.lowSlab, slabs.makeCopies(group));
    FunctionSlabs(init).promote();
    return success();
  }

  /// Erases symbols and ops that the entries no longer need.
  void clean() {
    ModuleOp module = getOperation();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<RecipeOp, ScalerOp, OptimizerInterface>(op))
        op.erase();
    SmallVector<func::FuncOp> sources = llvm::filter_to_vector(
        module.getOps<func::FuncOp>(),
        [](func::FuncOp function) { return !isEntry(function); });
    for (func::FuncOp source : sources)
      if (SymbolTable::symbolKnownUseEmpty(source, module))
        source.erase();
  }

  /// Whether weight copies of finite parameters stay finite.
  bool saturates_ = true;
};

} // namespace
