// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Rewrites the ops of an entry that name state to ops on slabs.
#ifndef MPC_PASSES_AMP_ENTRYREWRITER_H
#define MPC_PASSES_AMP_ENTRYREWRITER_H

#include "passes/AMP/ExposeCasts.h"
#include "passes/AMP/FunctionSlabs.h"
#include "passes/AMP/SlabLayout.h"

#include <deque>

namespace mpc::amp {

/// Rewrites one entry from named state to slabs, in program order.
class EntryRewriter {
public:
  EntryRewriter(SlabLayout &layout, mlir::func::FuncOp function)
      : layout(layout), slabs(function), function(function),
        b(function.getContext()) {}
  mlir::LogicalResult run();

private:
  /// What LARC makes of the norms of each tensor of a group.
  struct LarcFactors {
    mlir::Value rates;
    mlir::Value decays; ///< Null where none is taken in.
  };

  /// Whose gradients a check looks at: those that an optimizer takes in this
  /// entry. Before ops are rewritten, because chains are followed then.
  void findOptimizers();
  mlir::Value view(mlir::Value slab, int64_t offset,
                   mlir::RankedTensorType type);
  /// Element `index` of a slab of f64.
  mlir::Value element(SlabOp slab, int64_t index);
  mlir::Location loc() { return b.getInsertionPoint()->getLoc(); }
  mlir::LogicalResult rewrite(nn::GetOp op);
  mlir::LogicalResult rewrite(GetScaleOp op);
  mlir::LogicalResult rewrite(GetHyperOp op);

  // Gradients: EntryGradients.cpp.
  /// The gradients of `group`, as they arrive, in one tensor.
  mlir::Value pack(ParameterGroup &group, mlir::ArrayRef<GradientChain> chains);
  /// The accumulated gradients that `parts` are read from, where they are laid
  /// out as `group` is.
  mlir::Value slabOf(ParameterGroup &group, mlir::ArrayRef<mlir::Value> parts);
  /// In the type that all have, else in f32.
  mlir::Value packAlike(ParameterGroup &group,
                        mlir::SmallVector<mlir::Value> parts);
  /// A slab, one block a row.
  mlir::Value blocksOf(mlir::Value slab);
  mlir::Value flatten(mlir::Value blocks);
  /// The chain's ops anew, on a slab by blocks.
  mlir::Value emitMaps(ParameterGroup &group, const GradientChain &chain,
                       mlir::Value blocks);
  /// The same on a slab as it is, so that the maps can join an update.
  mlir::Value emitMapsFlat(ParameterGroup &group, const GradientChain &chain,
                           mlir::Value slab);
  mlir::Value squareSums(mlir::Value blocks);
  /// The norm of each tensor of a slab.
  mlir::Value normsOf(ParameterGroup &group, mlir::Value blocks);
  /// What `op`, which takes all gradients, makes of those of one group.
  mlir::Value emitWholeMap(ParameterGroup &group, mlir::Operation *op,
                           mlir::Value slab);
  mlir::Value emitFactors(ParameterGroup &group, ClipEachOp op,
                          mlir::Value blocks);
  /// Each tensor of a group by blocks, by what LARC makes of its norms.
  mlir::Value emitLarc(ParameterGroup &group, LarcOp op, mlir::Value blocks);
  LarcFactors emitLarcFactors(ParameterGroup &group, LarcOp op,
                              mlir::Value blocks);
  /// `gradient` is a slab as it is, or by blocks.
  mlir::Value regularize(ParameterGroup &group, RegularizeOp op,
                         mlir::Value gradient);
  static bool sameMaps(const GradientChain &a, const GradientChain &b);
  /// Computes an op on all gradients where it stands, each result a part of a
  /// slab. It is dropped again where updates and checks take the op in.
  void expand(mlir::Operation *op);
  /// Places for those of an op's gradients whose parameters see decay, or not.
  ParameterGroup placesOf(mlir::Operation *op, bool decay);
  /// What lies beside the gradients of `group`, where `symbols` are those of
  /// all gradients.
  mlir::Value parametersOf(ParameterGroup &group, mlir::ArrayAttr symbols);
  /// What is done to every gradient. Where it is not the same to all of them,
  /// each counts as it is.
  static mlir::SmallVector<GradientChain> chainsOf(mlir::ValueRange gradients);
  static mlir::SmallVector<GradientChain> asTheyAre(mlir::ValueRange gradients);
  /// Places for gradients that no optimizer takes as they are.
  ParameterGroup &groupOf(mlir::ValueRange gradients);
  /// What `reduce` makes of each group's gradients, by blocks.
  mlir::SmallVector<mlir::Value>
  reduceBlocks(mlir::Operation *op, mlir::ValueRange gradients,
               llvm::function_ref<mlir::Value(mlir::Value blocks)> reduce);
  mlir::LogicalResult rewrite(CheckOp op);
  mlir::LogicalResult rewrite(MaxAbsOp op);
  mlir::LogicalResult rewrite(AccumulateOp op);
  mlir::LogicalResult rewrite(TakeGradientsOp op);

