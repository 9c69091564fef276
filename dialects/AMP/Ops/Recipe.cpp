// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a recipe must be, and what follows from it.
#include "dialects/AMP/Recipe.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include <cmath>

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

#include "dialects/AMP/AMPRecipeEnums.cpp.inc"

/// A name without quotes.
static ParseResult parseWord(OpAsmParser &parser, StringAttr &word) {
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  word = parser.getBuilder().getStringAttr(text);
  return success();
}

static void printWord(OpAsmPrinter &printer, Operation *, StringAttr word) {
  printer.printKeywordOrString(word.getValue());
}

/// "[1.0, 2.0]", which the parser that is generated for a clause takes for an
/// array of attributes.
static ParseResult parseNumbers(OpAsmParser &parser,
                                DenseF64ArrayAttr &numbers) {
  return parser.parseCustomAttributeWithFallback(numbers, Type());
}

static void printNumbers(OpAsmPrinter &printer, Operation *,
                         DenseF64ArrayAttr numbers) {
  printer.printStrippedAttrOrType(numbers);
}

#define GET_OP_CLASSES
#include "dialects/AMP/AMPRecipe.cpp.inc"

/// Every clause has a default.
void RecipeOp::build(OpBuilder &, OperationState &) {}

RecipeOp mpc::amp::findRecipe(ModuleOp module) {
  auto recipes = module.getOps<RecipeOp>();
  return recipes.empty() ? RecipeOp() : *recipes.begin();
}

bool mpc::amp::isApex(std::optional<LarcKind> kind) {
  return kind == LarcKind::ApexClip || kind == LarcKind::ApexScale;
}

std::optional<LarcKind> mpc::amp::parseLarcKind(StringRef name) {
  std::string mnemonic = name.str();
  std::replace(mnemonic.begin(), mnemonic.end(), '-', '_');
  return symbolizeLarcKind(mnemonic);
}

