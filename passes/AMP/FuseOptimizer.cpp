// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-fuse-optimizer: puts the state into slabs and the optimizer on them.
#include "passes/AMP/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Gradient.h"
#include "passes/AMP/PolicyEmitter.h"
#include "passes/AMP/SlabLayout.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mpc::amp {
#define GEN_PASS_DEF_FUSEOPTIMIZERPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

namespace {

/// The slabs of one function: an argument each, and the values that they have
/// come to.
class FunctionSlabs {
public:
  explicit FunctionSlabs(func::FuncOp function) : function(function) {}

  /// The slab's value so far.
  Value get(SlabOp slab) {
    auto [it, isNew] = values.try_emplace(slab.getSymNameAttr());
    if (isNew)
      it->second = {addArgument(slab), slab, false};
    return it->second.value;
  }
  void set(SlabOp slab, Value value) {
    get(slab);
    values[slab.getSymNameAttr()].value = value;
    values[slab.getSymNameAttr()].changed = true;
  }

  /// Returns the slabs that were set.
  void finish() {
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto &[name, entry] : values) {
      if (!entry.changed)
        continue;
      unsigned index = function.getNumResults();
      terminator->insertOperands(terminator->getNumOperands(), entry.value);
      (void)function.insertResult(index, entry.value.getType(),
                                  attributes(entry.slab));
    }
  }

private:
  struct Entry {
    Value value;
    SlabOp slab;
    bool changed = false;
  };

  DictionaryAttr attributes(SlabOp slab) {
    Builder b(function.getContext());
    return b.getDictionaryAttr(b.getNamedAttr(
        kSlabAttrName, FlatSymbolRefAttr::get(slab.getSymNameAttr())));
  }
  Value addArgument(SlabOp slab) {
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, slab.getType(), attributes(slab),
                                  slab.getLoc());
    return function.getArgument(index);
  }

  func::FuncOp function;
  llvm::MapVector<StringAttr, Entry> values;
};

/// Rewrites one entry from named state to slabs, in program order.
class EntryRewriter {
public:
  EntryRewriter(SlabLayout &layout, func::FuncOp function)
      : layout(layout), slabs(function), function(function),
        b(function.getContext()) {}

  LogicalResult run() {
    for (Operation &op :
         llvm::make_early_inc_range(function.getBody().front())) {
      b.setInsertionPoint(&op);
      LogicalResult result =
          TypeSwitch<Operation *, LogicalResult>(&op)
              .Case<nn::GetOp, GetScaleOp, GetHyperOp, CheckOp, MaxAbsOp,
                    ApplyOp, UpdateScaleOp>(
                  [&](auto typed) { return rewrite(typed); })
              .Case([](nn::VJPOp vjp) {
                return vjp.emitOpError("must be expanded before state is put "
                                       "into slabs");
              })
              .Default(success());
      if (failed(result))
        return failure();
    }
    slabs.finish();
    eraseDead();
    return success();
  }

private:
  Value view(Value slab, int64_t offset, RankedTensorType type) {
    return kernel::ViewOp::create(b, loc(), type, slab, offset);
  }
  /// Element `index` of a slab of f64.
  Value element(SlabOp slab, int64_t index) {
    return view(slabs.get(slab), index,
                RankedTensorType::get({}, b.getF64Type()));
  }
  Location loc() { return b.getInsertionPoint()->getLoc(); }

