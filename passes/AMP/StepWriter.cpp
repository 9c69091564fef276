// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a training step.
#include "passes/AMP/StepWriter.h"

#include "dialects/AMP/RandomState.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/Random.h"
#include "runtime/Program/StepNames.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

namespace {

/// Writes one entry: first its arguments, then its ops, last its results.
class EntryWriter {
public:
  EntryWriter(const StepPlan &plan, ModuleOp module, EntryKind kind,
              ArrayRef<nn::ParameterOp> pending = {})
      : plan_(plan), recipe_(plan.recipe),
        info_(rt::policyInfo(recipe_.getPolicyKind())), pending_(pending),
        callee_(plan.loss), loc_(module.getLoc()),
        b_(OpBuilder::atBlockEnd(module.getBody())) {
    function_ = func::FuncOp::create(b_, loc_, stringifyEntryKind(kind),
                                     b_.getFunctionType({}, {}));
    b_.setInsertionPointToStart(function_.addEntryBlock());
    setEntryKind(function_, kind);
  }

  /// The loss and the gradients of the scaled loss of one batch, or the
  /// gradients that are inputs.
  void readBatch() {
    if (!plan_.loss)
      return readGradients();
    SmallVector<Value> inputs;
    for (unsigned i = 0, e = callee_.getNumArguments(); i < e; ++i)
      inputs.push_back(callee_.getArgAttr(i, nn::kRandom)
                           ? randomPart(i)
                           : addArgument(callee_.getArgumentTypes()[i],
                                         callee_.getArgAttrDict(i)));
    differentiate(inputs);
  }

  void takeAccumulated() {
    for (auto [buffer, sum] : llvm::zip_equal(plan_.buffers, pending_))
      buffers_.push_back(
          nn::GradientBuilder(b_, loc_).add(read(buffer), read(sum)));
    for (const ParameterSet &set : plan_.sets)
      gradients_.push_back(TakeGradientsOp::create(b_, loc_, typeOf(set)));
  }

  void accumulate() {
    for (auto [buffer, sum, value] :
         llvm::zip_equal(plan_.buffers, pending_, buffers_))
      assign(sum, nn::GradientBuilder(b_, loc_).sub(value, read(buffer)));
    for (Value all : gradients_)
      AccumulateOp::create(b_, loc_, all);
  }

  /// Writes the part of a step that follows the gradients, and its metrics.
  void step() {
    // Recorded steps come with the number that was set, which is an f64.
    Type rate = plan_.loss ? b_.getF32Type() : b_.getF64Type();
    Value lr = addArgument(scalar(rate), nameAttrs(rt::step::kLearningRate));
    readScale();
    if (plan_.trains())
      update(lr);
    else
      updateNothing();
    keepBuffers();
    addMetrics();
  }

  /// Returns the results, each with its name.
  void finish() {
    SmallVector<Value> values;
    SmallVector<Type> types;
    if (loss_)
      results_.insert(results_.begin(), Result(rt::step::kLoss, loss_));
    for (auto &[name, value] : results_) {
      values.push_back(value);
      types.push_back(value.getType());
    }
    func::ReturnOp::create(b_, loc_, values);
    function_.setFunctionType(
        b_.getFunctionType(function_.getArgumentTypes(), types));
    for (auto [index, result] : llvm::enumerate(results_))
      function_.setResultAttrs(index, nameAttrs(result.first));
  }

private:
  using Result = std::pair<std::string, Value>;

  Type scalar(Type elementType) {
    return RankedTensorType::get({}, elementType);
  }
  DictionaryAttr nameAttrs(const Twine &name) {
    return b_.getDictionaryAttr(nn::nameAttribute(b_, name));
  }
  Value addArgument(Type type, DictionaryAttr attributes) {
    unsigned index = function_.getNumArguments();
    (void)function_.insertArgument(index, type, attributes, loc_);
    return function_.getArgument(index);
  }
  Value constant(Type elementType, Attribute value) {
    auto type = RankedTensorType::get({}, elementType);
    return nn::ConstantOp::create(b_, loc_, type,
                                  DenseElementsAttr::get(type, value));
  }
  Value flag(bool value) {
    return constant(b_.getI1Type(), b_.getBoolAttr(value));
  }
  Value getScale(Type elementType) {
    return GetScaleOp::create(b_, loc_, scalar(elementType), kScaler);
  }
  Value read(nn::ParameterOp parameter) {
    return nn::GetOp::create(b_, loc_, parameter.getType(),
                             parameter.getSymName());
  }
  void assign(nn::ParameterOp parameter, Value value, Value skip = {}) {
    AssignOp::create(b_, loc_, value, parameter.getSymName(), skip);
  }
  Value hyper(StringRef name) {
    return GetHyperOp::create(b_, loc_, kOptimizer, name);
  }

