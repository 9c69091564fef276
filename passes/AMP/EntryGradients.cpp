// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of an entry: packed by groups, checked, transformed, accumulated.
#include "passes/AMP/EntryRewriter.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Gradient.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

Value EntryRewriter::pack(ParameterGroup &group,
                          ArrayRef<GradientChain> chains) {
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

Value EntryRewriter::slabOf(ParameterGroup &group, ArrayRef<Value> parts) {
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

Value EntryRewriter::packAlike(ParameterGroup &group,
                               SmallVector<Value> parts) {
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

Value EntryRewriter::blocksOf(Value slab) {
  auto type = cast<RankedTensorType>(slab.getType());
  return view(
      slab, 0,
      RankedTensorType::get({type.getNumElements() / kBlockSize, kBlockSize},
                            type.getElementType()));
}

Value EntryRewriter::flatten(Value blocks) {
  auto type = cast<RankedTensorType>(blocks.getType());
  return view(
      blocks, 0,
      RankedTensorType::get({type.getNumElements()}, type.getElementType()));
}

Value EntryRewriter::emitMaps(ParameterGroup &group, const GradientChain &chain,
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

Value EntryRewriter::emitMapsFlat(ParameterGroup &group,
                                  const GradientChain &chain, Value slab) {
  if (llvm::any_of(chain.maps, llvm::IsaPred<ClipEachOp, LarcOp>))
    return flatten(emitMaps(group, chain, blocksOf(slab)));
  return emitMaps(group, chain, slab);
}

Value EntryRewriter::squareSums(Value blocks) {
  auto type = cast<RankedTensorType>(blocks.getType());
  return SquareSumsOp::create(
      b, loc(), RankedTensorType::get(type.getDimSize(0), b.getF64Type()),
      blocks);
}

Value EntryRewriter::normsOf(ParameterGroup &group, Value blocks) {
  int64_t count = group.offsets.size();
  return SegmentNormsOp::create(b, loc(),
                                RankedTensorType::get(count, b.getF64Type()),
                                squareSums(blocks), group.blocks());
}

Value EntryRewriter::emitWholeMap(ParameterGroup &group, Operation *op,
                                  Value slab) {
  if (auto penalty = dyn_cast<RegularizeOp>(op))
    return regularize(group, penalty, slab);
  if (auto larc = dyn_cast<LarcOp>(op))
    return emitLarc(group, larc, slab);
  Value &factors = segmentFactors[{&group, op}];
  if (!factors)
    factors = emitFactors(group, cast<ClipEachOp>(op), slab);
  Value wide = nn::GradientBuilder(b, op->getLoc()).cast(slab, b.getF32Type());
  return ScaleSegmentsOp::create(b, op->getLoc(), wide, factors,
                                 group.blocks());
}

Value EntryRewriter::emitFactors(ParameterGroup &group, ClipEachOp op,
                                 Value blocks) {
  Value norms = normsOf(group, blocks);
  auto type = cast<RankedTensorType>(norms.getType());
  return ClipCoefficientOp::create(b, op.getLoc(), type.clone(b.getF32Type()),
                                   norms, op.getMax(), Value(), op.getKeras());
}

Value EntryRewriter::emitLarc(ParameterGroup &group, LarcOp op, Value blocks) {
  nn::GradientBuilder g(b, op.getLoc());
  LarcFactors &factors = larcFactors[{&group, op}];
  if (!factors.rates)
    factors = emitLarcFactors(group, op, blocks);
  Value wide = g.cast(blocks, b.getF32Type());
  if (factors.decays) {
    Value weights = g.cast(blocksOf(parametersOf(group, op.getParameters())),
                           b.getF32Type());
    wide = g.add(wide, ScaleSegmentsOp::create(b, op.getLoc(), weights,
                                               factors.decays, group.blocks()));
  }
  return ScaleSegmentsOp::create(b, op.getLoc(), wide, factors.rates,
                                 group.blocks());
}

EntryRewriter::LarcFactors
EntryRewriter::emitLarcFactors(ParameterGroup &group, LarcOp op, Value blocks) {
  Value parameters =
      normsOf(group, blocksOf(parametersOf(group, op.getParameters())));
  Value gradients = normsOf(group, blocks);
  auto type = cast<RankedTensorType>(parameters.getType());
  Type factorType = type.clone(b.getF32Type());
  Value decay = op.getWeightDecay();
  if (decay && !group.decay)
    decay = nn::GradientBuilder(b, op.getLoc()).splat(decay, 0.0);
  LarcFactors factors;
  factors.rates = LarcRateOp::create(b, op.getLoc(), factorType, parameters,
                                     gradients, op.getEta(), op.getEps(),
                                     op.getMinUpdate(), decay, op.getLr());
  if (decay && group.decay)
    factors.decays = LarcDecayOp::create(b, op.getLoc(), factorType, parameters,
                                         gradients, decay);
  return factors;
}

Value EntryRewriter::regularize(ParameterGroup &group, RegularizeOp op,
                                Value gradient) {
  if (!group.decay)
    return gradient;
  auto type = cast<RankedTensorType>(gradient.getType());
  Value parameter = parametersOf(group, op.getParameters());
  if (type.getRank() == 2)
    parameter = blocksOf(parameter);
  return AddPenaltyOp::create(b, op.getLoc(), type.clone(b.getF32Type()),
                              gradient, parameter, op.getL1(), op.getL2());
}

bool EntryRewriter::sameMaps(const GradientChain &a, const GradientChain &b) {
  return llvm::equal(a.maps, b.maps, [](Operation *x, Operation *y) {
    if (takesAllGradients(x))
      return x == y;
    return x->getName() == y->getName() &&
           x->getAttrDictionary() == y->getAttrDictionary() &&
           x->getOperands().drop_front() == y->getOperands().drop_front();
  });
}

void EntryRewriter::expand(Operation *op) {
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
    larcFactors.erase({&group, op});
    Value slab = nn::GradientBuilder(b, op->getLoc())
                     .cast(flatten(blocks), b.getF32Type());
    for (auto [index, offset] : llvm::zip_equal(group.order, group.offsets))
      results[index] = view(
          slab, offset, cast<RankedTensorType>(op->getResult(index).getType()));
  }
}

ParameterGroup EntryRewriter::placesOf(Operation *op, bool decay) {
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

Value EntryRewriter::parametersOf(ParameterGroup &group, ArrayAttr symbols) {
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

SmallVector<GradientChain> EntryRewriter::chainsOf(ValueRange gradients) {
  SmallVector<GradientChain> chains =
      llvm::map_to_vector(gradients, getGradientChain);
  if (llvm::all_of(chains, [&](const GradientChain &chain) {
        return sameMaps(chain, chains.front());
      }))
    return chains;
  return asTheyAre(gradients);
}

SmallVector<GradientChain> EntryRewriter::asTheyAre(ValueRange gradients) {
  return llvm::map_to_vector(
      gradients, [](Value gradient) { return GradientChain{gradient, {}}; });
}

ParameterGroup &EntryRewriter::groupOf(ValueRange gradients) {
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

SmallVector<Value>
EntryRewriter::reduceBlocks(Operation *op, ValueRange gradients,
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

LogicalResult EntryRewriter::rewrite(CheckOp op) {
  SmallVector<Value> sums = reduceBlocks(
      op, op.getGradients(), [&](Value blocks) { return squareSums(blocks); });
  op.replaceAllUsesWith(CombineCheckOp::create(b, op.getLoc(), sums));
  op.erase();
  return success();
}

LogicalResult EntryRewriter::rewrite(MaxAbsOp op) {
  SmallVector<Value> parts =
      reduceBlocks(op, op.getGradients(), [&](Value blocks) {
        int64_t rows = cast<RankedTensorType>(blocks.getType()).getDimSize(0);
        return BlockMaxAbsOp::create(
                   b, op.getLoc(), RankedTensorType::get(rows, b.getF32Type()),
                   blocks)
            .getResult();
      });
  op.replaceAllUsesWith(
      CombineMaxAbsOp::create(b, op.getLoc(), parts).getResult());
  op.erase();
  return success();
}

LogicalResult EntryRewriter::rewrite(AccumulateOp op) {
  SmallVector<GradientChain> chains = chainsOf(op.getGradients());
  for (ParameterGroup *group :
       layout.groupsOf(*layout.optimizerOf(op.getParameters()))) {
    Value gradient = emitMapsFlat(*group, chains.front(), pack(*group, chains));
    Value sum = slabs.get(group->gradientSlab);
    slabs.set(group->gradientSlab,
              AddGradientOp::create(b, op.getLoc(), gradient, sum));
  }
  op.erase();
  return success();
}

LogicalResult EntryRewriter::rewrite(TakeGradientsOp op) {
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
