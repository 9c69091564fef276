// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the RECIPE flags say.
#include "lib/Driver/Recipe.h"

#include "lib/Driver/OwnStep.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "passes/NN/AutocastPolicy.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::rt;

rt::Result<LossFlag> mpc::parseLoss(const std::string &text) {
  auto [name, output] = llvm::StringRef(text).split(':');
  const nn::LossFunction *function = nn::findLoss(name);
  if (!function)
    return usageError("--loss='" + text + "': known are " + knownLossFlags());
  if (function->target == nn::LossTarget::None && output.empty())
    return usageError("--loss=output needs the output's name, as in "
                      "--loss=output:loss");
  return LossFlag{function, output.str()};
}

std::string mpc::knownLossFlags() {
  std::vector<std::string> flags;
  for (const nn::LossFunction &loss : nn::allLosses())
    flags.push_back(loss.name.str() + (loss.target == nn::LossTarget::None
                                           ? ":NAME"
                                           : "[:OUTPUT]"));
  return llvm::join(flags, ", ");
}

nn::LossParameter LossOptions::given() const {
  using P = nn::LossParameter;
  auto bit = [](bool isGiven, P parameter) {
    return isGiven ? parameter : P::None;
  };
  return bit(reduction.has_value(), P::Reduction) |
         bit(reduction == nn::LossReduction::BatchMean, P::BatchMean) |
         bit(ignoreIndex.has_value(), P::IgnoreIndex) |
         bit(!classWeights.empty(), P::ClassWeights) |
         bit(labelSmoothing.has_value(), P::LabelSmoothing) |
         bit(delta.has_value(), P::Delta) |
         bit(classAxis.has_value(), P::ClassAxis);
}

