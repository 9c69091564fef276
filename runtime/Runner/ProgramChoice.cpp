// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks programs by their targets.
#include "runtime/Runner/ProgramChoice.h"

#include "runtime/Device/CPU/CpuLevel.h"
#include "runtime/Support/Text.h"

#include <fmt/format.h>

namespace mpc::rt {

Result<std::shared_ptr<const Program>>
chooseProgram(const ProgramVariants &programs, const std::string &level) {
  std::shared_ptr<const Program> best;
  int bestRank = 0;
  std::vector<std::string> levels;
  for (const auto &program : programs) {
    const CodeTarget &target = program->target;
    levels.push_back(escape(target.cpu));
    int rank = rankLevel(target.cpu, target.machine);
    if (rank > bestRank && (level.empty() || level == target.cpu)) {
      best = program;
      bestRank = rank;
    }
  }
  if (best)
    return best;
  std::string wanted = "this processor runs";
  if (!level.empty())
    wanted = "is for " + quote(level) + " and runs here";
  return environmentError(fmt::format("holds no code that {}: it is for {}",
                                      wanted, joinSome(levels)));
}

} // namespace mpc::rt