  // State: EntryUpdates.cpp.
  /// The f32 scalars of the step; advances the optimizer's scalar state.
  mlir::SmallVector<mlir::Value> prepare(ApplyOp op,
                                         const OptimizerState &optimizer);
  void setElements(SlabOp slab, mlir::ValueRange elements);
  mlir::LogicalResult rewrite(ApplyOp op);
  void applyKnown(ApplyOp op, const OptimizerState &optimizer,
                  mlir::ArrayRef<GradientChain> chains);
  /// The optimizer's rule is a function of the module.
  mlir::LogicalResult applyRule(ApplyOp op, CustomOptimizerOp custom,
                                OptimizerState &optimizer,
                                mlir::ArrayRef<GradientChain> chains);
  mlir::LogicalResult updateByRule(ApplyOp op, CustomOptimizerOp custom,
                                   ParameterGroup &group,
                                   mlir::ArrayRef<GradientChain> chains,
                                   const llvm::StringMap<mlir::Value> &scalars);
  /// Makes the copy of a group anew from its parameters.
  void roundLow(ParameterGroup &group);
  mlir::LogicalResult rewrite(AssignOp op);
  /// Groups are made by what amp.apply decays.
  mlir::LogicalResult checkPenalties(ApplyOp op, const GradientChain &chain);
  /// How many steps were applied so far.
  mlir::Value stepCount(const OptimizerState &optimizer);
  mlir::Value hyperOf(mlir::StringAttr optimizer, mlir::StringRef name);
  /// What rounds the parameters of a group, 0, or its slots, from 1 on.
  mlir::Value keyFor(ApplyOp op, ParameterGroup &group, size_t index);
  /// One for each slot; none where slots are of f32.
  mlir::SmallVector<mlir::Value> slotKeys(ApplyOp op, ParameterGroup &group);
  /// Null where the parameters are of f32, which need none.
  mlir::Value roundingKey(ApplyOp op, ParameterGroup &group);
  /// Moves the average towards the parameters that the step has come to.
  void average(ApplyOp op, ParameterGroup &group);
  void update(ApplyOp op, const OptimizerState &optimizer,
              ParameterGroup &group, mlir::ArrayRef<GradientChain> chains,
              mlir::ValueRange scalars);
  /// Moves a group against its direction, by the trust ratio of each tensor.
  void descend(ApplyOp op, ParameterGroup &group, mlir::Value direction);
  mlir::LogicalResult rewrite(UpdateScaleOp op);

  /// Backwards, so that what only dead ops use is dead too.
  void eraseDead();

  struct Pack {
    mlir::SmallVector<mlir::Value> parts;
    mlir::Value result;
  };

  SlabLayout &layout;
  FunctionSlabs slabs;
  mlir::func::FuncOp function;
  mlir::OpBuilder b;
  mlir::DenseMap<ParameterGroup *, Pack> packs;
  mlir::DenseSet<mlir::Value> taken; ///< Slabs of accumulated gradients.
  /// Groups of gradients that are no optimizer's, in places that stay.
  std::deque<std::pair<mlir::SmallVector<mlir::Value>, ParameterGroup>>
      ownGroups;
  mlir::DenseMap<mlir::Operation *, OptimizerState *>
      optimizerOf; ///< Of a check.
  /// Of ops that scale each tensor of a group by a factor of its own.
  mlir::DenseMap<std::pair<ParameterGroup *, mlir::Operation *>, mlir::Value>
      segmentFactors;
  mlir::DenseMap<std::pair<ParameterGroup *, mlir::Operation *>, LarcFactors>
      larcFactors;
  /// What ops on all gradients yield, for users that are in no chain.
  mlir::DenseMap<mlir::Operation *, mlir::SmallVector<mlir::Value>> expansions;
  mlir::Value stepsBefore; ///< How many steps were applied before this one.
};

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_ENTRYREWRITER_H