std::string mpc::flagOf(llvm::StringRef name) {
  std::string flag = "--" + name.str();
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

rt::Status mpc::readAutocastPolicy(PrecisionFlags &flags,
                                   mlir::MLIRContext &context) {
  auto [policy, error] = nn::loadAutocastPolicy(flags.policy, context);
  if (policy && !policy->file.empty())
    flags.rules = policy->text;
  if (policy)
    return {};
  if (error.kind == nn::PolicyError::Kind::Usage)
    return usageError("--autocast-policy=" + error.message);
  return invalidInput(error.message);
}

Status mpc::checkOwnStep(const RecipeFlags &flags, ImportedModel &model) {
  if (flags.accumulate > 1 && !hasOwnWindow(model))
    return usageError("--accumulate=" + std::to_string(flags.accumulate) +
                      ": the module has no entries @accumulate and @apply");
  if (!flags.stepFlags.empty())
    return usageError(flags.stepFlags.front() +
                      ": the module writes its step out, and this flag would "
                      "change it");
  return {};
}

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

static mlir::ArrayAttr toStrings(amp::RecipeOp recipe,
                                 const std::vector<std::string> &texts) {
  llvm::SmallVector<llvm::StringRef> strings(texts.begin(), texts.end());
  return mlir::Builder(recipe.getContext()).getStrArrayAttr(strings);
}

static mlir::FloatAttr toNumber(amp::RecipeOp recipe, double value) {
  return mlir::Builder(recipe.getContext()).getF64FloatAttr(value);
}

amp::RecipeOp mpc::addRecipe(mlir::ModuleOp module) {
  if (amp::RecipeOp old = amp::findRecipe(module))
    old.erase();
  module.getContext()->getOrLoadDialect<amp::AMPDialect>();
  auto b = mlir::OpBuilder::atBlockBegin(module.getBody());
  return amp::RecipeOp::create(b, module.getLoc());
}

void mpc::writePrecision(const PrecisionFlags &flags, amp::RecipeOp recipe) {
  recipe.setPrecision(flags.precision);
  recipe.setOutputs(flags.outputType);
  recipe.setAutocast(flags.policy);
  if (flags.rules)
    recipe.setRules(*flags.rules);
  recipe.setKeepFp32Attr(toStrings(recipe, flags.keepFp32));
  recipe.setLowerAttr(toStrings(recipe, flags.lower));
  recipe.setCostAware(flags.costAware);
  recipe.setRoundWeights(!flags.saturateWeights);
}

/// The label that takes no part where none is said, as in PyTorch.
static constexpr int64_t kIgnoreIndex = -100;

/// A usage error where an option was given that the loss does not have.
static Status checkOptions(const nn::LossFunction &loss,
                           const LossOptions &options) {
  if (const nn::LossParameterName *foreign = loss.findForeign(options.given()))
    return usageError(flagOf(foreign->name) + ": --loss=" + loss.name.str() +
                      " has none");
  if (loss.vanishesAtDelta0 && options.delta == 0.0)
    return usageError("--loss-delta=0: --loss=" + loss.name.str() +
                      " would be 0; smooth_l1 is l1 then");
  return {};
}

Status mpc::writeLoss(const LossFlag &loss, const LossOptions &options,
                      amp::RecipeOp recipe) {
  MPC_RETURN_IF_ERROR(checkOptions(*loss.function, options));
  recipe.setLoss(loss.function->name);
  if (!loss.output.empty())
    recipe.setLossOf(loss.output);
  if (options.reduction)
    recipe.setReduction(*options.reduction);
  if (loss.function->has(nn::LossParameter::IgnoreIndex))
    recipe.setIgnoreIndex(options.ignoreIndex.value_or(kIgnoreIndex));
  if (!options.classWeights.empty())
    recipe.setClassWeights(llvm::ArrayRef(options.classWeights));
  if (options.labelSmoothing)
    recipe.setLabelSmoothingAttr(toNumber(recipe, *options.labelSmoothing));
  if (options.delta)
    recipe.setLossDeltaAttr(toNumber(recipe, *options.delta));
  if (options.classAxis)
    recipe.setClassAxis(*options.classAxis);
  return {};
}

void mpc::writeTarget(llvm::ArrayRef<int64_t> shape, amp::RecipeOp recipe) {
  if (!shape.empty())
    recipe.setTargetAttr(
        mlir::Builder(recipe.getContext()).getI64ArrayAttr(shape));
}

/// Reads a flag of the optimizer from "true", "1", "" or their opposites.
static Result<bool> parseFlag(const std::string &argument,
                              llvm::StringRef value) {
  if (value == "true" || value == "1" || value.empty())
    return true;
  if (value == "false" || value == "0")
    return false;
  return usageError("--opt-arg=" + quote(argument) + ": is true or false");
}

namespace {

/// What the flags say of the optimizer.
struct OptimizerArguments {
  std::vector<std::string> flags;
  std::map<std::string, double> hyper;
};

} // namespace

/// Sorts the values of --opt-arg into flags and hyper-parameters.
static Status sortArguments(const RecipeFlags &given,
                            const amp::Optimizer &optimizer,
                            OptimizerArguments &arguments) {
  for (const std::string &argument : given.optArgs) {
    auto [name, value] = llvm::StringRef(argument).split('=');
    if (llvm::is_contained(optimizer.flags, name)) {
      MPC_ASSIGN_OR_RETURN(bool isSet, parseFlag(argument, value));
      if (isSet)
        arguments.flags.push_back(name.str());
      continue;
    }
    double number = 0.0;
    if (value.getAsDouble(number) || !optimizer.hasHyper(name))
      return usageError("--opt-arg=" + quote(argument) + ": " +
                        given.optimizer + " has no such argument");
    arguments.hyper[name.str()] = number;
  }
  return {};
}

/// The optimizer's rule with its hyper-parameters and flags.
static Status writeOptimizer(const RecipeFlags &flags, amp::RecipeOp recipe) {
  const amp::Optimizer *optimizer = amp::findOptimizer(flags.optimizer);
  if (!optimizer)
    return usageError("--optimizer=" + quote(flags.optimizer) + ": known are " +
                      amp::knownOptimizers());
  OptimizerArguments arguments;
  arguments.hyper = flags.hyper;
  if (flags.nesterov) {
    if (!llvm::is_contained(optimizer->flags, "nesterov"))
      return usageError("--nesterov: " + flags.optimizer + " has none");
    arguments.flags.push_back("nesterov");
  }
  MPC_RETURN_IF_ERROR(sortArguments(flags, *optimizer, arguments));
  llvm::SmallVector<mlir::NamedAttribute> numbers;
  mlir::Builder b(recipe.getContext());
  for (const auto &[name, value] : arguments.hyper) {
    if (!optimizer->hasHyper(name))
      return usageError(flagOf(name) + ": " + flags.optimizer + " has none");
    numbers.push_back(b.getNamedAttr(name, b.getF64FloatAttr(value)));
  }
  recipe.setOptimizer(flags.optimizer);
  recipe.setHyperAttr(b.getDictionaryAttr(numbers));
  recipe.setFlagsAttr(toStrings(recipe, arguments.flags));
  // Written out, for whoever reads the recipe of a program.
  recipe.setFlagsAttr(recipe.getAllFlags());
  return {};
}

static Status writePolicy(const RecipeFlags &flags, amp::RecipeOp recipe) {
  std::string name = flags.lossScale;
  bool isFp16 = flags.precision.precision == Precision::FP16;
  if (name.empty())
    name = isFp16 ? "dynamic" : "none";
  MPC_ASSIGN_OR_RETURN(PolicyKind kind, parsePolicy("--loss-scale", name));
  std::vector<SettingOverride> overrides;
  llvm::SmallVector<mlir::NamedAttribute> settings;
  mlir::Builder b(recipe.getContext());
  for (const auto &[setting, value] : flags.scaleSettings) {
    overrides.push_back({setting, value});
    settings.push_back(b.getNamedAttr(llvm::StringRef(settingKey(setting)),
                                      b.getF64FloatAttr(value)));
  }
  MPC_RETURN_IF_ERROR(trainingSettings(kind, overrides).status());
  recipe.setPolicy(llvm::StringRef(policyInfo(kind).name));
  recipe.setSettingsAttr(b.getDictionaryAttr(settings));
  recipe.setCountUnderflow(flags.countUnderflow);
  return {};
}

/// Rates with the numbers that were given.
static Status writeLarc(const RecipeFlags &flags, amp::RecipeOp recipe) {
  recipe.setLarc(amp::parseLarcKind(flags.larc));
  for (auto [name, set] :
       {std::pair("larc_eta", &amp::RecipeOp::setLarcEtaAttr),
        std::pair("larc_min_update", &amp::RecipeOp::setLarcMinUpdateAttr),
        std::pair("larc_eps", &amp::RecipeOp::setLarcEpsAttr)}) {
    auto given = flags.given.find(name);
    if (given == flags.given.end())
      continue;
    const auto &[flag, number] = given->second;
    if (flags.larc.empty())
      return usageError(flag + " needs --larc=clip or --larc=scale");
    if (recipe.isApex() && set == &amp::RecipeOp::setLarcMinUpdateAttr)
      return usageError(flag +
                        " is a number of --larc=clip and --larc=scale, not "
                        "of " +
                        flags.larc);
    (recipe.*set)(toNumber(recipe, number));
  }
  return {};
}

static Status writeClip(const RecipeFlags &flags, amp::RecipeOp recipe) {
  std::pair<amp::ClipKind, double> kinds[] = {
      {amp::ClipKind::GlobalNorm, flags.clipGlobalNorm},
      {amp::ClipKind::Norm, flags.clipNorm},
      {amp::ClipKind::Value, flags.clipValue}};
  for (auto [kind, bound] : kinds) {
    if (bound == 0.0)
      continue;
    if (recipe.getClip())
      return usageError("only one of --clip-global-norm, --clip-norm and "
                        "--clip-value can be given");
    recipe.setClip(kind);
    recipe.setClipByAttr(toNumber(recipe, bound));
  }
  if (recipe.getClip() && !flags.larc.empty())
    return usageError("--larc takes the place of clipping: give one of --larc "
                      "and --clip-...");
  recipe.setTorchNorm(flags.clipNormOrder == "torch");
  if (recipe.getTorchNorm() && flags.clipGlobalNorm == 0.0)
    return usageError("--clip-norm-order needs --clip-global-norm");
  return {};
}

/// What weights and slots are kept in, once the optimizer's flags are known.
static Status writeStorage(const RecipeFlags &flags, amp::RecipeOp recipe) {
  Precision precision = flags.precision.precision;
  recipe.setNoMasters(flags.masterWeights == "off");
  if (recipe.getNoMasters() && precision != Precision::BF16)
    return usageError("--master-weights=off: weights without masters are of "
                      "bf16, but --precision is " +
                      stringifyPrecision(precision).str());
  recipe.setSlots(mlir::parseType(flags.slotType, recipe.getContext()));
  std::string refusal = recipe.getRule()->refusal(
      recipe.getSlotType(), amp::Flags(recipe.getAllFlags()));
  if (!refusal.empty())
    return usageError("--slot-dtype=" + flags.slotType + ": " + refusal);
  return {};
}

Status mpc::writeRecipe(const RecipeFlags &flags, amp::RecipeOp recipe) {
  MPC_ASSIGN_OR_RETURN(LossFlag loss, parseLoss(flags.loss));
  MPC_RETURN_IF_ERROR(writeLoss(loss, flags.lossOptions, recipe));
  recipe.setNoDropout(flags.noDropout);
  writePrecision(flags.precision, recipe);
  MPC_RETURN_IF_ERROR(writeOptimizer(flags, recipe));
  MPC_RETURN_IF_ERROR(writePolicy(flags, recipe));
  MPC_RETURN_IF_ERROR(writeClip(flags, recipe));
  MPC_RETURN_IF_ERROR(writeLarc(flags, recipe));
  MPC_RETURN_IF_ERROR(writeStorage(flags, recipe));
  recipe.setL1Attr(toNumber(recipe, flags.l1));
  recipe.setL2Attr(toNumber(recipe, flags.l2));
  recipe.setEmaAttr(toNumber(recipe, flags.ema));
  recipe.setNoDecayAttr(toStrings(recipe, flags.noDecay));
  recipe.setFreezeAttr(toStrings(recipe, flags.freeze));
  recipe.setTrainableAttr(toStrings(recipe, flags.trainable));
  recipe.setAccumulate(flags.accumulate);
  if (llvm::StringRef clause = recipe.findClauseOfRule(); !clause.empty())
    return usageError("--optimizer=" + flags.optimizer + ": '" + clause.str() +
                      "' is a part of the update, which the caller makes");
  return {};
}

//===----------------------------------------------------------------------===//
// What the loop around a step asks
//===----------------------------------------------------------------------===//

std::string mpc::textOf(amp::RecipeOp recipe) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  recipe.print(stream, mlir::OpPrintingFlags().useLocalScope());
  return text;
}

