// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkpoints during a run.
#include "runtime/Train/CheckpointKeeper.h"

#include "runtime/Support/Text.h"
#include "runtime/Train/CheckpointParts.h"
#include "runtime/Train/RankAgreement.h"
#include "runtime/Train/Trainer.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace mpc::rt {

Status CheckpointKeeper::open() {
  if (options_.sharesCheckpoints)
    return {};
  if (options_.checkpointDir.empty()) {
    const char *flag = options_.resume            ? "--resume"
                       : options_.checkpointEvery ? "--checkpoint-every"
                       : !options_.evaluation.keepBest.empty() ? "--keep-best"
                                                               : nullptr;
    return flag ? usageError(fmt::format("{} needs --checkpoint-dir", flag))
                : Status();
  }
  auto warn = [this](const std::string &text) { tell_("warning", text); };
  MPC_ASSIGN_OR_RETURN(folder_,
                       CheckpointFolder::open(options_.checkpointDir, warn));
  folder_->setRule(options_.rule);
  std::vector<int64_t> steps = folder_->steps();
  // A new run would otherwise delete another run's checkpoints.
  if (!options_.resume && !steps.empty())
    return usageError(fmt::format(
        "{}: holds checkpoints up to step {}; continue them with --resume, "
        "or name another folder",
        escape(options_.checkpointDir), steps[0]));
  std::error_code error;
  if (!options_.resume && !options_.evaluation.keepBest.empty() &&
      std::filesystem::exists(folder_->bestFile(), error))
    return usageError(fmt::format(
        "{}: is the best state of another run, which --keep-best would "
        "replace; name another folder",
        escape(folder_->bestFile())));
  return {};
}

Result<std::optional<TrainPosition>> CheckpointKeeper::load(Runner &runner) {
  if (!options_.resume)
    return std::optional<TrainPosition>();
  MPC_ASSIGN_OR_RETURN(std::optional<TrainPosition> position,
                       folder_->loadNewest(runner));
  if (!position)
    tell_("note", fmt::format("{}: no checkpoint to resume, starting from "
                              "scratch",
                              escape(options_.checkpointDir)));
  return position;
}

Status CheckpointKeeper::replaceNumbers(Runner &runner) {
  for (const GivenNumber &given : options_.given) {
    MPC_ASSIGN_OR_RETURN(double saved, runner.readNumber(given.name));
    if (saved == given.value)
      continue;
    MPC_RETURN_IF_ERROR(runner.writeNumber(given.name, given.value));
    std::string effect;
    if (given.name == "init_scale") {
      MPC_ASSIGN_OR_RETURN(double scale, runner.readNumber("scale"));
      MPC_RETURN_IF_ERROR(runner.writeNumber("scale", given.value));
      effect = fmt::format(", and the scale, {}, starts from it again",
                           shortestDecimal(scale));
    }
    tell_("note", fmt::format("{}={} replaces {} of the checkpoint{}",
                              given.flag, shortestDecimal(given.value),
                              shortestDecimal(saved), effect));
  }
  warnOfUselessScale(runner);
  return {};
}

/// The policy's own rule may have reached such a scale, and no step leaves it.
void CheckpointKeeper::warnOfUselessScale(const Runner &runner) {
  Result<double> scale = runner.readNumber("scale");
  if (scale.ok() && !(*scale > 0 && std::isfinite(*scale)))
    tell_("warning", fmt::format("the loss scale is {}, with which no step is "
                                 "applied; --init-scale sets another",
                                 shortestDecimal(*scale)));
}

bool CheckpointKeeper::isDue(int64_t step) const {
  return (folder_ || options_.sharesCheckpoints) && savedStep_ != step;
}

Status CheckpointKeeper::saveNow(Runner &runner,
                                 const TrainPosition &position) {
  if (!options_.savesInParts)
    return withWholeState(runner,
                          [&] { return folder_->save(runner, position); });
  if (folder_)
    return folder_->saveInParts(runner.ranks(), runner, position);
  return saveParts(runner.ranks(), runner, "", {});
}

Status CheckpointKeeper::save(Runner &runner, const TrainPosition &position) {
  MPC_RETURN_IF_ERROR(saveNow(runner, position));
  savedStep_ = position.step;
  return {};
}

Status CheckpointKeeper::afterStep(Training &training, StepReport &report) {
  if (!report.isBest || (!folder_ && !options_.sharesCheckpoints))
    return {};
  return withWholeState(training.runner(), [&] {
    return folder_->saveBest(training.runner(), training.position());
  });
}

} // namespace mpc::rt
