// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Program files (.mpc): one program, compiled for one or several targets. See
/// docs/program-file.md. The code in a program file is executed. Its hashes
/// detect damage, not forgery.
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

/// The bytes of a file with these programs, which must be equal except for
/// their targets. Equal programs give equal bytes.
Result<std::string>
encodeProgramFile(std::span<const std::shared_ptr<const Program>> programs);

/// Writes that file to an output, without copying its contents.
Status
writeProgramFile(const std::string &path,
                 std::span<const std::shared_ptr<const Program>> programs);

/// The programs in the bytes of a file, which they share. A damaged file, or
/// one of an unknown version, is refused whole.
Result<ProgramVariants> parseProgramFile(const SharedBytes &file);

/// The programs of the file at `path`, which is mapped, or of standard input
/// ("-"). Nothing may truncate the file while one of its programs is in use.
Result<ProgramVariants> readProgramFile(const std::string &path);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_PROGRAMFILE_H
