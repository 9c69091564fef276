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

Result<std::shared_ptr<const Program>>
chooseCudaProgram(const ProgramVariants &programs, int arch) {
  std::shared_ptr<const Program> best;
  int bestRank = 0;
  std::vector<std::string> names;
  for (const auto &program : programs) {
    int made = program->target.cudaArch;
    names.push_back(escape(program->target.cpu));
    // Text for an older one compiles for a newer one, not the other way round.
    int rank = made == 0 || made > arch
                   ? 0
                   : made + (made / 10 == arch / 10 ? 1000 : 0);
    if (rank > bestRank) {
      best = program;
      bestRank = rank;
    }
  }
  if (best)
    return best;
  return environmentError(
      fmt::format("holds no code that a GPU of sm_{} runs: it is for {}", arch,
                  joinSome(names)));
}

} // namespace mpc::rt
