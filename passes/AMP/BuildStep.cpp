// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-build-step: makes @step from @loss and a recipe.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Optimizers.h"
#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "passes/AMP/TrainedParameters.h"
#include "runtime/LossScale/PolicyInfo.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"

#include <cmath>

namespace mpc::amp {
#define GEN_PASS_DEF_BUILDSTEPPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

static constexpr StringLiteral kName = "nn.name";
static constexpr StringLiteral kScaler = "scaler";
static constexpr StringLiteral kOptimizer = "optimizer";

/// "NAME=VALUE", split.
static FailureOr<std::pair<StringRef, double>> parseSetting(Location loc,
                                                            StringRef text) {
  auto [name, number] = text.split('=');
  double value = 0.0;
  if (name.empty() || number.getAsDouble(value))
    return emitError(loc) << "'" << text
                          << "' is not of the form NAME=VALUE with a number";
  return std::pair(name, value);
}

namespace {

/// What the recipe comes to for one module.
struct Recipe {
  rt::PolicyKind policy;
  const Optimizer *optimizer = nullptr;
  StringRef clip;           ///< The hyper-parameter to clip by, or empty.
  bool regularizes = false; ///< Adds the gradients of penalties.
  bool larc = false;        ///< Rates from norms,
  bool larcClips = false;   ///< at most 1.
  bool clipsScaled = false; ///< As if before the unscale.
  int64_t accumulate = 1;   ///< Batches a step.
  func::FuncOp loss;        ///< Null where gradients are inputs,
  Type gradientType;        ///< of this type.
  SmallVector<nn::ParameterOp> parameters;
  SmallVector<Attribute> symbols; ///< Of `parameters`.
  SmallVector<Attribute> noDecay;

  const rt::PolicyInfo &info() const { return rt::policyInfo(policy); }
  bool scales() const { return policy != rt::PolicyKind::None; }
  bool trains() const { return !parameters.empty(); }
  bool updatesEarly() const {
    return info().update == rt::UpdatePoint::BeforeUnscale;
  }
};

/// Writes one entry: first its arguments, then its ops, last its results.
class EntryWriter {
public:
  EntryWriter(const Recipe &recipe, ModuleOp module, StringRef name)
      : recipe(recipe), callee(recipe.loss), loc(module.getLoc()),
        b(OpBuilder::atBlockEnd(module.getBody())) {
    function = func::FuncOp::create(b, loc, name, b.getFunctionType({}, {}));
    b.setInsertionPointToStart(function.addEntryBlock());
  }

  /// The loss and the gradients of the scaled loss of one batch, or the
  /// gradients that are inputs.
  void readBatch() {
    if (!recipe.loss)
      return readGradients();
    SmallVector<Value> inputs;
    for (unsigned i = 0, e = callee.getNumArguments(); i < e; ++i)
      inputs.push_back(
          addArgument(callee.getArgumentTypes()[i], callee.getArgAttrDict(i)));
    differentiate(inputs);
  }

  void takeAccumulated() {
    if (!recipe.trains())
      return;
    SmallVector<Type> types;
    for (nn::ParameterOp parameter : recipe.parameters)
      types.push_back(
          cast<RankedTensorType>(parameter.getType()).clone(b.getF32Type()));
    auto taken =
        TakeGradientsOp::create(b, loc, types, b.getArrayAttr(recipe.symbols));
    gradients = llvm::to_vector_of<Value>(taken.getGradients());
  }

  void accumulate() {
    if (!recipe.trains())
      return;
    AccumulateOp::create(b, loc, gradients, b.getArrayAttr(recipe.symbols));
  }

