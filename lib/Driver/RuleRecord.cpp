// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recipes as flags and their values.
#include "lib/Driver/RuleRecord.h"

#include "runtime/Train/TrainingRule.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;

/// In the order in which it was given, which decides nothing.
static std::string listOf(mlir::ArrayAttr strings) {
  std::vector<std::string> words = amp::stringsOf(strings);
  llvm::sort(words);
  return llvm::join(words, " ");
}

/// Empty where none was asked for.
static std::string nameOf(std::optional<Precision> precision) {
  return precision ? stringifyPrecision(*precision).str() : "";
}

static std::string onOff(bool isOn) { return isOn ? "on" : "off"; }

rt::TrainingRule mpc::recordOwnRule(amp::RecipeOp recipe) {
  llvm::StringRef policy = nn::withoutPresetPrefix(recipe.getAutocast());
  return {{"--precision", nameOf(recipe.getPrecision())},
          {"--autocast-policy", policy.str()},
          {"--keep-fp32", listOf(recipe.getKeepFp32())},
          {"--lower", listOf(recipe.getLower())},
          {"--cost-aware", onOff(recipe.getCostAware())},
          {"--output-dtype", nameOf(recipe.getOutputs())},
          {"--weight-cast", recipe.getRoundWeights() ? "round" : "saturate"}};
}

/// "KIND" or "KIND:OUTPUT"; empty for none.
static std::string lossOf(amp::RecipeOp recipe) {
  if (!recipe.getLoss())
    return "";
  std::string text = recipe.getLoss()->str();
  return recipe.getLossOf() ? text + ":" + recipe.getLossOf()->str() : text;
}

/// Of slots: f32, bf16, f16.
static std::string nameOf(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// As short as it reads back exactly.
static std::string textOf(const llvm::APFloat &number) {
  llvm::SmallString<32> text;
  number.toString(text);
  return text.str().str();
}

/// Empty for none.
static std::string textOf(std::optional<int64_t> number) {
  return number ? std::to_string(*number) : "";
}

/// In the order of the classes; empty for none.
static std::string listOf(std::optional<llvm::ArrayRef<double>> numbers) {
  std::vector<std::string> words;
  for (double number : numbers.value_or(llvm::ArrayRef<double>()))
    words.push_back(textOf(llvm::APFloat(number)));
  return llvm::join(words, ",");
}

rt::TrainingRule mpc::recordRule(amp::RecipeOp recipe) {
  rt::TrainingRule rule = recordOwnRule(recipe);
  rule["--loss"] = lossOf(recipe);
  rule["--reduction"] = stringifyLossReduction(recipe.getReduction()).str();
  rule["--ignore-index"] = textOf(recipe.getIgnoreIndex());
  rule["--class-weights"] = listOf(recipe.getClassWeights());
  rule["--label-smoothing"] = textOf(recipe.getLabelSmoothing());
  rule["--loss-delta"] = textOf(recipe.getLossDelta());
  rule["--class-axis"] = textOf(recipe.getClassAxis());
  rule["--no-dropout"] = onOff(recipe.getNoDropout());
  rule[std::string(rt::kPolicyFlag)] = recipe.getPolicy().str();
  rule[std::string(rt::kOptimizerFlag)] = recipe.getOptimizer().str();
  rule["--opt-arg"] = listOf(recipe.getAllFlags());
  rule["--no-decay"] = listOf(recipe.getNoDecay());
  rule["--freeze"] = listOf(recipe.getFreeze());
  rule["--trainable"] = listOf(recipe.getTrainable());
  // Their numbers are state where they are on.
  std::optional<amp::ClipKind> clip = recipe.getClip();
  rule["--clip-global-norm"] = onOff(clip == amp::ClipKind::GlobalNorm);
  rule["--clip-norm"] = onOff(clip == amp::ClipKind::Norm);
  rule["--clip-value"] = onOff(clip == amp::ClipKind::Value);
  rule["--clip-norm-order"] = recipe.getTorchNorm() ? "torch" : "f64";
  rule["--l1"] = onOff(recipe.getL1().isNonZero());
  rule["--l2"] = onOff(recipe.getL2().isNonZero());
  rule["--ema"] = onOff(recipe.getEma().isNonZero());
  rule["--larc"] = recipe.getLarc() ? amp::nameOf(*recipe.getLarc()) : "";
  rule["--master-weights"] = onOff(!recipe.getNoMasters());
  rule["--slot-dtype"] = nameOf(recipe.getSlotType());
  rule["--accumulate"] = std::to_string(recipe.getAccumulate());
  return rule;
}
