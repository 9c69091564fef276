// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The update of a step.
#include "passes/AMP/StepUpdate.h"

#include "dialects/NN/EntryNames.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

static void updateScaleOf(EntryBuilder &entry, StepFindings &findings,
                          Value maxAbs) {
  auto update = UpdateScaleOp::create(entry.b, entry.loc, kScaler,
                                      findings.found, maxAbs);
  findings.counter = update.getCounter();
  findings.error = update.getError();
}

namespace {

/// Unscales, checks, clips and applies, in the order of the recipe's policy.
class UpdateBuilder {
public:
  UpdateBuilder(EntryBuilder &entry, ArrayRef<Value> gradients, Value scale)
      : entry_(entry), plan_(entry.plan), recipe_(entry.recipe),
        policy_(entry.policy), loc_(entry.loc), b_(entry.b), scale_(scale),
        gradients_(gradients) {}

  StepFindings run(Value lr) {
    if (policy_.check == rt::CheckPoint::Scaled)
      findings_.found = CheckOp::create(b_, loc_, gradients_).getFound();
    if (entry_.updatesEarly())
      updateScale();
    unscale();
    regularize();
    auto check = CheckOp::create(b_, loc_, gradients_);
    findings_.norm = check.getNorm();
    addFinding(check);
    SmallVector<Value> unclipped = gradients_;
    clip();
    applyLarc(lr);
    if (policy_.needsGradMaxAbs)
      maxAbs_ = MaxAbsOp::create(
          b_, loc_,
          policy_.check == rt::CheckPoint::AfterClip ? gradients_ : unclipped);
    apply(lr);
    if (!entry_.updatesEarly())
      updateScale();
    return findings_;
  }

private:
  /// Combines the result of a check with those before it, since a later
  /// gradient transform may have made numbers that are not finite.
  void addFinding(CheckOp check) {
    if (!entry_.scales())
      findings_.found = entry_.flag(false);
    else if (findings_.found)
      findings_.found = nn::SelectOp::create(
          b_, loc_, findings_.found, entry_.flag(true), check.getFound());
    else
      findings_.found = check.getFound();
  }

  void unscale() {
    if (!entry_.scales())
      return;
    bool narrow = policy_.scaleIsF32;
    // Where the scale was updated already, the new one counts.
    Value current = narrow && !entry_.updatesEarly()
                        ? scale_
                        : entry_.getScale(narrow ? Type(b_.getF32Type())
                                                 : Type(b_.getF64Type()));
    unscaleBy(current);
  }

  void unscaleBy(Value current) {
    rt::UnscaleRule rule = rt::unscaleRule(policy_.kind);
    bool divide = rule == rt::UnscaleRule::Divide;
    bool flushed = rule == rt::UnscaleRule::FlushedReciprocal;
    Value factor =
        divide ? scale_
               : InverseScaleOp::create(b_, loc_, current, flushed).getResult();
    for (Value &gradient : gradients_)
      gradient = UnscaleOp::create(b_, loc_, gradient.getType(), gradient,
                                   factor, divide);
  }

  void regularize() {
    if (!recipe_.hasPenalty())
      return;
    for (auto [set, all] : llvm::zip_equal(plan_.sets, gradients_))
      all = RegularizeOp::create(b_, loc_, all.getType(), all,
                                 whilePresent(set, entry_.hyper("l1")),
                                 whilePresent(set, entry_.hyper("l2")));
  }

  /// `number`, or 0 in a step in which `set` has no gradient.
  Value whilePresent(const ParameterSet &set, Value number) {
    if (set.present.empty())
      return number;
    nn::GradientBuilder &g = entry_.g;
    return g.select(presence(set), number, g.splat(number, 0.0));
  }

  void applyLarc(Value lr) {
    std::optional<LarcAttr> larc = recipe_.getLarc();
    if (!larc)
      return;
    Value rate = entry_.g.cast(lr, b_.getF32Type());
    for (Value &all : gradients_)
      all = LarcOp::create(
          b_, loc_, all.getType(), all, entry_.hyper("larc_eta"),
          entry_.hyper("larc_eps"),
          larc->isApex() ? Value() : entry_.hyper("larc_min_update"),
          larc->isApex() ? entry_.hyper("larc_weight_decay") : Value(),
          larc->isClipped() ? rate : Value());
    // A rate of LARC may be 0 / 0 or exceed f32, so its result is checked.
    if (!rt::appliesNonFinite(policy_.kind))
      addFinding(CheckOp::create(b_, loc_, gradients_));
  }

