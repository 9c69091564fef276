// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Program files (.mpc): one program, compiled for one or several targets. See
/// docs/program-file.md. What such a file holds is run: its hashes find damage,
/// not forgery.
#ifndef MPC_RUNTIME_PROGRAM_PROGRAMFILE_H
#define MPC_RUNTIME_PROGRAM_PROGRAMFILE_H

#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mpc::rt {

/// One program for each target.
using ProgramVariants = std::vector<std::shared_ptr<const Program>>;

/// The bytes of a file of these programs, which differ in nothing but what is
/// their target's: the same for the same programs.
Result<std::string>
encodeProgramFile(std::span<const std::shared_ptr<const Program>> programs);

/// Writes that file to an output, without a copy of what it holds.
Status
writeProgramFile(const std::string &path,
                 std::span<const std::shared_ptr<const Program>> programs);

/// The programs in the bytes of a file, which they share. Nothing of a file
/// that is damaged, or of a version that is not known, is used.
Result<ProgramVariants> parseProgramFile(const SharedBytes &file);

/// The same of the file at `path`, which is mapped, or of standard input ("-").
/// Nothing may truncate the file while a program of it is in use.
Result<ProgramVariants> readProgramFile(const std::string &path);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_PROGRAMFILE_H
