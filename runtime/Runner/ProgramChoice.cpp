// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks programs by their targets.
#include "runtime/Runner/ProgramChoice.h"

#include "runtime/Device/CPU/CpuLevel.h"
#include "runtime/Runner/DeviceWorkspace.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mpc::rt {

Result<std::shared_ptr<const Program>>
chooseProgram(const ProgramVariants &programs, const std::string &level) {
  std::shared_ptr<const Program> best;
  int bestRank = 0;
  std::vector<std::string> levels;
  for (const auto &program : programs) {
    levels.push_back(escape(nameOf(program->target)));
    const CpuTarget *target = program->cpu();
    int rank = target ? rankLevel(target->cpu, target->machine) : 0;
    if (rank > bestRank && (level.empty() || level == target->cpu)) {
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

std::string warnOfUnusedUnit(const Program &program) {
  const CpuTarget *target = program.cpu();
  bool hasBF16 = std::any_of(
      program.state.begin(), program.state.end(),
      [](const StateTensor &one) { return one.desc.dtype == DType::BF16; });
  constexpr int kUnit = static_cast<int>(CpuNeeds::Level4BF16);
  if (!target || !hasBF16 || rankLevel(target->cpu, target->machine) >= kUnit)
    return "";
  for (const CpuLevel &level : cpuLevels())
    if (rankLevel(level.name, "") == kUnit)
      return fmt::format("the code is for {}, and this processor multiplies "
                         "bf16 by AVX512-BF16, too, at twice the rate: compile "
                         "with --cpu={},{}",
                         escape(target->cpu), escape(target->cpu), level.name);
  return "";
}

/// How well a program for `made` suits a GPU of number `device`; 0 where it
/// cannot run. Machine code is better than text, a newer architecture better
/// than an older one, and code for this GPU alone better than any other.
static int rankArch(CudaArch made, int device) {
  if (!made.compilesFor(device))
    return 0;
  return 2 * made.number + (made.letter ? 1 : 0) +
         (made.runsOn(device) ? 10'000 : 0);
}

Result<std::shared_ptr<const Program>>
chooseCudaProgram(const ProgramVariants &programs, int arch) {
  std::shared_ptr<const Program> best;
  int bestRank = 0;
  std::vector<std::string> names;
  for (const auto &program : programs) {
    names.push_back(escape(nameOf(program->target)));
    const CudaTarget *target = program->cuda();
    int rank = target ? rankArch(target->arch, arch) : 0;
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

Result<std::shared_ptr<const Program>>
chooseForDevice(const ProgramVariants &programs) {
  auto device = openCuda();
  if (!device.ok())
    return device.status().withContext("--target=cuda");
  return chooseCudaProgram(programs, (*device)->info().capability.number());
}

} // namespace mpc::rt