  /// The norm of the norms of all tensors, as PyTorch computes it.
  Value torchNorm() {
    nn::GradientBuilder &g = entry_.g;
    SmallVector<Value> norms(plan_.parameters.size());
    for (auto [set, all] : llvm::zip_equal(plan_.sets, gradients_)) {
      SmallVector<Type> types;
      for (nn::ParameterOp parameter : set.select(plan_.parameters))
        types.push_back(
            cast<RankedTensorType>(parameter.getType()).clone(b_.getF32Type()));
      auto parts = SplitOp::create(b_, loc_, types, all);
      for (auto [member, part] :
           llvm::zip_equal(set.members, parts.getGradients()))
        norms[member] = g.reshape(VectorNormOp::create(b_, loc_, part), {1});
    }
    int64_t count = norms.size();
    Value all = nn::ConcatOp::create(
        b_, loc_, RankedTensorType::get({count}, b_.getF32Type()), norms, 0);
    return g.cast(VectorNormOp::create(b_, loc_, all), b_.getF64Type());
  }

  void clip() {
    std::optional<ClipAttr> clip = recipe_.getClip();
    if (!clip)
      return;
    bool keras = recipe_.getRule()->clipsLikeKeras;
    Value bound = entry_.hyper(clipHyper(clip->getKind()));
    Value by;
    if (clip->getKind() == ClipKind::GlobalNorm)
      by = ClipCoefficientOp::create(
          b_, loc_, EntryBuilder::scalar(b_.getF32Type()),
          clip->isTorchNorm() ? torchNorm() : findings_.norm, bound,
          clip->isScaled() ? scale_ : Value(), keras);
    else if (clip->getKind() == ClipKind::Value)
      by = entry_.g.cast(bound, b_.getF32Type());
    for (Value &all : gradients_)
      all = clipped(all, by ? by : bound, keras);
  }

  Value clipped(Value all, Value by, bool keras) {
    switch (recipe_.getClip()->getKind()) {
    case ClipKind::GlobalNorm:
      return ClipOp::create(b_, loc_, all.getType(), all, by);
    case ClipKind::Norm:
      return ClipEachOp::create(b_, loc_, all.getType(), all, by, keras);
    case ClipKind::Value:
      return ClampOp::create(b_, loc_, all.getType(), all, by);
    }
    llvm_unreachable("no other kind");
  }

  void apply(Value lr) {
    for (auto [set, all] : llvm::zip_equal(plan_.sets, gradients_))
      ApplyOp::create(b_, loc_, all, lr, skipOf(set));
    if (recipe_.getRule()->isCallback())
      for (auto [set, all] : llvm::zip_equal(plan_.sets, gradients_))
        giveGradients(set.select(plan_.parameters), all);
  }

  /// Returns each gradient, for an optimizer outside of the program.
  void giveGradients(SmallVector<nn::ParameterOp> parameters, Value all) {
    SmallVector<Type> types =
        llvm::map_to_vector(parameters, [&](nn::ParameterOp parameter) -> Type {
          return cast<RankedTensorType>(parameter.getType())
              .clone(b_.getF32Type());
        });
    auto parts = SplitOp::create(b_, loc_, types, all);
    for (auto [parameter, part] :
         llvm::zip_equal(parameters, parts.getGradients()))
      entry_.addResult(nn::gradientName(parameter.getSymName()), part);
  }

  /// Whether `set`, which is not always present, has gradients in this step.
  Value presence(const ParameterSet &set) {
    Value &present = presences_[set.present];
    if (!present)
      present =
          entry_.addArgument(EntryBuilder::scalar(b_.getI1Type()), set.present);
    return present;
  }

  /// Whether this step leaves `set` unchanged; null where no step does.
  Value skipOf(const ParameterSet &set) {
    Value skip = rt::appliesNonFinite(policy_.kind) ? Value() : findings_.found;
    if (set.present.empty())
      return skip;
    return nn::SelectOp::create(b_, loc_, presence(set),
                                skip ? skip : entry_.flag(false),
                                entry_.flag(true));
  }

  void updateScale() { updateScaleOf(entry_, findings_, maxAbs_); }

  EntryBuilder &entry_;
  const StepPlan &plan_;
  RecipeOp recipe_;
  const rt::PolicyInfo &policy_;
  Location loc_;
  OpBuilder &b_;
  Value scale_, maxAbs_;
  SmallVector<Value> gradients_; ///< The gradients of each set.
  StepFindings findings_;
  /// The inputs that say whether a set is present, by name.
  llvm::StringMap<Value> presences_;
};

} // namespace

StepFindings mpc::amp::buildUpdate(EntryBuilder &entry,
                                   ArrayRef<Value> gradients, Value scale,
                                   Value lr) {
  return UpdateBuilder(entry, gradients, scale).run(lr);
}

StepFindings mpc::amp::buildEmptyUpdate(EntryBuilder &entry) {
  OpBuilder &b = entry.b;
  StepFindings findings;
  findings.found = entry.flag(false);
  findings.norm = entry.constant(b.getF64Type(), b.getF64FloatAttr(0.0));
  Value maxAbs;
  if (entry.policy.needsGradMaxAbs)
    maxAbs = entry.constant(b.getF32Type(), b.getF32FloatAttr(0.0));
  updateScaleOf(entry, findings, maxAbs);
  return findings;
}
