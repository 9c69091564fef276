// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations during a run.
#include "runtime/Train/Evaluator.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

constexpr std::string_view kPrefix = "eval_";

std::string quotedNames(const std::vector<std::string> &names) {
  std::vector<std::string> quoted;
  for (const std::string &name : names)
    quoted.push_back(quote(name));
  return joinSome(quoted);
}

/// A metric, and which of its values are better.
struct Choice {
  std::string metric;
  std::optional<bool> larger = {};
};

/// Parses "METRIC[:min|max]". The metric may be written like its column.
Choice parseChoice(std::string_view text) {
  Choice choice;
  if (text.ends_with(":min") || text.ends_with(":max")) {
    choice.larger = text.ends_with(":max");
    text.remove_suffix(4);
  }
  if (text.starts_with(kPrefix))
    text.remove_prefix(kPrefix.size());
  choice.metric = text;
  return choice;
}

/// Whether larger values of the metric are better; empty where that is not
/// known.
std::optional<bool> usualChoice(std::string_view metric) {
  if (metric == step::kLoss || metric == step::kPerplexity)
    return false;
  if (metric == step::kAccuracy)
    return true;
  return std::nullopt;
}

bool isBetter(double value, const BestEvaluation &best) {
  if (std::isnan(value))
    return false;
  if (std::isnan(best.value))
    return true;
  return best.larger ? value > best.value : value < best.value;
}

} // namespace

Result<Evaluator> Evaluator::open(const EvaluatorOptions &options,
                                  Runner &runner, DataOptions data,
                                  int64_t totalSteps, const Tell &tell) {
  Evaluator made;
  if (options.files.empty())
    return made;
  made.totalSteps_ = totalSteps;
  data.files = options.files;
  auto file = FileEvaluation::open(runner.program(), std::move(data));
  if (!file.ok())
    return file.status().withContext("--eval-data");
  made.file_ = *std::move(file);
  MPC_RETURN_IF_ERROR(made.bind(runner));
  MPC_RETURN_IF_ERROR(made.chooseWeights(options.averaged, tell));
  made.every_ = options.every;
  made.stopAfter_ = options.stopAfter;
  made.keepsBest_ = !options.keepBest.empty();
  if (made.keepsBest_ || made.stopAfter_ > 0)
    MPC_RETURN_IF_ERROR(made.chooseMetric(options.keepBest));
  if (std::string leftOut = made.file_->describeLeftOut(); !leftOut.empty())
    tell("note", "--eval-data: " + leftOut);
  return made;
}

Status Evaluator::bind(Runner &runner) {
  runner_ = &runner;
  return file_->bind(runner);
}

Status Evaluator::chooseWeights(bool averaged, const Tell &tell) {
  bool keepsAverages = AveragedWeights::has(runner_->program());
  if (averaged && !keepsAverages)
    return usageError("--eval-weights=averages: the training keeps no averages "
                      "of its weights; --ema=DECAY keeps them");
  if (averaged)
    averages_.emplace();
  else if (keepsAverages)
    tell("note",
         "--eval-data: the weights are evaluated, and not the averages of them "
         "that --ema keeps; --eval-weights=averages evaluates those");
  return {};
}

Status Evaluator::chooseMetric(const std::string &text) {
  Choice choice = parseChoice(text.empty() ? step::kLoss : text);
  const std::vector<std::string> &names = file_->metrics();
  auto found = std::find(names.begin(), names.end(), choice.metric);
  std::string flag = text.empty() ? "--stop-after" : "--keep-best=" + text;
  if (found == names.end())
    return usageError(fmt::format(
        "{}: the evaluation has no {}{}; it has {}", escape(flag),
        quote(choice.metric),
        text.empty() ? ", and --keep-best names no other metric" : "",
        quotedNames(names)));
  std::optional<bool> larger =
      choice.larger ? choice.larger : usualChoice(choice.metric);
  if (!larger)
    return usageError(
        fmt::format("{0}: which is better? {0}:min or {0}:max", escape(flag)));
  metric_ = static_cast<size_t>(found - names.begin());
  larger_ = *larger;
  return {};
}