  /// The part of the random state that argument `index` of the loss names in
  /// its nn.random.
  Value randomPart(unsigned index) {
    if (!random_)
      random_ = RandomStateOp::create(b_, loc_, kOptimizer);
    auto part = callee_.getArgAttrOfType<StringAttr>(index, nn::kRandom);
    return random_.getOperation()->getResult(
        llvm::find(nn::kRandomParts, part.getValue()) -
        std::begin(nn::kRandomParts));
  }

  void readScale() {
    if (scale_)
      return;
    scale_ = scales() ? getScale(b_.getF32Type())
                      : constant(b_.getF32Type(), b_.getF32FloatAttr(1.0));
  }

  GradientsType typeOf(const ParameterSet &set) {
    return GradientsType::get(
        b_.getContext(),
        FlatSymbolRefAttr::get(b_.getContext(), set.optimizer));
  }

  /// Gathers the gradients of each optimizer; `tensors` has one for each
  /// parameter.
  void gather(const SmallVector<Value> &tensors) {
    for (const ParameterSet &set : plan_.sets)
      gradients_.push_back(
          GatherOp::create(b_, loc_, typeOf(set), set.select(tensors)));
  }

  void readGradients() {
    SmallVector<Value> tensors;
    for (nn::ParameterOp parameter : plan_.parameters) {
      auto type = cast<RankedTensorType>(parameter.getType());
      Value input =
          addArgument(type.clone(*recipe_.getGradients()),
                      nameAttrs(nn::gradientName(parameter.getSymName())));
      tensors.push_back(
          nn::GradientBuilder(b_, loc_).cast(input, b_.getF32Type()));
    }
    gather(tensors);
  }

  void differentiate(ValueRange inputs) {
    readScale();
    nn::GradientBuilder g(b_, loc_);
    SmallVector<Type> types(callee_.getResultTypes());
    for (nn::ParameterOp parameter : plan_.parameters)
      types.push_back(parameter.getType());
    // The scale multiplies the loss in f32, before any cast to 16 bits. The
    // loss of a window is the mean over its batches.
    Value seed = scale_;
    if (recipe_.getAccumulate() > 1)
      seed = g.div(scale_, g.splat(scale_, double(recipe_.getAccumulate())));
    Type lossType = cast<RankedTensorType>(types.front()).getElementType();
    SmallVector<Value> seeds = {g.cast(seed, lossType)};
    // No gradient flows through the buffers that are kept for the next step.
    for (Type type : callee_.getResultTypes().drop_front())
      seeds.push_back(g.splat(cast<RankedTensorType>(type), 0.0));
    auto vjp =
        nn::VJPOp::create(b_, loc_, types, callee_.getName(), inputs, seeds,
                          b_.getArrayAttr(plan_.symbols), ArrayRef<int64_t>());
    loss_ = g.cast(vjp.getOutputs().front(), b_.getF32Type());
    ValueRange behind = vjp.getOutputs().drop_front();
    for (Value value : behind.take_front(plan_.buffers.size()))
      buffers_.push_back(g.cast(value, b_.getF32Type()));
    gather(llvm::map_to_vector(
        behind.drop_front(plan_.buffers.size()),
        [&](Value tensor) { return g.cast(tensor, b_.getF32Type()); }));
  }

  void update(Value lr) {
    if (info_.check == rt::CheckPoint::Scaled)
      found_ = CheckOp::create(b_, loc_, gradients_).getFound();
    if (updatesEarly())
      updateScale();
    unscale();
    regularize();
    auto check = CheckOp::create(b_, loc_, gradients_);
    norm_ = check.getNorm();
    addFinding(check);
    SmallVector<Value> unclipped = gradients_;
    clip();
    applyLarc(lr);
    if (info_.needsGradMaxAbs)
      maxAbs_ = MaxAbsOp::create(
          b_, loc_,
          info_.check == rt::CheckPoint::AfterClip ? gradients_ : unclipped);
    apply(lr);
    if (!updatesEarly())
      updateScale();
  }

