// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// damage-program FILE.mpc: tries damaged copies of a program file, and fails
// where the file is not taken, or one of the copies is.
#include "test/runtime/Program/Damage.h"

#include "runtime/Support/File.h"

#include <cstdio>

using namespace mpc::rt;

int main(int argc, char **argv) {
  Result<std::string> file = readInput(argc == 2 ? argv[1] : "");
  if (!file.ok()) {
    std::puts(file.status().message().c_str());
    return 1;
  }
  Result<ProgramVariants> programs = parseProgramFile(
      SharedBytes::of(std::vector<char>(file->begin(), file->end())));
  if (!programs.ok()) {
    std::puts(programs.status().message().c_str());
    return 1;
  }
  test::DamageCampaign campaign(*file);
  campaign.run();
  for (const std::string &fault : campaign.faults())
    std::puts(fault.c_str());
  std::printf("%zu damaged copies, %zu faults\n", campaign.numTried(),
              campaign.faults().size());
  return campaign.faults().empty() ? 0 : 1;
}
