// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recipes as flags and their values.
#include "lib/Driver/RuleRecord.h"

#include "runtime/Train/TrainingRule.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;

/// In the order in which it was given, which decides nothing.
static std::string listOf(std::vector<std::string> words) {
  llvm::sort(words);
  return llvm::join(words, " ");
}

/// Empty where none was asked for.
static std::string nameOf(std::optional<Precision> precision) {
  return precision ? stringifyPrecision(*precision).str() : "";
}

static std::string onOff(bool isOn) { return isOn ? "on" : "off"; }

rt::TrainingRule mpc::recordOwnRule(const PrecisionOptions &options) {
  llvm::StringRef policy = options.policy;
  policy.consume_front("preset:");
  return {{"--precision", nameOf(options.precision)},
          {"--autocast-policy", policy.str()},
          {"--keep-fp32", listOf(options.keepFp32)},
          {"--lower", listOf(options.lower)},
          {"--cost-aware", onOff(options.costAware)},
          {"--output-dtype", nameOf(options.outputType)},
          {"--weight-cast", options.saturateWeights ? "saturate" : "round"}};
}

rt::TrainingRule mpc::recordRule(const TrainingOptions &options) {
  rt::TrainingRule rule = recordOwnRule(options.precision);
  const LossOptions &loss = options.loss;
  rule["--loss"] = loss.kind + (loss.output.empty() ? "" : ":" + loss.output);
  rule[std::string(rt::kPolicyFlag)] = options.policy;
  rule[std::string(rt::kOptimizerFlag)] = options.optimizer;
  rule["--opt-arg"] = listOf(options.flags);
  rule["--no-decay"] = listOf(options.noDecay);
  rule["--freeze"] = listOf(options.freeze);
  rule["--trainable"] = listOf(options.trainable);
  // Their numbers are state where they are on.
  rule["--clip-global-norm"] = onOff(options.clipGlobalNorm != 0.0);
  rule["--clip-norm"] = onOff(options.clipNorm != 0.0);
  rule["--clip-value"] = onOff(options.clipValue != 0.0);
  rule["--clip-norm-order"] = options.clipNormOrder;
  rule["--l1"] = onOff(options.l1 != 0.0);
  rule["--l2"] = onOff(options.l2 != 0.0);
  rule["--ema"] = onOff(options.ema != 0.0);
  rule["--larc"] = options.larc.mode;
  rule["--master-weights"] = onOff(options.masterWeights);
  rule["--slot-dtype"] = options.slotType;
  rule["--accumulate"] = std::to_string(options.accumulate);
  return rule;
}