  /// Adds the result of a check to those before it: a later gradient transform
  /// may have made numbers that are not finite.
  void addFinding(CheckOp check) {
    if (!scales())
      found_ = flag(false);
    else if (found_)
      found_ =
          nn::SelectOp::create(b_, loc_, found_, flag(true), check.getFound());
    else
      found_ = check.getFound();
  }

  /// Writes a step of which no parameter has a gradient: it counts as finite.
  void updateNothing() {
    found_ = flag(false);
    norm_ = constant(b_.getF64Type(), b_.getF64FloatAttr(0.0));
    if (info_.needsGradMaxAbs)
      maxAbs_ = constant(b_.getF32Type(), b_.getF32FloatAttr(0.0));
    updateScale();
  }

  void unscale() {
    if (!scales())
      return;
    bool narrow = info_.scaleIsF32;
    // Where the scale was updated before, the new one is in force.
    Value current =
        narrow && !updatesEarly()
            ? scale_
            : getScale(narrow ? Type(b_.getF32Type()) : Type(b_.getF64Type()));
    unscaleBy(current);
  }

  void unscaleBy(Value current) {
    rt::UnscaleRule rule = rt::unscaleRule(info_.kind);
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
                                 whilePresent(set, hyper("l1")),
                                 whilePresent(set, hyper("l2")));
  }

  /// `number`, or 0 in a step in which `set` has no gradient.
  Value whilePresent(const ParameterSet &set, Value number) {
    if (set.present.empty())
      return number;
    nn::GradientBuilder g(b_, loc_);
    return g.select(presence(set), number, g.splat(number, 0.0));
  }

  void applyLarc(Value lr) {
    if (!recipe_.getLarc())
      return;
    Value rate = nn::GradientBuilder(b_, loc_).cast(lr, b_.getF32Type());
    for (Value &all : gradients_)
      all = LarcOp::create(
          b_, loc_, all.getType(), all, hyper("larc_eta"), hyper("larc_eps"),
          recipe_.isApex() ? Value() : hyper("larc_min_update"),
          recipe_.isApex() ? hyper("larc_weight_decay") : Value(),
          recipe_.isClipped() ? rate : Value());
    // A rate of LARC may be 0 / 0 or exceed f32.
    if (!rt::appliesNonFinite(info_.kind))
      addFinding(CheckOp::create(b_, loc_, gradients_));
  }

  /// The norm of the norms of all tensors.
  Value torchNorm() {
    nn::GradientBuilder g(b_, loc_);
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
    if (!recipe_.getClip())
      return;
    bool keras = recipe_.getRule()->clipsLikeKeras;
    Value bound = hyper(clipHyper(*recipe_.getClip()));
    Value by;
    if (recipe_.getClip() == ClipKind::GlobalNorm)
      by = ClipCoefficientOp::create(
          b_, loc_, scalar(b_.getF32Type()),
          recipe_.getTorchNorm() ? torchNorm() : norm_, bound,
          recipe_.getClipScaled() ? scale_ : Value(), keras);
    else if (recipe_.getClip() == ClipKind::Value)
      by = nn::GradientBuilder(b_, loc_).cast(bound, b_.getF32Type());
    for (Value &all : gradients_)
      all = clipped(all, by ? by : bound, keras);
  }