  /// All of a step behind the gradients, and its metrics.
  void step() {
    Value lr = addArgument(scalar(b.getF32Type()), nameAttrs("lr"));
    if (!scale)
      readScale();
    if (recipe.trains())
      update(lr);
    else
      updateNothing();
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
  Value hyper(StringRef name) {
    return GetHyperOp::create(b, loc, kOptimizer, name);
  }

  void readScale() {
    scale = recipe.scales() ? getScale(b.getF32Type())
                            : constant(b.getF32Type(), b.getF32FloatAttr(1.0));
  }

  void readGradients() {
    for (nn::ParameterOp parameter : recipe.parameters) {
      auto type = cast<RankedTensorType>(parameter.getType());
      Value input = addArgument(type.clone(recipe.gradientType),
                                nameAttrs("grad." + parameter.getSymName()));
      gradients.push_back(
          nn::GradientBuilder(b, loc).cast(input, b.getF32Type()));
    }
  }

  void differentiate(ValueRange inputs) {
    readScale();
    nn::GradientBuilder g(b, loc);
    SmallVector<Type> types(callee.getResultTypes());
    for (nn::ParameterOp parameter : recipe.parameters)
      types.push_back(parameter.getType());
    // The scale multiplies the loss before any narrowing. Of several batches
    // the mean counts.
    Value seed = scale;
    if (recipe.accumulate > 1)
      seed = g.div(scale, g.splat(scale, double(recipe.accumulate)));
    Type lossType = cast<RankedTensorType>(types.front()).getElementType();
    auto vjp = nn::VJPOp::create(
        b, loc, types, callee.getName(), inputs, g.cast(seed, lossType),
        b.getArrayAttr(recipe.symbols), ArrayRef<int64_t>());
    loss = g.cast(vjp.getOutputs().front(), b.getF32Type());
    for (Value gradient : vjp.getOutputs().drop_front())
      gradients.push_back(g.cast(gradient, b.getF32Type()));
  }

  void update(Value lr) {
    if (recipe.info().check == rt::CheckPoint::Scaled)
      found = CheckOp::create(b, loc, gradients).getFound();
    if (recipe.updatesEarly())
      updateScale();
    unscale();
    regularize();
    auto check = CheckOp::create(b, loc, gradients);
    norm = check.getNorm();
    if (!found)
      found = recipe.scales() ? check.getFound() : flag(false);
    SmallVector<Value> unclipped = gradients;
    clip();
    applyLarc(lr);
    if (recipe.info().needsGradMaxAbs)
      maxAbs = MaxAbsOp::create(b, loc,
                                recipe.info().check == rt::CheckPoint::AfterClip
                                    ? gradients
                                    : unclipped);
    apply(lr);
    if (!recipe.updatesEarly())
      updateScale();
  }

  /// A step without a gradient is one whose gradients are all finite.
  void updateNothing() {
    found = flag(false);
    norm = constant(b.getF64Type(), b.getF64FloatAttr(0.0));
    if (recipe.info().needsGradMaxAbs)
      maxAbs = constant(b.getF32Type(), b.getF32FloatAttr(0.0));
    updateScale();
  }

  void unscale() {
    if (!recipe.scales())
      return;
    bool narrow = recipe.info().scaleIsF32;
    // After an early update another scale is in force.
    Value current =
        narrow && !recipe.updatesEarly()
            ? scale
            : getScale(narrow ? Type(b.getF32Type()) : Type(b.getF64Type()));
    rt::UnscaleRule rule = rt::unscaleRule(recipe.policy);
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
    if (!recipe.regularizes)
      return;
    auto op = RegularizeOp::create(b, loc, ValueRange(gradients).getTypes(),
                                   gradients, b.getArrayAttr(recipe.symbols),
                                   hyper("l1"), hyper("l2"), noDecay());
    gradients = llvm::to_vector_of<Value>(op.getOutputs());
  }

  void applyLarc(Value lr) {
    if (!recipe.larc)
      return;
    auto op =
        LarcOp::create(b, loc, ValueRange(gradients).getTypes(), gradients,
                       b.getArrayAttr(recipe.symbols), hyper("larc_eta"),
                       hyper("larc_min_update"), hyper("larc_eps"),
                       recipe.larcClips ? lr : Value());
    gradients = llvm::to_vector_of<Value>(op.getOutputs());
  }

  ArrayAttr noDecay() {
    return recipe.noDecay.empty() ? ArrayAttr()
                                  : b.getArrayAttr(recipe.noDecay);
  }

  void clip() {
    bool keras = recipe.optimizer->clipsLikeKeras;
    if (recipe.clip == "clip_global_norm") {
      Value coefficient = ClipCoefficientOp::create(
          b, loc, scalar(b.getF32Type()), norm, hyper(recipe.clip),
          recipe.clipsScaled ? scale : Value(), keras);
      for (Value &gradient : gradients)
        gradient =
            ClipOp::create(b, loc, gradient.getType(), gradient, coefficient);
    } else if (recipe.clip == "clip_norm") {
      auto clipped =
          ClipEachOp::create(b, loc, ValueRange(gradients).getTypes(),
                             gradients, hyper(recipe.clip), keras);
      gradients = llvm::to_vector_of<Value>(clipped.getClipped());
    } else if (recipe.clip == "clip_value") {
      Value limit =
          nn::GradientBuilder(b, loc).cast(hyper(recipe.clip), b.getF32Type());
      for (Value &gradient : gradients)
        gradient = ClampOp::create(b, loc, gradient.getType(), gradient, limit);
    }
  }

  void apply(Value lr) {
    Value skip = rt::appliesNonFinite(recipe.policy) ? Value() : found;
    ApplyOp::create(b, loc, kOptimizer, gradients,
                    b.getArrayAttr(recipe.symbols), lr, skip, noDecay());
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
    if (recipe.policy == rt::PolicyKind::KerasFixed)
      results.push_back({"skipped", flag(false)});
  }

  const Recipe &recipe;
  func::FuncOp callee; ///< The loss.
  Location loc;
  OpBuilder b;
  func::FuncOp function;
  Value scale, loss, found, norm, maxAbs, counter, error;
  SmallVector<Value> gradients;
  SmallVector<std::pair<StringRef, Value>> results;
};

struct BuildStepPass : mpc::amp::impl::BuildStepPassBase<BuildStepPass> {
  using BuildStepPassBase::BuildStepPassBase;

