// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which of a file's programs runs on this machine.
#ifndef MPC_RUNTIME_RUNNER_PROGRAMCHOICE_H
#define MPC_RUNTIME_RUNNER_PROGRAMCHOICE_H

#include "runtime/Program/ProgramFile.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <string>

namespace mpc::rt {

/// The one that makes the most of this processor; of `level`, where that is not
/// empty. An error lists what there is.
Result<std::shared_ptr<const Program>>
chooseProgram(const ProgramVariants &programs, const std::string &level = "");

/// The one for a GPU that makes the most of sm_`arch`: machine code that runs
/// there, the newest first, else source.
Result<std::shared_ptr<const Program>>
chooseCudaProgram(const ProgramVariants &programs, int arch);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_PROGRAMCHOICE_H
