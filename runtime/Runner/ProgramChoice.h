// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Chooses which of a file's programs runs on this machine.
#ifndef MPC_RUNTIME_RUNNER_PROGRAMCHOICE_H
#define MPC_RUNTIME_RUNNER_PROGRAMCHOICE_H

#include "runtime/Program/ProgramFile.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <string>

namespace mpc::rt {

/// The program that uses most of this processor; only programs of `level`
/// count, where that is not empty. An error lists the programs.
Result<std::shared_ptr<const Program>>
chooseProgram(const ProgramVariants &programs, const std::string &level = "");

/// A warning where `program`, made for a CPU, has weights of bf16 and code that
/// does not multiply them by the unit that this processor has; else empty.
[[nodiscard]] std::string warnOfUnusedUnit(const Program &program);

/// The program for a GPU that uses most of sm_`arch`: machine code that runs
/// there, the newest first, else source.
Result<std::shared_ptr<const Program>>
chooseCudaProgram(const ProgramVariants &programs, int arch);
/// That program for this machine's GPU.
Result<std::shared_ptr<const Program>>
chooseForDevice(const ProgramVariants &programs);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_PROGRAMCHOICE_H
