// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges and describes what other ranks have said.
#include "runtime/Ranks/RollCall.h"

#include <algorithm>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

std::string_view nameOf(RankPlace place) {
  switch (place) {
  case RankPlace::Starting:
    return "starting";
  case RankPlace::Reading:
    return "reading data";
  case RankPlace::Computing:
    return "computing";
  case RankPlace::Exchanging:
    return "exchanging data";
  case RankPlace::Evaluating:
    return "evaluating";
  case RankPlace::Saving:
    return "saving";
  }
  return "somewhere else";
}

} // namespace

std::string RankReport::describe() const {
  return fmt::format("at step {}, {}, for {:.1f} s", step, nameOf(place),
                     seconds);
}

bool RollCall::isOver(std::chrono::duration<double> waited,
                      const std::vector<Answer> &answers) const {
  bool isSilent =
      std::any_of(answers.begin(), answers.end(),
                  [](const Answer &answer) { return !answer.hasAnswered; });
  return waited >= (isSilent ? patience_.silence : patience_.others);
}

std::string describeWait(std::chrono::duration<double> waited,
                         const std::vector<RollCall::Answer> &answers) {
  std::string text = fmt::format("waited {:.1f} s", waited.count());
  for (const RollCall::Answer &answer : answers)
    text += answer.hasAnswered
                ? fmt::format("; rank {} is {}", answer.rank,
                              answer.report.describe())
                : fmt::format("; rank {} does not answer", answer.rank);
  return text;
}

} // namespace mpc::rt
