// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Describes program files to people, for mpc-inspect.
#ifndef MPC_RUNTIME_PROGRAM_INSPECTION_H
#define MPC_RUNTIME_PROGRAM_INSPECTION_H

#include "runtime/Program/Cubin.h"
#include "runtime/Program/Program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mpc::rt {

/// A kernel of a program.
struct KernelCode {
  std::string symbol;
  /// The offset in the image; for a GPU the index of the module.
  uint64_t offset = 0;
  /// The bytes up to the next kernel, or the image's end; 0 for a GPU.
  uint64_t bytes = 0;
  size_t launches = 0; ///< The number of launches in the program's entries.
  /// The resources of a GPU's kernel; empty without readable machine code.
  std::optional<CubinKernel> resources = {};
};

/// The kernels in the order of the image; for a GPU by module and name.
[[nodiscard]] std::vector<KernelCode> listKernels(const Program &program);

/// The state, the entries with their launches and arenas, and the kernels, as
/// text.
[[nodiscard]] std::string describeProgram(const Program &program);
/// The same facts as one JSON object.
[[nodiscard]] std::string describeProgramAsJson(const Program &program);
/// How `threads` threads share the launches of each entry, as text: chunks,
/// bytes and waits of the launches that take the most of their time.
[[nodiscard]] std::string describeSharing(const Program &program, int threads);
/// The same of all launches, as one JSON object.
[[nodiscard]] std::string describeSharingAsJson(const Program &program,
                                                int threads);
/// The arena of `entry` over its launches, as SVG.
[[nodiscard]] std::string drawArena(const Entry &entry);

/// The code image as an ELF object of one section, with a symbol for each
/// kernel, for a disassembler.
[[nodiscard]] std::string makeElfObject(const Program &program);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_INSPECTION_H
