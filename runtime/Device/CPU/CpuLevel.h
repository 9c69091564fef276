// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The code that the processor of this machine can run.
#ifndef MPC_RUNTIME_DEVICE_CPU_CPULEVEL_H
#define MPC_RUNTIME_DEVICE_CPU_CPULEVEL_H

#include "runtime/Support/Status.h"

#include <span>
#include <string>
#include <string_view>

namespace mpc::rt {

/// Code compiled for the processor of the machine that compiled it.
inline constexpr std::string_view kHostLevel = "host";

/// The instructions that code may use, each kind with all before it.
enum class CpuNeeds {
  Level3 = 2,     ///< x86-64-v3: AVX2, FMA, F16C.
  Level4 = 4,     ///< x86-64-v4: AVX-512.
  Level4BF16 = 5, ///< x86-64-v4 and AVX512-BF16.
};

/// A kind of processors that code is compiled for.
struct CpuLevel {
  std::string_view name; ///< As LLVM calls the level or its first processor.
  CpuNeeds needs;
};

/// All levels, by what they need.
[[nodiscard]] std::span<const CpuLevel> cpuLevels();

/// "host" and the names of all levels, as a list in a sentence.
[[nodiscard]] std::string listCpus();

/// Whether AVX512-BF16, if this processor has it, multiplies more at a time
/// than fused multiply-adds of f32. AMD's does twice as much. Intel's does half
/// of it: a `vdpbf16ps` begins every 2.2 cycles, where two multiply-adds begin
/// in each (measured on an Emerald Rapids, and on no other of Intel's).
[[nodiscard]] bool hasFastBF16();

/// The rank of code of `level` on this machine: 0 where it does not run; else
/// larger for code that is faster here. `level` is one of
/// cpuLevels(), or "host" for code from a machine whose cpuIdentity() is
/// `machine`.
[[nodiscard]] int rankLevel(std::string_view level, std::string_view machine);

/// Equal on machines whose processors have the same instructions.
[[nodiscard]] std::string cpuIdentity();

} // namespace mpc::rt

#endif // MPC_RUNTIME_DEVICE_CPU_CPULEVEL_H
