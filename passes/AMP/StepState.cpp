// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scaler and the optimizer of a recipe.
#include "passes/AMP/StepState.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/RandomState.h"
#include "dialects/NN/Random.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

static DictionaryAttr toNumbers(MLIRContext *context,
                                const llvm::StringMap<double> &values) {
  Builder b(context);
  SmallVector<NamedAttribute> entries;
  for (const auto &entry : values)
    entries.push_back(
        b.getNamedAttr(entry.getKey(), b.getF64FloatAttr(entry.getValue())));
  return b.getDictionaryAttr(entries);
}

void mpc::amp::addScaler(ModuleOp module, RecipeOp recipe) {
  const rt::PolicyInfo &policy = rt::policyInfo(recipe.getPolicyKind());
  rt::Settings settings = recipe.getAllSettings();
  llvm::StringMap<double> values;
  for (size_t i = 0; i != rt::kNumSettings; ++i) {
    auto setting = static_cast<rt::Setting>(i);
    if (policy.reads(setting))
      values[StringRef(rt::settingKey(setting))] = settings[setting];
  }
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  ScalerOp::create(b, module.getLoc(), kScaler, StringRef(policy.name),
                   toNumbers(module.getContext(), values));
}

/// Whether `loss`, which may be null, draws random numbers.
static bool drawsRandom(func::FuncOp loss) {
  return loss && llvm::any_of(loss.getArguments(), [&](BlockArgument a) {
           return loss.getArgAttr(a.getArgNumber(), nn::kRandom);
         });
}

/// Warns of an epsilon that f32 cannot hold. Rules add epsilon to a root in
/// f32. Without it, an element whose gradients are all 0 is divided by 0.
static void warnOfEpsilon(ModuleOp module, RecipeOp recipe,
                          const llvm::StringMap<double> &values) {
  auto it = values.find("eps");
  if (it == values.end())
    return;
  auto narrow = static_cast<float>(it->second);
  if (std::isnormal(narrow))
    return;
  std::string value;
  llvm::raw_string_ostream(value) << llvm::format("%g", it->second);
  emitWarning(module.getLoc())
      << "'eps' of optimizer '" << recipe.getOptimizerName() << "', " << value
      << ", is " << (narrow == 0.0f ? "0" : "subnormal")
      << " in f32, in which it is added: weights whose gradients are 0 may "
      << "become NaN";
}

static void addLarc(RecipeOp recipe, llvm::StringMap<double> &values) {
  std::optional<LarcAttr> larc = recipe.getLarc();
  if (!larc)
    return;
  values["larc_eta"] = larc->getEta();
  values["larc_eps"] = larc->getEps();
  if (!larc->isApex()) {
    values["larc_min_update"] = larc->getMinUpdate();
    return;
  }
  // LARC adds the weight decay to the gradient itself, so the rule has none.
  values["larc_weight_decay"] = values.lookup("weight_decay");
  if (auto decay = values.find("weight_decay"); decay != values.end())
    decay->second = 0.0;
}

/// The hyper-parameters of the rule: the given values, else its defaults.
static llvm::StringMap<double> findRuleHypers(RecipeOp recipe) {
  llvm::StringMap<double> values;
  for (const NamedNumber &entry : recipe.getRule()->hypers)
    values[entry.name] = entry.value;
  for (const NamedNumber &entry : numbersOf(recipe.getHyper()))
    values[entry.name] = entry.value;
  return values;
}

/// Adds the hyper-parameters of transforms and averages around the rule.
static void addStepHypers(const StepPlan &plan,
                          llvm::StringMap<double> &values) {
  RecipeOp recipe = plan.recipe;
  if (std::optional<ClipAttr> clip = recipe.getClip())
    values[clipHyper(clip->getKind())] = clip->getBound();
  addLarc(recipe, values);
  if (recipe.hasPenalty()) {
    values["l1"] = recipe.getL1().convertToDouble();
    values["l2"] = recipe.getL2().convertToDouble();
  }
  if (recipe.getEma().isNonZero())
    values["ema_decay"] = recipe.getEma().convertToDouble();
  if (recipe.getNoMasters() || !recipe.getSlotType().isF32())
    values["rounding_seed"] = static_cast<double>(recipe.getSeed());
  if (drawsRandom(plan.loss))
    values[kRandomSeed] = static_cast<double>(recipe.getSeed());
}

void mpc::amp::addOptimizer(ModuleOp module, const StepPlan &plan) {
  RecipeOp recipe = plan.recipe;
  llvm::StringMap<double> values = findRuleHypers(recipe);
  warnOfEpsilon(module, recipe, values);
  addStepHypers(plan, values);
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type slots = recipe.getSlotType();
  const rt::PolicyInfo &policy = rt::policyInfo(recipe.getPolicyKind());
  OptimizerOp::create(b, module.getLoc(), kOptimizer, recipe.getRule()->name,
                      toNumbers(module.getContext(), values),
                      recipe.getAllFlags(),
                      slots.isF32() ? TypeAttr() : TypeAttr::get(slots),
                      policy.iterationsCountSkips, b.getArrayAttr({}),
                      ArrayAttr(), ArrayAttr());
}
