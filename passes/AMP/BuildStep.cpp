// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-build-step: makes @step from @loss and a recipe.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/RandomState.h"
#include "dialects/AMP/Recipe.h"
#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/Gradient.h"
#include "dialects/NN/Random.h"
#include "passes/AMP/StepWriter.h"
#include "passes/AMP/TrainedParameters.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"

#include <cmath>

namespace mpc::amp {
#define GEN_PASS_DEF_BUILDSTEPPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

namespace {

struct BuildStepPass : mpc::amp::impl::BuildStepPassBase<BuildStepPass> {
  using BuildStepPassBase::BuildStepPassBase;

  void runOnOperation() override {
    recipe_ = findRecipe(getOperation());
    StepPlan plan;
    plan.recipe = recipe_;
    if (failed(checkNames()) || failed(findLoss(plan)))
      return signalPassFailure();
    addScaler();
    addOptimizer(plan);
    if (failed(choose(plan)))
      return signalPassFailure();
    writeEntries(plan, getOperation());
  }

private:
  InFlightDiagnostic fail() { return emitError(getOperation().getLoc()); }

  LogicalResult checkNames() {
    if (!recipe_)
      return fail() << "has no amp.recipe, which says what its step is";
    for (StringRef name : {stringifyEntryKind(EntryKind::Step),
                           stringifyEntryKind(EntryKind::Accumulate),
                           stringifyEntryKind(EntryKind::Apply),
                           StringRef(kScaler), StringRef(kOptimizer)})
      if (getOperation().lookupSymbol(name))
        return fail() << "already has a symbol @" << name;
    return success();
  }

  LogicalResult findLoss(StepPlan &plan) {
    if (recipe_.getGradients())
      return success();
    auto loss = getOperation().lookupSymbol<func::FuncOp>(nn::kLossFunction);
    if (!loss || loss.isDeclaration())
      return fail() << "has no function @loss";
    auto type = loss.getNumResults() > 0
                    ? dyn_cast<RankedTensorType>(loss.getResultTypes().front())
                    : RankedTensorType();
    if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      return loss.emitError("must yield one floating scalar");
    plan.loss = loss;
    return findBuffers(plan);
  }

  LogicalResult findBuffers(StepPlan &plan) {
    func::FuncOp loss = plan.loss;
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
               << ": running statistics are kept in f32; export the model in "
                  "f32 (PyTorch: model.float())";
      std::string pending = pendingName(buffer.getSymName());
      if (recipe_.getAccumulate() > 1 && getOperation().lookupSymbol(pending))
        return buffer.emitError("'")
               << buffer.getSymName() << "' waits in '" << pending
               << "' for the end of a window of batches, but the model has a "
                  "symbol of that name; rename it";
      buffer.setFrozen(true);
      if (!elementTypeOf(buffer).isF32())
        retype(buffer, Float32Type::get(&getContext()));
      plan.buffers.push_back(buffer);
    }
    return success();
  }

  static Type elementTypeOf(nn::ParameterOp parameter) {
    return cast<RankedTensorType>(parameter.getType()).getElementType();
  }

  DictionaryAttr toNumbers(const llvm::StringMap<double> &values) {
    Builder b(&getContext());
    SmallVector<NamedAttribute> entries;
    for (const auto &entry : values)
      entries.push_back(
          b.getNamedAttr(entry.getKey(), b.getF64FloatAttr(entry.getValue())));
    return b.getDictionaryAttr(entries);
  }

  const rt::PolicyInfo &policy() {
    return rt::policyInfo(recipe_.getPolicyKind());
  }

  void addScaler() {
    rt::Settings settings = recipe_.getAllSettings();
    llvm::StringMap<double> values;
    for (size_t i = 0; i != rt::kNumSettings; ++i) {
      auto setting = static_cast<rt::Setting>(i);
      if (policy().reads(setting))
        values[StringRef(rt::settingKey(setting))] = settings[setting];
    }
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    ScalerOp::create(b, getOperation().getLoc(), kScaler,
                     StringRef(policy().name), toNumbers(values));
  }

  /// `loss` may be null.
  static bool drawsRandom(func::FuncOp loss) {
    return loss && llvm::any_of(loss.getArguments(), [&](BlockArgument a) {
             return loss.getArgAttr(a.getArgNumber(), nn::kRandom);
           });
  }

  /// The rule's hyper-parameters, and those of what is around it.
  llvm::StringMap<double> findHypers(const StepPlan &plan) {
    llvm::StringMap<double> values;
    for (const NamedNumber &entry : recipe_.getRule()->hypers)
      values[entry.name] = entry.value;
    for (NamedAttribute entry : recipe_.getHyper())
      values[entry.getName().getValue()] =
          cast<FloatAttr>(entry.getValue()).getValueAsDouble();
    warnOfEpsilon(values);
    if (recipe_.getClip())
      values[clipHyper(*recipe_.getClip())] =
          recipe_.getClipBy()->convertToDouble();
    addLarc(values);
    if (recipe_.hasPenalty()) {
      values["l1"] = recipe_.getL1().convertToDouble();
      values["l2"] = recipe_.getL2().convertToDouble();
    }
    if (recipe_.getEma().isNonZero())
      values["ema_decay"] = recipe_.getEma().convertToDouble();
    if (recipe_.getNoMasters() || !recipe_.getSlotType().isF32())
      values["rounding_seed"] = static_cast<double>(recipe_.getSeed());
    if (drawsRandom(plan.loss))
      values[kRandomSeed] = static_cast<double>(recipe_.getSeed());
    return values;
  }

