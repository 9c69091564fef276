// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a training step.
#include "passes/AMP/StepWriter.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/NN/Gradient.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

static constexpr StringLiteral kName = "nn.name";

namespace {

/// Writes one entry: first its arguments, then its ops, last its results.
class EntryWriter {
public:
  EntryWriter(const StepPlan &plan, ModuleOp module, StringRef name,
              ArrayRef<nn::ParameterOp> pending = {})
      : plan(plan), recipe(plan.recipe),
        info(rt::policyInfo(recipe.getPolicyKind())), pending(pending),
        callee(plan.loss), loc(module.getLoc()),
        b(OpBuilder::atBlockEnd(module.getBody())) {
    function = func::FuncOp::create(b, loc, name, b.getFunctionType({}, {}));
    b.setInsertionPointToStart(function.addEntryBlock());
  }

  /// The loss and the gradients of the scaled loss of one batch, or the
  /// gradients that are inputs.
  void readBatch() {
    if (!plan.loss)
      return readGradients();
    SmallVector<Value> inputs;
    for (unsigned i = 0, e = callee.getNumArguments(); i < e; ++i)
      inputs.push_back(
          addArgument(callee.getArgumentTypes()[i], callee.getArgAttrDict(i)));
    differentiate(inputs);
  }

  void takeAccumulated() {
    for (auto [buffer, sum] : llvm::zip_equal(plan.buffers, pending))
      buffers.push_back(
          nn::GradientBuilder(b, loc).add(read(buffer), read(sum)));
    for (const ParameterSet &set : plan.sets)
      gradients.push_back(TakeGradientsOp::create(b, loc, typeOf(set)));
  }

  void accumulate() {
    for (auto [buffer, sum, value] :
         llvm::zip_equal(plan.buffers, pending, buffers))
      assign(sum, nn::GradientBuilder(b, loc).sub(value, read(buffer)));
    for (Value all : gradients)
      AccumulateOp::create(b, loc, all);
  }

  /// All of a step behind the gradients, and its metrics.
  void step() {
    // Recorded steps come with the number that was set, which is an f64.
    Type rate = plan.loss ? b.getF32Type() : b.getF64Type();
    Value lr = addArgument(scalar(rate), nameAttrs("lr"));
    readScale();
    if (plan.trains())
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
    if (loss)
      results.insert(results.begin(), {"loss", loss});
    for (auto &[name, value] : results) {
      values.push_back(value);
      types.push_back(value.getType());
    }
    func::ReturnOp::create(b, loc, values);
    function.setFunctionType(
        b.getFunctionType(function.getArgumentTypes(), types));
    for (auto [index, result] : llvm::enumerate(results))
      function.setResultAttrs(index, nameAttrs(result.first));
  }

private:
  Type scalar(Type elementType) {
    return RankedTensorType::get({}, elementType);
  }
  DictionaryAttr nameAttrs(const Twine &name) {
    return b.getDictionaryAttr(b.getNamedAttr(kName, b.getStringAttr(name)));
  }
  Value addArgument(Type type, DictionaryAttr attributes) {
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, type, attributes, loc);
    return function.getArgument(index);
  }
  Value constant(Type elementType, Attribute value) {
    auto type = RankedTensorType::get({}, elementType);
    return nn::ConstantOp::create(b, loc, type,
                                  DenseElementsAttr::get(type, value));
  }
  Value flag(bool value) {
    return constant(b.getI1Type(), b.getBoolAttr(value));
  }
  Value getScale(Type elementType) {
    return GetScaleOp::create(b, loc, scalar(elementType), kScaler);
  }
  Value read(nn::ParameterOp parameter) {
    return nn::GetOp::create(b, loc, parameter.getType(),
                             parameter.getSymName());
  }
  void assign(nn::ParameterOp parameter, Value value, Value skip = {}) {
    AssignOp::create(b, loc, value, parameter.getSymName(), skip);
  }
  Value hyper(StringRef name) {
    return GetHyperOp::create(b, loc, kOptimizer, name);
  }

  void readScale() {
    if (scale)
      return;
    scale = scales() ? getScale(b.getF32Type())
                     : constant(b.getF32Type(), b.getF32FloatAttr(1.0));
  }

  GradientsType typeOf(const ParameterSet &set) {
    return GradientsType::get(
        b.getContext(), FlatSymbolRefAttr::get(b.getContext(), set.optimizer));
  }

  /// `tensors` has one for each parameter.
  void gather(const SmallVector<Value> &tensors) {
    for (const ParameterSet &set : plan.sets)
      gradients.push_back(
          GatherOp::create(b, loc, typeOf(set), set.select(tensors)));
  }

  void readGradients() {
    SmallVector<Value> tensors;
    for (nn::ParameterOp parameter : plan.parameters) {
      auto type = cast<RankedTensorType>(parameter.getType());
      Value input = addArgument(type.clone(*recipe.getGradients()),
                                nameAttrs("grad." + parameter.getSymName()));
      tensors.push_back(
          nn::GradientBuilder(b, loc).cast(input, b.getF32Type()));
    }
    gather(tensors);
  }