std::string mpc::amp::nameOf(LarcKind kind) {
  std::string name = stringifyLarcKind(kind).str();
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::vector<std::string> mpc::amp::stringsOf(ArrayAttr strings) {
  std::vector<std::string> texts;
  for (auto text : strings.getAsRange<StringAttr>())
    texts.push_back(text.str());
  return texts;
}

//===----------------------------------------------------------------------===//
// What follows
//===----------------------------------------------------------------------===//

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

const Optimizer *RecipeOp::getRule() { return findOptimizer(getOptimizer()); }

const nn::LossFunction *RecipeOp::getLossFunction() {
  return getLoss() ? nn::findLoss(*getLoss()) : nullptr;
}

nn::LossSettings RecipeOp::getLossSettings() {
  return {getReduction(),
          getIgnoreIndex(),
          llvm::to_vector(getClassWeights().value_or(ArrayRef<double>())),
          getLabelSmoothing().convertToDouble(),
          getLossDelta().convertToDouble(),
          getClassAxis()};
}

ArrayAttr RecipeOp::getAllFlags() {
  SmallVector<Attribute> flags(getFlags().getValue());
  for (StringRef name : getRule()->flagsOf(getHyper()))
    if (auto flag = StringAttr::get(getContext(), name);
        !llvm::is_contained(flags, flag))
      flags.push_back(flag);
  return ArrayAttr::get(getContext(), flags);
}

bool RecipeOp::hasPenalty() {
  return getL1().isNonZero() || getL2().isNonZero();
}

bool RecipeOp::isClipped() {
  return getLarc() == LarcKind::Clip || getLarc() == LarcKind::ApexClip;
}

bool RecipeOp::isApex() { return amp::isApex(getLarc()); }

static double valueOr(FloatAttr number, double otherwise) {
  return number ? number.getValueAsDouble() : otherwise;
}

double RecipeOp::getEta() {
  return valueOr(getLarcEtaAttr(), isApex() ? 0.02 : 1e-3);
}

double RecipeOp::getMinUpdate() {
  return valueOr(getLarcMinUpdateAttr(), 1e-7);
}

double RecipeOp::getEps() {
  return valueOr(getLarcEpsAttr(), isApex() ? 1e-8 : 1e-7);
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
  return getSlotType().isF32() ? "" : "slots";
}

//===----------------------------------------------------------------------===//
// What a recipe must be
//===----------------------------------------------------------------------===//

static LogicalResult verifyNumbers(RecipeOp recipe, StringRef what,
                                   DictionaryAttr numbers) {
  for (NamedAttribute entry : numbers) {
    auto number = dyn_cast<FloatAttr>(entry.getValue());
    if (!number || !number.getType().isF64())
      return recipe.emitError() << what << " '" << entry.getName().getValue()
                                << "' must be an f64";
  }
  return success();
}

/// Checks a number that must be 0 or more.
static LogicalResult verifyAmount(RecipeOp recipe, StringRef name,
                                  FloatAttr number) {
  double value = valueOr(number, 0.0);
  if (value >= 0.0 && std::isfinite(value))
    return success();
  return recipe.emitError()
         << "'" << name << "' must be finite and 0 or more, not " << value;
}

/// Checks a type that must be one of the step's tensors.
static LogicalResult verifyFloat(RecipeOp recipe, StringRef name,
                                 std::optional<Type> type) {
  if (!type || isCastable(*type))
    return success();
  return recipe.emitError()
         << "'" << name << "' must be f16, bf16 or f32, not " << *type;
}

static LogicalResult verifyLoss(RecipeOp recipe) {
  const nn::LossFunction *loss = recipe.getLossFunction();
  if (recipe.getLoss() && !loss)
    return recipe.emitError() << "unknown loss '" << *recipe.getLoss()
                              << "'; known are " << nn::knownLosses();
  bool hasOutput = recipe.getLossOf() && !recipe.getLossOf()->empty();
  if (loss && loss->target == nn::LossTarget::None && !hasOutput)
    return recipe.emitError(
        "the recipe takes an output as its loss, but no 'loss_of' "
        "names it");
  if (!loss && (hasOutput || recipe.getTarget()))
    return recipe.emitError(
        "the recipe has 'loss_of' or 'target', but no 'loss'");
  return success();
}

static bool isNumber(double value) {
  return value >= 0.0 && std::isfinite(value);
}

/// The clauses that only some losses have.
static LogicalResult verifyLossSettings(RecipeOp recipe) {
  const nn::LossFunction *loss = recipe.getLossFunction();
  nn::LossSettings settings = recipe.getLossSettings();
  if (const nn::LossParameterName *foreign =
          loss ? loss->findForeign(settings.given()) : nullptr)
    return recipe.emitError()
           << "loss(" << loss->name << ") has no '" << foreign->name << "'";
  double smoothing = settings.labelSmoothing;
  if (!(smoothing >= 0.0 && smoothing <= 1.0))
    return recipe.emitError()
           << "'label_smoothing' must be from 0 to 1, not " << smoothing;
  for (double weight : settings.classWeights)
    if (!isNumber(weight))
      return recipe.emitError()
             << "'class_weights' must be finite and 0 or more, not " << weight;
  bool vanishes = loss && loss->vanishesAtDelta0 && settings.delta == 0.0;
  if (!isNumber(settings.delta) || vanishes)
    return recipe.emitError()
           << "'loss_delta' must be positive and finite, not "
           << settings.delta;
  return success();
}

static LogicalResult verifyPolicy(RecipeOp recipe) {
  if (failed(verifyNumbers(recipe, "setting", recipe.getSettings())))
    return failure();
  auto kind = rt::parsePolicy("policy", recipe.getPolicy().str());
  if (!kind.ok())
    return recipe.emitError() << kind.status().message();
  for (NamedAttribute entry : recipe.getSettings())
    if (!rt::findSetting(rt::policyInfo(*kind), entry.getName().str()))
      return recipe.emitError()
             << "policy '" << recipe.getPolicy() << "' has no setting '"
             << entry.getName().getValue() << "'";
  SmallVector<rt::SettingOverride> overrides = overridesOf(recipe);
  auto values =
      rt::trainingSettings(*kind, {overrides.data(), overrides.size()});
  if (!values.ok())
    return recipe.emitError() << values.status().message();
  return success();
}

static LogicalResult verifyHyper(RecipeOp recipe) {
  const Optimizer &rule = *recipe.getRule();
  if (failed(verifyNumbers(recipe, "hyper-parameter", recipe.getHyper())))
    return failure();
  for (NamedAttribute entry : recipe.getHyper())
    if (!rule.hasHyper(entry.getName().getValue()))
      return recipe.emitError()
             << "optimizer '" << rule.name << "' has no hyper-parameter '"
             << entry.getName().getValue() << "'";
  return success();
}

static LogicalResult verifyFlags(RecipeOp recipe) {
  const Optimizer &rule = *recipe.getRule();
  for (auto flag : recipe.getFlags().getAsRange<StringAttr>())
    if (!llvm::is_contained(rule.flags, flag.getValue()))
      return recipe.emitError() << "optimizer '" << rule.name
                                << "' has no flag '" << flag.getValue() << "'";
  Flags flags(recipe.getAllFlags());
  double dampening =
      valueOr(recipe.getHyper().getAs<FloatAttr>("dampening"), 0.0);
  if (flags.has("nesterov") && (!flags.has("momentum") || dampening != 0.0))
    return recipe.emitError("nesterov needs momentum and no dampening");
  return success();
}

static LogicalResult verifyOptimizer(RecipeOp recipe) {
  if (!recipe.getRule())
    return recipe.emitError() << "unknown optimizer '" << recipe.getOptimizer()
                              << "'; known are " << knownOptimizers();
  if (failed(verifyHyper(recipe)) || failed(verifyFlags(recipe)) ||
      failed(verifyFloat(recipe, "slots", recipe.getSlots())))
    return failure();
  std::string refusal = recipe.getRule()->refusal(recipe.getSlotType(),
                                                  Flags(recipe.getAllFlags()));
  if (!refusal.empty())
    return recipe.emitError() << "cannot keep slots in " << recipe.getSlotType()
                              << ": " << refusal;
  return success();
}

static LogicalResult verifyClip(RecipeOp recipe) {
  if (recipe.getClip().has_value() != recipe.getClipBy().has_value())
    return recipe.emitError(
        "the recipe needs 'clip' and 'clip_by', or neither");
  double bound = valueOr(recipe.getClipByAttr(), 1.0);
  if (!(bound > 0.0) || !std::isfinite(bound))
    return recipe.emitError()
           << "'clip_by' must be positive and finite, not " << bound;
  if ((recipe.getTorchNorm() || recipe.getClipScaled()) &&
      recipe.getClip() != ClipKind::GlobalNorm)
    return recipe.emitError(
        "the recipe has 'torch_norm' or 'clip_scaled', which are of "
        "clip(global_norm)");
  return success();
}

static LogicalResult verifyLarc(RecipeOp recipe) {
  std::pair<StringRef, FloatAttr> numbers[] = {
      {"larc_eta", recipe.getLarcEtaAttr()},
      {"larc_min_update", recipe.getLarcMinUpdateAttr()},
      {"larc_eps", recipe.getLarcEpsAttr()}};
  for (auto [name, value] : numbers) {
    if (value && !recipe.getLarc())
      return recipe.emitError()
             << "the recipe has '" << name << "', but no 'larc'";
    if (failed(verifyAmount(recipe, name, value)))
      return failure();
  }
  if (recipe.isApex() && recipe.getLarcMinUpdateAttr())
    return recipe.emitError(
        "the recipe has 'larc_min_update', which is a number of "
        "larc(clip) and larc(scale)");
  if (recipe.getLarc() && recipe.getClip())
    return recipe.emitError(
        "the recipe has 'larc' and 'clip': gradients are rescaled "
        "or clipped, not both");
  return success();
}

/// Checks the clauses on state that is kept beside parameters or in place of
/// them.
static LogicalResult verifyStorage(RecipeOp recipe) {
  double decay = recipe.getEma().convertToDouble();
  if (!(decay >= 0.0) || !(decay < 1.0))
    return recipe.emitError()
           << "'ema' must be from 0 up to, not including, 1, not " << decay;
  // The number is kept as an f64 of the state.
  int64_t seed = recipe.getSeed();
  if (seed < 0 || seed >= int64_t{1} << 53)
    return recipe.emitError()
           << "'seed' must be from 0 up to, not including, 2^53, not " << seed;
  return success();
}

static LogicalResult verifyGradients(RecipeOp recipe) {
  auto batches = static_cast<int64_t>(recipe.getAccumulate());
  if (batches < 1)
    return recipe.emitError()
           << "'accumulate' must be 1 or more, not " << batches;
  bool hasLists =
      !recipe.getNoGradient().empty() || !recipe.getGradientSets().empty();
  if (hasLists && !recipe.getGradients())
    return recipe.emitError(
        "the recipe has 'no_gradient' or 'gradient_sets', but "
        "gradients are no inputs: it has no 'gradients'");
  return verifyFloat(recipe, "gradients", recipe.getGradients());
}

static LogicalResult verifyCallback(RecipeOp recipe) {
  StringRef clause = recipe.findClauseOfRule();
  if (clause.empty())
    return success();
  return recipe.emitError()
         << "the recipe has '" << clause << "', a part of the update, which "
         << "optimizer '" << recipe.getOptimizer() << "' leaves to the caller";
}

LogicalResult RecipeOp::verify() {
  RecipeOp first = findRecipe(cast<ModuleOp>((*this)->getParentOp()));
  if (first != *this)
    return emitError("the recipe is the second of its module")
               .attachNote(first.getLoc())
           << "the first is here";
  if (failed(verifyLoss(*this)) || failed(verifyLossSettings(*this)) ||
      failed(verifyPolicy(*this)) || failed(verifyOptimizer(*this)) ||
      failed(verifyClip(*this)) || failed(verifyLarc(*this)) ||
      failed(verifyStorage(*this)) || failed(verifyGradients(*this)) ||
      failed(verifyCallback(*this)) ||
      failed(verifyAmount(*this, "l1", getL1Attr())) ||
      failed(verifyAmount(*this, "l2", getL2Attr())))
    return failure();
  return success();
}
