// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program as an object file for a linker, and a C header with its inputs and
/// outputs by type.
#ifndef MPC_LIB_DRIVER_LINKABLEPROGRAM_H
#define MPC_LIB_DRIVER_LINKABLEPROGRAM_H

#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

#include <string>

namespace mpc {

/// A C identifier from a file's name without folder and extension: "my_step"
/// for "out/my-step.o". An error where nothing is left.
rt::Result<std::string> identifierOf(const std::string &path);

/// An object file that defines `<name>_program`, the bytes of a program file,
/// and `<name>_program_size`.
rt::Result<std::string> makeObject(const std::string &name,
                                   const std::string &programFile);

/// The header that declares these two, with a function for each input and
/// output, over mpc-c/Runner.h.
std::string makeHeader(const std::string &name, const rt::Program &program);

} // namespace mpc

#endif // MPC_LIB_DRIVER_LINKABLEPROGRAM_H