  void differentiate(ValueRange inputs) {
    readScale();
    nn::GradientBuilder g(b, loc);
    SmallVector<Type> types(callee.getResultTypes());
    for (nn::ParameterOp parameter : plan.parameters)
      types.push_back(parameter.getType());
    // The scale multiplies the loss before any narrowing. Of several batches
    // the mean counts.
    Value seed = scale;
    if (recipe.getAccumulate() > 1)
      seed = g.div(scale, g.splat(scale, double(recipe.getAccumulate())));
    Type lossType = cast<RankedTensorType>(types.front()).getElementType();
    SmallVector<Value> seeds = {g.cast(seed, lossType)};
    // No gradient flows through what is kept for the next step.
    for (Type type : callee.getResultTypes().drop_front())
      seeds.push_back(g.splat(cast<RankedTensorType>(type), 0.0));
    auto vjp =
        nn::VJPOp::create(b, loc, types, callee.getName(), inputs, seeds,
                          b.getArrayAttr(plan.symbols), ArrayRef<int64_t>());
    loss = g.cast(vjp.getOutputs().front(), b.getF32Type());
    ValueRange behind = vjp.getOutputs().drop_front();
    for (Value value : behind.take_front(plan.buffers.size()))
      buffers.push_back(g.cast(value, b.getF32Type()));
    gather(llvm::map_to_vector(
        behind.drop_front(plan.buffers.size()),
        [&](Value tensor) { return g.cast(tensor, b.getF32Type()); }));
  }

  void update(Value lr) {
    if (info.check == rt::CheckPoint::Scaled)
      found = CheckOp::create(b, loc, gradients).getFound();
    if (updatesEarly())
      updateScale();
    unscale();
    regularize();
    auto check = CheckOp::create(b, loc, gradients);
    norm = check.getNorm();
    addFinding(check);
    SmallVector<Value> unclipped = gradients;
    clip();
    applyLarc(lr);
    if (info.needsGradMaxAbs)
      maxAbs = MaxAbsOp::create(
          b, loc,
          info.check == rt::CheckPoint::AfterClip ? gradients : unclipped);
    apply(lr);
    if (!updatesEarly())
      updateScale();
  }

  /// What an earlier check has not found may yet be there in what is applied.
  void addFinding(CheckOp check) {
    if (!scales())
      found = flag(false);
    else if (found)
      found = nn::SelectOp::create(b, loc, found, flag(true), check.getFound());
    else
      found = check.getFound();
  }

  /// A step without a gradient is one whose gradients are all finite.
  void updateNothing() {
    found = flag(false);
    norm = constant(b.getF64Type(), b.getF64FloatAttr(0.0));
    if (info.needsGradMaxAbs)
      maxAbs = constant(b.getF32Type(), b.getF32FloatAttr(0.0));
    updateScale();
  }

  void unscale() {
    if (!scales())
      return;
    bool narrow = info.scaleIsF32;
    // After an early update another scale is in force.
    Value current =
        narrow && !updatesEarly()
            ? scale
            : getScale(narrow ? Type(b.getF32Type()) : Type(b.getF64Type()));
    unscaleBy(current);
  }

  void unscaleBy(Value current) {
    rt::UnscaleRule rule = rt::unscaleRule(info.kind);
    bool divide = rule == rt::UnscaleRule::Divide;
    bool flushed = rule == rt::UnscaleRule::FlushedReciprocal;
    Value factor =
        divide ? scale
               : InverseScaleOp::create(b, loc, current, flushed).getResult();
    for (Value &gradient : gradients)
      gradient = UnscaleOp::create(b, loc, gradient.getType(), gradient, factor,
                                   divide);
  }

  void regularize() {
    if (!recipe.hasPenalty())
      return;
    for (auto [set, all] : llvm::zip_equal(plan.sets, gradients))
      all = RegularizeOp::create(b, loc, all.getType(), all,
                                 whilePresent(set, hyper("l1")),
                                 whilePresent(set, hyper("l2")));
  }

  /// `number`, or 0 in a step in which `set` has no gradient.
  Value whilePresent(const ParameterSet &set, Value number) {
    if (set.present.empty())
      return number;
    nn::GradientBuilder g(b, loc);
    return g.select(presence(set), number, g.splat(number, 0.0));
  }

  void applyLarc(Value lr) {
    if (!recipe.getLarc())
      return;
    Value rate = nn::GradientBuilder(b, loc).cast(lr, b.getF32Type());
    for (Value &all : gradients)
      all = LarcOp::create(
          b, loc, all.getType(), all, hyper("larc_eta"), hyper("larc_eps"),
          recipe.isApex() ? Value() : hyper("larc_min_update"),
          recipe.isApex() ? hyper("larc_weight_decay") : Value(),
          recipe.isClipped() ? rate : Value());
    // A rate may be 0 / 0, or beyond f32.
    if (!rt::appliesNonFinite(info.kind))
      addFinding(CheckOp::create(b, loc, gradients));
  }