std::vector<std::string> Evaluator::columns() const {
  std::vector<std::string> columns;
  for (const std::string &name :
       file_ ? file_->metrics() : std::vector<std::string>())
    columns.push_back(std::string(kPrefix) + name);
  return columns;
}

void Evaluator::resume(TrainPosition &position, const Tell &tell) const {
  if (!file_)
    return;
  if (!keepsBest_ && stopAfter_ == 0) {
    position.best.reset();
    return;
  }
  const std::string &metric = file_->metrics()[metric_];
  if (!position.best ||
      (position.best->metric == metric && position.best->larger == larger_))
    return;
  tell("warning",
       fmt::format(
           "the best so far was the {} {}; from now on the best is the {} {}",
           position.best->larger ? "largest" : "least",
           quote(position.best->metric), larger_ ? "largest" : "least",
           quote(metric)));
  position.best.reset();
}

/// Averages exist after the first applied step only.
Result<std::vector<double>> Evaluator::measure(const TrainPosition &position) {
  if (!averages_ || position.applied == 0)
    return file_->run();
  MPC_RETURN_IF_ERROR(averages_->swapIn(*runner_));
  Result<std::vector<double>> values = file_->run();
  MPC_RETURN_IF_ERROR(averages_->swapOut(*runner_));
  return values;
}

/// Evaluates, and records in `position` whether the state is the best so far.
Status Evaluator::run(TrainPosition &position) {
  MPC_ASSIGN_OR_RETURN(values_, measure(position));
  isBest_ = false;
  if (!keepsBest_ && stopAfter_ == 0)
    return {};
  if (!position.best)
    position.best =
        BestEvaluation{.metric = file_->metrics()[metric_], .larger = larger_};
  BestEvaluation &best = *position.best;
  isBest_ = isBetter(values_[metric_], best);
  best.withoutGain = isBest_ ? 0 : best.withoutGain + 1;
  if (isBest_) {
    best.value = values_[metric_];
    best.step = position.step;
  }
  return {};
}

void Evaluator::summarize(const TrainPosition &position) {
  std::vector<std::string> names = columns();
  ++summary_.evaluations;
  summary_.values.clear();
  for (size_t i = 0; i < names.size(); ++i)
    summary_.values.emplace_back(names[i], values_[i]);
  if (position.best)
    summary_.best = {position.best->metric, position.best->value,
                     position.best->step};
  summary_.stoppedEarly = !reasonToStop(position).empty();
}

Status Evaluator::afterStep(Training &training, StepReport &report) {
  TrainPosition &position = training.position();
  std::vector<std::optional<double>> &others = report.row.others;
  if (!isDue(position.step)) {
    others.resize(others.size() + columns().size());
    return {};
  }
  if (runner_ != &training.runner())
    MPC_RETURN_IF_ERROR(bind(training.runner()));
  MPC_RETURN_IF_ERROR(run(position));
  others.insert(others.end(), values_.begin(), values_.end());
  summarize(position);
  report.isBest = keepsBest_ && isBest_;
  return {};
}

std::string Evaluator::describe() const {
  std::string text = values_.empty() ? "" : "eval";
  for (size_t i = 0; i < values_.size(); ++i)
    text += fmt::format("{}{} {:.4g}", i ? "  " : " ", file_->metrics()[i],
                        values_[i]);
  return text;
}

std::string Evaluator::reasonToStop(const TrainPosition &position) const {
  if (stopAfter_ == 0 || !position.best ||
      position.best->withoutGain < stopAfter_)
    return "";
  const BestEvaluation &best = *position.best;
  std::string found = std::isnan(best.value)
                          ? std::string("none was a number")
                          : fmt::format("the best was {} after step {}",
                                        shortestDecimal(best.value), best.step);
  return fmt::format("{} evaluations without a {} {}; {}", best.withoutGain,
                     best.larger ? "larger" : "smaller", best.metric, found);
}

} // namespace mpc::rt
