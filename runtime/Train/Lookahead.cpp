// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides what the host must know of a running step before the next begins.
#include "runtime/Train/Lookahead.h"

#include "runtime/LossScale/PolicyInfo.h"
#include "runtime/Program/StepNames.h"
#include "runtime/Train/Trainer.h"
#include "runtime/Train/Training.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace mpc::rt {
namespace {

std::optional<PolicyKind> policyOf(const TrainingRule &rule) {
  return findPolicy(wordOf(rule.recipe, kPolicyClause));
}

double settingOf(const Runner &runner, Setting setting) {
  Result<double> value = runner.readNumber(settingKey(setting));
  return value.ok() ? *value : 0;
}

/// Whether a run may end, by this limit of skips in a row, while a later step
/// is already running.
bool isTight(double limit) { return limit == 1 || limit == 2; }

/// Whether the first skip of a row, or the next one, may end the run, or makes
/// the run examine or repeat the step. All these need the state directly after
/// that step.
bool answersASkip(const TrainOptions &options, const Runner &runner) {
  return !options.nanReport.empty() || options.replays > 0 ||
         options.atFloor == AtFloor::Stop || options.atFloor == AtFloor::Fp32 ||
         isTight(static_cast<double>(options.maxSkipsInRow)) ||
         isTight(settingOf(runner, Setting::MaxSkipsInARow)) ||
         settingOf(runner, Setting::RaiseAtMinScale) != 0;
}

/// Whether each entry of a step that takes a rate takes both.
bool choosesRate(const Program &program, int64_t accumulate) {
  std::vector<const Entry *> entries = program.batchEntries(accumulate);
  for (const Entry *entry : program.stepEntries(accumulate))
    entries.push_back(entry);
  return std::all_of(entries.begin(), entries.end(), [](const Entry *entry) {
    return entry->choosesRate() ||
           std::none_of(entry->inputs.begin(), entry->inputs.end(),
                        [](const TensorDesc &input) {
                          return input.name == step::kLearningRate;
                        });
  });
}

} // namespace

Lookahead::Lookahead(const TrainOptions &options, const Schedule &schedule,
                     const Runner &runner)
    : checkpointEvery_(options.checkpointEvery),
      evaluateEvery_(options.evaluation.every),
      checkRanksEvery_(options.checkRanksEvery), schedule_(schedule) {
  std::optional<PolicyKind> policy = policyOf(options.rule);
  skips_ =
      !policy || (*policy != PolicyKind::None && !appliesNonFinite(*policy));
  choosesRate_ = choosesRate(runner.program(), options.accumulate);
  // A trace records the scale directly after each step.
  isPossible_ = runner.isAsynchronous() && options.record.empty() &&
                !answersASkip(options, runner);
}

bool Lookahead::isRateKnown(int64_t applied) const {
  return !skips_ || choosesRate_ ||
         schedule_.rateAt(applied) == schedule_.rateAt(applied + 1);
}

bool Lookahead::mayPass(const TrainPosition &position) const {
  int64_t next = position.step + 1;
  // A policy that has just skipped a step may give up soon.
  return isPossible_ && position.skippedInRow == 0 &&
         next < schedule_.totalSteps && !endsInterval(next, checkpointEvery_) &&
         !endsInterval(next, checkRanksEvery_) &&
         !endsInterval(next, evaluateEvery_) && isRateKnown(position.applied);
}

} // namespace mpc::rt