  void runOnOperation() override {
    Recipe recipe;
    if (failed(findGradients(recipe)) || failed(checkNames()) ||
        failed(readPolicy(recipe)) || failed(readOptimizer(recipe)) ||
        failed(choose(recipe)))
      return signalPassFailure();
    recipe.accumulate = accumulate;
    recipe.clipsScaled = clipScaled;
    if (accumulate == 1) {
      EntryWriter step(recipe, getOperation(), "step");
      step.readBatch();
      step.step();
      step.finish();
      return;
    }
    EntryWriter batch(recipe, getOperation(), "accumulate");
    batch.readBatch();
    batch.accumulate();
    batch.finish();
    EntryWriter apply(recipe, getOperation(), "apply");
    apply.takeAccumulated();
    apply.step();
    apply.finish();
  }

private:
  InFlightDiagnostic fail() { return emitError(getOperation().getLoc()); }

  LogicalResult findGradients(Recipe &recipe) {
    if (accumulate < 1)
      return fail() << "'accumulate' must be 1 or more, not "
                    << accumulate.getValue();
    if (gradientType.empty())
      return findLoss(recipe);
    Builder b(&getContext());
    recipe.gradientType = llvm::StringSwitch<Type>(gradientType)
                              .Case("f16", b.getF16Type())
                              .Case("bf16", b.getBF16Type())
                              .Case("f32", b.getF32Type())
                              .Default({});
    if (!recipe.gradientType)
      return fail() << "'gradient-type' must be f16, bf16 or f32, not '"
                    << gradientType << "'";
    return success();
  }

  LogicalResult findLoss(Recipe &recipe) {
    auto loss = getOperation().lookupSymbol<func::FuncOp>("loss");
    if (!loss || loss.isDeclaration())
      return fail() << "has no function @loss";
    auto type = loss.getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(loss.getResultTypes().front())
                    : RankedTensorType();
    if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      return loss.emitError("must yield one floating scalar");
    recipe.loss = loss;
    return success();
  }

  LogicalResult checkNames() {
    for (StringRef name :
         {StringRef("step"), StringRef("accumulate"), StringRef("apply"),
          StringRef(kScaler), StringRef(kOptimizer)})
      if (getOperation().lookupSymbol(name))
        return fail() << "already has a symbol @" << name;
    return success();
  }

  LogicalResult readPolicy(Recipe &recipe) {
    auto kind = rt::parsePolicy("policy", policy.getValue());
    if (!kind.ok())
      return fail() << kind.status().message();
    recipe.policy = *kind;
    SmallVector<rt::SettingOverride> overrides;
    for (const std::string &text : settings) {
      auto setting = parseSetting(getOperation().getLoc(), text);
      if (failed(setting))
        return failure();
      auto known = rt::findSetting(recipe.info(), setting->first.str());
      if (!known)
        return fail() << "policy '" << policy << "' has no setting '"
                      << setting->first << "'";
      overrides.push_back({*known, setting->second});
    }
    auto values = rt::trainingSettings(recipe.policy,
                                       {overrides.data(), overrides.size()});
    if (!values.ok())
      return fail() << values.status().message();
    addScaler(recipe, *values);
    return success();
  }

