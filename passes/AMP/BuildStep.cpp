// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-build-step: makes @step from @loss and a recipe.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Optimizers.h"
#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/NNDialect.h"
#include "passes/AMP/StepWriter.h"
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

struct BuildStepPass : mpc::amp::impl::BuildStepPassBase<BuildStepPass> {
  using BuildStepPassBase::BuildStepPassBase;

  void runOnOperation() override {
    StepRecipe recipe;
    if (failed(findGradients(recipe)) || failed(checkNames()) ||
        failed(readPolicy(recipe)) || failed(readOptimizer(recipe)) ||
        failed(choose(recipe)))
      return signalPassFailure();
    recipe.accumulate = accumulate;
    recipe.clipsScaled = clipScaled;
    recipe.torchNorm = clipNormOrder == "torch";
    writeEntries(recipe, getOperation());
  }

private:
  InFlightDiagnostic fail() { return emitError(getOperation().getLoc()); }

  LogicalResult findGradients(StepRecipe &recipe) {
    if (accumulate < 1)
      return fail() << "'accumulate' must be 1 or more, not "
                    << accumulate.getValue();
    if (gradientType.empty())
      return findLoss(recipe);
    recipe.gradientType = floatType(gradientType);
    if (!recipe.gradientType)
      return fail() << "'gradient-type' must be f16, bf16 or f32, not '"
                    << gradientType << "'";
    return success();
  }

  LogicalResult findLoss(StepRecipe &recipe) {
    auto loss = getOperation().lookupSymbol<func::FuncOp>("loss");
    if (!loss || loss.isDeclaration())
      return fail() << "has no function @loss";
    auto type = loss.getNumResults() > 0
                    ? dyn_cast<RankedTensorType>(loss.getResultTypes().front())
                    : RankedTensorType();
    if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      return loss.emitError("must yield one floating scalar");
    recipe.loss = loss;
    return findBuffers(recipe);
  }

  LogicalResult findBuffers(StepRecipe &recipe) {
    func::FuncOp loss = recipe.loss;
    for (unsigned i = 1, e = loss.getNumResults(); i < e; ++i) {
      auto symbol = loss.getResultAttrOfType<FlatSymbolRefAttr>(i, nn::kBuffer);
      auto buffer =
          symbol
              ? getOperation().lookupSymbol<nn::ParameterOp>(symbol.getAttr())
              : nn::ParameterOp();
      if (!buffer || buffer.getType() != loss.getResultTypes()[i])
        return loss.emitError("must yield one floating scalar; result ")
               << i << " is no next value of a parameter (nn.buffer)";
      if (elementTypeOf(buffer).isF64())
        return buffer.emitError("'")
               << buffer.getSymName() << "' is " << buffer.getType()
               << ": running statistics are kept in f32";
      std::string pending = pendingName(buffer.getSymName());
      if (accumulate > 1 && getOperation().lookupSymbol(pending))
        return buffer.emitError("'")
               << buffer.getSymName() << "' waits in '" << pending
               << "' for the end of a window of batches, but the model has a "
                  "symbol of that name; rename it";
      buffer.setFrozen(true);
      if (!elementTypeOf(buffer).isF32())
        retype(buffer, Float32Type::get(&getContext()));
      recipe.buffers.push_back(buffer);
    }
    return success();
  }

  static Type elementTypeOf(nn::ParameterOp parameter) {
    return cast<RankedTensorType>(parameter.getType()).getElementType();
  }

  LogicalResult checkNames() {
    for (StringRef name :
         {StringRef("step"), StringRef("accumulate"), StringRef("apply"),
          StringRef(kScaler), StringRef(kOptimizer)})
      if (getOperation().lookupSymbol(name))
        return fail() << "already has a symbol @" << name;
    return success();
  }

