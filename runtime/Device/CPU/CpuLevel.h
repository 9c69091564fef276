// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The code that the processor of this machine can run.
#ifndef MPC_RUNTIME_DEVICE_CPU_CPULEVEL_H
#define MPC_RUNTIME_DEVICE_CPU_CPULEVEL_H

#include "runtime/Support/Status.h"

#include <string>
#include <string_view>

namespace mpc::rt {

/// Code compiled for the processor of the machine that compiled it.
inline constexpr std::string_view kHostLevel = "host";

/// The rank of code of `level` on this machine: 0 where it does not run; else
/// larger for code that uses more of the processor. `level` is "x86-64-v3",
/// "x86-64-v4", or "host" for code from a machine whose cpuIdentity() is
/// `machine`.
[[nodiscard]] int rankLevel(std::string_view level, std::string_view machine);

/// Equal on machines whose processors have the same instructions.
[[nodiscard]] std::string cpuIdentity();

} // namespace mpc::rt

#endif // MPC_RUNTIME_DEVICE_CPU_CPULEVEL_H
