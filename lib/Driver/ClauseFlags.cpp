// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the values of flags into clauses.
#include "lib/Driver/ClauseFlags.h"

#include "passes/NN/AutocastPolicy.h"
#include "runtime/LossScale/ScalarState.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mpc;
using namespace mpc::rt;

//===----------------------------------------------------------------------===//
// Functions that the table names
//===----------------------------------------------------------------------===//

std::string mpc::knownLossFlags() {
  std::vector<std::string> flags;
  for (const nn::LossFunction &loss : nn::allLosses())
    flags.push_back(loss.name.str() + (loss.target == nn::LossTarget::None
                                           ? ":NAME"
                                           : "[:OUTPUT]"));
  return llvm::join(flags, ", ");
}

/// The help of --loss: "Of a model's output and target ...".
static std::string lossHelp() {
  std::string help =
      "Of a model's output and target, as PyTorch has it: " + knownLossFlags() +
      ". The output is ";
  std::vector<std::string> outputs;
  for (const nn::LossFunction &loss : nn::allLosses())
    if (!loss.output.empty())
      outputs.push_back(loss.output.str() + " for " + loss.name.str());
  return help + llvm::join(outputs, ", ");
}

/// Reads "KIND[:OUTPUT]" or "output:NAME".
static Status readLoss(const amp::FlagValue &value, amp::RecipeOp recipe) {
  const auto &text = std::get<std::string>(value);
  auto [name, output] = llvm::StringRef(text).split(':');
  const nn::LossFunction *function = nn::findLoss(name);
  if (!function)
    return usageError("--loss='" + text + "': known are " + knownLossFlags());
  if (function->target == nn::LossTarget::None && output.empty())
    return usageError("--loss=output needs the output's name, as in "
                      "--loss=output:loss");
  recipe.setWord("loss", "name", name);
  if (!output.empty())
    recipe.setWord("loss", "of", output);
  return {};
}

static Status readWeightCast(const amp::FlagValue &value,
                             amp::RecipeOp recipe) {
  recipe.setRoundWeights(std::get<std::string>(value) == "round");
  return {};
}

static Status readSumOrder(const amp::FlagValue &value, amp::RecipeOp recipe) {
  recipe.setPairwise(std::get<std::string>(value) == "pairs");
  return {};
}

static Status readShard(const amp::FlagValue &value, amp::RecipeOp recipe) {
  recipe.setReplicated(std::get<std::string>(value) == "off");
  return {};
}

static Status readPolicy(const amp::FlagValue &value, amp::RecipeOp recipe) {
  MPC_ASSIGN_OR_RETURN(
      PolicyKind kind,
      parsePolicy("--loss-scale", std::get<std::string>(value)));
  recipe.setWord("loss_scale", "name", llvm::StringRef(policyInfo(kind).name));
  return {};
}

static Status readOptimizer(const amp::FlagValue &value, amp::RecipeOp recipe) {
  const auto &name = std::get<std::string>(value);
  if (!amp::findOptimizer(name))
    return usageError("--optimizer=" + quote(name) + ": known are " +
                      amp::knownOptimizers());
  recipe.setWord("optimizer", "name", name);
  return {};
}

/// Reads a flag of the optimizer from "true", "1", "" or their opposites.
static Result<bool> parseSwitch(const std::string &argument,
                                llvm::StringRef value) {
  if (value == "true" || value == "1" || value.empty())
    return true;
  if (value == "false" || value == "0")
    return false;
  return usageError("--opt-arg=" + quote(argument) + ": is true or false");
}

/// Reads --opt-arg, once the optimizer is known.
static Status readArgument(const std::string &argument, amp::RecipeOp recipe) {
  auto [name, value] = llvm::StringRef(argument).split('=');
  const amp::Optimizer &optimizer = *recipe.getRule();
  if (llvm::is_contained(optimizer.flags, name)) {
    MPC_ASSIGN_OR_RETURN(bool isSet, parseSwitch(argument, value));
    if (isSet && !recipe.getField("optimizer", name))
      recipe.setField("optimizer", name,
                      mlir::UnitAttr::get(recipe.getContext()));
    return {};
  }
  double number = 0.0;
  if (value.getAsDouble(number) || !optimizer.hasHyper(name))
    return usageError("--opt-arg=" + quote(argument) + ": " +
                      recipe.getOptimizerName().str() +
                      " has no such argument");
  recipe.setField("optimizer", name, number);
  return {};
}

static Status readOptimizerArguments(const amp::FlagValue &value,
                                     amp::RecipeOp recipe) {
  for (const auto &argument : std::get<std::vector<std::string>>(value))
    MPC_RETURN_IF_ERROR(readArgument(argument, recipe));
  return {};
}

static constexpr const char *kGroupForm =
    "write REGEX:lr=X, REGEX:weight-decay=X or both with a comma";

/// Reads "lr=X" or "weight-decay=X" into `group`.
static Status parseGroupNumber(llvm::StringRef text, GroupFlag &group) {
  auto [key, value] = text.split('=');
  std::optional<double> *number = key == "lr"             ? &group.lr
                                  : key == "weight-decay" ? &group.weightDecay
                                                          : nullptr;
  if (!number)
    return usageError("a group has no " + quote(key.str()) + ": " + kGroupForm);
  if (number->has_value())
    return usageError(key.str() + " is given twice");
  double parsed = 0.0;
  if (value.getAsDouble(parsed) || !std::isfinite(parsed) || parsed < 0.0)
    return usageError(key.str() + "=" + value.str() +
                      " is not a finite number of at least 0");
  *number = parsed;
  return {};
}