  void addScaler(const Recipe &recipe, const rt::Settings &values) {
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    SmallVector<NamedAttribute> entries;
    for (size_t i = 0; i != rt::kNumSettings; ++i) {
      auto setting = static_cast<rt::Setting>(i);
      if (recipe.info().reads(setting))
        entries.push_back(b.getNamedAttr(StringRef(rt::settingKey(setting)),
                                         b.getF64FloatAttr(values[setting])));
    }
    ScalerOp::create(b, getOperation().getLoc(), kScaler,
                     StringRef(recipe.info().name),
                     b.getDictionaryAttr(entries));
  }

  LogicalResult readOptimizer(Recipe &recipe) {
    recipe.optimizer = findOptimizer(optimizer.getValue());
    if (!recipe.optimizer)
      return fail() << "unknown optimizer '" << optimizer << "'; known are "
                    << knownOptimizers();
    llvm::StringMap<double> values;
    for (const NamedNumber &entry : recipe.optimizer->hypers)
      values[entry.name] = entry.value;
    for (const std::string &text : hyper) {
      auto setting = parseSetting(getOperation().getLoc(), text);
      if (failed(setting))
        return failure();
      if (!values.contains(setting->first))
        return fail() << "optimizer '" << optimizer
                      << "' has no hyper-parameter '" << setting->first << "'";
      values[setting->first] = setting->second;
    }
    warnOfEpsilon(values);
    if (failed(readClip(recipe, values)) || failed(readLarc(recipe, values)) ||
        failed(readPenalties(recipe, values)) || failed(readStorage(values)))
      return failure();
    return addOptimizer(recipe, values);
  }

  /// Rules add it to a root, in f32: where nothing is left of it, an element
  /// whose gradients are all 0 is divided by 0.
  void warnOfEpsilon(const llvm::StringMap<double> &values) {
    auto it = values.find("eps");
    if (it == values.end())
      return;
    auto narrow = static_cast<float>(it->second);
    if (std::isnormal(narrow))
      return;
    std::string value;
    llvm::raw_string_ostream(value) << llvm::format("%g", it->second);
    emitWarning(getOperation().getLoc())
        << "'eps' of optimizer '" << optimizer << "', " << value << ", is "
        << (narrow == 0.0f ? "0" : "subnormal")
        << " in f32, in which it is added: weights whose gradients are 0 may "
        << "become NaN";
  }

  LogicalResult readClip(Recipe &recipe, llvm::StringMap<double> &values) {
    std::pair<StringRef, double> kinds[] = {
        {"clip_global_norm", clipGlobalNorm},
        {"clip_norm", clipNorm},
        {"clip_value", clipValue}};
    for (auto [name, value] : kinds) {
      if (value == 0.0)
        continue;
      if (!(value > 0.0) || !std::isfinite(value))
        return fail() << "'" << name << "' must be positive and finite, not "
                      << value;
      if (!recipe.clip.empty())
        return fail() << "gradients are clipped by '" << recipe.clip
                      << "' or by '" << name << "', not by both";
      recipe.clip = name;
      values[name] = value;
    }
    return success();
  }

  LogicalResult readLarc(Recipe &recipe, llvm::StringMap<double> &values) {
    if (larc.empty())
      return success();
    if (larc != "clip" && larc != "scale")
      return fail() << "'larc' must be clip or scale, not '" << larc << "'";
    if (!recipe.clip.empty())
      return fail() << "gradients are clipped by '" << recipe.clip
                    << "' or rescaled by 'larc', not by both";
    std::pair<StringRef, double> numbers[] = {
        {"larc_eta", larcEta},
        {"larc_min_update", larcMinUpdate},
        {"larc_eps", larcEps}};
    for (auto [name, value] : numbers) {
      if (!(value >= 0.0) || !std::isfinite(value))
        return fail() << "'" << name << "' must be finite and 0 or more, not "
                      << value;
      values[name] = value;
    }
    recipe.larc = true;
    recipe.larcClips = larc == "clip";
    return success();
  }

  LogicalResult readPenalties(Recipe &recipe, llvm::StringMap<double> &values) {
    if (l1 == 0.0 && l2 == 0.0)
      return success();
    std::pair<StringRef, double> numbers[] = {{"l1", l1}, {"l2", l2}};
    for (auto [name, value] : numbers) {
      if (!(value >= 0.0) || !std::isfinite(value))
        return fail() << "'" << name << "' must be finite and 0 or more, not "
                      << value;
      values[name] = value;
    }
    recipe.regularizes = true;
    return success();
  }

