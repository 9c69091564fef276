// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-build-step: makes @step from @loss and a recipe.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Optimizers.h"
#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "runtime/LossScale/PolicyInfo.h"

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
  StringRef clip; ///< The hyper-parameter to clip by; empty for none.
  SmallVector<nn::ParameterOp> parameters;
  SmallVector<Attribute> noDecay;

  const rt::PolicyInfo &info() const { return rt::policyInfo(policy); }
  bool scales() const { return policy != rt::PolicyKind::None; }
};

/// Writes the body of @step.
class StepWriter {
public:
  StepWriter(const Recipe &recipe, func::FuncOp loss, func::FuncOp step)
      : recipe(recipe), loss(loss), step(step), loc(step.getLoc()),
        b(OpBuilder::atBlockEnd(&step.getBody().front())) {}

  void write() {
    readScale();
    differentiate();
    bool early = recipe.info().update == rt::UpdatePoint::BeforeUnscale;
    if (recipe.info().check == rt::CheckPoint::Scaled)
      found = CheckOp::create(b, loc, gradients).getFound();
    if (early)
      updateScale();
    unscale();
    auto check = CheckOp::create(b, loc, gradients);
    norm = check.getNorm();
    if (!found)
      found = recipe.scales() ? check.getFound() : flag(false);
    SmallVector<Value> unclipped = gradients;
    clip();
    measure(recipe.info().check == rt::CheckPoint::AfterClip ? gradients
                                                             : unclipped);
    apply();
    if (!early)
      updateScale();
    finish();
  }

private:
  Type scalar(Type elementType) {
    return RankedTensorType::get({}, elementType);
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

  void readScale() {
    scale = recipe.scales() ? getScale(b.getF32Type())
                            : constant(b.getF32Type(), b.getF32FloatAttr(1.0));
  }

  /// The loss and the gradients of the scaled loss.
  void differentiate() {
    SmallVector<Attribute> wrt;
    SmallVector<Type> types(loss.getResultTypes());
    for (nn::ParameterOp parameter : recipe.parameters) {
      wrt.push_back(FlatSymbolRefAttr::get(parameter.getSymNameAttr()));
      types.push_back(parameter.getType());
    }
    // The scale multiplies the loss before any narrowing.
    Type lossType = cast<RankedTensorType>(types.front()).getElementType();
    Value seed = nn::GradientBuilder(b, loc).cast(scale, lossType);
    ValueRange inputs = step.getArguments().drop_back();
    auto vjp = nn::VJPOp::create(b, loc, types, loss.getName(), inputs, seed,
                                 b.getArrayAttr(wrt), ArrayRef<int64_t>());
    lossValue = vjp.getOutputs().front();
    gradients = llvm::to_vector_of<Value>(vjp.getOutputs().drop_front());
  }

  void unscale() {
    if (!recipe.scales())
      return;
    // An early update already put another scale in force.
    Type type =
        recipe.info().scaleIsF32 ? Type(b.getF32Type()) : Type(b.getF64Type());
    bool early = recipe.info().update == rt::UpdatePoint::BeforeUnscale;
    Value current = early || !recipe.info().scaleIsF32 ? getScale(type) : scale;
    rt::UnscaleRule rule = rt::unscaleRule(recipe.policy);
    bool divide = rule == rt::UnscaleRule::Divide;
    Value factor = divide ? scale
                          : InverseScaleOp::create(
                                b, loc, scalar(b.getF32Type()), current,
                                rule == rt::UnscaleRule::FlushedReciprocal);
    for (Value &gradient : gradients)
      gradient = UnscaleOp::create(b, loc, gradient.getType(), gradient, factor,
                                   divide);
  }

  Value hyper(StringRef name) {
    return GetHyperOp::create(b, loc, scalar(b.getF64Type()), kOptimizer, name);
  }

  void clip() {
    if (recipe.clip == "clip_global_norm") {
      Value coefficient =
          ClipCoefficientOp::create(b, loc, norm, hyper(recipe.clip));
      for (Value &gradient : gradients)
        gradient =
            ClipOp::create(b, loc, gradient.getType(), gradient, coefficient);
    } else if (recipe.clip == "clip_value") {
      Value limit =
          nn::GradientBuilder(b, loc).cast(hyper(recipe.clip), b.getF32Type());
      for (Value &gradient : gradients)
        gradient = ClampOp::create(b, loc, gradient.getType(), gradient, limit);
    }
  }

  void measure(ArrayRef<Value> checked) {
    if (recipe.info().needsGradMaxAbs)
      maxAbs = MaxAbsOp::create(b, loc, checked);
  }

  void apply() {
    SmallVector<Attribute> symbols;
    for (nn::ParameterOp parameter : recipe.parameters)
      symbols.push_back(FlatSymbolRefAttr::get(parameter.getSymNameAttr()));
    Value lr = step.getArguments().back();
    Value skip = rt::appliesNonFinite(recipe.policy) ? Value() : found;
    ArrayAttr noDecay =
        recipe.noDecay.empty() ? ArrayAttr() : b.getArrayAttr(recipe.noDecay);
    ApplyOp::create(b, loc, kOptimizer, gradients, b.getArrayAttr(symbols), lr,
                    skip, noDecay);
  }

  void updateScale() {
    auto update = UpdateScaleOp::create(b, loc, kScaler, found, maxAbs);
    counter = update.getCounter();
    error = update.getError();
  }

  /// Returns the metrics, each with its name.
  void finish() {
    SmallVector<std::pair<StringRef, Value>> results = {
        {"loss", nn::GradientBuilder(b, loc).cast(lossValue, b.getF32Type())},
        {"scale", scale},
        {"found_inf", found},
        {"grad_norm", norm},
        {"good_steps", counter},
        {"scale_error", error}};
    if (recipe.policy == rt::PolicyKind::KerasFixed)
      results.push_back({"skipped", flag(false)});
    SmallVector<Value> values;
    SmallVector<Type> types;
    for (auto &[name, value] : results) {
      values.push_back(value);
      types.push_back(value.getType());
    }
    func::ReturnOp::create(b, loc, values);
    step.setFunctionType(b.getFunctionType(step.getArgumentTypes(), types));
    for (auto [index, result] : llvm::enumerate(results))
      step.setResultAttr(index, kName, b.getStringAttr(result.first));
  }

  const Recipe &recipe;
  func::FuncOp loss, step;
  Location loc;
  OpBuilder b;
  Value scale, lossValue, found, norm, maxAbs, counter, error;
  SmallVector<Value> gradients;
};

struct BuildStepPass : mpc::amp::impl::BuildStepPassBase<BuildStepPass> {
  using BuildStepPassBase::BuildStepPassBase;

