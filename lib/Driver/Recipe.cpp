// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the RECIPE flags.
#include "lib/Driver/Recipe.h"

#include "lib/Driver/OwnStep.h"
#include "mlir/IR/Builders.h"
#include "passes/NN/AutocastPolicy.h"
#include "runtime/LossScale/ScalarState.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::rt;

std::string RecipeFlags::autocastPolicy() const {
  const auto *name = find<std::string>("--autocast-policy");
  return name ? *name : nn::kDefaultAutocast.str();
}

rt::Status mpc::readAutocastPolicy(RecipeFlags &flags,
                                   mlir::MLIRContext &context) {
  auto [policy, error] =
      nn::loadAutocastPolicy(flags.autocastPolicy(), context);
  if (policy && !policy->file.empty())
    flags.rules = policy->text;
  if (policy)
    return {};
  if (error.kind == nn::PolicyError::Kind::Usage)
    return usageError("--autocast-policy=" + error.message);
  return invalidInput(error.message);
}

/// The first given flag that decides how a step is made. A module that writes
/// its step out decides that itself. Empty for none.
static std::string findFlagOfStep(const RecipeFlags &flags) {
  for (const FlagRow &row : allFlags()) {
    if (row.section == amp::Section::Precision || row.clause == "accumulate")
      continue;
    if (row.kind == FlagKind::Settings) {
      for (size_t i = 0; i < kNumSettings; ++i)
        if (auto flag = settingFlag(static_cast<Setting>(i));
            flags.clauses.count(flag) > 0)
          return flag;
    } else if (flags.clauses.count(row.flag.str()) > 0) {
      return row.flag.str();
    }
  }
  return "";
}

Status mpc::checkOwnStep(const RecipeFlags &flags, ImportedModel &model) {
  const auto *batches = flags.find<int64_t>("--accumulate");
  if (batches && *batches > 1 && !hasOwnWindow(model))
    return usageError("--accumulate=" + std::to_string(*batches) +
                      ": the module has no entries @accumulate and @apply");
  if (std::string flag = findFlagOfStep(flags); !flag.empty())
    return usageError(flag + ": the module writes its step out, and this flag "
                             "would change it");
  return {};
}

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

amp::RecipeOp mpc::addRecipe(mlir::ModuleOp module) {
  if (amp::RecipeOp old = amp::findRecipe(module))
    old.erase();
  module.getContext()->getOrLoadDialect<amp::AMPDialect>();
  auto b = mlir::OpBuilder::atBlockBegin(module.getBody());
  return amp::RecipeOp::create(b, module.getLoc());
}

Status mpc::writePrecision(const RecipeFlags &flags, amp::RecipeOp recipe) {
  if (flags.rules)
    recipe.setRules(*flags.rules);
  return writeSection(flags.clauses, amp::Section::Precision, recipe);
}

/// The label that is excluded by default, as in PyTorch.
static constexpr int64_t kIgnoreIndex = -100;

static Status check(amp::RecipeOp recipe) {
  std::string fault = amp::checkClauses(recipe, spellFlag);
  return fault.empty() ? Status() : usageError(fault);
}

static void addIgnoreIndex(amp::RecipeOp recipe) {
  const nn::LossFunction *loss = recipe.getLossFunction();
  if (loss && loss->has(nn::LossParameter::IgnoreIndex) &&
      !recipe.getField("loss", "ignore_index"))
    recipe.setField(
        "loss", "ignore_index",
        mlir::Builder(recipe.getContext()).getI64IntegerAttr(kIgnoreIndex));
}

/// Adds the loss without checks.
static Status addLoss(const RecipeFlags &flags, amp::RecipeOp recipe) {
  MPC_RETURN_IF_ERROR(writeSection(flags.clauses, amp::Section::Mode, recipe));
  if (!recipe.getLoss() && !flags.find<std::string>("--loss"))
    return {};
  MPC_RETURN_IF_ERROR(writeSection(flags.clauses, amp::Section::Loss, recipe));
  addIgnoreIndex(recipe);
  return {};
}

Status mpc::writeLoss(const RecipeFlags &flags, amp::RecipeOp recipe) {
  MPC_RETURN_IF_ERROR(addLoss(flags, recipe));
  return check(recipe);
}

void mpc::writeTarget(llvm::ArrayRef<int64_t> shape, amp::RecipeOp recipe) {
  if (!shape.empty())
    recipe.setTargetAttr(
        mlir::Builder(recipe.getContext()).getI64ArrayAttr(shape));
}