  /// What is kept of parameters beside the parameters, or in place of them.
  LogicalResult readStorage(llvm::StringMap<double> &values) {
    if (!(ema >= 0.0) || !(ema < 1.0))
      return fail() << "'ema' must be from 0 up to, not including, 1, not "
                    << ema.getValue();
    if (ema != 0.0)
      values["ema_decay"] = ema;
    if (!masterWeights)
      values["rounding_seed"] = static_cast<double>(roundingSeed);
    return success();
  }

  LogicalResult addOptimizer(const Recipe &recipe,
                             const llvm::StringMap<double> &values) {
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    SmallVector<NamedAttribute> entries;
    for (const auto &entry : values)
      entries.push_back(
          b.getNamedAttr(entry.getKey(), b.getF64FloatAttr(entry.getValue())));
    SmallVector<StringRef> names;
    for (const std::string &flag : flags) {
      if (!llvm::is_contained(recipe.optimizer->flags, flag))
        return fail() << "optimizer '" << optimizer << "' has no flag '" << flag
                      << "'";
      names.push_back(flag);
    }
    // What keeps no velocity needs no slot for it.
    if (llvm::is_contained(recipe.optimizer->flags, "momentum") &&
        values.lookup("momentum") != 0.0 &&
        !llvm::is_contained(names, "momentum"))
      names.push_back("momentum");
    if (llvm::is_contained(names, "nesterov") &&
        (!llvm::is_contained(names, "momentum") ||
         values.lookup("dampening") != 0.0))
      return fail() << "nesterov needs momentum and no dampening";
    OptimizerOp::create(b, getOperation().getLoc(), kOptimizer,
                        recipe.optimizer->name, b.getDictionaryAttr(entries),
                        b.getStrArrayAttr(names));
    return success();
  }

  FailureOr<NamePatterns> compile(const ListOption<std::string> &list) {
    SmallVector<std::string> expressions(list.begin(), list.end());
    return NamePatterns::compile(
        expressions, [&](const std::string &message) { fail() << message; });
  }

  /// Updates are made in f32, whatever the model computes in; without masters
  /// they are kept in bf16.
  LogicalResult setStorage(nn::ParameterOp parameter) {
    Builder b(&getContext());
    Type type = cast<RankedTensorType>(parameter.getType()).getElementType();
    Type stored = masterWeights ? Type(b.getF32Type()) : b.getBF16Type();
    if (!masterWeights && type.isF16())
      return parameter.emitError("'")
             << parameter.getSymName() << "' is " << parameter.getType()
             << ", which bf16 cannot hold: train it with master weights";
    if (type == stored)
      return success();
    if (type.isF16() || type.isBF16() || type.isF32())
      retype(parameter, stored);
    else
      return parameter.emitError("can only train parameters of f32, f16 and "
                                 "bf16, but '")
             << parameter.getSymName() << "' is " << parameter.getType()
             << "; freeze it";
    return success();
  }

  /// Which parameters are trained, and which of them see no decay.
  LogicalResult choose(Recipe &recipe) {
    auto frozen = compile(freeze);
    auto trained = compile(trainable);
    auto undecayed = compile(noDecay);
    auto ungraded = compile(noGradient);
    if (failed(frozen) || failed(trained) || failed(undecayed) ||
        failed(ungraded))
      return failure();
    DenseSet<StringAttr> reached;
    if (recipe.loss)
      reached = findDifferentiableParameters(recipe.loss);
    bool hasIdle = false;
    for (auto parameter : getOperation().getOps<nn::ParameterOp>()) {
      StringRef name = parameter.getSymName();
      if (frozen->matches(name) ||
          (!trained->empty() && !trained->matches(name)))
        parameter.setFrozen(true);
      if (parameter.getFrozen())
        continue;
      if (recipe.loss && !reached.contains(parameter.getSymNameAttr())) {
        parameter.emitWarning("parameter '")
            << name << "' has no path to the loss: it has no gradient and is "
            << "not updated";
        hasIdle = true;
        continue;
      }
      if (ungraded->matches(name)) {
        hasIdle = true;
        continue;
      }
      if (failed(setStorage(parameter)))
        return failure();
      recipe.parameters.push_back(parameter);
      recipe.symbols.push_back(FlatSymbolRefAttr::get(&getContext(), name));
      if (undecayed->matches(name))
        recipe.noDecay.push_back(FlatSymbolRefAttr::get(&getContext(), name));
    }
    if (recipe.parameters.empty() && !hasIdle)
      return fail() << "has no parameter to train";
    return success();
  }
};

} // namespace
