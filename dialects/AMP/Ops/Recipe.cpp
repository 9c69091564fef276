// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of a recipe, and the facts that follow from it.
#include "dialects/AMP/Recipe.h"

#include "dialects/AMP/Clauses.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "runtime/LossScale/ScalarState.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

#include "dialects/AMP/AMPRecipeEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/AMP/AMPRecipe.cpp.inc"

/// Every clause has a default.
void RecipeOp::build(OpBuilder &, OperationState &) {}

RecipeOp mpc::amp::findRecipe(ModuleOp module) {
  auto recipes = module.getOps<RecipeOp>();
  return recipes.empty() ? RecipeOp() : *recipes.begin();
}

std::vector<std::string> mpc::amp::stringsOf(ArrayAttr strings) {
  std::vector<std::string> texts;
  for (auto text : strings.getAsRange<StringAttr>())
    texts.push_back(text.str());
  return texts;
}

ParseResult RecipeOp::parse(OpAsmParser &parser, OperationState &result) {
  return failure(parseClauses(parser, result.attributes) ||
                 parser.parseOptionalAttrDict(result.attributes));
}

void RecipeOp::print(OpAsmPrinter &printer) {
  printer << printClauses(*this);
  SmallVector<StringRef> clauses;
  for (const ValueRow &row : allValues())
    clauses.push_back(row.clause);
  printer.printOptionalAttrDict((*this)->getAttrs(), clauses);
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static NamedAttrList fieldsOf(RecipeOp recipe, StringRef clause) {
  Attribute value = recipe->getAttr(clause);
  return value ? NamedAttrList(findValue(clause)->kind->fieldsOf(value))
               : NamedAttrList();
}

Attribute RecipeOp::getField(StringRef clause, StringRef key) {
  return fieldsOf(*this, clause).get(key);
}

void RecipeOp::setField(StringRef clause, StringRef key, Attribute value) {
  NamedAttrList fields = fieldsOf(*this, clause);
  if (value)
    fields.set(key, value);
  else
    fields.erase(key);
  (*this)->setAttr(clause, findValue(clause)->kind->make(
                               fields.getDictionary(getContext())));
}

void RecipeOp::setField(StringRef clause, StringRef key, double number) {
  setField(clause, key, Builder(getContext()).getF64FloatAttr(number));
}

void RecipeOp::setWord(StringRef clause, StringRef key, StringRef word) {
  setField(clause, key, StringAttr::get(getContext(), word));
}

//===----------------------------------------------------------------------===//
// Facts that follow from clauses
//===----------------------------------------------------------------------===//

StringRef RecipeOp::getPolicy() {
  return getLossScale() ? getLossScale()->getName() : "none";
}

DictionaryAttr RecipeOp::getSettings() {
  return getLossScale() ? getLossScale()->getNumbers()
                        : DictionaryAttr::get(getContext());
}

rt::PolicyKind RecipeOp::getPolicyKind() {
  return rt::findPolicy(getPolicy().str()).value_or(rt::PolicyKind::None);
}

/// The settings that the policy reads.
static SmallVector<rt::SettingOverride> overridesOf(RecipeOp recipe) {
  SmallVector<rt::SettingOverride> overrides;
  const rt::PolicyInfo &info = rt::policyInfo(recipe.getPolicyKind());
  for (NamedAttribute entry : recipe.getSettings())
    if (auto setting = rt::findSetting(info, entry.getName().str()))
      overrides.push_back(
          {*setting, cast<FloatAttr>(entry.getValue()).getValueAsDouble()});
  return overrides;
}

rt::Settings RecipeOp::getAllSettings() {
  SmallVector<rt::SettingOverride> overrides = overridesOf(*this);
  return rt::settingsOf(getPolicyKind(), {overrides.data(), overrides.size()});
}

StringRef RecipeOp::getOptimizerName() {
  StringRef name = getOptimizer() ? getOptimizer()->getName() : "";
  return name.empty() ? "adamw" : name;
}

const Optimizer *RecipeOp::getRule() {
  return findOptimizer(getOptimizerName());
}

DictionaryAttr RecipeOp::getHyper() {
  return getOptimizer() ? getOptimizer()->getNumbers()
                        : DictionaryAttr::get(getContext());
}

const nn::LossFunction *RecipeOp::getLossFunction() {
  return getLoss() ? nn::findLoss(getLoss()->getName()) : nullptr;
}

SmallVector<GroupClause> RecipeOp::getAllGroups() {
  SmallVector<GroupClause> all;
  for (auto fields : getGroups().getAsRange<DictionaryAttr>()) {
    NamedAttrList numbers;
    for (NamedAttribute field : fields)
      if (isa<FloatAttr>(field.getValue()))
        numbers.append(field);
    auto pattern = fields.getAs<StringAttr>("name");
    all.push_back({pattern ? pattern.str() : "",
                   numbers.getDictionary(getContext()),
                   fields.contains("no_decay")});
  }
  return all;
}

template <typename T>
static T fieldOf(RecipeOp recipe, StringRef key) {
  return dyn_cast_or_null<T>(recipe.getField("loss", key));
}

StringRef RecipeOp::getLossOutput() {
  auto output = fieldOf<StringAttr>(*this, "of");
  return output ? output.getValue() : "";
}

static double numberOr(FloatAttr number, double otherwise) {
  return number ? number.getValueAsDouble() : otherwise;
}

nn::LossSettings RecipeOp::getLossSettings() {
  nn::LossSettings settings;
  if (auto reduction = fieldOf<StringAttr>(*this, "reduction"))
    settings.reduction = *nn::symbolizeLossReduction(reduction.getValue());
  if (auto label = fieldOf<IntegerAttr>(*this, "ignore_index"))
    settings.ignoreIndex = label.getInt();
  if (auto weights = fieldOf<DenseF64ArrayAttr>(*this, "class_weights"))
    settings.classWeights = llvm::to_vector(weights.asArrayRef());
  settings.labelSmoothing = numberOr(
      fieldOf<FloatAttr>(*this, "label_smoothing"), settings.labelSmoothing);
  settings.delta = numberOr(fieldOf<FloatAttr>(*this, "delta"), settings.delta);
  if (auto axis = fieldOf<IntegerAttr>(*this, "class_axis"))
    settings.classAxis = axis.getInt();
  return settings;
}

ArrayAttr RecipeOp::getAllFlags() {
  SmallVector<StringRef> flags;
  if (getOptimizer())
    flags = getOptimizer()->getFlags();
  for (StringRef name : getRule()->flagsOf(getHyper()))
    if (!llvm::is_contained(flags, name))
      flags.push_back(name);
  return Builder(getContext()).getStrArrayAttr(flags);
}

bool RecipeOp::hasPenalty() {
  return getL1().isNonZero() || getL2().isNonZero();
}

Type RecipeOp::getSlotType() {
  return getSlots().value_or(Float32Type::get(getContext()));
}

StringRef RecipeOp::findClauseOfRule() {
  if (!getRule()->isCallback())
    return "";
  if (getEma().isNonZero())
    return "ema";
  if (getNoMasters())
    return "no_masters";
  if (!getNoDecay().empty())
    return "no_decay";
  if (!getGroups().empty())
    return "groups";
  return getSlotType().isF32() ? "" : "slots";
}

/// The record includes the optimizer's flags that follow from hyper-parameters,
/// since the hyper-parameters themselves are state.
std::string mpc::amp::recordOf(RecipeOp recipe,
                               std::optional<Section> section) {
  OwningOpRef<RecipeOp> whole = recipe.clone();
  const Optimizer *rule = recipe.getRule();
  if (rule && recipe.getOptimizer()) {
    for (NamedAttribute number : recipe.getHyper())
      whole->setField("optimizer", number.getName(), Attribute());
    for (auto flag : recipe.getAllFlags().getAsRange<StringAttr>())
      whole->setField("optimizer", flag, UnitAttr::get(recipe.getContext()));
  }
  return recordClauses(*whole, section);
}

//===----------------------------------------------------------------------===//
// Checks of a recipe: each check once, in the spelling of the recipe's writer
//===----------------------------------------------------------------------===//

/// The text of a fault; empty where there is none.
using Fault = std::string;

static Fault checkFloat(StringRef name, std::optional<Type> type) {
  if (!type || isCastable(*type))
    return "";
  std::string text;
  llvm::raw_string_ostream(text)
      << "'" << name << "' must be f16, bf16 or f32, not " << *type;
  return text;
}

static Fault checkLossName(RecipeOp recipe, const Spelling &spell) {
  const nn::LossFunction *loss = recipe.getLossFunction();
  if (recipe.getLoss() && !loss)
    return "unknown loss '" + recipe.getLoss()->getName().str() +
           "'; known are " + nn::knownLosses();
  bool hasOutput = !recipe.getLossOutput().empty();
  if (loss && loss->target == nn::LossTarget::None && !hasOutput)
    return spell("loss", "name", "output") +
           " needs the output's name: " + spell("loss", "of", "loss");
  if (!loss && recipe.getTarget())
    return "the recipe has 'target', but no 'loss'";
  return "";
}

/// Checks the fields that only some losses have.
static Fault checkLoss(RecipeOp recipe, const Spelling &spell) {
  if (Fault fault = checkLossName(recipe, spell); !fault.empty())
    return fault;
  const nn::LossFunction *loss = recipe.getLossFunction();
  if (!loss)
    return "";
  nn::LossSettings settings = recipe.getLossSettings();
  nn::LossParameter given = nn::LossParameter::None;
  for (const nn::LossParameterName &parameter : nn::lossParameterNames())
    if (recipe.getField("loss", parameter.name))
      given |= parameter.parameter;
  if (settings.reduction == nn::LossReduction::BatchMean)
    given |= nn::LossParameter::BatchMean;
  if (const nn::LossParameterName *foreign = loss->findForeign(given)) {
    auto [key, word] = foreign->name.split('=');
    return spell("loss", key, word) + ": " + spell("loss", "name", loss->name) +
           " has none";
  }
  if (loss->vanishesAtDelta0 && settings.delta == 0.0)
    return spell("loss", "delta", "0") + ": " +
           spell("loss", "name", loss->name) +
           " would be 0; smooth_l1 is l1 then";
  return "";
}

/// Finds the setting by the name that all policies have for it.
static std::optional<rt::Setting> settingOf(StringRef name) {
  for (size_t i = 0; i != rt::kNumSettings; ++i)
    if (name == StringRef(rt::settingKey(static_cast<rt::Setting>(i))))
      return static_cast<rt::Setting>(i);
  return std::nullopt;
}

static Fault checkPolicy(RecipeOp recipe, const Spelling &spell) {
  auto kind = rt::parsePolicy(spell("loss_scale", "name", ""),
                              recipe.getPolicy().str());
  if (!kind.ok())
    return kind.status().message();
  SmallVector<rt::SettingOverride> overrides;
  for (NamedAttribute entry : recipe.getSettings()) {
    StringRef name = entry.getName();
    auto setting = rt::findSetting(rt::policyInfo(*kind), name.str());
    if (!setting)
      setting = settingOf(name);
    if (!setting)
      return ("policy '" + recipe.getPolicy() + "' has no setting '" + name +
              "'")
          .str();
    overrides.push_back(
        {*setting, cast<FloatAttr>(entry.getValue()).getValueAsDouble()});
  }
  auto values =
      rt::trainingSettings(*kind, {overrides.data(), overrides.size()});
  return values.ok() ? "" : values.status().message();
}

/// What follows the name of a wrong hyper-parameter.
static Fault checkHyper(NamedAttribute entry, const Optimizer &rule) {
  const NamedNumber *hyper = rule.findHyper(entry.getName());
  if (!hyper)
    return ": " + rule.name.str() + " has none";
  double number = cast<FloatAttr>(entry.getValue()).getValueAsDouble();
  std::string fault = describeOutOfRange(number, hyper->range);
  return fault.empty() ? "" : " " + fault;
}

static Fault checkHypers(RecipeOp recipe, const Spelling &spell) {
  const Optimizer &rule = *recipe.getRule();
  if (!recipe.getOptimizer())
    return "";
  for (NamedAttribute entry : recipe.getHyper())
    if (Fault fault = checkHyper(entry, rule); !fault.empty())
      return spell("optimizer", entry.getName(), "") + fault;
  for (StringRef flag : recipe.getOptimizer()->getFlags())
    if (!llvm::is_contained(rule.flags, flag))
      return spell("optimizer", flag, "") + ": " + rule.name.str() +
             " has none";
  Flags flags(recipe.getAllFlags());
  double dampening =
      numberOr(recipe.getHyper().getAs<FloatAttr>("dampening"), 0.0);
  if (flags.has("nesterov") && (!flags.has("momentum") || dampening != 0.0))
    return "nesterov needs momentum and no dampening";
  return "";
}

static Fault checkOptimizer(RecipeOp recipe, const Spelling &spell) {
  if (!recipe.getRule())
    return spell("optimizer", "name",
                 "'" + recipe.getOptimizerName().str() + "'") +
           ": known are " + knownOptimizers();
  if (Fault fault = checkHypers(recipe, spell); !fault.empty())
    return fault;
  return checkFloat("slots", recipe.getSlots());
}

static Fault checkClip(RecipeOp recipe, const Spelling &spell) {
  std::optional<ClipAttr> clip = recipe.getClip();
  if (!clip)
    return "";
  auto bound = [&](StringRef key) { return spell("clip", key, ""); };
  size_t count = llvm::count_if(
      ArrayRef<StringRef>{"global", "norm", "value"},
      [&](StringRef key) { return static_cast<bool>(clip->find(key)); });
  if (count > 1)
    return "only one of " + bound("global") + ", " + bound("norm") + " and " +
           bound("value") + " can be given";
  if (count == 1 && recipe.getLarc())
    return spell("larc", "name", "") +
           " takes the place of clipping: give one of " +
           spell("larc", "name", "") + " and " + spell("clip", "", "");
  if (!clip->find("global") && (clip->isTorchNorm() || clip->isScaled()))
    return bound(clip->isTorchNorm() ? "order" : "scaled") + " needs " +
           bound("global");
  return count == 0 ? "the recipe has 'clip', but no bound" : "";
}

static Fault checkLarc(RecipeOp recipe, const Spelling &spell) {
  std::optional<LarcAttr> larc = recipe.getLarc();
  if (!larc)
    return "";
  std::string own =
      spell("larc", "name", "clip") + " or " + spell("larc", "name", "scale");
  if (larc->getName().empty())
    return spell("larc", larc->getFields().begin()->getName(), "") + " needs " +
           own;
  if (larc->isApex() && larc->find("min_update"))
    return spell("larc", "min_update", "") + " is a number of " +
           spell("larc", "name", "clip") + " and " +
           spell("larc", "name", "scale") + ", not of " +
           llvm::join(llvm::split(larc->getName(), '_'), "-");
  return "";
}

/// What is wrong with a number of a group; empty for nothing.
static Fault checkGroupNumber(RecipeOp recipe, StringRef name) {
  const Optimizer &rule = *recipe.getRule();
  bool isRate = name == StringRef(rt::kRateFactor);
  if (isRate && rule.keepsRate)
    return rule.name.str() + " keeps one learning rate for all parameters";
  if (!isRate && !rule.hasHyper(name))
    return rule.name.str() + " has no " + name.str();
  return "";
}

static Fault checkGroups(RecipeOp recipe, const Spelling &spell) {
  for (const GroupClause &group : recipe.getAllGroups()) {
    std::string place = spell("groups", "", "'" + group.pattern + "'") + ": ";
    if (group.pattern.empty())
      return spell("groups", "", "") + ": a group has no pattern of names";
    if (group.numbers.empty() && !group.noDecay)
      return place + "the group has no number of its own";
    if (group.noDecay && group.numbers.contains("weight_decay"))
      return place + "the group has a weight decay and none";
    for (NamedAttribute number : group.numbers)
      if (Fault fault = checkGroupNumber(recipe, number.getName());
          !fault.empty())
        return place + fault;
    if (recipe.getLarc())
      return place + spell("larc", "name", "") +
             " makes a rate for each tensor of one learning rate and one "
             "weight decay";
  }
  return "";
}

static Fault checkGradients(RecipeOp recipe, const Spelling &) {
  bool hasLists =
      !recipe.getNoGradient().empty() || !recipe.getGradientSets().empty();
  if (hasLists && !recipe.getGradients())
    return "the recipe has 'no_gradient' or 'gradient_sets', but gradients are "
           "not inputs: it has no 'gradients'";
  if (recipe.getGradients() && !recipe.getInputGradients().empty())
    return "the recipe has 'gradients' and 'input_gradients': gradients that "
           "are inputs come without the model's own inputs";
  return checkFloat("gradients", recipe.getGradients());
}

/// Checks the types in which weights and slots are kept.
static Fault checkStorage(RecipeOp recipe, const Spelling &spell) {
  std::string refusal = recipe.getRule()->refusal(recipe.getSlotType(),
                                                  Flags(recipe.getAllFlags()));
  std::string type;
  llvm::raw_string_ostream(type) << recipe.getSlotType();
  return refusal.empty() ? "" : spell("slots", "", type) + ": " + refusal;
}

static Fault checkCallback(RecipeOp recipe, const Spelling &spell) {
  StringRef clause = recipe.findClauseOfRule();
  return clause.empty()
             ? ""
             : spell("optimizer", "name", recipe.getOptimizerName()) + ": '" +
                   clause.str() +
                   "' is a part of the update, which the caller makes";
}

/// "4, 8, 16": the batches of a step that so many ranks can share.
static std::string countsFor(uint64_t ranks) {
  std::string text;
  for (uint64_t each : {1, 2, 4})
    text += std::to_string(ranks * each) + ", ";
  return text + "...";
}

static Fault checkRanks(RecipeOp recipe, const Spelling &spell) {
  uint64_t ranks = recipe.getRanks(), batches = recipe.getAccumulate();
  if (ranks <= 1) // None at all is out of range.
    return "";
  if (batches % ranks != 0 || !llvm::isPowerOf2_64(batches / ranks))
    return spell("accumulate", "", std::to_string(batches)) + ": " +
           std::to_string(ranks) +
           " ranks share the batches of a step, each with a power of two of "
           "them: " +
           countsFor(ranks);
  if (!recipe.getPairwise())
    return spell("pairwise", "", "batches") +
           ": gradients of several ranks are summed by pairs";
  if (recipe.getGradients())
    return "the recipe has 'gradients' and 'ranks': gradients that are inputs "
           "belong to no rank";
  return "";
}

std::string mpc::amp::checkClauses(RecipeOp recipe, const Spelling &spell) {
  for (auto *check :
       {checkLoss, checkOptimizer, checkPolicy, checkClip, checkLarc,
        checkStorage, checkGradients, checkCallback, checkGroups, checkRanks})
    if (Fault fault = check(recipe, spell); !fault.empty())
      return fault;
  return findOutOfRange(recipe);
}

/// "clip<norm>", "optimizer<name = 'x'>": the spelling in a recipe's own text.
static std::string spellInRecipe(StringRef clause, StringRef key,
                                 StringRef value) {
  if (key.empty())
    return value.empty() ? "'" + clause.str() + "'"
                         : (clause + "(" + value + ")").str();
  if (key == "name")
    return value.empty() ? "'" + clause.str() + "'"
                         : (clause + "<" + value + ">").str();
  return (clause + "<" + key + (value.empty() ? "" : " = ") + value + ">")
      .str();
}

LogicalResult RecipeOp::verify() {
  RecipeOp first = findRecipe(cast<ModuleOp>((*this)->getParentOp()));
  if (first != *this)
    return emitError("the recipe is the second of its module")
               .attachNote(first.getLoc())
           << "the first is here";
  std::string fault = checkClauses(*this, spellInRecipe);
  return fault.empty() ? success() : emitError(fault);
}