Status mpc::checkReplay(amp::RecipeOp recipe) {
  if (!policyInfo(recipe.getPolicyKind()).lowersScale)
    return usageError("--replay: the policy " + recipe.getPolicy().str() +
                      " lowers no scale, a step run again would be the same");
  return {};
}

double mpc::floorOf(amp::RecipeOp recipe) {
  bool hasFloor = policyInfo(recipe.getPolicyKind()).reads(Setting::MinScale);
  return hasFloor ? recipe.getAllSettings()[Setting::MinScale] : 0.0;
}

bool mpc::changesState(amp::RecipeOp recipe) {
  PolicyKind kind = recipe.getPolicyKind();
  return appliesNonFinite(kind) ||
         policyInfo(kind).update == UpdatePoint::BeforeUnscale;
}

std::vector<GivenNumber> mpc::givenNumbers(const RecipeFlags &flags) {
  std::vector<GivenNumber> numbers;
  const amp::Optimizer &optimizer = *amp::findOptimizer(flags.optimizer);
  bool larcDecays = amp::isApex(amp::parseLarcKind(flags.larc));
  for (const auto &[name, value] : flags.hyper) {
    // Apex' rates take it from the rule.
    bool isTaken = larcDecays && name == "weight_decay";
    numbers.push_back(
        {flagOf(name), isTaken ? "larc_weight_decay" : name, value});
  }
  for (const std::string &argument : flags.optArgs) {
    auto [name, text] = llvm::StringRef(argument).split('=');
    double value = 0.0;
    if (optimizer.hasHyper(name) && !text.getAsDouble(value))
      numbers.push_back({"--opt-arg=" + name.str(), name.str(), value});
  }
  bool hasPenalty = flags.l1 != 0.0 || flags.l2 != 0.0;
  for (const auto &[name, given] : flags.given)
    // What is switched off has no state.
    if (given.second != 0.0 || (name != "ema_decay" && hasPenalty))
      numbers.push_back({given.first, name, given.second});
  for (const auto &[setting, value] : flags.scaleSettings)
    numbers.push_back(
        {settingFlag(setting), std::string(settingKey(setting)), value});
  return numbers;
}