/// Splits at the last colon, since an expression may have others.
static Result<GroupFlag> parseGroup(const std::string &text) {
  auto [pattern, numbers] = llvm::StringRef(text).rsplit(':');
  if (pattern.empty() || numbers.empty())
    return usageError(kGroupForm);
  GroupFlag group;
  group.pattern = pattern.str();
  for (llvm::StringRef number : llvm::split(numbers, ','))
    MPC_RETURN_IF_ERROR(parseGroupNumber(number, group));
  return group;
}

Result<std::vector<GroupFlag>>
mpc::parseGroups(const std::vector<std::string> &texts) {
  std::vector<GroupFlag> groups;
  for (const std::string &text : texts) {
    Result<GroupFlag> group = parseGroup(text);
    if (!group.ok())
      return group.status().withContext("--group=" + quote(text));
    groups.push_back(*std::move(group));
  }
  return groups;
}

/// Rates become multiples of --lr later, in writeRecipe. A weight decay of 0 is
/// none, as that of --no-decay.
static Status readGroups(const amp::FlagValue &value, amp::RecipeOp recipe) {
  MPC_ASSIGN_OR_RETURN(std::vector<GroupFlag> groups,
                       parseGroups(std::get<std::vector<std::string>>(value)));
  mlir::Builder b(recipe.getContext());
  llvm::SmallVector<mlir::Attribute> all;
  for (const GroupFlag &group : groups) {
    mlir::NamedAttrList fields;
    fields.set("name", b.getStringAttr(group.pattern));
    if (group.lr)
      fields.set(llvm::StringRef(kRateFactor), b.getF64FloatAttr(*group.lr));
    if (group.weightDecay && *group.weightDecay == 0.0)
      fields.set("no_decay", b.getUnitAttr());
    else if (group.weightDecay)
      fields.set("weight_decay", b.getF64FloatAttr(*group.weightDecay));
    all.push_back(fields.getDictionary(b.getContext()));
  }
  recipe.setGroupsAttr(b.getArrayAttr(all));
  return {};
}

/// The default, f64, needs no clause.
static Status readOrder(const amp::FlagValue &value, amp::RecipeOp recipe) {
  if (std::get<std::string>(value) == "torch")
    recipe.setWord("clip", "order", "torch");
  return {};
}

static Status readMasters(const amp::FlagValue &value, amp::RecipeOp recipe) {
  recipe.setNoMasters(std::get<std::string>(value) == "off");
  if (recipe.getNoMasters() && recipe.getPrecision() != Precision::BF16)
    return usageError("--master-weights=off: weights without masters are of "
                      "bf16, but --precision is " +
                      stringifyPrecision(recipe.getPrecision()).str());
  return {};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
using amp::NumberRange;
using amp::Section;
#define GET_FlagTable_IMPL
#include "dialects/AMP/AMPClauseTables.inc"
} // namespace

llvm::ArrayRef<FlagRow> mpc::allFlags() { return FlagTable; }

const FlagRow *mpc::findFlag(llvm::StringRef clause, llvm::StringRef key) {
  for (const FlagRow &row : allFlags())
    if (row.clause == clause && row.key == key)
      return &row;
  return nullptr;
}

static std::string flagOf(llvm::StringRef clause, llvm::StringRef key) {
  if (const FlagRow *row = findFlag(clause, key))
    return row->flag.str();
  if (clause == "optimizer")
    return "--opt-arg=" + key.str();
  return "--" + clause.str() + "-...";
}

std::string mpc::spellFlag(llvm::StringRef clause, llvm::StringRef key,
                           llvm::StringRef value) {
  std::string flag = flagOf(clause, key);
  return value.empty() ? flag : flag + "=" + value.str();
}

//===----------------------------------------------------------------------===//
// Flags to clauses
//===----------------------------------------------------------------------===//

/// The value by its kind. A field that only optimizers know has the flag's
/// kind.
static mlir::Attribute attributeOf(const FlagRow &row,
                                   const amp::FlagValue &value,
                                   mlir::MLIRContext *context) {
  if (const amp::ValueRow *known = amp::findValue(row.clause, row.key))
    return known->kind->read(context, value);
  if (row.kind == FlagKind::Switch)
    return std::get<bool>(value) ? mlir::UnitAttr::get(context)
                                 : mlir::UnitAttr();
  return mlir::Builder(context).getF64FloatAttr(std::get<double>(value));
}

static void writeSettings(const GivenClauses &given, amp::RecipeOp recipe) {
  for (size_t i = 0; i < kNumSettings; ++i) {
    auto setting = static_cast<Setting>(i);
    if (auto it = given.find(settingFlag(setting)); it != given.end())
      recipe.setField("loss_scale", llvm::StringRef(settingKey(setting)),
                      std::get<double>(it->second));
  }
}

static Status write(const FlagRow &row, const GivenClauses &given,
                    amp::RecipeOp recipe) {
  if (row.kind == FlagKind::Settings) {
    writeSettings(given, recipe);
    return {};
  }
  auto it = given.find(row.flag.str());
  if (it == given.end())
    return {};
  if (row.read)
    return row.read(it->second, recipe);
  mlir::Attribute value = attributeOf(row, it->second, recipe.getContext());
  if (!row.key.empty())
    recipe.setField(row.clause, row.key, value);
  else if (value)
    recipe->setAttr(row.clause, value);
  return {};
}

Status mpc::writeSection(const GivenClauses &given, amp::Section section,
                         amp::RecipeOp recipe) {
  for (const FlagRow &row : allFlags())
    if (row.section == section)
      MPC_RETURN_IF_ERROR(write(row, given, recipe));
  return {};
}
