// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-fuse-optimizer: puts the state into slabs and the optimizer on them.
#include "passes/AMP/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Gradient.h"
#include "passes/AMP/ExposeCasts.h"
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
                    AccumulateOp, TakeGradientsOp, ApplyOp, UpdateScaleOp>(
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
    DenseSet<Operation *> replaced;
    for (Operation *user : op->getUsers()) {
      auto cast = dyn_cast<nn::CastOp>(user);
      if (!cast || !group->lowType ||
          getElementTypeOrSelf(cast.getType()) != group->lowType)
        continue;
      cast.replaceAllUsesWith(
          view(slabs.get(group->lowSlab), offset, type.clone(group->lowType)));
      replaced.insert(cast);
    }
    auto remains = [&](OpOperand &use) {
      return !replaced.contains(use.getOwner());
    };
    if (llvm::any_of(op->getUses(), remains))
      op.getOutput().replaceUsesWithIf(
          view(slabs.get(group->slab), offset, type), remains);
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
    if (parts.front().getDefiningOp<TakeGradientsOp>())
      return taken.lookup(&group);
    auto [it, isNew] = packs.try_emplace(&group);
    if (isNew || it->second.parts != parts) {
      auto type = RankedTensorType::get({group.size}, group.gradientType);
      it->second = {
          parts, kernel::PackOp::create(b, loc(), type, parts, group.offsets)};
    }
    return it->second.result;
  }

  /// A slab, one block a row.
  Value blocksOf(Value slab) {
    auto type = cast<RankedTensorType>(slab.getType());
    return view(
        slab, 0,
        RankedTensorType::get({type.getNumElements() / kBlockSize, kBlockSize},
                              type.getElementType()));
  }
  Value flatten(Value blocks) {
    auto type = cast<RankedTensorType>(blocks.getType());
    return view(
        blocks, 0,
        RankedTensorType::get({type.getNumElements()}, type.getElementType()));
  }

  /// The chain's ops anew, on a slab by blocks.
  Value emitMaps(ParameterGroup &group, const GradientChain &chain,
                 Value blocks) {
    for (Operation *map : chain.maps) {
      if (takesAllGradients(map)) {
        blocks = emitWholeMap(group, map, blocks);
        continue;
      }
      auto type = cast<RankedTensorType>(blocks.getType());
      Operation *clone = b.clone(*map);
      clone->setOperand(0, blocks);
      clone->getResult(0).setType(type.clone(b.getF32Type()));
      blocks = clone->getResult(0);
    }
    return blocks;
  }

  /// The same on a slab as it is, so that the maps can join an update.
  Value emitMapsFlat(ParameterGroup &group, const GradientChain &chain,
                     Value slab) {
    if (llvm::any_of(chain.maps, llvm::IsaPred<ClipEachOp, LarcOp>))
      return flatten(emitMaps(group, chain, blocksOf(slab)));
    return emitMaps(group, chain, slab);
  }

  Value squareSums(Value blocks) {
    auto type = cast<RankedTensorType>(blocks.getType());
    return SquareSumsOp::create(
        b, loc(), RankedTensorType::get(type.getDimSize(0), b.getF64Type()),
        blocks);
  }

  /// The norm of each tensor of a slab.
  Value normsOf(ParameterGroup &group, Value blocks) {
    int64_t count = group.parameters.size();
    return SegmentNormsOp::create(b, loc(),
                                  RankedTensorType::get(count, b.getF64Type()),
                                  squareSums(blocks), group.blocks());
  }

  /// What `op`, which takes all gradients, makes of those of one group.
  Value emitWholeMap(ParameterGroup &group, Operation *op, Value slab) {
    if (auto penalty = dyn_cast<RegularizeOp>(op))
      return regularize(group, penalty, slab);
    Value &factors = segmentFactors[{&group, op}];
    if (!factors)
      factors = TypeSwitch<Operation *, Value>(op).Case<ClipEachOp, LarcOp>(
          [&](auto each) { return emitFactors(group, each, slab); });
    Value wide =
        nn::GradientBuilder(b, op->getLoc()).cast(slab, b.getF32Type());
    return ScaleSegmentsOp::create(b, op->getLoc(), wide, factors,
                                   group.blocks());
  }

  Value emitFactors(ParameterGroup &group, ClipEachOp op, Value blocks) {
    Value norms = normsOf(group, blocks);
    auto type = cast<RankedTensorType>(norms.getType());
    return ClipCoefficientOp::create(b, op.getLoc(), type.clone(b.getF32Type()),
                                     norms, op.getMax(), Value(),
                                     op.getKeras());
  }

  Value emitFactors(ParameterGroup &group, LarcOp op, Value blocks) {
    Value parameters = normsOf(group, blocksOf(slabs.get(group.slab)));
    auto type = cast<RankedTensorType>(parameters.getType());
    return LarcRateOp::create(b, op.getLoc(), type.clone(b.getF32Type()),
                              parameters, normsOf(group, blocks), op.getEta(),
                              op.getMinUpdate(), op.getEps(), op.getLr());
  }

  /// `gradient` is a slab as it is, or by blocks.
  Value regularize(ParameterGroup &group, RegularizeOp op, Value gradient) {
    if (!group.decay)
      return gradient;
    auto type = cast<RankedTensorType>(gradient.getType());
    Value parameter = slabs.get(group.slab);
    if (type.getRank() == 2)
      parameter = blocksOf(parameter);
    return AddPenaltyOp::create(b, op.getLoc(), type.clone(b.getF32Type()),
                                gradient, parameter, op.getL1(), op.getL2());
  }

  static bool sameMaps(const GradientChain &a, const GradientChain &b) {
    return llvm::equal(a.maps, b.maps, [](Operation *x, Operation *y) {
      if (takesAllGradients(x))
        return x == y;
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

  /// What `reduce` makes of each trained group's gradients, by blocks.
  FailureOr<SmallVector<Value>>
  reduceBlocks(Operation *op, ValueRange gradients,
               function_ref<Value(Value blocks)> reduce) {
    auto chains = chainsOf(op, gradients);
    if (failed(chains))
      return failure();
    SmallVector<Value> results;
    for (ParameterGroup &group : layout.parameterGroups())
      if (group.isTrained())
        results.push_back(reduce(
            emitMaps(group, chains->front(), blocksOf(pack(group, *chains)))));
    return results;
  }

  LogicalResult rewrite(CheckOp op) {
    auto sums = reduceBlocks(op, op.getGradients(),
                             [&](Value blocks) { return squareSums(blocks); });
    if (failed(sums))
      return failure();
    op.replaceAllUsesWith(CombineCheckOp::create(b, op.getLoc(), *sums));
    op.erase();
    return success();
  }

  LogicalResult rewrite(MaxAbsOp op) {
    auto parts = reduceBlocks(op, op.getGradients(), [&](Value blocks) {
      int64_t rows = cast<RankedTensorType>(blocks.getType()).getDimSize(0);
      return BlockMaxAbsOp::create(b, op.getLoc(),
                                   RankedTensorType::get(rows, b.getF32Type()),
                                   blocks)
          .getResult();
    });
    if (failed(parts))
      return failure();
    op.replaceAllUsesWith(
        CombineMaxAbsOp::create(b, op.getLoc(), *parts).getResult());
    op.erase();
    return success();
  }

  LogicalResult rewrite(AccumulateOp op) {
    auto chains = chainsOf(op, op.getGradients());
    if (failed(chains))
      return failure();
    for (ParameterGroup &group : layout.parameterGroups()) {
      if (!group.isTrained())
        continue;
      Value gradient =
          emitMapsFlat(group, chains->front(), pack(group, *chains));
      Value sum = slabs.get(group.gradientSlab);
      slabs.set(group.gradientSlab,
                AddGradientOp::create(b, op.getLoc(), gradient, sum));
    }
    op.erase();
    return success();
  }

  LogicalResult rewrite(TakeGradientsOp op) {
    if (!layout.accumulate)
      return op.emitOpError("takes gradients that nothing accumulates");
    for (ParameterGroup &group : layout.parameterGroups()) {
      if (!group.isTrained())
        continue;
      taken[&group] = slabs.get(group.gradientSlab);
      slabs.set(group.gradientSlab,
                nn::GradientBuilder(b, op.getLoc()).splat(taken[&group], 0.0));
    }
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
    if (failed(chains) || failed(checkPenalties(op, chains->front())))
      return failure();
    const Optimizer &rule = *findOptimizer(layout.optimizer.getKind());
    stepsBefore = stepCount(rule);
    SmallVector<Value> scalars = prepare(op, rule);
    for (ParameterGroup &group : layout.parameterGroups()) {
      if (!group.isTrained())
        continue;
      update(op, rule, group, *chains, scalars);
      average(op, group);
    }
    op.erase();
    return success();
  }

  /// Groups are made by what amp.apply decays.
  LogicalResult checkPenalties(ApplyOp op, const GradientChain &chain) {
    for (Operation *map : chain.maps)
      if (auto penalty = dyn_cast<RegularizeOp>(map);
          penalty && penalty.getNoDecayAttr() != op.getNoDecayAttr())
        return penalty.emitOpError("must have the no_decay of amp.apply");
    return success();
  }

  /// How many steps were applied so far.
  Value stepCount(const Optimizer &rule) {
    auto step = llvm::find_if(
        rule.state, [](const NamedNumber &s) { return s.name == "step"; });
    return element(layout.optimizerSlab, step - rule.state.begin());
  }

  Value commonHyper(StringRef name) {
    return element(layout.hyperSlab, layout.hyperIndex(name));
  }

  /// Null where the parameters are of f32, which need none.
  Value roundingKey(ApplyOp op, ParameterGroup &group) {
    if (!group.elementType.isBF16())
      return {};
    auto salt = static_cast<int32_t>(&group - layout.parameterGroups().data());
    return RoundingKeyOp::create(b, op.getLoc(), commonHyper("rounding_seed"),
                                 stepsBefore, salt);
  }

  /// Moves the average towards the parameters that the step has come to.
  void average(ApplyOp op, ParameterGroup &group) {
    if (!group.averageSlab)
      return;
    Value weight = AverageWeightOp::create(
        b, op.getLoc(), commonHyper("ema_decay"), stepsBefore);
    slabs.set(group.averageSlab,
              AverageOp::create(b, op.getLoc(), slabs.get(group.slab), weight,
                                slabs.get(group.averageSlab), op.getSkip()));
  }

  void update(ApplyOp op, const Optimizer &rule, ParameterGroup &group,
              ArrayRef<GradientChain> chains, ValueRange scalars) {
    Value gradient = emitMapsFlat(group, chains.front(), pack(group, chains));
    SmallVector<SlabOp> changed = {group.slab};
    llvm::append_range(changed, group.slotSlabs);
    // A direction has no copy: that is made when the parameters move.
    SlabOp lowSlab = rule.trustRatio ? SlabOp() : group.lowSlab;
    if (lowSlab)
      changed.push_back(lowSlab);
    SmallVector<Value> old =
        llvm::map_to_vector(changed, [&](SlabOp s) { return slabs.get(s); });
    SmallVector<Type> types =
        llvm::map_to_vector(old, [](Value v) { return v.getType(); });
    if (rule.trustRatio)
      types.front() = RankedTensorType::get({group.size}, b.getF32Type());
    ValueRange slots = ValueRange(old).slice(1, group.slotSlabs.size());
    auto updated = UpdateOp::create(
        b, op.getLoc(), types, rule.name, layout.optimizer.getFlags(),
        group.decay, gradient, op.getSkip(),
        rule.trustRatio ? Value() : roundingKey(op, group), scalars,
        old.front(), slots, lowSlab ? old.back() : Value());
    for (auto [slab, value] : llvm::zip(changed, updated.getOutputs()))
      if (slab != group.slab || !rule.trustRatio)
        slabs.set(slab, value);
    if (rule.trustRatio)
      descend(op, group, updated.getOutputs().front());
  }

  /// Moves a group against its direction, by the trust ratio of each tensor.
  void descend(ApplyOp op, ParameterGroup &group, Value direction) {
    Value parameter = slabs.get(group.slab);
    Value blocks = blocksOf(direction);
    Value norms = normsOf(group, blocksOf(parameter));
    auto type = cast<RankedTensorType>(norms.getType());
    Value ratio =
        TrustRatioOp::create(b, op.getLoc(), type.clone(b.getF32Type()), norms,
                             normsOf(group, blocks));
    Value scaled = flatten(
        ScaleSegmentsOp::create(b, op.getLoc(), blocks, ratio, group.blocks()));
    SmallVector<Type> types = {parameter.getType()};
    Value low = group.lowSlab ? slabs.get(group.lowSlab) : Value();
    if (low)
      types.push_back(low.getType());
    auto moved =
        DescendOp::create(b, op.getLoc(), types, scaled, op.getLr(),
                          op.getSkip(), roundingKey(op, group), parameter, low);
    slabs.set(group.slab, moved.getOutputs().front());
    if (low)
      slabs.set(group.lowSlab, moved.getOutputs().back());
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
      if (isOpTriviallyDead(&op) ||
          (isa<TakeGradientsOp>(op) && op.use_empty()))
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
  DenseMap<ParameterGroup *, Value> taken; ///< Accumulated gradients.
  /// Of ops that scale each tensor of a group by a factor of its own.
  DenseMap<std::pair<ParameterGroup *, Operation *>, Value> segmentFactors;
  Value stepsBefore; ///< How many steps were applied before this one.
};

struct FuseOptimizerPass
    : mpc::amp::impl::FuseOptimizerPassBase<FuseOptimizerPass> {
  using FuseOptimizerPassBase::FuseOptimizerPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> entries = findEntries();
    for (func::FuncOp entry : entries)
      exposeCasts(entry);
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
