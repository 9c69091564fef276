// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What code the processor of this machine runs.
#ifndef MPC_RUNTIME_DEVICE_CPU_CPULEVEL_H
#define MPC_RUNTIME_DEVICE_CPU_CPULEVEL_H

#include "runtime/Support/Status.h"

#include <string>
#include <string_view>

namespace mpc::rt {

/// Code that is made for the very processor it is made on.
inline constexpr std::string_view kHostLevel = "host";

/// 0 for code that does not run here; else a number that is larger for code
/// that makes more of this processor. `level` is "x86-64-v3", "x86-64-v4", or
/// "host" for code made on a machine of the cpuIdentity() `machine`.
[[nodiscard]] int rankLevel(std::string_view level, std::string_view machine);

/// Equal on machines whose processors have the same instructions.
[[nodiscard]] std::string cpuIdentity();

} // namespace mpc::rt

#endif // MPC_RUNTIME_DEVICE_CPU_CPULEVEL_H