  LogicalResult readPolicy(StepRecipe &recipe) {
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

  void addScaler(const StepRecipe &recipe, const rt::Settings &values) {
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

  LogicalResult readOptimizer(StepRecipe &recipe) {
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

  LogicalResult readClip(StepRecipe &recipe, llvm::StringMap<double> &values) {
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
    if (clipNormOrder != "f64" && clipNormOrder != "torch")
      return fail() << "'clip-norm-order' must be f64 or torch, not '"
                    << clipNormOrder << "'";
    return success();
  }

  LogicalResult readLarc(StepRecipe &recipe, llvm::StringMap<double> &values) {
    if (larc.empty())
      return success();
    StringRef mode = larc;
    recipe.larcDecays = mode.consume_front("apex-");
    if (mode != "clip" && mode != "scale")
      return fail() << "'larc' must be clip, scale, apex-clip or apex-scale, "
                    << "not '" << larc << "'";
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
    recipe.larcClips = mode == "clip";
    if (!recipe.larcDecays)
      return success();
    // Taken in by the rates: the rule has none left.
    values.erase("larc_min_update");
    values["larc_weight_decay"] = values.lookup("weight_decay");
    if (auto decay = values.find("weight_decay"); decay != values.end())
      decay->second = 0.0;
    return success();
  }

  LogicalResult readPenalties(StepRecipe &recipe,
                              llvm::StringMap<double> &values) {
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
    if (!masterWeights || slotType != "f32")
      values["rounding_seed"] = static_cast<double>(roundingSeed);
    return success();
  }

  LogicalResult addOptimizer(const StepRecipe &recipe,
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
    ArrayAttr flagNames = b.getStrArrayAttr(names);
    auto slots = readSlotType(recipe, Flags(flagNames));
    if (failed(slots))
      return failure();
    OptimizerOp::create(b, getOperation().getLoc(), kOptimizer,
                        recipe.optimizer->name, b.getDictionaryAttr(entries),
                        flagNames, *slots, recipe.info().iterationsCountSkips,
                        b.getArrayAttr({}), ArrayAttr());
    return success();
  }

  /// Null for f32.
  FailureOr<TypeAttr> readSlotType(const StepRecipe &recipe, Flags names) {
    Type type = floatType(slotType);
    if (!type)
      return fail() << "'slot-type' must be f32, bf16 or f16, not '" << slotType
                    << "'";
    std::string refusal = recipe.optimizer->refusal(type, names);
    if (!refusal.empty())
      return fail() << "cannot keep slots in " << slotType << ": " << refusal;
    return type.isF32() ? TypeAttr() : TypeAttr::get(type);
  }

  /// Null where `name` is none of f16, bf16 and f32.
  Type floatType(StringRef name) {
    Builder b(&getContext());
    return llvm::StringSwitch<Type>(name)
        .Case("f16", b.getF16Type())
        .Case("bf16", b.getBF16Type())
        .Case("f32", b.getF32Type())
        .Default({});
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

  /// The sets that have members, each with a state of its own.
  void addSets(StepRecipe &recipe, MutableArrayRef<ParameterSet> chosen) {
    auto first = getOperation().lookupSymbol<OptimizerOp>(kOptimizer);
    for (auto [index, set] : llvm::enumerate(chosen)) {
      if (set.members.empty())
        continue;
      if (index > 0)
        set.present = "present." + std::to_string(index - 1);
      set.optimizer = kOptimizer.str();
      if (!recipe.sets.empty()) {
        set.optimizer += std::to_string(recipe.sets.size() + 1);
        OpBuilder b(first);
        b.setInsertionPointAfter(first);
        cast<OptimizerOp>(b.clone(*first)).setSymName(set.optimizer);
      }
      setTrained(recipe, set);
      recipe.sets.push_back(std::move(set));
    }
  }

  /// Tells the optimizer of `set` what it trains.
  void setTrained(const StepRecipe &recipe, const ParameterSet &set) {
    auto op = getOperation().lookupSymbol<OptimizerOp>(set.optimizer);
    SmallVector<Attribute> symbols = set.select(recipe.symbols);
    op.setTrainsAttr(ArrayAttr::get(&getContext(), symbols));
    llvm::erase_if(symbols, [&](Attribute symbol) {
      return !llvm::is_contained(recipe.noDecay, symbol);
    });
    op.setNoDecayAttr(symbols.empty() ? ArrayAttr()
                                      : ArrayAttr::get(&getContext(), symbols));
  }

  /// Which parameters are trained, and which of them see no decay.
  LogicalResult choose(StepRecipe &recipe) {
    auto frozen = compile(freeze);
    auto trained = compile(trainable);
    auto undecayed = compile(noDecay);
    auto ungraded = compile(noGradient);
    SmallVector<NamePatterns> sets;
    for (const std::string &expression : gradientSets) {
      auto set = NamePatterns::compile(
          {expression}, [&](const std::string &message) { fail() << message; });
      if (failed(set))
        return failure();
      sets.push_back(std::move(*set));
    }
    SmallVector<ParameterSet> chosen(1 + sets.size());
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
      auto set = llvm::find_if(
          sets, [&](NamePatterns &patterns) { return patterns.matches(name); });
      size_t index = set == sets.end() ? 0 : 1 + (set - sets.begin());
      chosen[index].members.push_back(recipe.parameters.size());
      recipe.parameters.push_back(parameter);
      recipe.symbols.push_back(FlatSymbolRefAttr::get(&getContext(), name));
      if (undecayed->matches(name))
        recipe.noDecay.push_back(FlatSymbolRefAttr::get(&getContext(), name));
    }
    addSets(recipe, chosen);
    if (recipe.parameters.empty() && !hasIdle)
      return fail() << "has no parameter to train";
    return success();
  }
};

} // namespace
