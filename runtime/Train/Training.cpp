// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts steps, and calls observers in order.
#include "runtime/Train/Training.h"

#include "runtime/Program/StepNames.h"

#include <cmath>
#include <limits>

namespace mpc::rt {

bool StepReport::hasBadLoss() const {
  return outcome.hasLoss && !std::isfinite(outcome.loss);
}

StepOutcome Training::outcomeOf(const StepRun &step) const {
  return {.step = position_.step,
          .applied = position_.applied,
          .loss = step.meanLoss(),
          .gradNorm = step.scalar(step::kGradNorm)
                          .value_or(std::numeric_limits<double>::quiet_NaN()),
          .scale = step.scalar(step::kScale),
          .goodSteps = step.scalar(step::kGoodSteps),
          .hasLoss = step.hasLoss(),
          .foundInf = step.foundInf(),
          .skipped = step.skipped(),
          .hasScaleError = step.hasScaleError()};
}

void Training::count(const StepOutcome &outcome) {
  ++position_.step;
  position_.applied += !outcome.skipped;
  position_.skippedInRow = outcome.skipped ? position_.skippedInRow + 1 : 0;
}

Status Training::begin() {
  return tellAll([&](auto &one) { return one.beforeStep(*this); });
}

Status Training::endTry(const StepOutcome &outcome) {
  return tellAll([&](auto &one) { return one.afterTry(*this, outcome); });
}

Status Training::end(StepReport &report) {
  count(report.outcome);
  return tellAll([&](auto &one) { return one.afterStep(*this, report); });
}

Status Training::addBatch(StepRun &step) {
  if (step.isDone())
    MPC_RETURN_IF_ERROR(begin());
  return step.addBatch();
}

Result<StepOutcome> Training::end(const StepRun &step) {
  StepReport report;
  report.outcome = outcomeOf(step);
  MPC_RETURN_IF_ERROR(endTry(report.outcome));
  MPC_RETURN_IF_ERROR(end(report));
  return report.outcome;
}

Status Training::keepFp32(const std::vector<std::string> &nodes,
                          const KeepFp32 &compile) {
  if (nodes.empty())
    return {};
  if (!compile)
    return invalidInput("keeps nodes in fp32, which needs the compiler");
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<Runner> next, compile(nodes));
  return moveTo(std::move(next));
}

/// Gives each rank the whole of what is divided now, and no more in `next`: a
/// weight that fp32 reads as it is lies whole on all of them.
static Status gatherFor(const Runner &next, Runner &runner) {
  for (const StateTensor &tensor : runner.program().state) {
    const StateTensor *there = next.program().findState(tensor.desc.name);
    if (there && runner.isDivided(tensor) && !next.isDivided(*there))
      MPC_RETURN_IF_ERROR(runner.gatherState(tensor));
  }
  return {};
}

Status Training::moveTo(std::unique_ptr<Runner> next) {
  MPC_RETURN_IF_ERROR(gatherFor(*next, *runner_));
  MPC_ASSIGN_OR_RETURN(std::vector<TensorView> state, runner_->exportState());
  MPC_RETURN_IF_ERROR(next->importState(state));
  if (next->isDivided()) {
    next->keepOwnState();
    MPC_RETURN_IF_ERROR(next->derive());
  }
  runner_ = next.get();
  owned_ = std::move(next);
  return {};
}

} // namespace mpc::rt
