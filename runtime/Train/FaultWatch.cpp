// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reacts to steps that are not finite.
#include "runtime/Train/FaultWatch.h"

#include "runtime/Support/Text.h"
#include "runtime/Train/Trainer.h"

#include <algorithm>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

NanStep nanStep(const MetricsRow &row) {
  return {.step = row.step,
          .skipped = row.skipped,
          .loss = row.loss,
          .scale = row.scale,
          .lr = row.lr};
}

} // namespace

/// Prepares for running the step again, which may be needed even without a
/// report.
Status FaultWatch::beforeStep(Training &training) {
  bool expectsFault = training.position().skippedInRow > 0 ||
                      options_.atFloor == AtFloor::Stop ||
                      options_.atFloor == AtFloor::Fp32;
  return watch_.beforeStep(training.runner(), expectsFault);
}

Status FaultWatch::afterStep(Training &training, StepReport &report) {
  const MetricsRow &row = report.row;
  if (row.skipped || report.hasBadLoss())
    MPC_RETURN_IF_ERROR(watch_.report(training.runner(), nanStep(row)));
  if (!isAtFloor(training, row))
    return judge(training, report);
  switch (options_.atFloor) {
  case AtFloor::Warn:
    warnOfFloor(row);
    return judge(training, report);
  case AtFloor::Stop:
    return giveUp(training, row,
                  fmt::format("step {} is not finite, and the loss scale is at "
                              "its floor {}",
                              row.step, shortestDecimal(row.scale)));
  case AtFloor::Hold:
    return {};
  case AtFloor::Fp32:
    return keepGuiltyInFp32(training, row);
  }
  return {};
}

/// Whether the scale is at its floor; false where the policy has none.
bool FaultWatch::isAtFloor(const Training &training,
                           const MetricsRow &row) const {
  if (!row.skipped)
    return false;
  Result<double> floor = training.runner().readNumber(options_.floorName);
  return floor.ok() && row.scale <= *floor;
}

void FaultWatch::warnOfFloor(const MetricsRow &row) {
  if (warnedOfFloor_)
    return;
  warnedOfFloor_ = true;
  tell_("warning",
        fmt::format("step {} is not finite, and the loss scale is at its "
                    "floor {}; --at-floor chooses what happens",
                    row.step, shortestDecimal(row.scale)));
}

Status FaultWatch::keepGuiltyInFp32(Training &training, const MetricsRow &row) {
  std::string where =
      fmt::format("step {} is not finite at the floor of the loss scale, {}",
                  row.step, shortestDecimal(row.scale));
  MPC_ASSIGN_OR_RETURN(std::optional<NanFinding> finding,
                       watch_.find(training.runner(), nanStep(row)));
  TrainPosition &position = training.position();
  std::vector<std::string> nodes = position.keptFp32, added;
  for (const std::string &node :
       finding ? finding->guilty : std::vector<std::string>())
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
      nodes.push_back(node);
      added.push_back(quote(node));
    }
  if (added.empty())
    return giveUp(training, row,
                  where + ", and no node is left that fp32 could help");
  tell_("warning",
        fmt::format("{}: from here on in fp32: {}", where, joinSome(added)));
  MPC_RETURN_IF_ERROR(training.keepFp32(nodes, hooks_.keepFp32));
  position.keptFp32 = nodes;
  // The skipped steps were the old program's.
  position.skippedInRow = 0;
  return {};
}

Status FaultWatch::judge(Training &training, const StepReport &report) {
  const MetricsRow &row = report.row;
  int64_t skipped = training.position().skippedInRow;
  if (options_.maxSkipsInRow > 0 && skipped >= options_.maxSkipsInRow)
    return giveUp(training, row,
                  fmt::format("{} steps in a row had gradients that are not "
                              "finite, the last at step {} with loss scale {}",
                              skipped, row.step, shortestDecimal(row.scale)));
  if (row.skipped && report.outcome.hasScaleError)
    return giveUp(training, row,
                  fmt::format("the loss-scale policy gave up at step {} with "
                              "loss scale {}",
                              row.step, shortestDecimal(row.scale)));
  return {};
}

Status FaultWatch::giveUp(const Training &training, const MetricsRow &row,
                          const std::string &why) {
  return diverged("training diverged: " + why +
                  watch_.cause(training.runner(), nanStep(row)) +
                  "; try a lower --lr, --precision=bf16 or gradient clipping");
}

} // namespace mpc::rt