/// Makes the rates of groups multiples of `rate`.
static Status divideRates(double rate, amp::RecipeOp recipe) {
  mlir::Builder b(recipe.getContext());
  llvm::SmallVector<mlir::Attribute> groups;
  for (auto fields : recipe.getGroups().getAsRange<mlir::DictionaryAttr>()) {
    mlir::NamedAttrList own(fields);
    llvm::StringRef key(kRateFactor);
    if (auto lr = fields.getAs<mlir::FloatAttr>(key)) {
      if (rate == 0.0)
        return usageError("--group: a group's lr is kept as a multiple of "
                          "--lr, which is 0; give an --lr above 0, and "
                          "--freeze what is not to move");
      own.set(key, b.getF64FloatAttr(lr.getValueAsDouble() / rate));
    }
    groups.push_back(own.getDictionary(b.getContext()));
  }
  if (!groups.empty())
    recipe.setGroupsAttr(b.getArrayAttr(groups));
  return {};
}

Status mpc::writeRecipe(const RecipeFlags &flags, amp::RecipeOp recipe) {
  recipe.setWord("loss", "name", "cross_entropy");
  MPC_RETURN_IF_ERROR(addLoss(flags, recipe));
  MPC_RETURN_IF_ERROR(writePrecision(flags, recipe));
  bool isFp16 = recipe.getPrecision() == Precision::FP16;
  recipe.setWord("loss_scale", "name", isFp16 ? "dynamic" : "none");
  MPC_RETURN_IF_ERROR(
      writeSection(flags.clauses, amp::Section::Training, recipe));
  MPC_RETURN_IF_ERROR(divideRates(flags.rate, recipe));
  return check(recipe);
}

//===----------------------------------------------------------------------===//
// Requirements of the loop around a step
//===----------------------------------------------------------------------===//

std::string mpc::textOf(amp::RecipeOp recipe) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  recipe.print(stream, mlir::OpPrintingFlags().useLocalScope());
  return text;
}

Status mpc::checkReplay(amp::RecipeOp recipe) {
  if (!policyInfo(recipe.getPolicyKind()).lowersScale)
    return usageError(
        "--replay: the policy " + recipe.getPolicy().str() +
        " never lowers the scale: a step run again would be the same");
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

/// Adds the numbers among --opt-arg.
static void addArguments(const RecipeFlags &flags,
                         std::vector<GivenNumber> &numbers) {
  const auto *name = flags.find<std::string>("--optimizer");
  const amp::Optimizer &optimizer = *amp::findOptimizer(name ? *name : "adamw");
  const auto *arguments = flags.find<std::vector<std::string>>("--opt-arg");
  for (const std::string &argument :
       arguments ? *arguments : std::vector<std::string>()) {
    auto [key, text] = llvm::StringRef(argument).split('=');
    double value = 0.0;
    if (optimizer.hasHyper(key) && !text.getAsDouble(value))
      numbers.push_back({"--opt-arg=" + key.str(), key.str(), value});
  }
}

/// Adds the numbers of groups. The flags were read before, without errors.
static void addGroupNumbers(const RecipeFlags &flags,
                            std::vector<GivenNumber> &numbers) {
  const auto *texts = flags.find<std::vector<std::string>>("--group");
  auto groups = parseGroups(texts ? *texts : std::vector<std::string>());
  for (size_t i = 0; groups.ok() && i != groups->size(); ++i) {
    const GroupFlag &group = (*groups)[i];
    auto add = [&](std::string_view key, double value) {
      std::string name = groupKey(i + 1, key);
      numbers.push_back({name, name, value});
    };
    if (group.lr)
      add(kRateFactor, *group.lr / flags.rate);
    if (group.weightDecay && *group.weightDecay != 0.0)
      add("weight_decay", *group.weightDecay);
  }
}

static double numberOr0(const RecipeFlags &flags, std::string_view flag) {
  const auto *number = flags.find<double>(flag);
  return number ? *number : 0.0;
}

std::vector<GivenNumber> mpc::givenNumbers(const RecipeFlags &flags) {
  std::vector<GivenNumber> numbers;
  const auto *larc = flags.find<std::string>("--larc");
  bool larcDecays = larc && larc->starts_with("apex-");
  bool hasPenalty =
      numberOr0(flags, "--l1") != 0.0 || numberOr0(flags, "--l2") != 0.0;
  for (const FlagRow &row : allFlags()) {
    const auto *value = flags.find<double>(row.flag.str());
    if (row.state.empty() || !value)
      continue;
    // Apex' rates take weight decay over from the rule.
    bool isTaken = larcDecays && row.state == "weight_decay";
    bool isPenalty = row.clause == "l1" || row.clause == "l2";
    bool isOff = row.clause == "ema" ? *value == 0.0 : isPenalty && !hasPenalty;
    // A feature that is switched off has no state.
    if (!isOff)
      numbers.push_back({row.flag.str(),
                         isTaken ? "larc_weight_decay" : row.state.str(),
                         *value});
  }
  addArguments(flags, numbers);
  addGroupNumbers(flags, numbers);
  for (size_t i = 0; i < kNumSettings; ++i) {
    auto setting = static_cast<Setting>(i);
    if (const auto *value = flags.find<double>(settingFlag(setting)))
      numbers.push_back(
          {settingFlag(setting), std::string(settingKey(setting)), *value});
  }
  return numbers;
}
