// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries the processor by CPUID.
#include "runtime/Device/CPU/CpuLevel.h"

#include "runtime/Support/Hash.h"

#include <cpuid.h>
#include <cstdint>

namespace mpc::rt {
namespace {

/// Adds the registers of a CPUID leaf, without those that describe this one
/// core.
void addLeaf(ContentHash &hash, uint32_t leaf, uint32_t subleaf) {
  uint32_t registers[4] = {};
  __get_cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2],
                    &registers[3]);
  if (leaf == 1) {
    registers[1] = 0; // This register contains the number of the core.
    // This bit says whether the system saves the vector registers.
    registers[2] &= ~(1u << 27);
  }
  hash.update(registers, sizeof registers);
}

/// The registers that the system saves on a switch.
uint64_t savedRegisters() {
  uint32_t low = 0, high = 0, features[4] = {};
  __get_cpuid(1, &features[0], &features[1], &features[2], &features[3]);
  if (features[2] & (1u << 27))
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

constexpr CpuLevel kLevels[] = {{"x86-64-v3", CpuNeeds::Level3},
                                {"x86-64-v4", CpuNeeds::Level4},
                                {"znver4", CpuNeeds::Level4BF16},
                                {"znver5", CpuNeeds::Level4BF16},
                                {"cooperlake", CpuNeeds::Level4BF16},
                                {"sapphirerapids", CpuNeeds::Level4BF16},
                                {"graniterapids", CpuNeeds::Level4BF16}};

bool runsHere(CpuNeeds needs) {
  __builtin_cpu_init();
  switch (needs) {
  case CpuNeeds::Level3:
    return __builtin_cpu_supports("x86-64-v3");
  case CpuNeeds::Level4:
    return __builtin_cpu_supports("x86-64-v4");
  case CpuNeeds::Level4BF16:
    return __builtin_cpu_supports("x86-64-v4") &&
           __builtin_cpu_supports("avx512bf16");
  }
  return false;
}

/// The ranks of code for this very processor, and of code for a unit that is
/// slower here than what AVX-512 has for f32.
constexpr int kHostRank = 6, kSlowUnitRank = 3;

} // namespace

std::span<const CpuLevel> cpuLevels() { return kLevels; }

std::string listCpus() {
  std::string list(kHostLevel);
  for (const CpuLevel &level : kLevels)
    list.append(&level == std::end(kLevels) - 1 ? " or " : ", ")
        .append(level.name);
  return list;
}

bool hasFastBF16() {
  __builtin_cpu_init();
  return __builtin_cpu_is("amd");
}

int rankLevel(std::string_view level, std::string_view machine) {
  for (const CpuLevel &known : kLevels) {
    if (level != known.name)
      continue;
    if (!runsHere(known.needs))
      return 0;
    bool isSlow = known.needs == CpuNeeds::Level4BF16 && !hasFastBF16();
    return isSlow ? kSlowUnitRank : static_cast<int>(known.needs);
  }
  return level == kHostLevel && machine == cpuIdentity() ? kHostRank : 0;
}

std::string cpuIdentity() {
  ContentHash hash;
  for (auto [leaf, subleaf] : {std::pair(0u, 0u),
                               {1, 0},
                               {7, 0},
                               {7, 1},
                               {0x14, 0},
                               {0x19, 0},
                               {0x80000001, 0},
                               {0x80000008, 0}})
    addLeaf(hash, leaf, subleaf);
  uint64_t saved = savedRegisters();
  hash.update(&saved, sizeof saved);
  return hash.digest();
}

} // namespace mpc::rt
