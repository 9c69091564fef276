// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations between steps.
#include "runtime/Train/TrainEvaluation.h"

#include "runtime/Train/Trainer.h"

namespace mpc::rt {

Status TrainEvaluation::open(Runner &runner, int64_t totalSteps) {
  totalSteps_ = totalSteps;
  bound_ = &runner;
  if (options_.evaluation.files.empty())
    return {};
  MPC_ASSIGN_OR_RETURN(evaluator_,
                       Evaluator::open(options_.evaluation, runner,
                                       options_.evaluationData, tell_));
  return {};
}

void TrainEvaluation::resume(TrainPosition &position) const {
  if (evaluator_)
    evaluator_->resume(position, tell_);
}

std::vector<std::string> TrainEvaluation::columns() const {
  return evaluator_ ? evaluator_->columns() : std::vector<std::string>();
}

std::string TrainEvaluation::reasonToStop(const TrainPosition &position) const {
  return evaluator_ ? evaluator_->reasonToStop(position) : "";
}

std::string TrainEvaluation::describe() const {
  return summary_.evaluations > 0 ? evaluator_->describe() : "";
}

void TrainEvaluation::summarize(const TrainPosition &position) {
  std::vector<std::string> columns = evaluator_->columns();
  ++summary_.evaluations;
  summary_.values.clear();
  for (size_t i = 0; i < columns.size(); ++i)
    summary_.values.emplace_back(columns[i], evaluator_->values()[i]);
  if (position.best)
    summary_.best = {position.best->metric, position.best->value,
                     position.best->step};
  summary_.stoppedEarly = !evaluator_->reasonToStop(position).empty();
}

Status TrainEvaluation::afterStep(Training &training, StepReport &report) {
  if (!evaluator_)
    return {};
  TrainPosition &position = training.position();
  std::vector<std::optional<double>> &others = report.row.others;
  if (!isDue(position.step)) {
    others.resize(others.size() + columns().size());
    return {};
  }
  if (bound_ != &training.runner())
    MPC_RETURN_IF_ERROR(evaluator_->bind(training.runner()));
  bound_ = &training.runner();
  MPC_RETURN_IF_ERROR(evaluator_->run(position));
  others.insert(others.end(), evaluator_->values().begin(),
                evaluator_->values().end());
  summarize(position);
  return evaluator_->hasBest()
             ? checkpoints_.saveBest(training.runner(), position)
             : Status();
}

} // namespace mpc::rt
