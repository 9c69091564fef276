// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-fuse-optimizer: puts the state into slabs and the optimizer on them.
#include "passes/AMP/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Gradient.h"
#include "passes/AMP/CustomRule.h"
#include "passes/AMP/ExposeCasts.h"
#include "passes/AMP/PolicyEmitter.h"
#include "passes/AMP/SlabLayout.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <deque>

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
    findOptimizers();
    for (Operation &op :
         llvm::make_early_inc_range(function.getBody().front())) {
      b.setInsertionPoint(&op);
      if (takesAllGradients(&op))
        expand(&op);
      LogicalResult result =
          TypeSwitch<Operation *, LogicalResult>(&op)
              .Case<nn::GetOp, GetScaleOp, GetHyperOp, CheckOp, MaxAbsOp,
                    AccumulateOp, TakeGradientsOp, ApplyOp, AssignOp,
                    UpdateScaleOp>([&](auto typed) { return rewrite(typed); })
              .Case([](func::CallOp call) {
                return call.emitOpError("has no place in an entry; nn.vjp "
                                        "calls a function, with or without "
                                        "gradients");
              })
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
  /// Whose gradients a check looks at: those that an optimizer takes in this
  /// entry. Before ops are rewritten, because chains are followed then.
  void findOptimizers() {
    SmallVector<std::pair<OptimizerState *, SmallVector<Value>>> taken;
    auto rawsOf = [](ValueRange gradients) {
      return llvm::map_to_vector(
          gradients, [](Value g) { return getGradientChain(g).raw; });
    };
    for (Operation &op : function.getBody().front()) {
      if (auto apply = dyn_cast<ApplyOp>(op))
        taken.push_back({&layout.optimizer(apply.getOptimizerAttr().getAttr()),
                         rawsOf(apply.getGradients())});
      else if (auto sum = dyn_cast<AccumulateOp>(op))
        taken.push_back({layout.optimizerOf(sum.getParameters()),
                         rawsOf(sum.getGradients())});
    }
    for (Operation &op : function.getBody().front()) {
      if (!isa<CheckOp, MaxAbsOp>(op))
        continue;
      SmallVector<Value> raws = rawsOf(op.getOperands());
      for (auto &[optimizer, gradients] : taken)
        if (gradients == raws)
          optimizerOf.try_emplace(&op, optimizer);
    }
  }

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
    Value scale = element(layout.scaler(op.getScalerAttr().getAttr()).slab,
                          static_cast<int64_t>(rt::StateSlot::Scale));
    Type type = getElementTypeOrSelf(op.getType());
    op.replaceAllUsesWith(
        nn::GradientBuilder(b, op.getLoc()).cast(scale, type));
    op.erase();
    return success();
  }

  LogicalResult rewrite(GetHyperOp op) {
    op.replaceAllUsesWith(
        hyperOf(op.getOptimizerAttr().getAttr(), op.getHyper()));
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
    if (Value slab = slabOf(group, parts))
      return slab;
    auto [it, isNew] = packs.try_emplace(&group);
    if (isNew || it->second.parts != parts)
      it->second = {parts, packAlike(group, parts)};
    return it->second.result;
  }

  /// The accumulated gradients that `parts` are read from, where they are laid
  /// out as `group` is.
  Value slabOf(ParameterGroup &group, ArrayRef<Value> parts) {
    Value slab;
    for (auto [part, offset] : llvm::zip_equal(parts, group.offsets)) {
      auto view = part.getDefiningOp<kernel::ViewOp>();
      if (!view || static_cast<int64_t>(view.getOffset()) != offset ||
          (slab && slab != view.getSource()))
        return {};
      slab = view.getSource();
    }
    auto type = cast<RankedTensorType>(slab.getType());
    return taken.contains(slab) && type.getDimSize(0) == group.size ? slab
                                                                    : Value();
  }

  /// In the type that all have, else in f32.
  Value packAlike(ParameterGroup &group, SmallVector<Value> parts) {
    Type type = getElementTypeOrSelf(parts.front());
    if (!llvm::all_of(parts, [&](Value part) {
          return getElementTypeOrSelf(part) == type;
        })) {
      type = b.getF32Type();
      for (Value &part : parts)
        part = nn::GradientBuilder(b, loc()).cast(part, type);
    }
    return kernel::PackOp::create(b, loc(),
                                  RankedTensorType::get({group.size}, type),
                                  parts, group.offsets);
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
    int64_t count = group.offsets.size();
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
    Value parameters =
        normsOf(group, blocksOf(parametersOf(group, op.getParameters())));
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
    Value parameter = parametersOf(group, op.getParameters());
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

  /// Computes an op on all gradients where it stands, each result a part of a
  /// slab. It is dropped again where updates and checks take the op in.
  void expand(Operation *op) {
    SmallVector<Value> &results = expansions[op];
    results.resize(op->getNumResults());
    for (bool decay : {true, false}) {
      ParameterGroup group = placesOf(op, decay);
      if (group.offsets.empty())
        continue;
      SmallVector<Value> parts = llvm::map_to_vector(
          group.order, [&](unsigned index) { return op->getOperand(index); });
      Value blocks = emitWholeMap(group, op, blocksOf(packAlike(group, parts)));
      segmentFactors.erase({&group, op}); // The group ends here.
      Value slab = nn::GradientBuilder(b, op->getLoc())
                       .cast(flatten(blocks), b.getF32Type());
      for (auto [index, offset] : llvm::zip_equal(group.order, group.offsets))
        results[index] =
            view(slab, offset,
                 cast<RankedTensorType>(op->getResult(index).getType()));
    }
  }

  /// Places for those of an op's gradients whose parameters see decay, or not.
  ParameterGroup placesOf(Operation *op, bool decay) {
    auto parameters = op->getAttrOfType<ArrayAttr>("parameters");
    auto noDecay = op->getAttrOfType<ArrayAttr>("no_decay");
    ParameterGroup group;
    group.decay = decay;
    for (unsigned index = 0; index != op->getNumResults(); ++index) {
      if (decay == (noDecay && llvm::is_contained(noDecay, parameters[index])))
        continue;
      auto type = cast<RankedTensorType>(op->getResult(index).getType());
      group.place(type.getNumElements(), layout.tensorAlignment());
      group.order.push_back(index);
    }
    return group;
  }

  /// What lies beside the gradients of `group`, where `symbols` are those of
  /// all gradients.
  Value parametersOf(ParameterGroup &group, ArrayAttr symbols) {
    if (group.slab)
      return slabs.get(group.slab);
    SmallVector<Value> parts;
    for (unsigned index : group.order) {
      auto symbol = cast<FlatSymbolRefAttr>(symbols[index]);
      auto [owner, offset] = layout.lookup(symbol.getAttr());
      auto place = llvm::find_if(owner->parameters, [&](nn::ParameterOp p) {
        return p.getSymNameAttr() == symbol.getAttr();
      });
      parts.push_back(view(slabs.get(owner->slab), offset,
                           cast<RankedTensorType>((*place).getType())));
    }
    return packAlike(group, parts);
  }

  /// What is done to every gradient. Where it is not the same to all of them,
  /// each counts as it is.
  static SmallVector<GradientChain> chainsOf(ValueRange gradients) {
    SmallVector<GradientChain> chains =
        llvm::map_to_vector(gradients, getGradientChain);
    if (llvm::all_of(chains, [&](const GradientChain &chain) {
          return sameMaps(chain, chains.front());
        }))
      return chains;
    return asTheyAre(gradients);
  }

  static SmallVector<GradientChain> asTheyAre(ValueRange gradients) {
    return llvm::map_to_vector(
        gradients, [](Value gradient) { return GradientChain{gradient, {}}; });
  }

  /// Places for gradients that no optimizer takes as they are.
  ParameterGroup &groupOf(ValueRange gradients) {
    SmallVector<Value> key(gradients);
    for (auto &[values, group] : ownGroups)
      if (values == key)
        return group;
    ParameterGroup group;
    for (auto [index, gradient] : llvm::enumerate(gradients)) {
      group.place(cast<RankedTensorType>(gradient.getType()).getNumElements(),
                  layout.tensorAlignment());
      group.order.push_back(index);
    }
    return ownGroups.emplace_back(std::move(key), std::move(group)).second;
  }

  /// What `reduce` makes of each group's gradients, by blocks.
  SmallVector<Value> reduceBlocks(Operation *op, ValueRange gradients,
                                  function_ref<Value(Value blocks)> reduce) {
    if (gradients.empty())
      return {};
    SmallVector<GradientChain> chains = chainsOf(gradients);
    SmallVector<ParameterGroup *> groups;
    if (OptimizerState *optimizer = optimizerOf.lookup(op)) {
      groups = layout.groupsOf(*optimizer);
    } else {
      // Without parameters at hand only what needs none is computed anew.
      if (llvm::any_of(chains.front().maps, takesAllGradients))
        chains = asTheyAre(gradients);
      groups.push_back(&groupOf(llvm::map_to_vector(
          chains, [](const GradientChain &chain) { return chain.raw; })));
    }
    SmallVector<Value> results;
    for (ParameterGroup *group : groups)
      results.push_back(reduce(
          emitMaps(*group, chains.front(), blocksOf(pack(*group, chains)))));
    return results;
  }

  LogicalResult rewrite(CheckOp op) {
    SmallVector<Value> sums =
        reduceBlocks(op, op.getGradients(),
                     [&](Value blocks) { return squareSums(blocks); });
    op.replaceAllUsesWith(CombineCheckOp::create(b, op.getLoc(), sums));
    op.erase();
    return success();
  }

  LogicalResult rewrite(MaxAbsOp op) {
    SmallVector<Value> parts =
        reduceBlocks(op, op.getGradients(), [&](Value blocks) {
          int64_t rows = cast<RankedTensorType>(blocks.getType()).getDimSize(0);
          return BlockMaxAbsOp::create(
                     b, op.getLoc(),
                     RankedTensorType::get(rows, b.getF32Type()), blocks)
              .getResult();
        });
    op.replaceAllUsesWith(
        CombineMaxAbsOp::create(b, op.getLoc(), parts).getResult());
    op.erase();
    return success();
  }

  LogicalResult rewrite(AccumulateOp op) {
    SmallVector<GradientChain> chains = chainsOf(op.getGradients());
    for (ParameterGroup *group :
         layout.groupsOf(*layout.optimizerOf(op.getParameters()))) {
      Value gradient =
          emitMapsFlat(*group, chains.front(), pack(*group, chains));
      Value sum = slabs.get(group->gradientSlab);
      slabs.set(group->gradientSlab,
                AddGradientOp::create(b, op.getLoc(), gradient, sum));
    }
    op.erase();
    return success();
  }

  LogicalResult rewrite(TakeGradientsOp op) {
    OptimizerState *optimizer = layout.optimizerOf(op.getParameters());
    if (!optimizer || !optimizer->accumulates)
      return op.emitOpError("takes gradients that nothing accumulates");
    for (auto [symbol, result] :
         llvm::zip_equal(op.getParameters().getAsRange<FlatSymbolRefAttr>(),
                         op.getGradients())) {
      auto [group, offset] = layout.lookup(symbol.getAttr());
      result.replaceAllUsesWith(view(slabs.get(group->gradientSlab), offset,
                                     cast<RankedTensorType>(result.getType())));
    }
    for (ParameterGroup *group : layout.groupsOf(*optimizer)) {
      Value sum = slabs.get(group->gradientSlab);
      taken.insert(sum);
      slabs.set(group->gradientSlab,
                nn::GradientBuilder(b, op.getLoc()).splat(sum, 0.0));
    }
    op.erase();
    return success();
  }

  //===--------------------------------------------------------------------===//
  // State
  //===--------------------------------------------------------------------===//

  /// The f32 scalars of the step; advances the optimizer's scalar state.
  SmallVector<Value> prepare(ApplyOp op, const OptimizerState &optimizer) {
    const Optimizer &rule = *optimizer.rule();
    SmallVector<Value> state, hyper;
    for (size_t i = 0; i != rule.state.size(); ++i)
      state.push_back(element(optimizer.scalars, i));
    for (const NamedNumber &number : rule.hypers)
      hyper.push_back(hyperOf(optimizer.name(), number.name));
    SmallVector<Type> types(state.size(),
                            RankedTensorType::get({}, b.getF64Type()));
    types.append(rule.scalars.size(),
                 RankedTensorType::get({}, b.getF32Type()));
    auto prepared =
        PrepareOp::create(b, op.getLoc(), types, rule.name,
                          cast<OptimizerOp>(optimizer.op).getFlags(),
                          op.getLr(), op.getSkip(), state, hyper);
    setElements(optimizer.scalars,
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
    OptimizerState &optimizer =
        layout.optimizer(op.getOptimizerAttr().getAttr());
    SmallVector<GradientChain> chains = chainsOf(op.getGradients());
    if (!chains.empty() && failed(checkPenalties(op, chains.front())))
      return failure();
    LogicalResult result = success();
    stepsBefore = stepCount(optimizer);
    if (auto custom = dyn_cast<CustomOptimizerOp>(optimizer.op))
      result = applyRule(op, custom, optimizer, chains);
    else
      applyKnown(op, optimizer, chains);
    op.erase();
    return result;
  }

  void applyKnown(ApplyOp op, const OptimizerState &optimizer,
                  ArrayRef<GradientChain> chains) {
    SmallVector<Value> scalars = prepare(op, optimizer);
    for (ParameterGroup *group : layout.groupsOf(optimizer)) {
      update(op, optimizer, *group, chains, scalars);
      average(op, *group);
    }
  }

  /// The optimizer's rule is a function of the module.
  LogicalResult applyRule(ApplyOp op, CustomOptimizerOp custom,
                          OptimizerState &optimizer,
                          ArrayRef<GradientChain> chains) {
    nn::GradientBuilder g(b, op.getLoc());
    Value step = g.add(stepsBefore, g.splat(stepsBefore, 1.0));
    llvm::StringMap<Value> scalars = {{"lr", op.getLr()}, {"step", step}};
    for (const NamedNumber &number : optimizer.hypers())
      scalars[number.name] = hyperOf(optimizer.name(), number.name);
    setElements(optimizer.scalars,
                op.getSkip() ? g.select(op.getSkip(), stepsBefore, step)
                             : step);
    for (ParameterGroup *group : layout.groupsOf(optimizer)) {
      scalars["decay"] = g.splat(op.getLr(), group->decay ? 1.0 : 0.0);
      if (failed(updateByRule(op, custom, *group, chains, scalars)))
        return failure();
    }
    return success();
  }

  LogicalResult updateByRule(ApplyOp op, CustomOptimizerOp custom,
                             ParameterGroup &group,
                             ArrayRef<GradientChain> chains,
                             const llvm::StringMap<Value> &scalars) {
    nn::GradientBuilder g(b, op.getLoc());
    Value gradient = emitMapsFlat(group, chains.front(), pack(group, chains));
    llvm::StringMap<Value> elements = {
        {"parameter", slabs.get(group.slab)},
        {"gradient", g.cast(gradient, b.getF32Type())}};
    llvm::StringMap<SlabOp> targets = {{"parameter", group.slab}};
    for (auto [slot, slab] :
         llvm::zip_equal(custom.getSlots(), group.slotSlabs)) {
      elements[slot.getName()] = slabs.get(slab);
      targets[slot.getName()] = slab;
    }
    auto results = emitCustomRule(b, op, custom, elements, scalars);
    if (failed(results))
      return failure();
    for (auto &[name, value] : *results)
      slabs.set(targets.lookup(name), value);
    roundLow(group);
    return success();
  }

  /// Makes the copy of a group anew from its parameters.
  void roundLow(ParameterGroup &group) {
    if (group.lowSlab)
      slabs.set(group.lowSlab,
                nn::CastOp::create(b, loc(), group.lowSlab.getType(),
                                   slabs.get(group.slab)));
  }

  LogicalResult rewrite(AssignOp op) {
    ParameterGroup &group =
        *layout.lookup(op.getParameterAttr().getAttr()).group;
    nn::GradientBuilder g(b, op.getLoc());
    Value value = op.getValue();
    auto type = cast<RankedTensorType>(value.getType());
    if (op.getSkip())
      value = g.select(g.broadcast(op.getSkip(), {}, type.getShape()),
                       view(slabs.get(group.slab), 0, type), value);
    slabs.set(group.slab, packAlike(group, {value}));
    roundLow(group);
    op.erase();
    return success();
  }

  /// Groups are made by what amp.apply decays.
  LogicalResult checkPenalties(ApplyOp op, const GradientChain &chain) {
    auto holds = [](ArrayAttr symbols, Attribute symbol) {
      return symbols && llvm::is_contained(symbols, symbol);
    };
    for (Operation *map : chain.maps)
      if (auto penalty = dyn_cast<RegularizeOp>(map))
        for (Attribute symbol : op.getParameters())
          if (holds(penalty.getNoDecayAttr(), symbol) !=
              holds(op.getNoDecayAttr(), symbol))
            return penalty.emitOpError("must have the no_decay of amp.apply");
    return success();
  }

  /// How many steps were applied so far.
  Value stepCount(const OptimizerState &optimizer) {
    ArrayRef<NamedNumber> state = optimizer.state();
    auto step = llvm::find_if(
        state, [](const NamedNumber &s) { return s.name == "step"; });
    return element(optimizer.scalars, step - state.begin());
  }

  Value hyperOf(StringAttr optimizer, StringRef name) {
    return element(layout.hyperSlab, layout.hyperIndex(optimizer, name));
  }

  /// Null where the parameters are of f32, which need none.
  Value roundingKey(ApplyOp op, ParameterGroup &group) {
    if (!group.elementType.isBF16())
      return {};
    auto salt = static_cast<int32_t>(&group - layout.parameterGroups().data());
    return RoundingKeyOp::create(
        b, op.getLoc(),
        hyperOf(op.getOptimizerAttr().getAttr(), "rounding_seed"), stepsBefore,
        salt);
  }

  /// Moves the average towards the parameters that the step has come to.
  void average(ApplyOp op, ParameterGroup &group) {
    if (!group.averageSlab)
      return;
    Value weight = AverageWeightOp::create(
        b, op.getLoc(), hyperOf(op.getOptimizerAttr().getAttr(), "ema_decay"),
        stepsBefore);
    slabs.set(group.averageSlab,
              AverageOp::create(b, op.getLoc(), slabs.get(group.slab), weight,
                                slabs.get(group.averageSlab), op.getSkip()));
  }

  void update(ApplyOp op, const OptimizerState &optimizer,
              ParameterGroup &group, ArrayRef<GradientChain> chains,
              ValueRange scalars) {
    const Optimizer &rule = *optimizer.rule();
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
        b, op.getLoc(), types, rule.name,
        cast<OptimizerOp>(optimizer.op).getFlags(), group.decay, gradient,
        op.getSkip(), rule.trustRatio ? Value() : roundingKey(op, group),
        scalars, old.front(), slots, lowSlab ? old.back() : Value());
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
    const ScalerState &scaler = layout.scaler(op.getScalerAttr().getAttr());
    PolicyOperands operands;
    for (size_t i = 0; i != rt::kNumStateSlots; ++i)
      operands.state[i] = element(scaler.slab, i);
    for (size_t i = 0; i != rt::kNumSettings; ++i) {
      auto setting = static_cast<rt::Setting>(i);
      // The initial scale is read when the state is made.
      if (setting != rt::Setting::InitScale &&
          rt::policyInfo(scaler.policy).reads(setting))
        operands.settings[i] =
            element(layout.hyperSlab,
                    layout.hyperIndex(op.getScalerAttr().getAttr(),
                                      StringRef(rt::settingKey(setting))));
    }
    operands.found = op.getFound();
    operands.maxAbs = op.getMaxAbs();
    auto state = buildPolicyStep(b, op.getLoc(), scaler.policy, operands);
    if (op.getSkip())
      for (auto [next, old] : llvm::zip_equal(state, operands.state))
        next =
            nn::GradientBuilder(b, op.getLoc()).select(op.getSkip(), old, next);
    setElements(scaler.slab, ValueRange(state));
    op.getCounter().replaceAllUsesWith(
        state[static_cast<size_t>(rt::StateSlot::Counter)]);
    op.getError().replaceAllUsesWith(
        state[static_cast<size_t>(rt::StateSlot::Error)]);
    op.erase();
    return success();
  }

  /// Backwards, so that what only dead ops use is dead too.
  void eraseDead() {
    for (Operation &op : llvm::make_early_inc_range(
             llvm::reverse(function.getBody().front()))) {
      if (takesAllGradients(&op) && !op.use_empty())
        op.replaceAllUsesWith(expansions.at(&op));
      if (isOpTriviallyDead(&op))
        op.erase();
    }
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
  DenseSet<Value> taken; ///< Slabs of accumulated gradients.
  /// Groups of gradients that are no optimizer's, in places that stay.
  std::deque<std::pair<SmallVector<Value>, ParameterGroup>> ownGroups;
  DenseMap<Operation *, OptimizerState *> optimizerOf; ///< Of a check.
  /// Of ops that scale each tensor of a group by a factor of its own.
  DenseMap<std::pair<ParameterGroup *, Operation *>, Value> segmentFactors;
  /// What ops on all gradients yield, for users that are in no chain.
  DenseMap<Operation *, SmallVector<Value>> expansions;
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
    clean();
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
  void clean() {
    ModuleOp module = getOperation();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<ScalerOp, OptimizerOp, CustomOptimizerOp>(op))
        op.erase();
    SmallVector<func::FuncOp> sources = llvm::filter_to_vector(
        module.getOps<func::FuncOp>(), [](func::FuncOp function) {
          return isSource(function) || function.isPrivate();
        });
    for (func::FuncOp source : sources)
      if (SymbolTable::symbolKnownUseEmpty(source, module))
        source.erase();
  }
};

} // namespace