  LogicalResult rewrite(nn::GetOp op) {
    auto [group, offset] = layout.lookup(op.getParameterAttr().getAttr());
    auto type = cast<RankedTensorType>(op.getType());
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto cast = dyn_cast<nn::CastOp>(user);
      if (!cast || !group->lowType ||
          getElementTypeOrSelf(cast.getType()) != group->lowType)
        continue;
      cast.replaceAllUsesWith(
          view(slabs.get(group->lowSlab), offset, type.clone(group->lowType)));
      // Erased with what else is dead: the walk may stand on it next.
    }
    if (!op.use_empty())
      op.replaceAllUsesWith(view(slabs.get(group->slab), offset, type));
    op.erase();
    return success();
  }

  LogicalResult rewrite(GetScaleOp op) {
    Value scale =
        element(layout.scaleSlab, static_cast<int64_t>(rt::StateSlot::Scale));
    Type type = getElementTypeOrSelf(op.getType());
    op.replaceAllUsesWith(
        nn::GradientBuilder(b, op.getLoc()).cast(scale, type));
    op.erase();
    return success();
  }

  LogicalResult rewrite(GetHyperOp op) {
    op.replaceAllUsesWith(
        element(layout.hyperSlab, layout.hyperIndex(op.getHyper())));
    op.erase();
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Gradients
  //===--------------------------------------------------------------------===//

  /// The gradients of `group`, as they arrive, in one tensor.
  Value pack(ParameterGroup &group, ArrayRef<GradientChain> chains) {
    SmallVector<Value> parts;
    for (unsigned index : group.order)
      parts.push_back(chains[index].raw);
    auto [it, isNew] = packs.try_emplace(&group);
    if (isNew || it->second.parts != parts) {
      auto type = RankedTensorType::get({group.size}, group.gradientType);
      it->second = {
          parts, kernel::PackOp::create(b, loc(), type, parts, group.offsets)};
    }
    return it->second.result;
  }

  /// The chain's ops anew, on a slab or a view of it.
  Value emitMaps(const GradientChain &chain, Value slab) {
    auto type = cast<RankedTensorType>(slab.getType()).clone(b.getF32Type());
    for (Operation *map : chain.maps) {
      Operation *clone = b.clone(*map);
      clone->setOperand(0, slab);
      clone->getResult(0).setType(type);
      slab = clone->getResult(0);
    }
    return slab;
  }

  static bool sameMaps(const GradientChain &a, const GradientChain &b) {
    return llvm::equal(a.maps, b.maps, [](Operation *x, Operation *y) {
      return x->getName() == y->getName() &&
             x->getAttrDictionary() == y->getAttrDictionary() &&
             x->getOperands().drop_front() == y->getOperands().drop_front();
    });
  }

  /// What an op does to every gradient; they must be those that are applied.
  FailureOr<SmallVector<GradientChain>> chainsOf(Operation *op,
                                                 ValueRange gradients) {
    SmallVector<GradientChain> chains =
        llvm::map_to_vector(gradients, getGradientChain);
    if (!layout.apply || chains.size() != layout.apply.getGradients().size())
      return op->emitOpError("must take the gradients that amp.apply takes");
    for (const GradientChain &chain : chains)
      if (!sameMaps(chain, chains.front()))
        return op->emitOpError("must treat every gradient alike");
    return chains;
  }

  /// `BlockOp` of each trained group, by blocks.
  template <typename BlockOp>
  FailureOr<SmallVector<Value>>
  reduceBlocks(Operation *op, ValueRange gradients, Type elementType) {
    auto chains = chainsOf(op, gradients);
    if (failed(chains))
      return failure();
    SmallVector<Value> results;
    for (ParameterGroup &group : layout.parameterGroups()) {
      if (!group.isTrained())
        continue;
      int64_t numBlocks = group.size / kBlockSize;
      Value packed = pack(group, *chains);
      Value blocks = view(
          packed, 0,
          RankedTensorType::get({numBlocks, kBlockSize}, group.gradientType));
      Value mapped = emitMaps(chains->front(), blocks);
      auto type = RankedTensorType::get({numBlocks}, elementType);
      results.push_back(BlockOp::create(b, op->getLoc(), type, mapped));
    }
    return results;
  }

  LogicalResult rewrite(CheckOp op) {
    auto sums =
        reduceBlocks<SquareSumsOp>(op, op.getGradients(), b.getF64Type());
    if (failed(sums))
      return failure();
    op.replaceAllUsesWith(CombineCheckOp::create(b, op.getLoc(), *sums));
    op.erase();
    return success();
  }

  LogicalResult rewrite(MaxAbsOp op) {
    auto parts =
        reduceBlocks<BlockMaxAbsOp>(op, op.getGradients(), b.getF32Type());
    if (failed(parts))
      return failure();
    op.replaceAllUsesWith(
        CombineMaxAbsOp::create(b, op.getLoc(), *parts).getResult());
    op.erase();
    return success();
  }

  //===--------------------------------------------------------------------===//
  // State
  //===--------------------------------------------------------------------===//

  /// The f32 scalars of the step; advances the optimizer's scalar state.
  SmallVector<Value> prepare(ApplyOp op, const Optimizer &rule) {
    SmallVector<Value> state, hyper;
    for (size_t i = 0; i != rule.state.size(); ++i)
      state.push_back(element(layout.optimizerSlab, i));
    for (const NamedNumber &number : rule.hypers)
      hyper.push_back(
          element(layout.hyperSlab, layout.hyperIndex(number.name)));
    SmallVector<Type> types(state.size(),
                            RankedTensorType::get({}, b.getF64Type()));
    types.append(rule.scalars.size(),
                 RankedTensorType::get({}, b.getF32Type()));
    auto prepared = PrepareOp::create(b, op.getLoc(), types, rule.name,
                                      layout.optimizer.getFlags(), op.getLr(),
                                      op.getSkip(), state, hyper);
    setElements(layout.optimizerSlab,
                prepared.getOutputs().take_front(state.size()));
    return llvm::to_vector_of<Value>(
        prepared.getOutputs().drop_front(state.size()));
  }

  void setElements(SlabOp slab, ValueRange elements) {
    auto offsets = llvm::to_vector(llvm::seq<int64_t>(0, elements.size()));
    slabs.set(slab, kernel::PackOp::create(b, loc(), slab.getType(), elements,
                                           offsets));
  }

  LogicalResult rewrite(ApplyOp op) {
    auto chains = chainsOf(op, op.getGradients());
    if (failed(chains))
      return failure();
    const Optimizer &rule = *findOptimizer(layout.optimizer.getKind());
    SmallVector<Value> scalars = prepare(op, rule);
    for (ParameterGroup &group : layout.parameterGroups())
      if (group.isTrained())
        update(op, rule, group, *chains, scalars);
    op.erase();
    return success();
  }

  void update(ApplyOp op, const Optimizer &rule, ParameterGroup &group,
              ArrayRef<GradientChain> chains, ValueRange scalars) {
    Value gradient = emitMaps(chains.front(), pack(group, chains));
    SmallVector<SlabOp> changed = {group.slab};
    llvm::append_range(changed, group.slotSlabs);
    if (group.lowSlab)
      changed.push_back(group.lowSlab);
    SmallVector<Value> old =
        llvm::map_to_vector(changed, [&](SlabOp s) { return slabs.get(s); });
    SmallVector<Type> types =
        llvm::map_to_vector(old, [](Value v) { return v.getType(); });
    ValueRange slots = ValueRange(old).slice(1, group.slotSlabs.size());
    auto updated = UpdateOp::create(
        b, op.getLoc(), types, rule.name, layout.optimizer.getFlags(),
        group.decay, gradient, op.getSkip(), scalars, old.front(), slots,
        group.lowSlab ? old.back() : Value());
    for (auto [slab, value] : llvm::zip(changed, updated.getOutputs()))
      slabs.set(slab, value);
  }

  LogicalResult rewrite(UpdateScaleOp op) {
    rt::PolicyKind kind = *rt::findPolicy(layout.scaler.getPolicy().str());
    PolicyOperands operands;
    for (size_t i = 0; i != rt::kNumStateSlots; ++i)
      operands.state[i] = element(layout.scaleSlab, i);
    for (size_t i = 0; i != rt::kNumSettings; ++i) {
      auto setting = static_cast<rt::Setting>(i);
      StringRef name(rt::settingKey(setting));
      // The initial scale is read when the state is made.
      if (setting != rt::Setting::InitScale &&
          layout.scaler.getSettings().contains(name))
        operands.settings[i] =
            element(layout.hyperSlab, layout.hyperIndex(name));
    }
    operands.found = op.getFound();
    operands.maxAbs = op.getMaxAbs();
    auto state = buildPolicyStep(b, op.getLoc(), kind, operands);
    setElements(layout.scaleSlab, ValueRange(state));
    op.getCounter().replaceAllUsesWith(
        state[static_cast<size_t>(rt::StateSlot::Counter)]);
    op.getError().replaceAllUsesWith(
        state[static_cast<size_t>(rt::StateSlot::Error)]);
    op.erase();
    return success();
  }

  void eraseDead() {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  struct Pack {
    SmallVector<Value> parts;
    Value result;
  };

  SlabLayout &layout;
  FunctionSlabs slabs;
  func::FuncOp function;
  OpBuilder b;
  DenseMap<ParameterGroup *, Pack> packs;
};

struct FuseOptimizerPass
    : mpc::amp::impl::FuseOptimizerPassBase<FuseOptimizerPass> {
  using FuseOptimizerPassBase::FuseOptimizerPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> entries = findEntries();
    FailureOr<SlabLayout> built = SlabLayout::build(module, entries);
    if (failed(built))
      return signalPassFailure();
    SlabLayout layout = std::move(*built);
    for (func::FuncOp entry : entries)
      if (failed(EntryRewriter(layout, entry).run()))
        return signalPassFailure();
    if (failed(addInit(layout)))
      return signalPassFailure();
    clean(layout);
    numGroups = layout.parameterGroups().size();
    numSlabs = llvm::range_size(module.getOps<SlabOp>());
  }

private:
  static bool isSource(func::FuncOp function) {
    return function.getName() == "model" || function.getName() == "loss";
  }

  SmallVector<func::FuncOp> findEntries() {
    return llvm::filter_to_vector(
        getOperation().getOps<func::FuncOp>(), [](func::FuncOp function) {
          return function.isPublic() && !function.isDeclaration() &&
                 !isSource(function);
        });
  }

  /// Adds @init, which rounds the parameters to their 16-bit copies.
  LogicalResult addInit(SlabLayout &layout) {
    if (llvm::none_of(layout.parameterGroups(),
                      [](ParameterGroup &g) { return g.lowSlab != nullptr; }))
      return success();
    if (Operation *other = getOperation().lookupSymbol("init"))
      return other->emitError("takes the name of the entry that makes 16-bit "
                              "copies");
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    Location loc = getOperation().getLoc();
    auto init = func::FuncOp::create(b, loc, "init", b.getFunctionType({}, {}));
    b.setInsertionPointToStart(init.addEntryBlock());
    b.setInsertionPoint(func::ReturnOp::create(b, loc));
    FunctionSlabs slabs(init);
    for (ParameterGroup &group : layout.parameterGroups())
      if (group.lowSlab)
        slabs.set(group.lowSlab,
                  nn::CastOp::create(b, loc, group.lowSlab.getType(),
                                     slabs.get(group.slab)));
    slabs.finish();
    return success();
  }

  /// Erases what the entries no longer need.
  void clean(SlabLayout &layout) {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> sources =
        llvm::filter_to_vector(module.getOps<func::FuncOp>(), isSource);
    for (func::FuncOp source : sources)
      if (SymbolTable::symbolKnownUseEmpty(source, module))
        source.erase();
    if (layout.scaler)
      layout.scaler.erase();
    if (layout.optimizer)
      layout.optimizer.erase();
  }
};

} // namespace