  void runOnOperation() override {
    Recipe recipe;
    FailureOr<func::FuncOp> loss = findLoss();
    if (failed(loss) || failed(readPolicy(recipe)) ||
        failed(readOptimizer(recipe)) || failed(choose(recipe)))
      return signalPassFailure();
    func::FuncOp step = declareStep(*loss);
    StepWriter(recipe, *loss, step).write();
  }

private:
  InFlightDiagnostic fail() { return emitError(getOperation().getLoc()); }

  FailureOr<func::FuncOp> findLoss() {
    auto loss = getOperation().lookupSymbol<func::FuncOp>("loss");
    if (!loss || loss.isDeclaration())
      return fail() << "has no function @loss";
    auto type = loss.getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(loss.getResultTypes().front())
                    : RankedTensorType();
    if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      return loss.emitError("must yield one floating scalar");
    for (StringRef name :
         {StringRef("step"), StringRef(kScaler), StringRef(kOptimizer)})
      if (getOperation().lookupSymbol(name))
        return fail() << "already has a symbol @" << name;
    return loss;
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
    if (failed(readClip(recipe, values)))
      return failure();
    return addOptimizer(recipe, values);
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
    if (recipe.clip == "clip_norm")
      return fail() << "'clip_norm' is not there yet";
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

  /// Which parameters are trained, and which of them see no decay.
  LogicalResult choose(Recipe &recipe) {
    auto frozen = compile(freeze);
    auto trained = compile(trainable);
    auto undecayed = compile(noDecay);
    if (failed(frozen) || failed(trained) || failed(undecayed))
      return failure();
    for (auto parameter : getOperation().getOps<nn::ParameterOp>()) {
      StringRef name = parameter.getSymName();
      if (frozen->matches(name) ||
          (!trained->empty() && !trained->matches(name)))
        parameter.setFrozen(true);
      if (parameter.getFrozen())
        continue;
      recipe.parameters.push_back(parameter);
      if (undecayed->matches(name))
        recipe.noDecay.push_back(FlatSymbolRefAttr::get(&getContext(), name));
    }
    if (recipe.parameters.empty())
      return fail() << "has no parameter to train";
    return success();
  }

  func::FuncOp declareStep(func::FuncOp loss) {
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    SmallVector<Type> inputs(loss.getArgumentTypes());
    inputs.push_back(RankedTensorType::get({}, b.getF32Type()));
    auto step = func::FuncOp::create(b, loss.getLoc(), "step",
                                     b.getFunctionType(inputs, {}));
    step.addEntryBlock();
    for (unsigned i = 0, e = loss.getNumArguments(); i < e; ++i)
      step.setArgAttrs(i, loss.getArgAttrDict(i));
    step.setArgAttr(loss.getNumArguments(), kName, b.getStringAttr("lr"));
    return step;
  }
};

} // namespace