  Value clipped(Value all, Value by, bool keras) {
    switch (*recipe_.getClip()) {
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
      results_.push_back({nn::gradientName(parameter.getSymName()), part});
  }

  /// Whether `set`, which is not always there, has gradients in this step.
  Value presence(const ParameterSet &set) {
    Value &present = presences_[set.present];
    if (!present)
      present = addArgument(scalar(b_.getI1Type()), nameAttrs(set.present));
    return present;
  }

  /// Whether this step leaves `set` alone; null for never.
  Value skipOf(const ParameterSet &set) {
    Value skip = rt::appliesNonFinite(info_.kind) ? Value() : found_;
    if (set.present.empty())
      return skip;
    return nn::SelectOp::create(b_, loc_, presence(set),
                                skip ? skip : flag(false), flag(true));
  }

  /// A step that is skipped leaves them as they were, too.
  void keepBuffers() {
    Value skip = rt::appliesNonFinite(info_.kind) ? Value() : found_;
    for (auto [buffer, value] : llvm::zip_equal(plan_.buffers, buffers_))
      assign(buffer, value, skip);
    nn::GradientBuilder g(b_, loc_);
    for (nn::ParameterOp sum : pending_)
      assign(sum, g.splat(cast<RankedTensorType>(sum.getType()), 0.0));
  }

  void updateScale() {
    auto update = UpdateScaleOp::create(b_, loc_, kScaler, found_, maxAbs_);
    counter_ = update.getCounter();
    error_ = update.getError();
  }

  void addMetrics() {
    SmallVector<Result> metrics;
    metrics.emplace_back(rt::step::kScale, scale_);
    metrics.emplace_back(rt::step::kFoundInf, found_);
    metrics.emplace_back(rt::step::kGradNorm, norm_);
    metrics.emplace_back(rt::step::kGoodSteps, counter_);
    metrics.emplace_back(rt::step::kScaleError, error_);
    if (scales() && rt::appliesNonFinite(info_.kind))
      metrics.emplace_back(rt::step::kSkipped, flag(false));
    results_.insert(results_.begin(), metrics.begin(), metrics.end());
  }

  bool scales() const { return info_.kind != rt::PolicyKind::None; }
  bool updatesEarly() const {
    return info_.update == rt::UpdatePoint::BeforeUnscale;
  }

  const StepPlan &plan_;
  RecipeOp recipe_;
  const rt::PolicyInfo &info_;
  ArrayRef<nn::ParameterOp> pending_; ///< For each buffer, in a window.
  func::FuncOp callee_;               ///< The loss.
  Location loc_;
  OpBuilder b_;
  func::FuncOp function_;
  Value scale_, loss_, found_, norm_, maxAbs_, counter_, error_;
  RandomStateOp random_;         ///< Null where nothing is drawn.
  SmallVector<Value> gradients_; ///< One for each set.
  SmallVector<Value> buffers_;
  llvm::StringMap<Value> presences_; ///< Inputs, by name.
  SmallVector<Result> results_;
};

} // namespace

/// Adds, for each buffer, what the batches of a window add to it, and lets the
/// loss read the sum of both: a window may yet be skipped.
static SmallVector<nn::ParameterOp> addPending(const StepPlan &plan) {
  SmallVector<nn::ParameterOp> pending;
  for (nn::ParameterOp buffer : plan.buffers) {
    OpBuilder b(buffer->getContext());
    b.setInsertionPointAfter(buffer);
    auto sum = nn::ParameterOp::create(
        b, buffer.getLoc(), pendingName(buffer.getSymName()), buffer.getType(),
        nn::InitAttr::get(b.getContext(), "zeros", APFloat(0.0)),
        /*frozen=*/true);
    func::FuncOp loss = plan.loss;
    loss.walk([&](nn::GetOp get) {
      if (get.getParameter() != buffer.getSymName())
        return;
      b.setInsertionPointAfter(get);
      auto change =
          nn::GetOp::create(b, get.getLoc(), get.getType(), sum.getSymName());
      auto whole = nn::AddOp::create(b, get.getLoc(), get, change);
      get.getOutput().replaceAllUsesExcept(whole, whole);
    });
    pending.push_back(sum);
  }
  return pending;
}

void mpc::amp::writeEntries(const StepPlan &plan, ModuleOp module) {
  RecipeOp recipe = plan.recipe;
  if (recipe.getAccumulate() == 1) {
    EntryWriter step(plan, module, EntryKind::Step);
    step.readBatch();
    step.step();
    step.finish();
    return;
  }
  SmallVector<nn::ParameterOp> pending = addPending(plan);
  EntryWriter batch(plan, module, EntryKind::Accumulate, pending);
  batch.readBatch();
  batch.accumulate();
  batch.finish();
  EntryWriter apply(plan, module, EntryKind::Apply, pending);
  apply.takeAccumulated();
  apply.step();
  apply.finish();
}