  void addLarc(llvm::StringMap<double> &values) {
    if (!recipe_.getLarc())
      return;
    values["larc_eta"] = recipe_.getEta();
    values["larc_eps"] = recipe_.getEps();
    if (!recipe_.isApex()) {
      values["larc_min_update"] = recipe_.getMinUpdate();
      return;
    }
    // LARC adds the weight decay to the gradient itself, so the rule has none.
    values["larc_weight_decay"] = values.lookup("weight_decay");
    if (auto decay = values.find("weight_decay"); decay != values.end())
      decay->second = 0.0;
  }

  /// Warns of an epsilon that f32 cannot hold. Rules add it to a root in f32,
  /// and without it an element whose gradients are all 0 is divided by 0.
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
        << "'eps' of optimizer '" << recipe_.getOptimizer() << "', " << value
        << ", is " << (narrow == 0.0f ? "0" : "subnormal")
        << " in f32, in which it is added: weights whose gradients are 0 may "
        << "become NaN";
  }

  void addOptimizer(const StepPlan &plan) {
    llvm::StringMap<double> values = findHypers(plan);
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    Type slots = recipe_.getSlotType();
    OptimizerOp::create(
        b, getOperation().getLoc(), kOptimizer, recipe_.getRule()->name,
        toNumbers(values), recipe_.getAllFlags(),
        slots.isF32() ? TypeAttr() : TypeAttr::get(slots),
        policy().iterationsCountSkips, b.getArrayAttr({}), ArrayAttr());
  }

  FailureOr<NamePatterns> compile(ArrayAttr list) {
    return NamePatterns::compile(
        stringsOf(list),
        [&](const std::string &message) { fail() << message; });
  }

  /// Updates are made in f32, whatever the model computes in; without masters
  /// they are kept in bf16.
  LogicalResult setStorage(nn::ParameterOp parameter) {
    Builder b(&getContext());
    Type type = cast<RankedTensorType>(parameter.getType()).getElementType();
    bool hasMaster = !recipe_.getNoMasters();
    Type stored = hasMaster ? Type(b.getF32Type()) : b.getBF16Type();
    if (!hasMaster && type.isF16())
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
             << ": export the model in f32 (PyTorch: model.float()), or freeze "
                "it";
    return success();
  }

  /// The parameter sets that have members. Each has an optimizer state of its
  /// own.
  void addSets(StepPlan &plan, MutableArrayRef<ParameterSet> chosen) {
    auto first = getOperation().lookupSymbol<OptimizerOp>(kOptimizer);
    for (auto [index, set] : llvm::enumerate(chosen)) {
      if (set.members.empty())
        continue;
      if (index > 0)
        set.present = "present." + std::to_string(index - 1);
      set.optimizer = kOptimizer.str();
      if (!plan.sets.empty()) {
        set.optimizer += std::to_string(plan.sets.size() + 1);
        OpBuilder b(first);
        b.setInsertionPointAfter(first);
        cast<OptimizerOp>(b.clone(*first)).setSymName(set.optimizer);
      }
      setTrained(plan, set);
      plan.sets.push_back(std::move(set));
    }
  }

  /// Tells the optimizer of `set` what it trains.
  void setTrained(const StepPlan &plan, const ParameterSet &set) {
    auto op = getOperation().lookupSymbol<OptimizerOp>(set.optimizer);
    SmallVector<Attribute> symbols = set.select(plan.symbols);
    op.setTrainsAttr(ArrayAttr::get(&getContext(), symbols));
    llvm::erase_if(symbols, [&](Attribute symbol) {
      return !llvm::is_contained(plan.noDecay, symbol);
    });
    op.setNoDecayAttr(symbols.empty() ? ArrayAttr()
                                      : ArrayAttr::get(&getContext(), symbols));
  }

  /// Which parameters are trained, and which of them see no decay.
  LogicalResult choose(StepPlan &plan) {
    auto frozen = compile(recipe_.getFreeze());
    auto trained = compile(recipe_.getTrainable());
    auto undecayed = compile(recipe_.getNoDecay());
    auto ungraded = compile(recipe_.getNoGradient());
    SmallVector<NamePatterns> sets;
    for (const std::string &expression : stringsOf(recipe_.getGradientSets())) {
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
    if (plan.loss)
      reached = findDifferentiableParameters(plan.loss);
    bool hasIdle = false;
    for (auto parameter : getOperation().getOps<nn::ParameterOp>()) {
      StringRef name = parameter.getSymName();
      if (frozen->matches(name) ||
          (!trained->empty() && !trained->matches(name)))
        parameter.setFrozen(true);
      if (parameter.getFrozen())
        continue;
      if (plan.loss && !reached.contains(parameter.getSymNameAttr())) {
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
      chosen[index].members.push_back(plan.parameters.size());
      plan.parameters.push_back(parameter);
      plan.symbols.push_back(FlatSymbolRefAttr::get(&getContext(), name));
      if (undecayed->matches(name))
        plan.noDecay.push_back(FlatSymbolRefAttr::get(&getContext(), name));
    }
    addSets(plan, chosen);
    if (plan.parameters.empty() && !hasIdle)
      return fail() << "has no parameter to train";
    return success();
  }

  RecipeOp recipe_;
};

} // namespace