  /// The norm of the norms of all tensors.
  Value torchNorm() {
    nn::GradientBuilder g(b, loc);
    SmallVector<Value> norms(plan.parameters.size());
    for (auto [set, all] : llvm::zip_equal(plan.sets, gradients)) {
      SmallVector<Type> types;
      for (nn::ParameterOp parameter : set.select(plan.parameters))
        types.push_back(
            cast<RankedTensorType>(parameter.getType()).clone(b.getF32Type()));
      auto parts = SplitOp::create(b, loc, types, all);
      for (auto [member, part] :
           llvm::zip_equal(set.members, parts.getGradients()))
        norms[member] = g.reshape(VectorNormOp::create(b, loc, part), {1});
    }
    int64_t count = norms.size();
    Value all = nn::ConcatOp::create(
        b, loc, RankedTensorType::get({count}, b.getF32Type()), norms, 0);
    return g.cast(VectorNormOp::create(b, loc, all), b.getF64Type());
  }

  void clip() {
    if (!recipe.getClip())
      return;
    bool keras = recipe.getRule()->clipsLikeKeras;
    Value bound = hyper(clipHyper(*recipe.getClip()));
    Value by;
    if (recipe.getClip() == ClipKind::GlobalNorm)
      by = ClipCoefficientOp::create(
          b, loc, scalar(b.getF32Type()),
          recipe.getTorchNorm() ? torchNorm() : norm, bound,
          recipe.getClipScaled() ? scale : Value(), keras);
    else if (recipe.getClip() == ClipKind::Value)
      by = nn::GradientBuilder(b, loc).cast(bound, b.getF32Type());
    for (Value &all : gradients)
      all = clipped(all, by ? by : bound, keras);
  }

  Value clipped(Value all, Value by, bool keras) {
    switch (*recipe.getClip()) {
    case ClipKind::GlobalNorm:
      return ClipOp::create(b, loc, all.getType(), all, by);
    case ClipKind::Norm:
      return ClipEachOp::create(b, loc, all.getType(), all, by, keras);
    case ClipKind::Value:
      return ClampOp::create(b, loc, all.getType(), all, by);
    }
    llvm_unreachable("no other kind");
  }

  void apply(Value lr) {
    for (auto [set, all] : llvm::zip_equal(plan.sets, gradients))
      ApplyOp::create(b, loc, all, lr, skipOf(set));
  }

  /// Whether `set`, which is not always there, has gradients in this step.
  Value presence(const ParameterSet &set) {
    Value &present = presences[set.present];
    if (!present)
      present = addArgument(scalar(b.getI1Type()), nameAttrs(set.present));
    return present;
  }

  /// Whether this step leaves `set` alone; null for never.
  Value skipOf(const ParameterSet &set) {
    Value skip = rt::appliesNonFinite(info.kind) ? Value() : found;
    if (set.present.empty())
      return skip;
    return nn::SelectOp::create(b, loc, presence(set),
                                skip ? skip : flag(false), flag(true));
  }

  /// A step that is skipped leaves them as they were, too.
  void keepBuffers() {
    Value skip = rt::appliesNonFinite(info.kind) ? Value() : found;
    for (auto [buffer, value] : llvm::zip_equal(plan.buffers, buffers))
      assign(buffer, value, skip);
    nn::GradientBuilder g(b, loc);
    for (nn::ParameterOp sum : pending)
      assign(sum, g.splat(cast<RankedTensorType>(sum.getType()), 0.0));
  }

  void updateScale() {
    auto update = UpdateScaleOp::create(b, loc, kScaler, found, maxAbs);
    counter = update.getCounter();
    error = update.getError();
  }

  void addMetrics() {
    results = {{"scale", scale},
               {"found_inf", found},
               {"grad_norm", norm},
               {"good_steps", counter},
               {"scale_error", error}};
    if (info.kind == rt::PolicyKind::KerasFixed)
      results.push_back({"skipped", flag(false)});
  }

  bool scales() const { return info.kind != rt::PolicyKind::None; }
  bool updatesEarly() const {
    return info.update == rt::UpdatePoint::BeforeUnscale;
  }

  const StepPlan &plan;
  RecipeOp recipe;
  const rt::PolicyInfo &info;
  ArrayRef<nn::ParameterOp> pending; ///< For each buffer, in a window.
  func::FuncOp callee;               ///< The loss.
  Location loc;
  OpBuilder b;
  func::FuncOp function;
  Value scale, loss, found, norm, maxAbs, counter, error;
  SmallVector<Value> gradients; ///< One for each set.
  SmallVector<Value> buffers;
  llvm::StringMap<Value> presences; ///< Inputs, by name.
  SmallVector<std::pair<StringRef, Value>> results;
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
    EntryWriter step(plan, module, "step");
    step.readBatch();
    step.step();
    step.finish();
    return;
  }
  SmallVector<nn::ParameterOp> pending = addPending(plan);
  EntryWriter batch(plan, module, "accumulate", pending);
  batch.readBatch();
  batch.accumulate();
  batch.finish();
  EntryWriter apply(plan, module, "apply", pending);
  apply.takeAccumulated();
  apply.step();
  apply.finish();
}
